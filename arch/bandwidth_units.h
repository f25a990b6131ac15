#pragma once
// Units that depend on the length of a word: bytes per second, for words per cycle (GB/s are 10^9, as bandwidths of
// memories are given), and energies of a bit.
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

// "1.17 pJ/bit" as pJ; fJ/bit is taken too. Nothing for anything else, numbers without a unit included.
std::optional<double> parse_picojoules_per_bit(std::string_view text);

inline constexpr std::string_view kByteRateUnits = "MB/s, GB/s or TB/s, of 1000";  // for messages

// Regular expressions that every such text matches.
inline constexpr const char* kByteRatePattern = "^\\s*[0-9.eE+-]+\\s*[MGT]B/s\\s*$";
inline constexpr const char* kBitEnergyPattern = "^\\s*[0-9.eE+-]+\\s*[pf]J/bit\\s*$";

}  // namespace heliolite
