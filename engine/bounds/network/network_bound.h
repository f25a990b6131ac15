#pragma once
// A lower bound of what a whole network moves, however its layers are interleaved or fused: each layer's own words,
// intermediates not charged where they may stay inside, and no word charged to two layers. Proof:
// docs/rules/bounds_network.md.
#include <vector>

#include "engine/bounds/network/network_unnamed.h"
#include "workloads/network.h"
#include "workloads/word_unit.h"

namespace heliolite {

struct NetworkBound {
  u64 words = 0;           // in the unit: loads and stores of one run of the network, at least
  std::vector<u64> layer;  // [layer]: its part of them, all its repetitions together
};

// The bound for a memory of `capacity` units, over executions that do no MAC twice. `unit`: that of the network,
// word_unit(); by default all words have one size.
NetworkBound network_bound(const Network& network, double capacity, Unnamed unnamed = Unnamed::Apart,
                           const WordUnit& unit = {});

}  // namespace heliolite
