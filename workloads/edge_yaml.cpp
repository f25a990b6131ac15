// Reads from a network's YAML which arrays its operands are: `edges` ({from: LAYER, to: LAYER, tensor: NAME, through:
// ..}), the layers' `reads` ({NAME: LAYER or INPUT}) and `inputs`.
#include "workloads/network_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "workloads/graph.h"

namespace heliolite {
namespace {

class EdgeReader {
 public:
  EdgeReader(const EdgeNodes& nodes, Network& network, Diagnostics& errors)
      : nodes_(nodes), network_(network), errors_(errors) {
    for (const Layer& layer : network.layers) layers_.push_back(layer.workload.name);
  }

  void run() {
    const std::size_t before = errors_.size();
    if (nodes_.inputs) declared_inputs(*nodes_.inputs);
    undeclared_inputs();
    for (const auto& [layer, node] : nodes_.reads) reads(layer, node);
    if (nodes_.edges) edges(*nodes_.edges);
    combined();
    if (errors_.size() != before) return;
    unread_inputs();
    add_edges(std::move(edges_), network_, errors_);
    if (errors_.size() == before && !topological_order(network_.layers.size(), network_.edges))
      errors_.push_back(where_edges_are().error("the edges close a circle, must lead from earlier to later layers"));
  }

 private:
  // One of the places that make edges: there is one.
  const YamlNode& where_edges_are() const {
    if (nodes_.edges) return *nodes_.edges;
    return nodes_.reads.empty() ? *nodes_.inputs : nodes_.reads.front().second;
  }
  bool is_layer(const std::string& name) const { return std::ranges::find(layers_, name) != layers_.end(); }
  auto input(const std::string& name) { return std::ranges::find(network_.inputs, name, &Input::name); }

  // [X, {name: W, same_in_repeats: true}]
  void declared_inputs(const YamlNode& list) {
    if (!list.is_sequence()) {
      errors_.push_back(list.error("inputs must be a list of names or {name: NAME, same_in_repeats: true}"));
      return;
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      const YamlNode node = list.at(i);
      Input input;
      if (node.is_scalar()) {
        input.name = node.text();
      } else {
        FieldReader map(node, input_fields(), errors_);
        input.name = map.string("name").value_or("");
        input.same_in_repeats = map.boolean("same_in_repeats").value_or(false);
        map.finish();
      }
      const char* twice = is_layer(input.name)                               ? "a layer"
                          : this->input(input.name) != network_.inputs.end() ? "an input"
                                                                             : "";
      if (*twice != 0) {
        errors_.push_back(node.error(fmt::format("input '{}': {} has that name", shortened(input.name), twice)));
      } else {
        network_.inputs.push_back(std::move(input));
        input_nodes_.push_back(node);
      }
    }
  }

  // Names in `reads` that are neither layers nor listed: inputs if somebody else reads them too, else slips.
  void undeclared_inputs() {
    std::vector<std::string> read;
    for (const auto& [layer, node] : nodes_.reads)
      for (const std::string& key : node.keys()) read.push_back(node.find(key)->text());
    const std::size_t by_reads = read.size();
    for (std::size_t i = 0; nodes_.edges && nodes_.edges->is_sequence() && i < nodes_.edges->size(); ++i)
      if (const auto from = nodes_.edges->at(i).find("from")) read.push_back(from->text());
    for (std::size_t i = 0; i < by_reads; ++i) {
      const std::string& name = read[i];
      if (name.empty() || is_layer(name) || input(name) != network_.inputs.end()) continue;
      if (std::ranges::count(read, name) > 1) network_.inputs.push_back({.name = name});
    }
  }

  // {B: X}
  void reads(int layer, const YamlNode& node) {
    if (!node.is_map()) {
      errors_.push_back(node.error("reads must be a map from operands to inputs or layers, as in {B: X}"));
      return;
    }
    for (const std::string& key : node.keys()) {
      const YamlNode value = *node.find(key);
      EdgeText text{.edge = {.to = layer}, .node = value};
      if (!value.is_scalar())
        errors_.push_back(value.error(fmt::format("{} must be the name of an input or a layer", shortened(key))));
      else if (origin(value, text.edge) && operand(value, key, text.edge)) edges_.push_back(std::move(text));
    }
  }

  void edges(const YamlNode& list) {
    if (!list.is_sequence()) {
      errors_.push_back(list.error("edges must be a list of {from: LAYER, to: LAYER, tensor: NAME}"));
      return;
    }
    for (std::size_t i = 0; i < list.size(); ++i) edge(list.at(i));
  }

  void edge(const YamlNode& node) {
    const std::size_t before = errors_.size();
    FieldReader map(node, edge_fields(), errors_);
    EdgeText text{.edge = {}, .node = node};
    const auto from = map.string("from"), to = map.string("to");
    const auto tensor = map.string("tensor");
    if (const auto through = map.child("through"))
      if (const auto read = read_through(*through, errors_)) {
        text.edge.through = read->through;
        text.through_ranks = read->ranks;
      }
    if (const auto combine = map.child("combine")) text.combine = read_combine(*combine, errors_);
    if (const auto slice = map.child("slice")) text.slice = read_slice(*slice, errors_);
    if (const auto ranks = map.child("ranks")) text.ranks = read_rank_pairs(*ranks, errors_);
    map.finish();
    if (!from || !to || !tensor) return;
    origin(*map.child("from"), text.edge);
    if (const auto consumer = layer(*map.child("to"))) {
      text.edge.to = *consumer;
      operand(*map.child("tensor"), *tensor, text.edge);
    }
    if (errors_.size() == before) edges_.push_back(std::move(text));
  }

