#include "workloads/edge_yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "engine/base/text.h"
#include "workloads/einsum_text.h"
#include "workloads/graph.h"

namespace heliolite {
namespace {

class EdgeReader {
 public:
  EdgeReader(const Network& network, Diagnostics& errors) : network_(network), errors_(errors) {
    for (const Layer& layer : network.layers) layers_.push_back(layer.workload.name);
  }

  std::vector<Edge> run(const YamlNode& list) {
    if (!list.is_sequence()) {
      errors_.push_back(list.error("edges must be a list of {from: LAYER, to: LAYER, tensor: NAME}"));
      return {};
    }
    const std::size_t before = errors_.size();
    for (std::size_t i = 0; i < list.size(); ++i) edge(list.at(i));
    if (errors_.size() == before && !topological_order(network_.layers.size(), edges_)) {
      errors_.push_back(list.error("the edges close a circle, must lead from earlier to later layers"));
    }
    return edges_;
  }

 private:
  const Workload& workload(int layer) const { return network_.layers[static_cast<std::size_t>(layer)].workload; }

  void edge(const YamlNode& node) {
    MapReader map(node, errors_);
    Edge edge;
    const auto from = map.required_string("from"), to = map.required_string("to");
    const auto tensor = map.required_string("tensor");
    const auto through = map.choice("through", {"none", "elementwise", "softmax"}).value_or("none");
    map.finish();
    if (!from || !to || !tensor) return;
    const auto producer = layer(*map.child("from")), consumer = layer(*map.child("to"));
    if (!producer || !consumer) return;
    edge.from = *producer;
    edge.to = *consumer;
    for (const Operator op : {Operator::Elementwise, Operator::Softmax})
      if (through == name(op)) edge.through = op;
    if (find_tensor(*map.child("tensor"), edge) && fits(node, edge)) edges_.push_back(edge);
  }

  std::optional<int> layer(const YamlNode& node) {
    const auto it = std::ranges::find(layers_, node.text());
    if (it != layers_.end()) return static_cast<int>(it - layers_.begin());
    const std::string hint = did_you_mean(node.text(), layers_);
    errors_.push_back(node.error(fmt::format("unknown layer '{}'{}", shortened(node.text()),
                                             hint.empty() ? ", must be one of " + join(layers_, "or") : hint)));
    return std::nullopt;
  }

  bool find_tensor(const YamlNode& node, Edge& edge) {
    const Workload& consumer = workload(edge.to);
    std::vector<std::string> operands;
    for (const Tensor& t : consumer.tensors)
      if (!t.is_output()) operands.push_back(t.name);
    if (std::ranges::find(operands, node.text()) == operands.end()) {
      errors_.push_back(
          node.error(fmt::format("tensor = {}, must be an operand of {}: {}{}", shortened(node.text()), consumer.name,
                                 join(operands, "or"), did_you_mean(node.text(), operands))));
      return false;
    }
    edge.tensor = *consumer.find_tensor(node.text());
    const auto same = [&](const Edge& e) { return e.to == edge.to && e.tensor == edge.tensor; };
    if (std::ranges::none_of(edges_, same)) return true;
    errors_.push_back(node.error(fmt::format("a second edge into {} of {}", node.text(), consumer.name)));
    return false;
  }

  // Counts agree, and words do: exactly, or up to the border that a convolution adds.
  bool fits(const YamlNode& node, const Edge& edge) {
    const Layer& from = network_.layers[static_cast<std::size_t>(edge.from)];
    const Layer& to = network_.layers[static_cast<std::size_t>(edge.to)];
    if (from.count != to.count) {
      errors_.push_back(node.error(fmt::format("{} is executed {} times and {} {} times, must be equally often",
                                               from.workload.name, from.count, to.workload.name, to.count)));
      return false;
    }
    const u64 made = from.workload.tensor_words(from.workload.output()), used = to.workload.tensor_words(edge.tensor);
    const Tensor& tensor = to.workload.tensors[static_cast<std::size_t>(edge.tensor)];
    const bool slides = std::ranges::any_of(tensor.ranks, [](const Rank& r) { return r.terms.size() > 1; });
    if (made == used || slides) return true;
    errors_.push_back(node.error(fmt::format("{} makes {} words, {} of {} has {}, must be as many", from.workload.name,
                                             made, tensor.name, to.workload.name, used)));
    return false;
  }

  const Network& network_;
  Diagnostics& errors_;
  std::vector<std::string> layers_;
  std::vector<Edge> edges_;
};

}  // namespace

std::vector<Edge> read_edges(const YamlNode& list, const Network& network, Diagnostics& errors) {
  return EdgeReader(network, errors).run(list);
}

}  // namespace heliolite
