#include "workloads/onnx/order.h"

#include <fmt/format.h>

#include <queue>
#include <unordered_map>
#include <unordered_set>

#include "engine/base/shortened.h"

namespace heliolite::onnx {
namespace {

using NameSet = std::unordered_set<std::string_view>;

// Names that a subgraph reads and does not make. It cannot be nested deeper than kMaxNesting.
void reads_from_outside(const Graph& graph, const std::function<void(std::string_view)>& visit) {
  NameSet own;
  for (const ValueInfo& input : graph.inputs) own.insert(input.name);
  for (const TensorData& constant : graph.initializers) own.insert(constant.name);
  for (const Node& node : graph.nodes) own.insert(node.outputs.begin(), node.outputs.end());
  const auto outside = [&](std::string_view name) {
    if (!own.contains(name)) visit(name);
  };
  for (const Node& node : graph.nodes) each_read(node, outside);
  for (const ValueInfo& output : graph.outputs) outside(output.name);
}

class Sorter {
 public:
  Sorter(const std::vector<Node>& nodes, const std::function<bool(std::string_view)>& outside)
      : nodes_(nodes), outside_(outside), readers_(nodes.size()), missing_(nodes.size()) {}

  std::optional<OrderProblem> run(std::vector<std::size_t>& order) {
    if (auto problem = producers()) return problem;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (auto problem = reads(i)) return problem;
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (missing_[i] == 0) ready.push(i);
    while (!ready.empty()) {
      const std::size_t i = ready.top();
      ready.pop();
      order.push_back(i);
      for (const std::size_t reader : readers_[i])
        if (--missing_[reader] == 0) ready.push(reader);
    }
    for (std::size_t i = 0; i < nodes_.size() && order.size() < nodes_.size(); ++i)
      if (missing_[i] > 0) return OrderProblem{i, "the nodes go round in a circle"};
    return std::nullopt;
  }

 private:
  std::optional<OrderProblem> producers() {
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      for (const std::string_view name : nodes_[i].outputs)
        if (!name.empty() && !producer_.emplace(name, i).second)
          return OrderProblem{i, fmt::format("'{}' is an output of two nodes", shortened(name))};
    return std::nullopt;
  }

  std::optional<OrderProblem> reads(std::size_t i) {
    std::optional<OrderProblem> problem;
    each_read(nodes_[i], [&](std::string_view name) {
      if (name.empty() || problem) return;
      const auto producer = producer_.find(name);
      if (producer != producer_.end()) {
        readers_[producer->second].push_back(i);
        ++missing_[i];
      } else if (!outside_(name)) {
        problem = OrderProblem{i, fmt::format("reads '{}', which nothing makes", shortened(name))};
      }
    });
    return problem;
  }

  const std::vector<Node>& nodes_;
  const std::function<bool(std::string_view)>& outside_;
  std::unordered_map<std::string_view, std::size_t> producer_;  // [name]: node
  std::vector<std::vector<std::size_t>> readers_;               // [node]
  std::vector<std::size_t> missing_;                            // [node]: reads of nodes that are not in order yet
};

}  // namespace

void each_read(const Node& node, const std::function<void(std::string_view)>& visit) {
  for (const std::string_view name : node.inputs) visit(name);
  for (const Attribute& attribute : node.attributes)
    if (attribute.g) reads_from_outside(*attribute.g, visit);
}

std::optional<OrderProblem> node_order(const std::vector<Node>& nodes,
                                       const std::function<bool(std::string_view)>& outside,
                                       std::vector<std::size_t>& order) {
  return Sorter(nodes, outside).run(order);
}

}  // namespace heliolite::onnx
