#pragma once
// Timeloop's built-in energies (its "pat" table, docs/cost_model.md, rule 21), used where a machine states none.
// They are relative to a 16-bit MAC of Eyeriss (= 1) though printed as pJ, and know neither area nor leakage.
#include "engine/base/types.h"

namespace heliolite {

// One access to `block_words` words of an SRAM or register file of `words` words, in pJ: linear in the capacity
// through 0.5 KB = 1 and 100 KB = 6 for 16 bits, in proportion to the width. `cluster_size` instances share one
// physical memory of that many times the width and its energy. No words cost nothing.
double pat_sram_pj(u64 words, u64 word_bits, u64 block_words = 1, u64 cluster_size = 1);

// One access to a block of DRAM, in pJ.
double pat_dram_pj(u64 word_bits, u64 block_words = 1);

// One multiply-accumulate, in pJ.
double pat_mac_pj(u64 word_bits);

}  // namespace heliolite
