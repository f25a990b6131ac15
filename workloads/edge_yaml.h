#pragma once
// Which arrays a network's operands are, from its YAML: `edges` ({from: LAYER, to: LAYER, tensor: NAME, through: ..}),
// the layers' `reads` ({NAME: LAYER or INPUT}) and `inputs`.
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/yaml_node.h"
#include "workloads/network.h"

namespace heliolite {

struct EdgeNodes {
  std::optional<YamlNode> edges, inputs;
  std::vector<std::pair<int, YamlNode>> reads;  // by layer
};

// Fills edges and inputs of `network`, whose layers are complete. Complaints: unknown layers, tensors and ranks,
// outputs as operands, counts or words that differ, several edges into a tensor without how they make it, cycles,
// inputs that nobody reads.
void read_edges(const EdgeNodes& nodes, Network& network, Diagnostics& errors);

}  // namespace heliolite
