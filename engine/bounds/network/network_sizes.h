#pragma once
// In what sizes of words the arrays of a network are at least held and moved, where the layers at both ends of an edge
// may state different ones. Proof: docs/rules/bounds_network.md.
#include <vector>

#include "engine/bounds/network/network_unnamed.h"
#include "workloads/network.h"
#include "workloads/word_unit.h"

namespace heliolite {

struct NetworkSizes {
  // [layer][tensor]: units of each word of the operand, or of what it is made of, in any layer's size; of each partial
  // sum of an output.
  std::vector<std::vector<u64>> tensor;
  std::vector<u64> input;  // [input]: of each of its words
};

// `unit`: that of the network, word_unit().
NetworkSizes network_sizes(const Network& network, Unnamed unnamed, const WordUnit& unit);

}  // namespace heliolite
