#pragma once
// What explain() returns: every count and energy by level and tensor (docs/cost_model.md).
#include <string>
#include <vector>

#include "engine/base/types.h"
#include "engine/model/counts.h"
#include "engine/model/keep.h"
#include "engine/model/storage_cost.h"

namespace heliolite {

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
  double all_ingresses = 0;                // the same of all senders
  std::vector<MulticastRecord> multicast;  // of one sender
  u64 spatial_reductions = 0;              // additions of partial sums on the way, of one sender
  double hops = 0;                         // average of a word
  double links = 0;                        // words that receivers of one sender take from neighbours
  Energy energy;                           // of all senders
  Energy link_energy;                      // the part of it that the links take
};

// One storage level.
struct LevelBreakdown {
  std::string name;
  u64 cycles = 0;                       // needed by this level's bandwidths
  Energy leakage;                       // of the instances in use
  u64 capacity_words = 0;               // words of the level, usable, of one instance; 0 = unbounded
  u64 used_words = 0;                   // words of the level that the tiles of one instance take
  ValueParts parts;                     // of these, by tensor; counts of a tensor are of its own words
  std::vector<TensorTraffic> tensor;    // by tensor
  std::vector<NetworkTraffic> network;  // by tensor; the network below this level

  // Words of the level that so many words of tensor v take.
  double level_words(std::size_t v, double words) const {
    return words * static_cast<double>(parts.of[v]) / static_cast<double>(parts.of_word);
  }

  // Of all tensors: reading and writing their words, and finding their addresses.
  Energy access_energy() const {
    Energy sum;
    for (const TensorTraffic& t : tensor) sum += t.energy + t.address_generation_energy;
    return sum;
  }
  // Of all tensors, in the network below this level.
  Energy network_energy() const {
    Energy sum;
    for (const NetworkTraffic& n : network) sum += n.energy;
    return sum;
  }
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
  std::vector<LevelBreakdown> level;  // innermost first
  double utilization = 0;             // computes / units / cycles (rule 29)
};

}  // namespace heliolite
