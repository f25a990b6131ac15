#include "arch/timeloop_leaf.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "arch/limits.h"
#include "arch/timeloop_constraints.h"
#include "engine/inputs/sparse.h"

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

}  // namespace heliolite
