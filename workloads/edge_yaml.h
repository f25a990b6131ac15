#pragma once
// Reads from a network's YAML which arrays its operands are: `edges` ({from: LAYER, to: LAYER, tensor: NAME, through:
// ..}), the layers' `reads` ({NAME: LAYER or INPUT}) and `inputs`.
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/yaml_node.h"
#include "workloads/network.h"

namespace heliolite {

// The parts of the YAML that are read.
struct EdgeNodes {
  std::optional<YamlNode> edges, inputs;
  std::vector<std::pair<int, YamlNode>> reads;  // a layer's index and its `reads`
};

// Fills in edges and inputs of `network`, whose layers are complete. Complains about unknown layers, tensors and ranks,
// outputs as operands, counts or words that differ, several edges into a tensor that do not say how they are combined,
// cycles, inputs that nobody reads.
void read_edges(const EdgeNodes& nodes, Network& network, Diagnostics& errors);

}  // namespace heliolite
