#pragma once
// Words per cycle and bytes per second.

namespace heliolite {

// 10^9 bytes per second. `cycle_ns`: length of a cycle.
inline double gigabytes_per_second(double words_per_cycle, double word_bits, double cycle_ns) {
  return words_per_cycle * word_bits / 8 / cycle_ns;
}

}  // namespace heliolite
