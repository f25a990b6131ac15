#pragma once
// Whether edges can be: the sizes of both ends, with all that lies between.
#include <optional>
#include <vector>

#include "engine/base/yaml_node.h"
#include "workloads/edge_syntax.h"
#include "workloads/network.h"

namespace heliolite {

// An edge as it was written.
struct EdgeText {
  Edge edge;  // both ends and the operator; ranks are still names
  YamlNode node;
  std::vector<RankName> through_ranks{};
  std::optional<CombineText> combine{};
  std::optional<SliceText> slice{};
};

// Finds ranks by their names and the words of the network's inputs, and complains about edges whose ends have other
// counts or words. Adds the edges to `network`.
void add_edges(std::vector<EdgeText> edges, Network& network, Diagnostics& errors);

}  // namespace heliolite
