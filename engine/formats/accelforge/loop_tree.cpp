#include "engine/formats/accelforge/loop_tree.h"

#include <fmt/format.h>

#include <algorithm>

#include "arch/architecture_spec.h"
#include "engine/base/mapped.h"
#include "engine/base/named.h"
#include "engine/base/text.h"
#include "engine/formats/accelforge/files.h"

namespace heliolite::accelforge {
namespace {

constexpr int kMaxTreeDepth = 16;
constexpr std::size_t kMaxTreeNodes = 100'000;

std::vector<std::string> names_in(const std::optional<YamlNode>& node) {
  return mapped(elements(node), &YamlNode::text);
}

// What is said of a storage node that is none of the memories.
std::string not_a_memory(const std::string& component, const std::string& machine,
                         const std::vector<std::string>& memories) {
  return fmt::format("component = {}, must be a memory of {}: {}{}", shortened(component), machine,
                     join(memories, "or"), did_you_mean(component, memories));
}

class TreeReader {
 public:
  explicit TreeReader(const Architecture* machine) : machine_(machine) {}

  Result<LoopTree> read(const YamlNode& root) {
    const auto mapping = root.find("mapping");
    const auto nodes = mapping ? mapping->find("nodes") : std::nullopt;
    if (!nodes || !nodes->is_sequence() || nodes->size() == 0)
      return (mapping ? *mapping : root).error("must have a list of 'nodes'");
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

u64 product_of(const std::vector<std::pair<std::string, u64>>& loops) {
  u64 all = 1;
  for (const auto& [_, factor] : loops) all *= factor;
  return all;
}

std::string loop_list(const std::vector<std::pair<std::string, u64>>& loops) {
  std::vector<std::string> texts;
  for (const auto& [name, factor] : loops) texts.push_back(fmt::format("{}: {}", yaml_scalar(name), factor));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

}  // namespace

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

// The way through a LoopTree to an Einsum as the levels of a mapping: storage nodes begin levels, loops take their part
// of what is left of the sizes.

LeftSizes sizes_of(const Workload& workload) {
  LeftSizes left;
  for (const Dimension& d : workload.dimensions) left[d.name] = d.size;
  return left;
}

std::string PathWriter::levels(const Architecture& chain, const Workload& workload, LeftSizes left,
                               const std::vector<const LoopEvent*>& path, int first, std::vector<std::string> kept,
                               const LoopTree& leaf) {
  chain_ = &chain;
  parts_.clear();
  if (leaf.compute && leaf.compute->text() != chain.compute.name)
    errors_.push_back(leaf.compute->error(fmt::format("component = {}, the compute unit of {} that runs {} is {}",
                                                      shortened(leaf.compute->text()), chain.name, workload.name,
                                                      chain.compute.name)));
  const int outermost = static_cast<int>(chain.levels.size()) - 1;
  if (first < outermost)
    parts_.push_back({.level = outermost, .keep = names_of(workload.tensors), .loops = {}, .axes = {}});
  parts_.push_back({.level = first, .keep = std::move(kept), .loops = {}, .axes = {}});
  for (std::size_t i = 0; i < path.size(); ++i) {
    const LoopEvent& event = *path[i];
    if (event.is_storage()) {
      store(event, workload, outermost);
    } else if (const u64 factor = divide(event, left, workload); factor > 1) {
      if (event.spatial) go_to_fanout(event, next_level(std::span(path).subspan(i), workload), factor);
      add_loop(event, factor);
    }
  }
  std::vector<std::string> open;
  for (const auto& [name, size] : left)
    if (size > 1) open.push_back(fmt::format("{} ({} of it left)", name, size));
  if (!open.empty())
    errors_.push_back(leaf.node.error(fmt::format("{}: no loop goes over all of {}", workload.name, join(open))));
  return text(outermost);
}

u64 PathWriter::divide(const LoopEvent& event, LeftSizes& left, const Workload& workload) {
  const auto it = left.find(event.variable);
  if (it == left.end()) {
    const std::vector<std::string> names = keys_of(left);
    errors_.push_back(
        event.node.error(fmt::format("rank_variable = {}, must be one of {}, {}{}", shortened(event.variable),
                                     workload.name, join(names, "or"), did_you_mean(event.variable, names))));
    return 0;
  }
  if (event.tile > it->second || it->second % event.tile != 0) {
    errors_.push_back(event.node.error(fmt::format("tile_shape = {} does not divide the {} that are left of {} for {}",
                                                   event.tile, it->second, event.variable, workload.name)));
    return 0;
  }
  const u64 factor = it->second / event.tile;
  it->second = event.tile;
  return factor;
}

void PathWriter::store(const LoopEvent& event, const Workload& workload, int outermost) {
  std::vector<std::string> tensors;
  for (const std::string& tensor : event.tensors)
    if (workload.find_tensor(tensor)) tensors.push_back(tensor);
  if (tensors.empty()) return;  // another Einsum's
  const std::optional<int> level = chain_->find_level(event.component);
  if (!level) {
    const std::vector<std::string> names = names_of(chain_->levels);
    errors_.push_back(event.node.error(not_a_memory(event.component, chain_->name, names)));
    return;
  }
  Part& last = parts_.back();
  if (*level > last.level || (*level == outermost && !last.loops.empty())) {
    errors_.push_back(event.node.error(fmt::format(
        "{} stands inside {}, whose loops are around it: levels come from the outermost to the innermost here",
        event.component, chain_->levels[last.level].name)));
    return;
  }
  const bool joins = *level == last.level && last.loops.empty() && last.axes.empty();
  if (!joins) parts_.push_back({.level = *level, .keep = {}, .loops = {}, .axes = {}});
  for (const std::string& tensor : tensors)
    if (std::ranges::find(parts_.back().keep, tensor) == parts_.back().keep.end()) parts_.back().keep.push_back(tensor);
}

// The level that keeps the workload's tensors next; -1: none does.
int PathWriter::next_level(std::span<const LoopEvent* const> path, const Workload& workload) const {
  for (const LoopEvent* event : path)
    if (event->is_storage() && std::ranges::any_of(event->tensors, [&](const std::string& tensor) {
          return workload.find_tensor(tensor).has_value();
        }))
      return chain_->find_level(event->component).value_or(-1);
  return -1;
}

// Begins the level whose fan-out a spatial loop goes over: of those from here to the next that keeps something the
// one that the file names as our writer does, else the outermost with room.
void PathWriter::go_to_fanout(const LoopEvent& event, int next, u64 factor) {
  const Part& last = parts_.back();
  int found = -1;
  for (int i = last.level; i > next && i >= 0; --i) {
    const StorageLevel& level = chain_->levels[i];
    const auto here = i == last.level ? last.axes.find(event.axis) : last.axes.end();
    const u64 whole = factor * (here == last.axes.end() ? 1 : product_of(here->second));
    const bool named =
        event.fanout == fanout_name(level.name) || event.fanout == fanout_name(level.name, chain_->compute.name);
    if (named || (found < 0 && std::max(level.fanout_x, level.fanout_y) >= whole)) found = i;
    if (named) break;
  }
  if (found >= 0 && found != last.level) parts_.push_back({.level = found, .keep = {}, .loops = {}, .axes = {}});
}

void PathWriter::add_loop(const LoopEvent& event, u64 factor) {
  Part& last = parts_.back();
  auto& loops = event.spatial ? last.axes[event.axis] : last.loops;
  const auto same = std::ranges::find(loops, event.variable, &std::pair<std::string, u64>::first);
  if (same == loops.end()) loops.emplace_back(event.variable, factor);
  else if (&*same == &loops.back()) same->second *= factor;
  else
    errors_.push_back(
        event.node.error(fmt::format("a second loop over {} at {}, with another one between: a level "
                                     "has one loop over a dimension here",
                                     event.variable, chain_->levels[last.level].name)));
}

// The axes of a fan-out have no names here: the first that is met is X where both fit.
std::string PathWriter::spatial(const Part& part) {
  if (part.axes.empty()) return "";
  const StorageLevel& level = chain_->levels[part.level];
  std::vector<std::vector<std::pair<std::string, u64>>> axes;
  for (const auto& [_, loops] : part.axes) axes.push_back(loops);
  if (axes.size() == 1) axes.emplace_back();
  if (axes.size() > 2) {
    errors_.push_back({"", 0, level.name, "has more than two spatial dimensions in this mapping"});
    return "";
  }
  if (product_of(axes[0]) > level.fanout_x || product_of(axes[1]) > level.fanout_y) std::swap(axes[0], axes[1]);
  return fmt::format(", spatial: {{x: {}, y: {}}}", loop_list(axes[0]), loop_list(axes[1]));
}

std::string PathWriter::text(int outermost) {
  std::string out;
  std::size_t next = 0;
  for (int level = outermost; level >= 0; --level) {
    bool written = false;
    for (; next < parts_.size() && parts_[next].level == level; ++next, written = true) {
      const Part& part = parts_[next];
      out += fmt::format("{}{{level: {}, keep: [{}]", out.empty() ? "" : ", ", yaml_scalar(chain_->levels[level].name),
                         fmt::join(part.keep, ", "));
      if (!part.loops.empty()) out += ", temporal: " + loop_list(part.loops);
      out += spatial(part) + "}";
    }
    if (!written)
      out += fmt::format("{}{{level: {}, keep: []}}", out.empty() ? "" : ", ", yaml_scalar(chain_->levels[level].name));
  }
  return "[" + out + "]";
}

}  // namespace heliolite::accelforge
