#include "engine/bounds/network/network_unnamed.h"

#include <algorithm>

#include "engine/base/integers.h"
#include "workloads/graph.h"

namespace heliolite {

UnnamedOperands::UnnamedOperands(const Network& network, Unnamed unnamed) : network_(network) {
  if (unnamed == Unnamed::Apart) return;
  const int layers = static_cast<int>(network.layers.size());
  for (int l = 0; l < layers; ++l) {
    const std::vector<Tensor>& tensors = network.layers[at(l)].workload.tensors;
    for (int v = 0; v < static_cast<int>(tensors.size()); ++v)
      if (tensors[at(v)].role == Role::Input && !tensors[at(v)].access_of && edges_into(network, l, v).empty())
        unnamed_.push_back({l, v});
  }
  if (unnamed_.empty()) return;
  before_.assign(network.layers.size(), std::vector<bool>(network.layers.size(), false));
  const auto order = topological_order(network.layers.size(), network.edges);
  for (auto l = order->rbegin(); l != order->rend(); ++l) {
    std::vector<bool>& later = before_[at(*l)];
    later[at(*l)] = true;
    for (const Edge& e : network.edges)
      if (!e.from_input && e.from == *l)
        for (std::size_t k = 0; k < later.size(); ++k) later[k] = later[k] || before_[at(e.to)][k];
  }
}

// Not from what comes after it, unless in an earlier repetition.
bool UnnamedOperands::may_feed(int from, int to) const {
  const bool repeated = network_.layers[at(from)].count > 1 && network_.layers[at(to)].count > 1;
  return repeated || !before_[at(to)][at(from)];
}

bool UnnamedOperands::may_be_shared(int layer, int tensor) const {
  const auto is_it = [&](const Place& p) { return p.layer == layer && p.tensor == tensor; };
  if (std::ranges::none_of(unnamed_, is_it)) return false;
  if (unnamed_.size() > 1 || network_.layers[at(layer)].count > 1 || !network_.inputs.empty()) return true;
  for (int l = 0; l < static_cast<int>(network_.layers.size()); ++l)
    if (may_feed(l, layer)) return true;
  return false;
}

bool UnnamedOperands::may_take_output(int layer) const {
  return std::ranges::any_of(unnamed_, [&](const Place& p) { return may_feed(layer, p.layer); });
}

bool UnnamedOperands::any() const {
  return std::ranges::any_of(unnamed_, [&](const Place& p) { return may_be_shared(p.layer, p.tensor); });
}

std::vector<std::string> UnnamedOperands::equal() const {
  const auto words = [&](const Place& p) { return network_.layers[at(p.layer)].workload.tensor_words(p.tensor); };
  std::vector<std::string> names;
  for (const Place& p : unnamed_) {
    const auto same = std::ranges::count_if(unnamed_, [&](const Place& other) { return words(other) == words(p); });
    if (same < 2 && network_.layers[at(p.layer)].count < 2) continue;
    const Workload& workload = network_.layers[at(p.layer)].workload;
    names.push_back(workload.tensors[at(p.tensor)].name + " of " + workload.name);
  }
  return names;
}

}  // namespace heliolite
