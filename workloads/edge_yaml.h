#pragma once
// The edges of a network's YAML: `{from: LAYER, to: LAYER, tensor: NAME, through: softmax}`.
#include <vector>

#include "engine/base/yaml_node.h"
#include "workloads/network.h"

namespace heliolite {

// Of the layers of `network`, which are complete. Complaints: unknown layers and tensors, outputs as operands, counts
// or words that differ, a second edge into a tensor, cycles.
std::vector<Edge> read_edges(const YamlNode& list, const Network& network, Diagnostics& errors);

}  // namespace heliolite
