#pragma once
// Words per cycle and bytes per second. GB/s are 10^9 bytes per second, as bandwidths of memories are given.
#include <optional>
#include <string_view>

namespace heliolite {

inline double gigabytes_per_second(double words_per_cycle, double word_bits, double cycle_ns) {
  return words_per_cycle * word_bits / 8 / cycle_ns;
}

inline double words_per_cycle(double gigabytes_per_second, double word_bits, double cycle_ns) {
  return gigabytes_per_second * 8 * cycle_ns / word_bits;
}

// "25.6 GB/s" as GB/s; MB/s and TB/s are taken too. Nothing for anything else, numbers without a unit included.
std::optional<double> parse_gigabytes_per_second(std::string_view text);

inline constexpr std::string_view kByteRateUnits = "MB/s, GB/s or TB/s, of 1000";  // for messages

}  // namespace heliolite
