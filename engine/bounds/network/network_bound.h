#pragma once
// What a whole network must move, however its layers are interleaved or fused: each layer's own words, intermediates
// not charged where they may stay inside, and no word charged to two layers. Proof: docs/rules/bounds_network.md.
#include <vector>

#include "engine/bounds/network/network_unnamed.h"
#include "workloads/network.h"

namespace heliolite {

// Loads and stores of a memory of `capacity` words, of one run of the network: at least `words`. No MAC is done twice.
struct NetworkBound {
  u64 words = 0;
  std::vector<u64> layer;  // part of it, by layer, repeats included
};

NetworkBound network_bound(const Network& network, double capacity, Unnamed unnamed = Unnamed::Apart);

}  // namespace heliolite
