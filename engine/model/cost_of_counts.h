#pragma once
// From counts to costs (docs/cost_model.md, rules 18 to 20, 23, 25, 28, 43 and 44). Mappings are counted in several
// ways: in closed form where factors divide (perfect.h, tensor_flows.h), in Timeloop's averages (imperfect_cost.h),
// word by word (true_counts), by the rows of collapse.h where words come from peers. Each ends with the same counts of
// a level and a tensor. What these cost, in sum or one by one, is worked out here alone; bounds take their formulas
// from here, too.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

#include "arch/architecture.h"
#include "engine/base/integers.h"
#include "engine/model/compiled.h"
#include "engine/model/cost.h"

namespace heliolite {

// Words of one instance at a level that keeps a tensor, or of all (rule 18): `accesses` go out of its tile to the
// inside, `crossing` come into it from outside. Of an output the `part` that belongs there is not read the first time;
// as many words as cross into its tile leave it.
inline Accesses<u64> kept_words(const CompiledLevel& level, bool is_output, u64 accesses, u64 crossing, u64 part) {
  if (!is_output) return {accesses, crossing, 0};
  const u64 drained = level.reads_drains ? crossing : 0;
  return {std::max(accesses, part) - part + drained, std::max(crossing, part) - part, accesses};
}

// Words at an interconnect (rule 43), from those that the inside asks it for: on their way in (reads), and out
// (updates).
inline Accesses<u64> carried_words(const CompiledLevel& level, bool is_output, u64 accesses, u64 part) {
  return kept_words(level, is_output, accesses, 0, part);
}

// C's round() of a count; Timeloop's subtractions can go below zero where boxes have holes.
inline u64 rounded(double words) { return words > 0 ? static_cast<u64>(std::floor(words + 0.5)) : 0; }

// Both in Timeloop's averages, rounded where it rounds; `peers`: words that the instance passes on to peers.
inline Accesses<u64> averaged_words(const CompiledLevel& level, bool is_output, double accesses, double crossing,
                                    double part, double peers = 0) {
  const double drained = level.reads_drains ? crossing : 0;
  if (is_output)
    return {rounded(accesses + peers - part + drained), rounded(crossing + peers - part), rounded(accesses)};
  return {rounded(accesses + peers), static_cast<u64>(std::max(0.0, crossing + peers)), 0};
}

// Accesses of one word on its way from the level that keeps it last: read there, and updated if it is an output.
template <class Number>
constexpr Accesses<Number> serving_one_word(bool is_output) {
  return {1, 0, static_cast<Number>(is_output ? 1 : 0)};
}

// Accesses of blocks that `parts` parts take, each kind rounded up by itself (rule 19).
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

// Energy units of words of tensor v, blocks not rounded up: no more than they cost.
inline double least_access_units(const CompiledLevel& level, int v, const Accesses<double>& words) {
  const double sum = price_of_accesses(level.units[v], words);
  if (level.block_words == 1) return sum;
  return sum * static_cast<double>(level.taken(v, 1)) / static_cast<double>(level.block_parts);
}

// Energy units of words of tensor v and of the addresses that are generated for them: no more than they cost.
inline double least_units(const CompiledLevel& level, int v, const Accesses<double>& words, bool is_output) {
  return least_access_units(level, v, words) +
         addressed_words(words, is_output) * static_cast<double>(level.units[v].address);
}

// What a level costs by time alone (rule 25), in energy units of one cycle with this many instances in use; in bounds,
// where instances times cycles are one number, of all cycles.
inline u128 leakage_units(const CompiledLevel& level, u64 instances) {
  return static_cast<u128>(level.leak_units) * instances;
}
inline double leakage_units(const CompiledLevel& level, double instances) {
  return static_cast<double>(level.leak_units) * instances;
}
inline bool leaks(const CompiledLevel& level) { return level.leak_units != 0; }

// Instances of a level: those in use, and those that the loop ends span (rule 20); the same number for perfect factors.
struct InstanceCount {
  u64 used = 1, spanned = 1;
  bool operator==(const InstanceCount&) const = default;
};

// Clusters of the level that accesses of these many instances can use side by side (rule 20).
inline u64 clusters_of(const CompiledLevel& level, u64 instances) { return std::min(instances, level.clusters); }

// Energy units of what the instances of a level that are in use ask for together.
inline u128 units_side_by_side(const CompiledLevel& level, u128 units, u64 used) {
  const u64 clusters = clusters_of(level, used);
  if (clusters == used) return units;
  return units / used * clusters + units % used * clusters / used;
}

// Energy units of a tensor's words at a level, of all its instances.
struct AccessUnits {
  u128 accesses = 0, addresses = 0;
  u128 sum() const { return accesses + addresses; }
};

// From the words of one instance.
inline AccessUnits units_of_one(const CompiledLevel& level, int v, const Accesses<u64>& words, bool is_output,
                                const InstanceCount& n) {
  const u64 clusters = clusters_of(level, n.spanned);
  AccessUnits out{price_of_accesses(level.units[v], in_accesses(level, v, words)) * clusters, 0};
  if (n.used != n.spanned) out.accesses = out.accesses * n.used / n.spanned;
  if (level.generates_addresses) out.addresses = price_of_addresses(level.units[v], words, is_output) * clusters;
  return out;
}

// From those of all, and the accesses that they are: blocks are rounded up by every instance for itself.
inline AccessUnits units_of_all(const CompiledLevel& level, int v, const Accesses<u64>& words,
                                const Accesses<u64>& accesses, bool is_output, u64 used) {
  const ValueUnits& price = level.units[v];
  AccessUnits out{units_side_by_side(level, price_of_accesses(price, accesses), used), 0};
  if (level.generates_addresses)
    out.addresses = units_side_by_side(level, price_of_addresses(price, words, is_output), used);
  return out;
}

// More cycles than can be counted, 2^64 - 1 and above. A mapping that needs them has no cost and does not fit, as
// one whose tiles are too large (Verdict::OverCapacity).
inline constexpr u64 kTooManyCycles = ~u64{0};

// Cycles that the ports of one instance need for these parts of words, rounded up: exact (rule 28). kTooManyCycles
// where 64 bits do not hold them.
inline u64 exact_port_cycles(const CompiledLevel& level, u64 reads, u64 writes) {
  u128 most = 0;
  const auto wait = [&most](const PartsPerCycle& rate, u64 parts) {
    if (rate.is_limited()) most = std::max(most, ceil_div(static_cast<u128>(parts) * rate.cycles, u128{rate.parts}));
  };
  wait(level.read_rate, reads);
  wait(level.write_rate, writes);
  wait(level.shared_rate, reads + writes);
  return most < kTooManyCycles ? static_cast<u64>(most) : kTooManyCycles;
}

// Cycles that a level needs (rule 28); where they are counted as Timeloop does, in its order of operations: then the
// comparison with its runs is exact. `reads`, `writes` (fills and updates): [tensor] parts of words (keep.h) of one
// instance. `steps`: cycles of the compute units, which are also what a level without bandwidths needs. kTooManyCycles
// where 64 bits do not hold them.
inline u64 level_cycles(const CompiledLevel& level, std::span<const u64> reads, std::span<const u64> writes,
                        u64 steps) {
  if (!level.limited) return steps;
  if (!level.timeloop_cycles) {
    const u64 read = std::accumulate(reads.begin(), reads.end(), u64{0});
    return std::max(steps, exact_port_cycles(level, read, std::accumulate(writes.begin(), writes.end(), u64{0})));
  }
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

// Without rounding, for bounds: what the slowest of the level's ports needs for these parts of words.
inline double port_cycles(const CompiledLevel& level, double reads, double writes) {
  return std::max(
      {reads / level.read_bandwidth, writes / level.write_bandwidth, (reads + writes) / level.shared_bandwidth});
}

// Whether parts of one instance in `steps` steps are clearly below the bandwidths, so that the level needs no more
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

// Words a bandwidth has to serve: counted on the instances that the loop ends span (rule 28).
inline u64 demanded_words(const CompiledLevel& level, u64 words, const InstanceCount& n) {
  if (n.used == n.spanned) return words;
  if (!level.timeloop_cycles)
    return static_cast<u64>(ceil_div(static_cast<u128>(words) * n.used, static_cast<u128>(n.spanned)));
  return static_cast<u64>(
      std::ceil(static_cast<double>(words) / (static_cast<double>(n.spanned) / static_cast<double>(n.used))));
}

// The words of the tensors that a level counts, of one of its instances.
class LevelLoad {
 public:
  // Without initialisers: only the first count() of them are written.
  struct Ask {
    u64 reads, fills, updates;
    int tensor;
    bool is_output;

    Accesses<u64> words() const { return {reads, fills, updates}; }
  };

  void add(int v, const Accesses<u64>& words, bool is_output) {
    ask_[count_++] = {words.reads, words.fills, words.updates, v, is_output};
    words_ += words;
  }

  std::span<const Ask> asks() const { return {ask_.data(), count_}; }
  const Accesses<u64>& words() const { return words_; }  // of all tensors
  u64 cycles(const CompiledLevel& level, const InstanceCount& n, u64 steps) const;

 private:
  Accesses<u64> words_;
  std::size_t count_ = 0;
  std::array<Ask, kMaxTensors> ask_;
};

// The cost of a mapping as it is added up.
class CostSum {
 public:
  // The sum of `computes` MACs, in `steps` steps of the compute units.
  CostSum(const Compiled& c, u64 computes, u64 steps)
      : energy_(static_cast<u128>(c.op_units) * computes), cycles_(c.cycles_of(steps)), steps_(cycles_) {}

  void pay(u128 units) { energy_ += units; }

  // A level needs this many cycles.
  void wait(u64 cycles) { cycles_ = std::max(cycles_, cycles); }
  // The compute units cannot begin at once, or what they make must still go out.
  void ramp(const Ramps& ramps) { wait(saturated_sum(steps_, ramps.cycles())); }
  // What a level costs by time, with `used` instances in use, at least one.
  void leak(const CompiledLevel& level, u64 used) {
    if (leaks(level)) leakage_ += leakage_units(level, used);
  }

  // All that the words of a level cost. Without sizes an access, and an address, costs the same for all tensors.
  void add(const CompiledLevel& level, const LevelLoad& load, const InstanceCount& n) {
    if (level.parts.sized || n.used != n.spanned) return add_by_tensor(level, load, n);
    const Accesses<u64>& words = load.words();
    if (!clearly_fast_enough(level, words.reads, words.fills + words.updates, steps_))
      wait(load.cycles(level, n, steps_));
    u128 units = 0;
    if (level.generates_addresses) {
      u64 addressed = 0;
      for (const LevelLoad::Ask& a : load.asks()) addressed += addressed_words(a.words(), a.is_output);
      units = price_of(addressed, level.units[0].address);
    }
    Accesses<u64> accesses = words;
    if (level.block_words != 1) {
      accesses = {};
      for (const LevelLoad::Ask& a : load.asks()) accesses += in_blocks(level, a.words());
    }
    energy_ += (units + price_of_accesses(level.units[0], accesses)) * clusters_of(level, n.spanned);
    leak(level, n.used);
  }

  // Whether the cycles can be counted.
  bool is_finite() const { return cycles_ != kTooManyCycles; }
  Cost total() const { return {{energy_ + leakage_ * cycles_}, cycles_}; }

 private:
  void add_by_tensor(const CompiledLevel& level, const LevelLoad& load, const InstanceCount& n);

  u128 energy_, leakage_ = 0;  // leakage: per cycle
  u64 cycles_, steps_;         // steps: in cycles
};

// The breakdown of the same sum: counts go in, and get their prices.
class BreakdownSum {
 public:
  // `utilized`: compute units at work. `architecture`: the one of `c`.
  BreakdownSum(const Architecture& architecture, const Compiled& c, u64 computes, u64 utilized, u64 steps);

  // Tensor v at level i, and on the network below it.
  void keep(int i, int v, TensorTraffic counts, const AccessUnits& units);
  void send(int i, int v, NetworkTraffic counts) { level(i).network[v] = std::move(counts); }
  // The compute units cannot begin at once, or what they make must still go out.
  void ramp(const Ramps& ramps);
  // Level i, all of whose tensors are there, needs `cycles` cycles with `used` instances in use.
  void wait(int i, u64 cycles, u64 used);
  Breakdown total();

 private:
  LevelBreakdown& level(int i) { return out_.level[i]; }

  const Compiled& c_;
  Breakdown out_;
  std::array<u64, kMaxLevels> used_{};
};

}  // namespace heliolite
