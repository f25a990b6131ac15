#pragma once
// The answers of the cost model: whether a mapping fits, what it costs, and the breakdown of that, with every count and
// energy by level and tensor (docs/cost_model.md).
#include <array>
#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/types.h"

namespace heliolite {

// Two ways of counting what a mapping moves when its factors do not divide. Where they do, both give the same numbers.
enum class Counts : u8 {
  Timeloop,  // Timeloop's averages over one instance (docs/cost_model.md, "Factors that do not divide")
  True,      // every MAC once, every word that moves, every instance at work (docs/cost_model.md, "True counts")
};

// As users write it.
constexpr std::string_view name(Counts counts) { return counts == Counts::True ? "true" : "timeloop"; }

// A level's words divided into parts, as few as possible, so that every tensor's words take a whole number of them.
struct ValueParts {
  u32 of_word = 1;                                          // of one word of the level
  std::array<u32, kMaxTensors> of{1, 1, 1, 1, 1, 1, 1, 1};  // [tensor]: parts in one of its words
  bool sized = false;                                       // the words of some tensor are not words of the level

  bool operator==(const ValueParts&) const = default;
};

// Accesses of one tensor at a level, in words of the tensor or as the level counts them; whole numbers, or doubles in
// bounds.
template <class Number>
struct Accesses {
  Number reads{}, fills{}, updates{};

  Accesses& operator+=(const Accesses& other) {
    reads += other.reads, fills += other.fills, updates += other.updates;
    return *this;
  }
  bool operator==(const Accesses&) const = default;
};

// What a mapping costs.
struct Cost {
  Energy energy;   // of the whole run, all instances together
  u64 cycles = 0;  // of the whole run

  constexpr Cost& operator+=(const Cost& more) {
    energy += more.energy, cycles += more.cycles;
    return *this;
  }
  friend constexpr Cost operator*(const Cost& one, u64 runs) { return {one.energy * runs, one.cycles * runs}; }
  auto operator<=>(const Cost&) const = default;
};

// Cycles before the compute units can begin, and after they have ended (docs/cost_model.md, rule 46).
struct Ramps {
  u64 fill = 0, drain = 0;
  u64 cycles() const { return saturated_sum(fill, drain); }
  bool operator==(const Ramps&) const = default;
};

// Why a mapping cannot run. Rejection is a value: searches count it, the command line prints it.
// IdleUnits: it uses fewer compute units than the machine's constraints ask for, which searches look at.
enum class Verdict : u8 { Fits, OverCapacity, OverFanoutX, OverFanoutY, IdleUnits };

// The answer to: does the mapping fit, and what does it cost?
struct Evaluation {
  Verdict verdict = Verdict::Fits;
  u8 level = 0;  // where it does not fit
  Cost cost;     // zero unless it fits
};

// One tensor at one level. All zero when the level does not keep it and is no interconnect. Instances do the same where
// factors divide; elsewhere "one instance" is their average in Timeloop's counts, and the one that has most of each in
// true counts.
struct TensorTraffic {
  bool kept = false;
  bool carried = false;              // by an interconnect: reads are words on their way in, updates those going out
  u64 tile_words = 0;                // largest tile of one instance
  u64 instances = 0;                 // instances in use
  Accesses<u64> all;                 // words of all instances
  i64 reads = 0;                     // words read from one instance
  i64 fills = 0;                     // words written into one instance from outside
  i64 updates = 0;                   // words (partial sums) written into one instance from inside
  Energy energy;                     // accesses of all instances
  Energy address_generation_energy;  // of all instances

  bool counted() const { return kept || carried; }
  Energy access_energy() const { return energy + address_generation_energy; }
};

// Words delivered to groups of `multicast` receivers that all get the same words; `groups` such groups at a step.
struct MulticastRecord {
  u64 multicast = 1;
  u64 groups = 1;  // 0 in true counts: it varies from step to step
  double words = 0;
};

// One tensor on the network from a level to the one below.
struct NetworkTraffic {
  u64 fanout = 1;                          // receivers of one sender
  double ingresses = 0;                    // words that one sender puts into the network, on average
  double all_ingresses = 0;                // words that all senders put into the network
  std::vector<MulticastRecord> multicast;  // of one sender
  u64 spatial_reductions = 0;              // additions of partial sums on the way of one sender's words
  double hops = 0;                         // average of a word
  double peer_words = 0;                   // that receivers of one sender take from each other
  Energy energy;                           // of all senders
  Energy peer_energy;                      // the part of it that these take
};

// One storage level.
struct LevelBreakdown {
  std::string name;
  u64 cycles = 0;                       // needed by this level's bandwidths
  Energy leakage;                       // of the instances in use
  u64 capacity_words = 0;               // words of the level, usable, of one instance; 0 = unbounded
  u64 used_words = 0;                   // words of the level that the tiles of one instance take
  ValueParts parts;                     // parts in a word of each tensor; counts of a tensor are of its own words
  std::vector<TensorTraffic> tensor;    // by tensor
  std::vector<NetworkTraffic> network;  // by tensor; the network below this level

  // Words of the level that `words` words of tensor v take.
  double level_words(std::size_t v, double words) const {
    return words * static_cast<double>(parts.of[v]) / static_cast<double>(parts.of_word);
  }

  // Energy of all tensors for reading and writing their words, and finding their addresses.
  Energy access_energy() const {
    Energy sum;
    for (const TensorTraffic& t : tensor) sum += t.access_energy();
    return sum;
  }
  // Energy of all tensors in the network below this level.
  Energy network_energy() const {
    Energy sum;
    for (const NetworkTraffic& n : network) sum += n.energy;
    return sum;
  }
  // Energy of tensor v for accesses and network.
  Energy energy_of(std::size_t v) const { return tensor[v].access_energy() + network[v].energy; }
  // Energy of the whole level.
  Energy energy() const { return access_energy() + network_energy() + leakage; }
};

// The compute units together.
struct ComputeBreakdown {
  std::string name;
  u64 computes = 0;   // MACs
  u64 utilized = 1;   // units that work
  u64 instances = 1;  // units of the machine
  Energy energy;      // of all MACs
  u64 cycles = 0;     // needed by the units
};

// The whole cost of a mapping.
struct Breakdown {
  Counts counts = Counts::Timeloop;  // how it was counted
  bool divides = true;               // every factor does: both ways of counting agree
  Energy energy;
  u64 cycles = 0;
  ComputeBreakdown compute;
  std::optional<Ramps> ramps;         // none: the machine does not count them
  std::vector<LevelBreakdown> level;  // innermost first
  double utilization = 0;             // computes / units / cycles (rule 29)

  // Cycles that the compute units take, with the ramps before and after.
  u64 cycles_of_units() const { return saturated_sum(compute.cycles, ramps ? ramps->cycles() : 0); }
};

}  // namespace heliolite
