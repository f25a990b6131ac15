#pragma once
// A lower bound of what a whole network moves, however its layers are interleaved or fused: each layer's own words,
// intermediates not charged where they may stay inside, and no word charged to two layers. Proof:
// docs/rules/bounds_network.md.
#include <optional>
#include <vector>

#include "engine/bounds/network/network_charges.h"
#include "workloads/network.h"
#include "workloads/word_bits.h"
#include "workloads/workload.h"

namespace heliolite {

// The part of a sliding layer whose windows touch no border.

// The workload with fewer pixels: at least as many windows of the operand surely lie within an array of `words`
// words around which the rest of the operand is border, wherever it lies. None when there may be no such window; the
// same workload when there is no border.
std::optional<Workload> interior_workload(const Workload& workload, int operand, u64 words);

struct NetworkBound {
  u64 words = 0;           // in the unit: loads and stores of one run of the network, at least
  std::vector<u64> layer;  // [layer]: its part of them, all its repetitions together
};

// The bound for a memory of `capacity` units, over executions that do no MAC twice. `unit`: that of the network,
// word_unit(); by default all words have one size.
NetworkBound network_bound(const Network& network, double capacity, Unnamed unnamed = Unnamed::Apart,
                           const WordUnit& unit = {});

}  // namespace heliolite
