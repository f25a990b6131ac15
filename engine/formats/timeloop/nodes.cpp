// Reads machines as Timeloop v0.4 writes them: a list of nodes, each a container or a component.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/text.h"
#include "engine/formats/timeloop/component.h"
#include "engine/formats/timeloop/v04_parts.h"

namespace heliolite {
namespace {

class NodesReader {
 public:
  NodesReader(const TimeloopAttributes& variables, const KeepTargets& keeps, Diagnostics& errors)
      : variables_(variables), keeps_(keeps), errors_(errors) {}

  TimeloopMachine read(const YamlNode& architecture) {
    MapReader reader(architecture, errors_);
    reader.ignore("version");
    reader.ignore("name");
    const std::optional<YamlNode> nodes = reader.required_child("nodes");
    reader.finish();
    if (nodes) list(*nodes);
    if (nodes && !machine_.compute)
      errors_.push_back(nodes->error("no compute unit: a !Component of class mac, intmac, fpmac or compute"));
    finish_containers();
    std::reverse(machine_.storage.begin(), machine_.storage.end());
    return std::move(machine_);
  }

 private:
  void list(const YamlNode& nodes) {
    if (nodes.is_null()) return;
    if (!nodes.is_sequence()) {
      errors_.push_back(nodes.error("must be a list of nodes, outermost first"));
      return;
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) node(nodes.at(i));
  }

  void node(const YamlNode& node) {
    const std::string tag = node.tag();
    if (tag == "!Container") container(node);
    else if (tag == "!Component") component(node);
    else if (tag == "!Hierarchical" || tag == "!Pipelined") branch(node);
    else if (tag == "!Parallel") parallel(node);
    else if (tag == "!Nothing") nothing(node);
    else {
      const std::vector<std::string> tags{"!Container", "!Component", "!Hierarchical",
                                          "!Parallel",  "!Pipelined", "!Nothing"};
      errors_.push_back(
          node.error(fmt::format("{}, must be {}{}", tag.empty() ? std::string("a node without a tag") : "tag " + tag,
                                 join(tags, "or"), did_you_mean(tag, tags))));
    }
  }

  void branch(const YamlNode& node) {
    MapReader reader(node, errors_);
    if (const auto nodes = reader.required_child("nodes")) list(*nodes);
    reader.ignore("name");
    reader.finish();
  }

  void container(const YamlNode& node) {
    MapReader reader(node, errors_);
    TimeloopLeaf leaf = read_leaf(reader, "", inherited_, variables_, errors_);
    reader.finish();
    if (!leaf.valid) return;
    after_compute(node);
    if (leaf.loops_constrained) errors_.push_back(node.error("a container has no loops to constrain: temporal"));
    containers_.push_back({leaf.name, leaf.own});
    if (!machine_.cycle_seconds && leaf.own.contains("global_cycle_seconds")) {
      TimeloopAttributes names = inherited_;
      for (const auto& [name, attribute] : leaf.own) names[name] = attribute;
      machine_.cycle_seconds = cycle_seconds_in(names, variables_, errors_);
    }
    for (const auto& [name, attribute] : leaf.own) {
      if (const auto it = inherited_.find(name); it != inherited_.end()) it->second->used = true;
      inherited_[name] = attribute;
    }
    keep_in_branch(leaf, node);
    fan_out(leaf);
  }

  void fan_out(TimeloopLeaf& leaf) {
    if (leaf.fanout.x * leaf.fanout.y == 1) {
      machine_.without_fanout.push_back(leaf.name);
      return;
    }
    if (branch_depth_ > 0)
      errors_.push_back(leaf.fanout.place.error(
          fmt::format("{} fans out inside a branch of !Parallel, which is not supported", leaf.name)));
    AttributeReader network(leaf.fanout.place, leaf.name, {}, inherited_, variables_, errors_);
    leaf.fanout.network = read_network_energy(network);
    fanouts_.add(leaf.fanout);
  }

