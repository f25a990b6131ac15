#pragma once
// Edges of a network: reads them from YAML and checks that the sizes of both ends fit.
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/yaml_node.h"
#include "workloads/edge_syntax.h"
#include "workloads/network.h"

namespace heliolite {

// An edge as it was written.
struct EdgeText {
  Edge edge;      // both ends and the operator; its ranks are not set, they are the names below
  YamlNode node;  // where it was written, for complaints
  std::vector<RankName> through_ranks{};
  std::optional<CombineText> combine{};
  std::optional<SliceText> slice{};
};

// Adds the edges to `network`, with ranks found by their names, and works out the words of the network's inputs.
// Complains about edges whose two ends differ in counts or words.
void add_edges(std::vector<EdgeText> edges, Network& network, Diagnostics& errors);

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
