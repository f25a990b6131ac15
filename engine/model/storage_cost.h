#pragma once
// What a level's accesses cost (docs/cost_model.md, rules 18 to 20, 23, 25 and 28): the one place of these formulas,
// for costs and for bounds.
#include <algorithm>
#include <cmath>

#include "engine/model/compiled.h"

namespace heliolite {

// Accesses of one tensor at a level, in words or in blocks; whole numbers, or doubles in bounds.
template <class Number>
struct Accesses {
  Number reads{}, fills{}, updates{};

  Accesses& operator+=(const Accesses& other) {
    reads += other.reads, fills += other.fills, updates += other.updates;
    return *this;
  }
};

// Accesses of one word on its way from the level that keeps it last: read there, and updated if it is an output.
template <class Number>
constexpr Accesses<Number> serving_one_word(bool is_output) {
  return {1, 0, static_cast<Number>(is_output ? 1 : 0)};
}

// Energy units of accesses counted in blocks.
inline u128 access_units(const CompiledLevel& level, const Accesses<u64>& blocks) {
  return static_cast<u128>(blocks.reads) * level.read_units + static_cast<u128>(blocks.fills) * level.fill_units +
         static_cast<u128>(blocks.updates) * level.update_units;
}
inline double access_units(const CompiledLevel& level, const Accesses<double>& blocks) {
  return blocks.reads * static_cast<double>(level.read_units) + blocks.fills * static_cast<double>(level.fill_units) +
         blocks.updates * static_cast<double>(level.update_units);
}

// Words in blocks, each kind rounded up by itself (rule 19).
inline Accesses<u64> in_blocks(const CompiledLevel& level, const Accesses<u64>& words) {
  return {level.blocks(words.reads), level.blocks(words.fills), level.blocks(words.updates)};
}

// Addresses generated for accesses in words (rule 23): an output's update serves its read, too.
inline u64 generated_addresses(const Accesses<u64>& words, bool is_output) {
  return (is_output ? words.updates : words.reads) + words.fills;
}

// Clusters of the level that accesses of so many instances can use side by side (rule 20).
inline u64 clusters_of(const CompiledLevel& level, u64 instances) { return std::min(instances, level.clusters); }

// Energy units of all instances from the `units` of one. The loop ends span `spanned` instances, of which `used` are in
// use (rule 20); these numbers are equal for perfect factors.
inline u128 units_of_instances(const CompiledLevel& level, u128 units, u64 used, u64 spanned) {
  units *= clusters_of(level, spanned);
  return used == spanned ? units : units * used / spanned;
}

// What a level costs by time alone (rule 25), in energy units of one cycle with so many instances in use; in bounds,
// where instances times cycles are one number, of all cycles.
inline u128 leakage_units(const CompiledLevel& level, u64 instances) {
  return static_cast<u128>(level.leak_units) * instances;
}
inline double leakage_units(const CompiledLevel& level, double instances) {
  return static_cast<double>(level.leak_units) * instances;
}
inline bool leaks(const CompiledLevel& level) { return level.leak_units != 0; }

// Words a bandwidth has to serve: counted on the instances that the loop ends span (rule 28).
inline u64 demanded_words(u64 words, u64 used, u64 spanned) {
  if (used == spanned) return words;
  return static_cast<u64>(
      std::ceil(static_cast<double>(words) / (static_cast<double>(spanned) / static_cast<double>(used))));
}

}  // namespace heliolite
