#include "arch/timeloop_constraints.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "arch/timeloop_attributes.h"
#include "arch/timeloop_loops.h"
#include "engine/base/text.h"

namespace heliolite {
namespace {

using Names = std::vector<std::string>;

std::string relation_text(Relation relation) {
  return relation == Relation::Equal ? "=" : relation == Relation::AtMost ? "<=" : ">=";
}

void refuse(MapReader& reader, std::initializer_list<std::string_view> keys, std::string_view why, Diagnostics& errors) {
  for (const std::string_view key : keys) {
    const std::optional<YamlNode> value = reader.child(key);
    if (value && !says_nothing(*value)) errors.push_back(value->error(fmt::format("{}: {}", key, why)));
  }
}

// Keys that any constraint may carry and that the caller has looked at.
void ignore_common(MapReader& reader) {
  for (const char* key : {"type", "target", "name", "attributes", "version"}) reader.ignore(key);
}

void add_factors(const std::vector<FactorWord>& words, std::vector<FactorConstraint>& factors, Diagnostics& errors) {
  for (const FactorWord& word : words) {
    if (word.residual)
      errors.push_back(word.place.error(
          fmt::format("{}={},{}: a constraint cannot fix a residual", word.dimension, word.value, *word.residual)));
    bool known = false;
    for (const FactorConstraint& other : factors) {
      if (other.dimension != word.dimension || other.relation != word.relation) continue;
      known = true;
      if (other.value != word.value)
        errors.push_back(word.place.error(fmt::format("{0}{1}{2}, but an earlier constraint says {0}{1}{3}",
                                                      word.dimension, relation_text(word.relation), word.value,
                                                      other.value)));
    }
    if (!known) factors.push_back({word.dimension, word.relation, word.value});
  }
}

void set_order(const Names& order, Names& out, const YamlNode& place, Diagnostics& errors) {
  if (out.empty() || out == order) out = order;
  else errors.push_back(place.error(fmt::format("permutation {}, but an earlier constraint says {}", join(order, "then"),
                                                join(out, "then"))));
}

// Dimensions whose factor may be above 1.
Names above_one(const std::vector<FactorConstraint>& factors) {
  Names names;
  for (const FactorConstraint& f : factors) {
    const bool one = f.value == 1 && f.relation != Relation::AtLeast;
    if (!one && std::ranges::find(names, f.dimension) == names.end()) names.push_back(f.dimension);
  }
  return names;
}

Names common(const std::optional<Names>& old, const Names& allowed) {
  if (!old) return allowed;
  Names both;
  for (const std::string& name : *old)
    if (std::ranges::find(allowed, name) != allowed.end()) both.push_back(name);
  return both;
}

// What temporal and spatial constraints share.
struct Iteration {
  std::optional<YamlNode> permutation_place;
  Names permutation;
  bool listed_only = false;  // dimensions without a factor here stay at 1
};

Iteration read_iteration(MapReader& reader, std::vector<FactorConstraint>& factors, Diagnostics& errors) {
  Iteration iteration;
  if (const auto node = reader.child("factors")) add_factors(read_factors(*node, errors), factors, errors);
  if (const auto node = reader.child("factors_only"); node && !node->is_null()) {
    add_factors(read_factors(*node, errors), factors, errors);
    iteration.listed_only = true;
  }
  if (const auto node = reader.child("permutation"); node && node->size() + node->text().size() > 0) {
    iteration.permutation = read_permutation(*node, {}, errors);
    iteration.permutation_place = node;
  }
  if (const auto node = reader.child("default_max_factor"); node && !node->is_null()) {
    if (node->as_integer() == 1) iteration.listed_only = true;
    else errors.push_back(node->error(fmt::format(
             "default_max_factor = {}: only 1 can be expressed; give the dimensions their factors", node->text())));
  }
  if (const auto node = reader.child("default_min_factor"); node && !node->is_null() && node->as_integer() != 1)
    errors.push_back(node->error(fmt::format(
        "default_min_factor = {}: only 1 can be expressed; give the dimensions their factors", node->text())));
  refuse(reader, {"no_iteration_over_dataspaces", "must_iterate_over_dataspaces", "maximize_dims",
                  "maximize_dims_capacity"},
         "depends on the workload; name the dimensions with factors instead", errors);
  refuse(reader, {"remainders"}, "imperfect factors are a matter of the search, not of the machine", errors);
  return iteration;
}

void read_split(const YamlNode& node, const Iteration& iteration, SpatialConstraints& constraints,
                Diagnostics& errors) {
  const std::optional<i64> split = node.as_integer();
  if (!split || *split < 0) {
    errors.push_back(node.error(fmt::format("split = {}, must be an integer of at least 0", node.text())));
    return;
  }
  const Names& order = iteration.permutation.empty() ? constraints.order : iteration.permutation;
  Names x;
  std::optional<Names> y;
  if (*split > 0 && order.empty()) {
    errors.push_back(node.error(fmt::format(
        "split = {} without a permutation does not say which dimensions go to X; give a permutation", *split)));
    return;
  }
  if (!order.empty()) {
    const auto middle = order.begin() + std::min(*split, static_cast<i64>(order.size()));
    x.assign(order.begin(), middle);
    y.emplace(middle, order.end());
  }
  if ((constraints.allowed_x && *constraints.allowed_x != x) || (constraints.allowed_y && constraints.allowed_y != y)) {
    errors.push_back(node.error(fmt::format("split = {}, but an earlier constraint splits differently", *split)));
    return;
  }
  constraints.allowed_x = x;
  constraints.allowed_y = y;
}

// A tensor both kept and bypassed by the same level.
void refuse_contradiction(const KeepRule& keep, const YamlNode& node, Diagnostics& errors) {
  for (const std::string& name : keep.keep)
    if (std::ranges::find(keep.bypass, name) != keep.bypass.end())
      errors.push_back(node.error(fmt::format("{} is both kept and bypassed", name)));
}

void add_names(const Names& from, Names& to) {
  for (const std::string& name : from)
    if (std::ranges::find(to, name) == to.end()) to.push_back(name);
}

}  // namespace

void read_temporal_constraint(const YamlNode& node, LoopConstraints& constraints, Diagnostics& errors) {
  if (node.is_null()) return;
  MapReader reader(node, errors);
  if (!reader.valid()) return;
  ignore_common(reader);
  const Iteration iteration = read_iteration(reader, constraints.factors, errors);
  if (iteration.permutation_place)
    set_order(iteration.permutation, constraints.order, *iteration.permutation_place, errors);
  if (iteration.listed_only) constraints.allowed = common(constraints.allowed, above_one(constraints.factors));
  refuse(reader, {"no_reuse", "no_temporal_reuse", "rmw_first_update", "rmw_on_first_writeback"},
         "changes how accesses are counted, which is not modelled", errors);
  reader.finish();
}

void read_spatial_constraint(const YamlNode& node, SpatialConstraints& constraints, Diagnostics& errors) {
  if (node.is_null()) return;
  MapReader reader(node, errors);
  if (!reader.valid()) return;
  ignore_common(reader);
  const Iteration iteration = read_iteration(reader, constraints.factors, errors);
  if (const auto split = reader.child("split"); split && !split->is_null())
    read_split(*split, iteration, constraints, errors);
  if (iteration.permutation_place)
    set_order(iteration.permutation, constraints.order, *iteration.permutation_place, errors);
  if (iteration.listed_only) {
    const Names allowed = above_one(constraints.factors);
    constraints.allowed_x = common(constraints.allowed_x, allowed);
    constraints.allowed_y = common(constraints.allowed_y, allowed);
  }
  refuse(reader, {"no_reuse", "no_multicast_no_reduction"}, "changes how accesses are counted, which is not modelled",
         errors);
  reader.ignore("no_link_transfer");  // there are none in the model
  reader.finish();
}

void read_keep_constraint(const YamlNode& node, KeepRule& keep, Diagnostics& errors) {
  if (node.is_null()) return;
  MapReader reader(node, errors);
  if (!reader.valid()) return;
  ignore_common(reader);
  const auto names = [&](const char* key) {
    const std::optional<YamlNode> child = reader.child(key);
    return child && !child->is_null() ? std::optional(read_tensors(*child, errors)) : std::nullopt;
  };
  if (const auto tensors = names("keep")) add_names(*tensors, keep.keep);
  if (const auto tensors = names("bypass")) add_names(*tensors, keep.bypass);
  if (const auto tensors = names("keep_only")) {
    add_names(*tensors, keep.keep);
    add_names({"all"}, keep.bypass);
  }
  if (const auto tensors = names("bypass_only")) {
    add_names({"all"}, keep.keep);
    add_names(*tensors, keep.bypass);
  }
  refuse(reader, {"no_coalesce", "passthrough"}, "changes how accesses are counted, which is not modelled", errors);
  reader.finish();
  refuse_contradiction(keep, node, errors);
}

namespace {

enum class TargetType : u8 { Temporal, Spatial, Keep, Utilization, Overbooking };

std::optional<TargetType> target_type(const YamlNode& node, Diagnostics& errors) {
  const std::string& word = node.text();
  if (word == "temporal") return TargetType::Temporal;
  if (word == "spatial") return TargetType::Spatial;
  if (word == "datatype" || word == "dataspace" || word == "bypass" || word == "bypassing") return TargetType::Keep;
  if (word == "utilization" || word == "parallelism") return TargetType::Utilization;
  if (word == "max_overbooked_proportion") return TargetType::Overbooking;
  const Names names{"temporal", "spatial", "dataspace", "datatype", "bypass", "utilization"};
  errors.push_back(node.error(fmt::format("type = {}, must be {}{}", word, join(names, "or"), did_you_mean(word, names))));
  return std::nullopt;
}

// Reads one list of targets into the levels of a machine.
class TargetReader {
 public:
  TargetReader(bool fanouts_by_owner, Architecture& architecture, Diagnostics& errors)
      : fanouts_by_owner_(fanouts_by_owner), architecture_(architecture), errors_(errors) {}

