#pragma once
// The order in which the nodes of a graph are looked at, and which layers its tensors are made of.
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/onnx/operators.h"
#include "engine/formats/onnx/proto.h"

namespace heliolite::onnx {

// The order in which nodes are looked at: the file's, unless a node stands there before one that it reads.

// Why nodes have no order.
struct OrderProblem {
  std::size_t node = 0;
  std::string why;
};

// The nodes such that each comes after those whose outputs it reads, also in its subgraphs; of several possible ones
// the first in the file is next. `outside`: whether a name is there without any of these nodes.
std::optional<OrderProblem> node_order(const std::vector<Node>& nodes,
                                       const std::function<bool(std::string_view)>& outside,
                                       std::vector<std::size_t>& order);

// Calls `visit` with each name that the node reads, also those that its subgraphs read from outside.
void each_read(const Node& node, const std::function<void(std::string_view)>& visit);

// Which layers the tensors of a graph are made of, and what lies between: one forward pass over the nodes. Sets of
// layers are merged, never paths, and only the latest layers are kept, so the work is linear in the graph.

// The sources of an output of shape `out` that the operator makes of the call's inputs; null: none.
std::shared_ptr<const Sources> sources_of(const OperatorRow& op, Call& call, const std::optional<Shape>& out);

// The output of layer `layer`; `lost_by` as LayerDraft::lost_by.
std::shared_ptr<const Sources> sources_of_layer(int layer, const char* lost_by);

}  // namespace heliolite::onnx
