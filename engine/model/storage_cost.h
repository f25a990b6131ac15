#pragma once
// What a level's accesses cost (docs/cost_model.md, rules 18 to 20, 23, 25, 28 and 44): the one place of these
// formulas, for costs and for bounds.
#include <algorithm>
#include <cmath>
#include <span>

#include "engine/base/integers.h"
#include "engine/model/compiled.h"

namespace heliolite {

// Cycles of a storage level from its word counts (docs/cost_model.md, rule 28), in Timeloop's order of operations:
// the comparison with its runs is exact.

// More cycles than can be counted, 2^64 - 1 and above. A mapping that needs so many has no cost and does not fit, as
// one whose tiles are too large (Verdict::OverCapacity).
inline constexpr u64 kTooManyCycles = ~u64{0};

// Cycles that the level needs. `reads`, `writes` (fills and updates): [tensor] parts of words (keep.h)
// of one instance. `steps`: cycles
// of the compute units, which are also what a level without bandwidths needs. kTooManyCycles where 64 bits do not hold
// them.
inline u64 level_cycles(const CompiledLevel& level, std::span<const u64> reads, std::span<const u64> writes,
                        u64 steps) {
  if (!level.limited) return steps;
  const auto base = static_cast<double>(steps);
  double read_rate = 0, write_rate = 0, slowdown = 1;
  for (std::size_t v = 0; v < reads.size(); ++v) {
    read_rate += static_cast<double>(reads[v]) / base;
    write_rate += static_cast<double>(writes[v]) / base;
  }
  const auto limit = [&slowdown](double bandwidth, double rate) {
    if (bandwidth < rate && bandwidth / rate < slowdown) slowdown = bandwidth / rate;
  };
  limit(level.read_bandwidth, read_rate);
  limit(level.write_bandwidth, write_rate);
  limit(level.shared_bandwidth, read_rate + write_rate);
  return saturated(std::ceil(base / slowdown));
}

// Whether parts of one instance in so many steps are clearly below the bandwidths, so that the level needs no more
// cycles than the compute units: without a division, and never when level_cycles() says otherwise.
inline bool clearly_fast_enough(const CompiledLevel& level, u64 reads, u64 writes, u64 steps) {
  if (!level.limited) return true;
  const double safe = static_cast<double>(static_cast<i64>(steps)) * (1 - 1e-9);
  const auto read = static_cast<double>(static_cast<i64>(reads));
  const auto write = static_cast<double>(static_cast<i64>(writes));
  // All three are compared: the first that fails is none that can be foreseen.
  const bool reads_are = read <= level.read_bandwidth * safe;
  const bool writes_are = write <= level.write_bandwidth * safe;
  const bool both_are = read + write <= level.shared_bandwidth * safe;
  return reads_are & writes_are & both_are;
}

// Accesses of one tensor at a level, in words of the tensor or as the level counts them; whole numbers, or doubles in
// bounds.
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

// Energy units of accesses of tensor v as in_accesses() counts them.
inline u128 access_units(const CompiledLevel& level, int v, const Accesses<u64>& accesses) {
  const ValueUnits& units = level.units[at(v)];
  return static_cast<u128>(accesses.reads) * units.read + static_cast<u128>(accesses.fills) * units.fill +
         static_cast<u128>(accesses.updates) * units.update;
}

// The same of words of tensor v, blocks not rounded up: no more than they cost.
inline double least_access_units(const CompiledLevel& level, int v, const Accesses<double>& words) {
  const ValueUnits& units = level.units[at(v)];
  const double sum = words.reads * static_cast<double>(units.read) + words.fills * static_cast<double>(units.fill) +
                     words.updates * static_cast<double>(units.update);
  if (level.block_words == 1) return sum;
  return sum * static_cast<double>(level.taken(v, 1)) / static_cast<double>(level.block_parts);
}

// So many parts in blocks, each kind rounded up by itself (rule 19).
inline Accesses<u64> in_blocks(const CompiledLevel& level, const Accesses<u64>& parts) {
  return {level.blocks(parts.reads), level.blocks(parts.fills), level.blocks(parts.updates)};
}

// Words of tensor v in parts of the level's words, which its bandwidths serve (rule 28).
inline Accesses<u64> in_parts(const CompiledLevel& level, int v, const Accesses<u64>& words) {
  return {level.taken(v, words.reads), level.taken(v, words.fills), level.taken(v, words.updates)};
}

// Words of tensor v in accesses.
inline Accesses<u64> in_accesses(const CompiledLevel& level, int v, const Accesses<u64>& words) {
  return level.block_words == 1 ? words : in_blocks(level, in_parts(level, v, words));
}

// Words of tensor v for which addresses are generated (rule 23): an output's update serves its read, too.
inline u64 addressed_words(const Accesses<u64>& words, bool is_output) {
  return (is_output ? words.updates : words.reads) + words.fills;
}
inline u128 address_units(const CompiledLevel& level, int v, const Accesses<u64>& words, bool is_output) {
  return static_cast<u128>(addressed_words(words, is_output)) * level.units[at(v)].address;
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
