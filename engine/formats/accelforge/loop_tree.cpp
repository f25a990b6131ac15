#include "engine/formats/accelforge/loop_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "arch/compute_units.h"
#include "engine/base/text.h"

namespace heliolite::accelforge {
namespace {

constexpr int kMaxTreeDepth = 16;
constexpr std::size_t kMaxTreeNodes = 100'000;

std::vector<std::string> names_in(const std::optional<YamlNode>& node) {
  std::vector<std::string> out;
  for (const YamlNode& name : elements(node)) out.push_back(name.text());
  return out;
}

class TreeReader {
 public:
  explicit TreeReader(const Architecture* machine) : machine_(machine) {}

  Result<LoopTree> read(const YamlNode& root) {
    const auto mapping = root.find("mapping");
    const auto nodes = mapping ? mapping->find("nodes") : std::nullopt;
    if (!nodes || !nodes->is_sequence() || nodes->size() == 0) {
      return (mapping ? *mapping : root).error("must have a list of 'nodes'");
    }
    LoopTree tree = list(*nodes, 0);
    if (!errors_.empty()) return errors_;
    return tree;
  }

 private:
  void complain(const YamlNode& node, std::string message) { errors_.push_back(node.error(std::move(message))); }

  LoopTree list(const YamlNode& nodes, int depth) {
    LoopTree tree{.node = nodes, .events = {}, .einsum = {}, .compute = {}, .branches = {}};
    if (depth > kMaxTreeDepth) return complain(nodes, fmt::format("nested deeper than {}", kMaxTreeDepth)), tree;
    bool ended = false;
    for (const YamlNode& node : elements(nodes)) {
      if (++count_ > kMaxTreeNodes) return complain(node, fmt::format("more than {} nodes", kMaxTreeNodes)), tree;
      if (ended) return complain(node, "stands behind the Einsum or the branches that end this list"), tree;
      const std::string tag = node.tag();
      if (tag == "!Storage") storage(node, tree);
      else if (tag == "!Temporal" || tag == "!Spatial") loop(node, tag == "!Spatial", tree);
      else if (tag == "!Compute") compute(node, tree), ended = true;
      else if (tag == "!Sequential") branches(node, depth, tree), ended = true;
      else if (tag == "!Nested") nested(node, depth, tree), ended = true;
      else if (tag == "!Reservation") continue;  // how long a tensor stays follows from the tree
      else
        return complain(node, fmt::format("node {} has no counterpart: understood are !Storage, !Temporal, !Spatial, "
                                          "!Sequential, !Nested, !Compute and !Reservation{}",
                                          tag.empty() ? "without a tag" : tag,
                                          tag == "!Pipeline" ? "; layers do not run at the same time here" : "")),
               tree;
    }
    if (!ended && errors_.empty()) complain(nodes, "ends without a !Compute");
    return tree;
  }

  void nested(const YamlNode& node, int depth, LoopTree& tree) {
    const auto nodes = node.find("nodes");
    if (!nodes) return complain(node, "must have 'nodes'");
    LoopTree inner = list(*nodes, depth + 1);
    tree.events.insert(tree.events.end(), inner.events.begin(), inner.events.end());
    tree.einsum = inner.einsum;
    tree.compute = inner.compute;
    tree.branches = std::move(inner.branches);
  }

  void branches(const YamlNode& node, int depth, LoopTree& tree) {
    for (const YamlNode& branch : elements(node.find("nodes"))) {
      const auto nodes = branch.tag() == "!Nested" ? branch.find("nodes") : std::nullopt;
      tree.branches.push_back(list(nodes ? *nodes : branch.listed(), depth + 1));
    }
    if (tree.branches.empty()) complain(node, "has no branches");
  }

  void storage(const YamlNode& node, LoopTree& tree) {
    MapReader reader(node, errors_);
    LoopEvent event{.node = node,
                    .component = {},
                    .tensors = names_in(reader.child("tensors")),
                    .variable = {},
                    .axis = {},
                    .fanout = {}};
    event.component = reader.required_string("component").value_or("");
    reader.finish();
    if (machine_ != nullptr) {
      std::vector<std::string> names;
      for (const StorageLevel* level : all_levels(*machine_)) names.push_back(level->name);
      if (std::ranges::find(names, event.component) == names.end())
        return complain(node, not_a_memory(event.component, machine_->name, names));
      event.level = machine_->find_level(event.component).value_or(-1);
    }
    tree.events.push_back(std::move(event));
  }

  void loop(const YamlNode& node, bool spatial, LoopTree& tree) {
    MapReader reader(node, errors_);
    LoopEvent event{
        .node = node, .component = {}, .tensors = {}, .variable = {}, .axis = {}, .fanout = {}, .spatial = spatial};
    const std::vector<std::string> variables = names_in(reader.required_child("rank_variable"));
    if (variables.size() == 1) event.variable = variables[0];
    else complain(node, "rank_variable must be one name");
    event.tile = static_cast<u64>(reader.required_integer("tile_shape", 1, 2'147'483'647).value_or(1));
    if (spatial) {
      const auto name = reader.child("name");
      event.axis = name ? name->text() : "";
      event.fanout = reader.string("component").value_or("");
    }
    reader.finish();
    tree.events.push_back(std::move(event));
  }

  void compute(const YamlNode& node, LoopTree& tree) {
    MapReader reader(node, errors_);
    tree.einsum = reader.required_string("einsum").value_or("");
    tree.compute = reader.child("component");
    reader.finish();
  }

  const Architecture* machine_;
  Diagnostics errors_;
  std::size_t count_ = 0;
};

}  // namespace

std::string not_a_memory(const std::string& component, const std::string& machine,
                         const std::vector<std::string>& memories) {
  return fmt::format("component = {}, must be a memory of {}: {}{}", shortened(component), machine,
                     join(memories, "or"), did_you_mean(component, memories));
}

Result<LoopTree> read_tree(const YamlNode& root, const Architecture* machine) { return TreeReader(machine).read(root); }

std::size_t count_einsums(const LoopTree& tree) {
  std::size_t sum = tree.einsum.empty() ? 0 : 1;
  for (const LoopTree& branch : tree.branches) sum += count_einsums(branch);
  return sum;
}

bool find_path(const LoopTree& tree, const std::string& einsum, std::vector<const LoopEvent*>& path,
               std::size_t& shared, const LoopTree*& leaf) {
  const std::size_t before = path.size();
  for (const LoopEvent& event : tree.events) path.push_back(&event);
  if (tree.einsum == einsum && tree.branches.empty()) return leaf = &tree, true;
  const std::size_t here = path.size();
  for (const LoopTree& branch : tree.branches) {
    if (!find_path(branch, einsum, path, shared, leaf)) continue;
    shared = std::max(shared, here);
    return true;
  }
  path.resize(before);
  return false;
}

}  // namespace heliolite::accelforge
