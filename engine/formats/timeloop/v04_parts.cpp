#include "engine/formats/timeloop/v04_parts.h"

#include <fmt/format.h>
#include <algorithm>
#include <string_view>
#include <utility>

#include "arch/check.h"
#include "engine/formats/timeloop/constraints.h"
#include "engine/formats/timeloop/form.h"
#include "engine/inputs/read_options.h"

namespace heliolite {
namespace {

void refuse(MapReader& reader, const char* key, std::string_view why, Diagnostics& errors) {
  const std::optional<YamlNode> value = reader.child(key);
  if (value && !says_nothing(*value)) errors.push_back(value->error(fmt::format("{}: {}", key, why)));
}

void read_mesh(const YamlNode& spatial, const TimeloopAttributes& inherited, const TimeloopAttributes& variables,
               TimeloopLeaf& leaf, Diagnostics& errors) {
  TimeloopAttributes names = leaf.own;
  names.insert(inherited.begin(), inherited.end());
  AttributeReader reader(spatial, leaf.name, read_attributes(spatial, {}, errors), names, variables, errors);
  leaf.fanout.x = reader.integer({"meshX"}, 1, kMaxFanout).value_or(1);
  leaf.fanout.y = reader.integer({"meshY"}, 1, kMaxFanout).value_or(1);
  reader.finish();
}

// Factors of 1 only: no loops, which is what a place without loops has anyway.
bool all_one(const LoopConstraints& loops) {
  return std::ranges::all_of(loops.factors, [](const FactorConstraint& f) {
    return f.value == 1 || (f.value != 0 && f.relation == Relation::AtMost);
  });
}

void read_constraints(const YamlNode& constraints, TimeloopLeaf& leaf, Diagnostics& errors) {
  MapReader reader(constraints, errors);
  if (const auto child = reader.child("spatial")) {
    read_spatial_constraint(*child, leaf.fanout.constraints, errors);
    if (leaf.fanout.x * leaf.fanout.y == 1) refuse_unrolling(leaf.fanout.constraints, leaf.name, *child, errors);
  }
  if (const auto child = reader.child("temporal")) {
    read_temporal_constraint(*child, leaf.temporal, errors);
    leaf.loops_constrained = !says_nothing(*child) && !all_one(leaf.temporal);
  }
  if (const auto child = reader.child("dataspace")) read_keep_constraint(*child, leaf.keep, errors);
  if (const auto child = reader.child("max_overbooked_proportion"); child && !says_nothing(*child)) {
    const auto proportion = child->find("proportion");
    if (!child->is_map() || (proportion && !says_nothing(*proportion)))
      errors.push_back(child->error("max_overbooked_proportion: tiles larger than the memory are not supported"));
  }
  reader.finish();
}

void bypass_tensor(StorageLevel& level, const std::string& tensor) {
  if (!level.loops_allowed) return;  // a fan-out's own level keeps nothing anyway
  std::vector<std::string>& bypass = level.keep.bypass;
  if (std::ranges::find(bypass, tensor) == bypass.end()) bypass.push_back(tensor);
}

// Timeloop's name for the level of a fan-out.
std::string inter_name(const std::string& owner) { return fmt::format("inter_{}_spatial", owner); }

}  // namespace

TimeloopLeaf read_leaf(MapReader& reader, const std::string& fallback, const TimeloopAttributes& inherited,
                       const TimeloopAttributes& variables, Diagnostics& errors) {
  TimeloopLeaf leaf;
  leaf.valid = reader.valid();
  leaf.name =
      fallback.empty() ? reader.required_string("name").value_or("?") : reader.string("name").value_or(fallback);
  if (const auto attributes = reader.child("attributes")) leaf.own = read_attributes(*attributes, {}, errors);
  hide(inherited, leaf.own);
  leaf.fanout.name = leaf.name;
  leaf.fanout.place = reader.node();
  const auto gating = leaf.own.find("has_power_gating");
  leaf.fanout.power_gating = gating != leaf.own.end() && !says_nothing(gating->second->node);
  if (const auto spatial = reader.child("spatial"); spatial && !spatial->is_null())
    read_mesh(*spatial, inherited, variables, leaf, errors);
  if (const auto constraints = reader.child("constraints"); constraints && !constraints->is_null())
    read_constraints(*constraints, leaf, errors);
  refuse(reader, "sparse_optimizations", kSparseAdvice, errors);
  refuse(reader, "networks", "networks are not supported; give energy_per_hop, router_energy, energy-per-ingress",
         errors);
  return leaf;
}

void pass_by_branches(const std::vector<TimeloopBranch>& branches, std::span<TimeloopStorage> storage,
                      const YamlNode& parallel, Diagnostics& errors) {
  for (const TimeloopBranch& one : branches) {
    for (const TimeloopBranch& other : branches) {
      if (&one == &other) continue;
      for (const std::string& tensor : other.kept) {
        if (&one < &other && std::ranges::find(one.kept, tensor) != one.kept.end())
          errors.push_back(parallel.error(fmt::format("{} is kept in two branches of !Parallel", tensor)));
        for (std::size_t s = one.first; s < one.last; ++s) bypass_tensor(storage[s].level, tensor);
      }
    }
  }
}

void TimeloopFanouts::add(TimeloopFanout fanout) {
  if (storage_.empty() && fanouts_.empty())
    errors_.push_back(fanout.place.error(
        fmt::format("{} fans out above the first storage: nothing distributes the data", fanout.name)));
  else fanouts_.push_back(std::move(fanout));
}

void TimeloopFanouts::place() {
  for (TimeloopFanout& fanout : fanouts_) {
    if (storage_.empty()) break;
    pass_gate(inter_name(fanout.name), fanout.power_gating);
    if (!can_carry(storage_.back().level, fanout)) bridge(fanout);
    StorageLevel& level = storage_.back().level;
    level.network = fanout.network;
    level.constraints.spatial = std::move(fanout.constraints);
    level.fanout_name = fanout.name;
    if (mesh_x_ * mesh_y_ > kMaxInstances / (fanout.x * fanout.y)) {
      errors_.push_back(fanout.place.error(fmt::format("more than {} instances", kMaxInstances)));
      break;
    }
    mesh_x_ *= fanout.x;
    mesh_y_ *= fanout.y;
  }
  fanouts_.clear();
}

void TimeloopFanouts::pass_gate(const std::string& place, bool power_gating) {
  if (gate_next_) gate_ = place;
  gate_next_ = power_gating;
}

// Timeloop puts every fan-out on a level of its own; its words then also cross the network from the storage to that
// level, and there both ways if the storage does not reduce (rule 26).
bool TimeloopFanouts::can_carry(const StorageLevel& level, const TimeloopFanout& fanout) {
  return level.fanout_name.empty() && level.network.router_pj == 0 && level.network.ingress_pj == 0 &&
         (level.reduces() || !has_energy(fanout.network));
}

void TimeloopFanouts::bridge(const TimeloopFanout& fanout) {
  TimeloopStorage between;
  between.place = fanout.place;
  between.free_of_charge = true;
  between.level.name = inter_name(fanout.name);
  between.level.instances = mesh_x_ * mesh_y_;
  between.level.mesh_x = mesh_x_;
  between.level.keep.bypass = {"all"};
  between.level.loops_allowed = false;
  storage_.push_back(std::move(between));
}

}  // namespace heliolite
