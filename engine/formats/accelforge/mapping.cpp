// AccelForge's mappings as mappings of one layer or as schedules of networks.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/mapped.h"
#include "engine/base/named.h"
#include "engine/base/text.h"
#include "engine/formats/accelforge/files.h"
#include "engine/formats/accelforge/loop_tree.h"
#include "engine/model/running_units.h"

namespace heliolite::accelforge {
namespace {

class ScheduleMaker {
 public:
  ScheduleMaker(const Network& network, const Architecture& machine)
      : network_(network),
        machine_(machine),
        outermost_(static_cast<int>(machine.levels.size()) - 1),
        writer_(errors_) {}

  Result<std::string> run(const LoopTree& tree) {
    for (const Layer& layer : network_.layers) left_[layer.workload.name] = sizes_of(layer.workload);
    std::vector<std::string> groups;
    root(tree, groups);
    for (const Layer& layer : network_.layers)
      if (!passes_.contains(layer.workload.name) && errors_.empty())
        errors_.push_back(tree.node.error(fmt::format("computes nothing of layer {}", layer.workload.name)));
    if (!errors_.empty()) return errors_;
    std::string out = fmt::format("schedule: {}\nmappings:\n", yaml_scalar(fmt::format("{}", fmt::join(groups, "; "))));
    for (const Layer& layer : network_.layers)
      out += fmt::format("  {}: {}\n", yaml_scalar(layer.workload.name), passes_.at(layer.workload.name));
    if (machine_.units.empty()) return out;
    out += "units:\n";
    for (const auto& [layer, unit] : units_) out += fmt::format("  {}: {}\n", yaml_scalar(layer), yaml_scalar(unit));
    return out;
  }

 private:
  // Without loops and memories above its branches each of them is a group of its own.
  void root(const LoopTree& tree, std::vector<std::string>& groups) {
    const bool alone =
        std::ranges::all_of(tree.events, [&](const LoopEvent& e) { return e.is_storage() && e.level == outermost_; });
    if (!tree.branches.empty() && alone) {
      for (const LoopTree& branch : tree.branches) root(branch, groups);
      return;
    }
    if (tree.branches.empty()) {
      leaf(tree, mapped(tree.events, [&](const LoopEvent& event) { return &event; }), outermost_, {});
      groups.push_back(tree.einsum);
      return;
    }
    fusing_ = -1;
    find_fusing_level(tree);
    if (fusing_ < 0) return errors_.push_back(tree.node.error("has loops above several Einsums and no memory there"));
    std::vector<std::string> held;
    const std::string inside = nodes(tree, 0, held);
    groups.push_back(fmt::format("{}[{}]", machine_.levels[fusing_].name, inside));
  }

  void find_fusing_level(const LoopTree& tree) {
    for (const LoopEvent& event : tree.events) {
      if (!event.is_storage() || event.level == outermost_) continue;
      if (event.level < 0)
        errors_.push_back(event.node.error(fmt::format(
            "{} leads to one compute unit: several Einsums are fused at levels of the first one's", event.component)));
      else if (fusing_ >= 0 && event.level != fusing_)
        errors_.push_back(event.node.error(fmt::format("{} above several Einsums, and {}: groups have one fusing level",
                                                       event.component, machine_.levels[fusing_].name)));
      fusing_ = event.level;
    }
    for (const LoopTree& branch : tree.branches)
      if (!branch.branches.empty()) find_fusing_level(branch);
  }

  // What stands between the brackets of a node. `home`: tensors at the fusing level by here.
  std::string nodes(const LoopTree& tree, std::size_t first, std::vector<std::string> home) {
    std::vector<std::string> items;
    std::vector<const LoopTree*> leaves;
    collect(tree, leaves);
    for (std::size_t i = first; i < tree.events.size(); ++i) {
      const LoopEvent& event = tree.events[i];
      if (event.spatial) {
        errors_.push_back(event.node.error("a spatial loop above several Einsums: nothing is fused inside a fan-out"));
        return "";
      }
      if (!event.is_storage()) {
        const std::string around = loop(event, leaves);  // before what is inside: it takes its part of the sizes
        items.push_back(around + "[" + nodes(tree, i + 1, home) + "]");
        return fmt::format("{}", fmt::join(items, ", "));
      }
      if (event.level == outermost_) continue;
      for (const std::string& tensor : event.tensors) {
        home.push_back(tensor);
        if (!is_intermediate(tensor, leaves))
          if (const std::string name = array_name(tensor, leaves); !name.empty()) items.push_back("+" + name);
      }
    }
    for (const LoopTree& branch : tree.branches) {
      if (!branch.branches.empty()) {
        items.push_back(nodes(branch, 0, home));
        continue;
      }
      leaf(branch, mapped(branch.events, [&](const LoopEvent& event) { return &event; }), fusing_, home);
      items.push_back(branch.einsum);
    }
    return fmt::format("{}", fmt::join(items, ", "));
  }

  static void collect(const LoopTree& tree, std::vector<const LoopTree*>& leaves) {
    if (tree.branches.empty()) leaves.push_back(&tree);
    for (const LoopTree& branch : tree.branches) collect(branch, leaves);
  }

  std::string loop(const LoopEvent& event, const std::vector<const LoopTree*>& leaves) {
    std::vector<std::string> parts;
    for (const LoopTree* leaf : leaves) {
      const Workload* workload = find(leaf->einsum, leaf->node);
      if (workload == nullptr) continue;
      const u64 factor = writer_.divide(event, left_[leaf->einsum], *workload);
      parts.push_back(fmt::format("{}.{}/{}", leaf->einsum, event.variable, factor));
    }
    return fmt::format("({})", fmt::join(parts, " "));
  }