  void nothing(const YamlNode& node) {
    if (node.is_null() || (node.is_scalar() && node.text().empty())) return;
    MapReader reader(node, errors_);
    const TimeloopLeaf leaf = read_leaf(reader, "nothing", inherited_, variables_, errors_);
    for (const char* key : {"class", "subclass", "required_actions", "enabled"}) reader.ignore(key);
    reader.finish();
    keep_in_branch(leaf, node);
  }

  void component(const YamlNode& node) {
    MapReader reader(node, errors_);
    TimeloopLeaf leaf = read_leaf(reader, "", inherited_, variables_, errors_);
    const std::optional<std::string> class_name = reader.required_string("class");
    for (const char* key : {"subclass", "required_actions", "area_share", "area_scale"}) reader.ignore(key);
    const std::optional<YamlNode> scale = reader.child("energy_scale");
    const std::optional<YamlNode> enabled = reader.child("enabled");
    reader.finish();
    if (!leaf.valid || !class_name || (enabled && !is_enabled(*enabled, leaf))) return;
    AttributeReader attributes(node, leaf.name, leaf.own, inherited_, variables_, errors_);
    const ComponentKind kind = component_kind(*class_name);
    const bool takes_part = kind == ComponentKind::Storage || kind == ComponentKind::Compute;
    if (!takes_part && !may_pass_over(attributes, *class_name, errors_)) return;
    if (kind == ComponentKind::Network) machine_.networks.push_back(read_network_component(attributes));
    if (takes_part || leaf.fanout.x * leaf.fanout.y != 1) after_compute(node);
    fan_out(leaf);
    if (!takes_part) {
      for (const auto& [_, attribute] : leaf.own) attribute->used = true;
      return;
    }
    std::optional<double> energy_scale;
    if (scale && !scale->is_null()) energy_scale = number_of(*scale, leaf.own, variables_, errors_);
    if (energy_scale == 1.0) energy_scale.reset();
    if (kind == ComponentKind::Storage) storage(leaf, attributes, *class_name, energy_scale);
    else compute(leaf, attributes, energy_scale);
  }

  bool is_enabled(const YamlNode& enabled, const TimeloopLeaf& leaf) {
    std::optional<bool> on = enabled.as_bool();
    if (!on && !enabled.is_null())
      if (const auto value = number_of(enabled, leaf.own, variables_, errors_)) on = *value != 0;
    if (on.value_or(true)) return true;
    for (const auto& [_, attribute] : leaf.own) attribute->used = true;
    if (leaf.fanout.x * leaf.fanout.y != 1)
      errors_.push_back(enabled.error(fmt::format("{} is switched off but fans out", leaf.name)));
    return false;
  }

  void after_compute(const YamlNode& node) {
    if (machine_.compute) errors_.push_back(node.error("comes after the compute unit, which must be the last node"));
  }

  void storage(TimeloopLeaf& leaf, AttributeReader& attributes, const std::string& class_name,
               std::optional<double> energy_scale) {
    Diagnostics said_later;  // when the lists of targets are read
    for (auto [at, end] = keeps_.equal_range(leaf.name); at != end; ++at)
      read_keep_constraint(at->second, leaf.keep, said_later);
    TimeloopStorage storage = read_storage_attributes(attributes, class_name);
    if (!storage.level.reduction) storage.level.reduction = true;  // so says the front end of v0.4, also of DRAMs
    finish(attributes);
    storage.energy_scale = energy_scale;
    fanouts_.place();
    fanouts_.pass_gate(leaf.name, leaf.fanout.power_gating);
    if (storage.power_gated_at.empty()) storage.power_gated_at = fanouts_.gate();
    storage.level.instances = fanouts_.instances();
    storage.level.mesh_x = fanouts_.mesh_x();
    storage.level.keep = leaf.keep;
    storage.level.constraints.temporal = leaf.temporal;
    machine_.storage.push_back(std::move(storage));
  }

