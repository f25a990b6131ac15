#pragma once
// Cycles of a storage level from its word counts (docs/cost_model.md, rule 28), in Timeloop's order of operations:
// the comparison with its runs is exact.
#include <cmath>
#include <span>

#include "engine/base/saturating.h"
#include "engine/model/compiled.h"

namespace heliolite {

// More cycles than can be counted, 2^64 - 1 and above. A mapping that needs so many has no cost and does not fit, as
// one whose tiles are too large (Verdict::OverCapacity).
inline constexpr u64 kTooManyCycles = ~u64{0};

// Cycles that the level needs. `reads`, `writes` (fills and updates): [tensor] parts of words (value_parts.h)
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

}  // namespace heliolite
