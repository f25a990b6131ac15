#pragma once
// Checks edges of a network: the sizes of both ends must fit, with what slices and operators between them do.
#include <optional>
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

}  // namespace heliolite
