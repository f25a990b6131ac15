#pragma once
// What explain() returns: every count and energy by level and tensor. Counts are Timeloop's (docs/cost_model.md).
#include <string>
#include <vector>

#include "engine/base/energy.h"
#include "engine/base/types.h"

namespace heliolite {

// One tensor at one storage level. All zero when the level does not keep it.
struct TensorTraffic {
  bool kept = false;
  u64 tile_words = 0;  // largest tile of one instance
  u64 instances = 0;   // in use
  i64 reads = 0;       // words, one instance
  i64 fills = 0;
  i64 updates = 0;
  Energy energy;                     // accesses of all instances
  Energy address_generation_energy;  // of all instances
};

// Words delivered to groups of `multicast` equal receivers; `groups` such groups at a step.
struct MulticastRecord {
  u64 multicast = 1;
  u64 groups = 1;
  double words = 0;
};

// One tensor on the network from a level to the one below.
struct NetworkTraffic {
  u64 fanout = 1;        // receivers of one sender
  double ingresses = 0;  // words entering, one sender
  std::vector<MulticastRecord> multicast;
  u64 spatial_reductions = 0;
  double hops = 0;  // average of a word
  Energy energy;    // all senders
};

struct LevelBreakdown {
  std::string name;
  u64 cycles = 0;  // needed by this level's bandwidth
  Energy leakage;
  u64 capacity_words = 0;               // usable, of one instance; 0 = unbounded
  u64 used_words = 0;                   // of one instance
  std::vector<TensorTraffic> tensor;    // by tensor
  std::vector<NetworkTraffic> network;  // by tensor; the network below this level
};

struct ComputeBreakdown {
  std::string name;
  u64 computes = 0;
  u64 utilized = 1;  // units that work
  u64 instances = 1;
  Energy energy;
  u64 cycles = 0;
};

struct Breakdown {
  Energy energy;
  u64 cycles = 0;
  ComputeBreakdown compute;
  std::vector<LevelBreakdown> level;  // innermost first
  double utilization = 0;             // computes / units / cycles (rule 29)
};

}  // namespace heliolite
