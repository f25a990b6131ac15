#pragma once
// The order in which nodes are looked at: the file's, unless a node stands there before one that it reads.
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/onnx/proto.h"

namespace heliolite::onnx {

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

}  // namespace heliolite::onnx