  std::optional<int> layer(const YamlNode& node) {
    const auto it = std::ranges::find(layers_, node.text());
    if (it != layers_.end()) return static_cast<int>(it - layers_.begin());
    const std::string hint = did_you_mean(node.text(), layers_);
    errors_.push_back(node.error(fmt::format("unknown layer '{}'{}", shortened(node.text()),
                                             hint.empty() ? ", must be one of " + join(layers_, "or") : hint)));
    return std::nullopt;
  }

  bool origin(const YamlNode& node, Edge& edge) {
    const auto it = input(node.text());
    edge.from_input = it != network_.inputs.end();
    if (edge.from_input || is_layer(node.text())) {
      edge.from = edge.from_input ? static_cast<int>(it - network_.inputs.begin()) : *layer(node);
      return true;
    }
    std::vector<std::string> names = layers_;
    for (const Input& i : network_.inputs) names.push_back(i.name);
    const std::string hint = did_you_mean(node.text(), names);
    errors_.push_back(
        node.error(fmt::format("unknown layer '{}'{}; an input must be listed in 'inputs', or read by two operands",
                               shortened(node.text()), hint.empty() ? ", must be one of " + join(names, "or") : hint)));
    return false;
  }

  bool operand(const YamlNode& node, const std::string& name, Edge& edge) {
    const Workload& consumer = network_.layers[edge.to].workload;
    std::vector<std::string> operands;
    for (const Tensor& t : consumer.tensors)
      if (!t.is_output() && !t.access_of) operands.push_back(t.name);
    if (std::ranges::find(operands, name) == operands.end()) {
      errors_.push_back(node.error(fmt::format("tensor = {}, must be an operand of {}: {}{}", shortened(name),
                                               consumer.name, join(operands, "or"), did_you_mean(name, operands))));
      return false;
    }
    edge.tensor = *consumer.find_tensor(name);
    return true;
  }

  // Several edges into a tensor must say alike how they make it together.
  void combined() {
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      EdgeText& e = edges_[i];
      const Workload& consumer = network_.layers[e.edge.to].workload;
      const std::string place = consumer.tensors[e.edge.tensor].name + " of " + consumer.name;
      bool alone = true;
      for (std::size_t k = 0; k < edges_.size(); ++k) {
        const EdgeText& other = edges_[k];
        if (k == i || other.edge.to != e.edge.to || other.edge.tensor != e.edge.tensor) continue;
        alone = false;
        const std::string complaint = k < i ? against(e, other) : "";
        if (complaint.empty()) continue;
        errors_.push_back(e.node.error(fmt::format("a second edge into {}{}", place, complaint)));
        break;
      }
      if (alone && e.combine)
        errors_.push_back(e.node.error(fmt::format("combine: this is the only edge into {}", place)));
      if (e.combine) e.edge.combine = e.combine->combine;
    }
  }

  static std::string against(const EdgeText& e, const EdgeText& other) {
    const auto part = [](const EdgeText& t) {
      return t.slice ? std::tuple(t.slice->rank.name, t.slice->slice.from, t.slice->slice.words)
                     : std::tuple(std::string(), u64{0}, u64{0});
    };
    if (!e.combine || !other.combine)
      return ": each must say how they make it together, combine: add, multiply or {concat: RANK}";
    if (e.combine->combine != other.combine->combine)
      return fmt::format(" with another combine than {}", name(other.combine->combine));
    if (e.combine->along && e.combine->along->name != other.combine->along->name)
      return fmt::format(" along another rank than {}", shortened(other.combine->along->name));
    const bool same = e.edge.from == other.edge.from && e.edge.from_input == other.edge.from_input;
    if (same && part(e) == part(other)) return " of the same words";
    return "";
  }

  void unread_inputs() {
    for (std::size_t i = 0; i < input_nodes_.size(); ++i) {
      const auto reads = [&](const EdgeText& e) { return e.edge.from_input && at(e.edge.from) == i; };
      if (std::ranges::none_of(edges_, reads))
        errors_.push_back(
            input_nodes_[i].error(fmt::format("no layer reads input '{}'", shortened(network_.inputs[i].name))));
    }
  }

  const EdgeNodes& nodes_;
  Network& network_;
  Diagnostics& errors_;
  std::vector<std::string> layers_;
  std::vector<YamlNode> input_nodes_;  // of the inputs that are listed, the first ones
  std::vector<EdgeText> edges_;
};

}  // namespace

void read_edges(const EdgeNodes& nodes, Network& network, Diagnostics& errors) {
  EdgeReader(nodes, network, errors).run();
}

}  // namespace heliolite
