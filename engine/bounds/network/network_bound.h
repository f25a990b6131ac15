#pragma once
// A lower bound of what a whole network moves, however its layers are interleaved or fused: each layer's own words,
// intermediates not charged where they may stay inside, and no word charged to two layers. Proof:
// docs/rules/bounds_network.md.
#include <vector>

#include "engine/bounds/network/network_unnamed.h"
#include "workloads/network.h"

namespace heliolite {

struct NetworkBound {
  u64 words = 0;           // loads and stores of one run of the network, at least
  std::vector<u64> layer;  // [layer]: its part of them, all its repetitions together
};

// The bound for a memory of `capacity` words, over executions that do no MAC twice.
NetworkBound network_bound(const Network& network, double capacity, Unnamed unnamed = Unnamed::Apart);

}  // namespace heliolite