  void leaf(const LoopTree& tree, const std::vector<const LoopEvent*>& path, int first,
            const std::vector<std::string>& home) {
    const Workload* workload = find(tree.einsum, tree.node);
    if (workload == nullptr) return;
    std::vector<std::string> kept;
    for (const Tensor& tensor : workload->tensors)
      if (first == outermost_ || std::ranges::find(home, tensor.name) != home.end()) kept.push_back(tensor.name);
    if (passes_.contains(tree.einsum))
      return errors_.push_back(tree.node.error(fmt::format("computes {} a second time", tree.einsum)));
    // The tree says which of the units that can run it; others are refused with the mapping.
    Workload on_unit = *workload;
    if (on_unit.unit.empty() && tree.compute) on_unit.unit = tree.compute->text();
    const bool can = units_that_run(on_unit, machine_).ok();
    const Architecture& chain = running_chain(can ? on_unit : *workload, machine_);
    units_[tree.einsum] = chain.compute.name;
    const std::optional<int> there = level_in_chain(machine_, first, chain);
    if (!there)
      return errors_.push_back(tree.node.error(fmt::format(
          "{} does not lead to {}, which runs {}", machine_.levels[first].name, chain.compute.name, tree.einsum)));
    passes_[tree.einsum] = writer_.levels(chain, *workload, left_[tree.einsum], path, *there, std::move(kept), tree);
  }

  const Workload* find(const std::string& einsum, const YamlNode& place) {
    std::vector<std::string> names;
    for (const Layer& layer : network_.layers) {
      if (layer.workload.name == einsum) return &layer.workload;
      names.push_back(layer.workload.name);
    }
    errors_.push_back(place.error(
        fmt::format("einsum = {} is no layer of {}{}", shortened(einsum), network_.name, did_you_mean(einsum, names))));
    return nullptr;
  }

  int layer_index(const std::string& einsum) const {
    for (std::size_t k = 0; k < network_.layers.size(); ++k)
      if (network_.layers[k].workload.name == einsum) return static_cast<int>(k);
    return -1;
  }

  // Made and read beneath.
  bool is_intermediate(const std::string& tensor, const std::vector<const LoopTree*>& leaves) const {
    bool made = false, read = false;
    for (const LoopTree* leaf : leaves) {
      const int k = layer_index(leaf->einsum);
      if (k < 0) continue;
      const Workload& workload = network_.layers[k].workload;
      const auto v = workload.find_tensor(tensor);
      if (v) (*v == workload.output() ? made : read) = true;
    }
    return made && read;
  }

  // What schedules call the array: an input's name, or that of the layer with its tensor.
  std::string array_name(const std::string& tensor, const std::vector<const LoopTree*>& leaves) const {
    for (const LoopTree* leaf : leaves) {
      const int k = layer_index(leaf->einsum);
      const auto v = k < 0 ? std::nullopt : network_.layers[k].workload.find_tensor(tensor);
      if (!v) continue;
      for (const Edge& edge : network_.edges) {
        if (edge.to != k || edge.tensor != *v) continue;
        if (edge.from_input) return network_.inputs[edge.from].name;
        const Workload& maker = network_.layers[edge.from].workload;
        return fmt::format("{}.{}", maker.name, maker.tensors[maker.output()].name);
      }
      return fmt::format("{}.{}", leaf->einsum, tensor);
    }
    return "";
  }

  const Network& network_;
  const Architecture& machine_;
  int outermost_, fusing_ = -1;
  Diagnostics errors_;
  PathWriter writer_;
  std::map<std::string, LeftSizes> left_;      // [layer]
  std::map<std::string, std::string> passes_;  // [layer]: its levels
  std::map<std::string, std::string> units_;   // [layer]: the compute unit that it runs on
};

}  // namespace

std::optional<YamlNode> named_unit(const YamlNode& root, const std::string& einsum) {
  const Result<LoopTree> tree = read_tree(root, nullptr);
  std::vector<const LoopEvent*> path;
  std::size_t shared = 0;
  const LoopTree* leaf = nullptr;
  if (!tree || !find_path(*tree, einsum, path, shared, leaf)) return std::nullopt;
  return leaf->compute;
}

std::size_t count_einsums(const YamlNode& root) {
  const Result<LoopTree> tree = read_tree(root, nullptr);
  return tree ? count_einsums(*tree) : 0;
}

Result<std::string> mapping_text(const YamlNode& root, const Workload& workload, const Architecture& machine) {
  const Result<LoopTree> tree = read_tree(root, nullptr);
  if (!tree) return tree.errors();
  std::vector<const LoopEvent*> path;
  std::size_t shared = 0;
  const LoopTree* leaf = nullptr;
  if (!find_path(*tree, workload.name, path, shared, leaf))
    return root.error(fmt::format("computes no Einsum {}", shortened(workload.name)));
  const int outermost = static_cast<int>(machine.levels.size()) - 1;
  for (std::size_t i = 0; i < shared; ++i)
    if (path[i]->component != machine.levels.back().name)
      return path[i]->node.error(fmt::format(
          "stands above several Einsums: {} alone has no such mapping; eval and explain take the whole network",
          workload.name));
  Diagnostics errors;
  const std::vector<std::string> all = names_of(workload.tensors);
  std::string text = PathWriter(errors).levels(machine, workload, sizes_of(workload), path, outermost, all, *leaf);
  if (!errors.empty()) return errors;
  return fmt::format("mapping: {}\n", text);
}

Result<std::string> schedule_text(const YamlNode& root, const Network& network, const Architecture& machine) {
  const Result<LoopTree> tree = read_tree(root, &machine);
  if (!tree) return tree.errors();
  return ScheduleMaker(network, machine).run(*tree);
}

}  // namespace heliolite::accelforge