  void list(const YamlNode& targets) {
    if (targets.is_null()) return;
    if (!targets.is_sequence()) {
      errors_.push_back(targets.error("must be a list of constraints {target, type, ..}"));
      return;
    }
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const YamlNode entry = targets.at(i);
      if (!entry.is_map()) {
        errors_.push_back(entry.error("must be a constraint {target, type, ..}"));
      } else if (const auto nested = entry.find("constraints")) {
        // Old files: {target: X, constraints: [{type, ..}]}.
        MapReader reader(entry, errors_);
        reader.ignore("constraints");
        reader.ignore("target");
        reader.ignore("name");
        reader.finish();
        for (std::size_t j = 0; nested->is_sequence() && j < nested->size(); ++j) one(entry, nested->at(j));
        if (!nested->is_sequence()) errors_.push_back(nested->error("must be a list of constraints {type, ..}"));
      } else {
        one(entry, entry);
      }
    }
  }

 private:
  void one(const YamlNode& entry, const YamlNode& constraint) {
    const auto target = entry.has("target") ? entry.find("target") : entry.find("name");
    const auto type_node = constraint.find("type");
    if (!target || !target->is_scalar()) errors_.push_back(entry.error("missing key 'target': the name of a level"));
    if (!type_node || !type_node->is_scalar())
      errors_.push_back(constraint.error("missing key 'type': temporal, spatial, dataspace, .."));
    if (!target || !target->is_scalar() || !type_node || !type_node->is_scalar()) return;
    const auto type = target_type(*type_node, errors_);
    if (!type) return;
    const YamlNode body = constraint.find("attributes").value_or(constraint);
    if (*type == TargetType::Utilization || *type == TargetType::Overbooking) {
      beyond(body, *type);
      return;
    }
    const std::optional<std::size_t> index = find(*target, *type);
    if (!index) return;
    StorageLevel& level = architecture_.levels[*index];
    if (*type == TargetType::Temporal) read_temporal_constraint(body, level.constraints.temporal, errors_);
    else if (*type == TargetType::Spatial) read_spatial_constraint(body, level.constraints.spatial, errors_);
    else read_keep_constraint(body, level.keep, errors_);
  }