  void compute(const TimeloopLeaf& leaf, AttributeReader& attributes, std::optional<double> energy_scale) {
    TimeloopCompute compute = read_compute_attributes(attributes);
    finish(attributes);
    compute.energy_scale = energy_scale;
    if (branch_depth_ > 0)
      errors_.push_back(leaf.fanout.place.error("a compute unit inside !Parallel is not supported"));
    if (leaf.loops_constrained || !leaf.keep.keep.empty() || !leaf.keep.bypass.empty())
      errors_.push_back(leaf.fanout.place.error("a compute unit has neither loops nor tensors to constrain"));
    fanouts_.place();
    compute.compute.instances = fanouts_.instances();
    compute.compute.mesh_x = fanouts_.mesh_x();
    machine_.compute = std::move(compute);
  }

  // The branches of a !Parallel are a chain in which each one's tensors pass by the others.
  void parallel(const YamlNode& node) {
    MapReader reader(node, errors_);
    const std::optional<YamlNode> nodes = reader.required_child("nodes");
    reader.ignore("name");
    reader.finish();
    if (!nodes) return;
    if (!nodes->is_sequence()) {
      errors_.push_back(nodes->error("must be a list of branches"));
      return;
    }
    std::vector<TimeloopBranch> branches;
    const std::vector<std::string> outer_kept = std::exchange(kept_, {});
    for (std::size_t i = 0; i < nodes->size(); ++i) {
      const TimeloopAttributes inherited = inherited_;
      const std::size_t first = machine_.storage.size();
      ++branch_depth_;
      this->node(nodes->at(i));
      --branch_depth_;
      inherited_ = inherited;
      for (std::size_t s = first; s < machine_.storage.size(); ++s)
        if (machine_.storage[s].level.loops_allowed) remember(machine_.storage[s].level.keep);
      branches.push_back({first, machine_.storage.size(), std::exchange(kept_, {})});
      if (branches.back().kept.empty() && first < machine_.storage.size())
        errors_.push_back(
            nodes->at(i).error("a branch of !Parallel must say what it keeps: constraints: {dataspace: "
                               "{keep: [..]}}"));
    }
    pass_by_branches(branches, machine_.storage, node, errors_);
    kept_ = outer_kept;
    for (const TimeloopBranch& one : branches)
      for (const std::string& tensor : one.kept) kept_.push_back(tensor);
  }

  void remember(const KeepRule& keep) {
    for (const std::string& tensor : keep.keep)
      if (std::ranges::find(kept_, tensor) == kept_.end()) kept_.push_back(tensor);
  }

  // `!Nothing {constraints: {dataspace: {keep: [Inputs]}}}`: these pass by the other branches. Elsewhere a node that is
  // no storage bypasses everything anyway.
  void keep_in_branch(const TimeloopLeaf& leaf, const YamlNode& node) {
    if (leaf.keep.keep.empty()) return;
    if (branch_depth_ > 0) remember(leaf.keep);
    else errors_.push_back(node.error("holds no tensors to keep: dataspace"));
  }

  void finish(const AttributeReader& component) {
    component.list_unread(machine_.unread);
    known_.insert(known_.end(), component.known().begin(), component.known().end());
  }

  // Attributes of containers that no component and no expression understood.
  void finish_containers() {
    for (const Container& container : containers_)
      for (const auto& [name, attribute] : container.attributes)
        if (!attribute->used)
          machine_.unread.push_back(
              {name, container.name, attribute->node.file(), attribute->line, did_you_mean(name, known_)});
  }

  struct Container {
    std::string name;
    TimeloopAttributes attributes;
  };

  const TimeloopAttributes& variables_;
  const KeepTargets& keeps_;
  Diagnostics& errors_;
  TimeloopMachine machine_;  // outermost first until the end
  TimeloopAttributes inherited_;
  std::vector<Container> containers_;
  TimeloopFanouts fanouts_{machine_.storage, errors_};
  std::vector<std::string> known_;  // attributes of components
  std::vector<std::string> kept_;   // by the branch of !Parallel being read
  int branch_depth_ = 0;
};

}  // namespace

TimeloopMachine read_nodes_machine(const YamlNode& architecture, const TimeloopAttributes& variables,
                                   const KeepTargets& keeps, Diagnostics& errors) {
  return NodesReader(variables, keeps, errors).read(architecture);
}

}  // namespace heliolite
