#include "arch/pat_energy.h"

namespace heliolite {

double pat_sram_pj(u64 words, u64 word_bits, u64 block_words, u64 cluster_size) {
  if (words == 0) return 0;
  const u64 rows = words / block_words + (words % block_words != 0);
  const double width = static_cast<double>(word_bits * block_words * cluster_size);
  const double kilobytes = width * static_cast<double>(rows) / 8192;
  return (1.0 + (kilobytes - 0.5) * 5.0 / 99.5) * width / 16 / static_cast<double>(cluster_size);
}

double pat_dram_pj(u64 word_bits, u64 block_words) { return 200.0 * static_cast<double>(word_bits * block_words) / 16; }

double pat_mac_pj(u64 word_bits) {
  const double ratio = static_cast<double>(word_bits) / 16;
  return ratio * ratio;
}

}  // namespace heliolite