  // Constraints on what a mapping makes of the machine, not on its loops.
  void beyond(const YamlNode& body, TargetType type) {
    const bool utilization = type == TargetType::Utilization;
    const auto value = body.find(utilization ? "min" : "proportion");
    if (value && !says_nothing(*value))
      errors_.push_back(value->error(
          utilization ? "utilization: a least utilization cannot be demanded of mappings; fix spatial factors instead"
                      : "max_overbooked_proportion: tiles larger than the memory are not supported"));
  }

  std::optional<std::size_t> find(const YamlNode& target, TargetType type) {
    const auto& levels = architecture_.levels;
    const bool spatial = type == TargetType::Spatial;
    Names names;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const std::string& name = spatial && fanouts_by_owner_ ? levels[i].fanout_name : levels[i].name;
      if (name == target.text() && !name.empty()) return i;
      if (!name.empty()) names.push_back(name);
    }
    const std::optional<i64> number = target.as_integer();
    if (number && !fanouts_by_owner_ && *number >= 0 && *number < static_cast<i64>(levels.size()))
      return static_cast<std::size_t>(*number);
    errors_.push_back(target.error(fmt::format("target = {}, must be {}{}", target.text(),
                                               names.empty() ? "a level, and there is none" : join(names, "or"),
                                               did_you_mean(target.text(), names))));
    return std::nullopt;
  }

  bool fanouts_by_owner_;
  Architecture& architecture_;
  Diagnostics& errors_;
};

}  // namespace

void read_constraint_targets(const YamlNode& node, bool fanouts_by_owner, Architecture& architecture,
                             Diagnostics& errors) {
  TargetReader targets(fanouts_by_owner, architecture, errors);
  if (!node.is_map()) {
    targets.list(node);
    return;
  }
  MapReader reader(node, errors);
  reader.ignore("version");
  for (const char* key : {"targets", "constraints"})
    if (const auto list = reader.child(key)) targets.list(*list);
  reader.finish();
}

}  // namespace heliolite
