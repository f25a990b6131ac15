#pragma once
// What a whole network must move, however its layers are interleaved or fused: each layer's own words, intermediates
// not charged where they may stay inside, and no word charged to two layers. Proof: docs/rules/bounds_iolb.md.
#include <vector>

#include "workloads/network.h"

namespace heliolite {

struct TensorPlace {
  int layer = 0;
  int tensor = 0;

  bool operator==(const TensorPlace&) const = default;
};

// Loads and stores of a memory of `capacity` words, of one run of the network: at least `words`. No MAC is done twice.
struct NetworkBound {
  u64 words = 0;
  std::vector<u64> layer;  // part of it, by layer, repeats included
};

// `shared`: lists of inputs that are one array although no layer produces it (of layers of equal count). What edges
// carry is known to be one array.
NetworkBound network_bound(const Network& network, double capacity,
                           const std::vector<std::vector<TensorPlace>>& shared = {});

}  // namespace heliolite
