#include "engine/formats/timeloop/constraints.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "arch/limits.h"
#include "engine/base/text.h"
#include "engine/formats/timeloop/attributes.h"
#include "engine/formats/timeloop/loops.h"
#include "engine/formats/timeloop/peers.h"

namespace heliolite {
namespace {

using Names = std::vector<std::string>;

std::string relation_text(Relation relation) {
  return relation == Relation::Equal ? "=" : relation == Relation::AtMost ? "<=" : ">=";
}

void refuse(MapReader& reader, std::initializer_list<std::string_view> keys, std::string_view why,
            Diagnostics& errors) {
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
        errors.push_back(
            word.place.error(fmt::format("{0}{1}{2}, but an earlier constraint says {0}{1}{3}", word.dimension,
                                         relation_text(word.relation), word.value, other.value)));
    }
    if (!known) factors.push_back({word.dimension, word.relation, word.value});
  }
}

void set_order(const Names& order, Names& out, const YamlNode& place, Diagnostics& errors) {
  if (out.empty() || out == order) out = order;
  else
    errors.push_back(place.error(
        fmt::format("permutation {}, but an earlier constraint says {}", join(order, "then"), join(out, "then"))));
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

// The front end's words for limits that depend on the workload (timeloopfe, v4).
void read_macros(MapReader& reader, std::vector<FactorConstraint>& factors, bool is_spatial, Diagnostics& errors) {
  const auto hold_at_one = [&](const char* key, std::string_view word) {
    const auto node = reader.child(key);
    if (!node || node->is_null()) return;
    const Names tensors = read_tensors(*node, errors);
    if (!tensors.empty()) factors.push_back({fmt::format("{}({})", word, fmt::join(tensors, "+")), Relation::Equal, 1});
  };
  hold_at_one("no_iteration_over_dataspaces", "dims");
  hold_at_one("must_iterate_over_dataspaces", "other_dims");
  const auto room = reader.child("maximize_dims_capacity");
  const auto dims = reader.child("maximize_dims");
  if (!dims || says_nothing(*dims)) return;
  std::optional<i64> most;
  if (room && !room->is_null()) {
    most = room->as_integer();
    if (!most || *most < 1 || *most > static_cast<i64>(kMaxDimensionSize))
      errors.push_back(room->error(fmt::format("maximize_dims_capacity = {}, must be an integer from 1 to {}",
                                               room->text(), kMaxDimensionSize)));
  } else if (!is_spatial) {
    errors.push_back(dims->error("maximize_dims of loops over time needs maximize_dims_capacity"));
  }
  const bool groups = dims->is_sequence() && dims->size() > 0 && dims->at(0).is_sequence();
  for (std::size_t i = 0; i < (groups ? dims->size() : 1); ++i) {
    const Names names = read_permutation(groups ? dims->at(i) : *dims, {}, errors);
    if (names.empty()) continue;
    const std::string product = fmt::format("{}", fmt::join(names, "*"));
    factors.push_back({product, Relation::Equal, kLargestFactor});
    if (most) factors.push_back({product, Relation::AtMost, static_cast<u64>(*most)});
  }
}

Iteration read_iteration(MapReader& reader, std::vector<FactorConstraint>& factors, bool is_spatial,
                         Diagnostics& errors) {
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
    else
      errors.push_back(node->error(fmt::format(
          "default_max_factor = {}: only 1 can be expressed; give the dimensions their factors", node->text())));
  }
  if (const auto node = reader.child("default_min_factor"); node && !node->is_null() && node->as_integer() != 1)
    errors.push_back(node->error(fmt::format(
        "default_min_factor = {}: only 1 can be expressed; give the dimensions their factors", node->text())));
  read_macros(reader, factors, is_spatial, errors);
  refuse(reader, {"remainders"}, "imperfect factors are a matter of the search, not of the machine", errors);
  return iteration;
}

void read_split(const YamlNode& node, SpatialConstraints& constraints, Diagnostics& errors) {
  const std::optional<i64> split = node.as_integer();
  if (!split || *split < 0) {
    errors.push_back(node.error(fmt::format("split = {}, must be an integer of at least 0", node.text())));
    return;
  }
  const u64 count = static_cast<u64>(*split);
  if (constraints.split && *constraints.split != count)
    errors.push_back(
        node.error(fmt::format("split = {}, but an earlier constraint says {}", count, *constraints.split)));
  constraints.split = count;
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

std::vector<std::string> above_one(const std::vector<FactorConstraint>& factors) {
  Names names;
  for (const FactorConstraint& f : factors) {
    const bool one = f.value == 1 && f.relation != Relation::AtLeast;
    const bool product = f.dimension.find('*') != std::string::npos;
    if (!one && !product && std::ranges::find(names, f.dimension) == names.end()) names.push_back(f.dimension);
  }
  return names;
}

void read_temporal_constraint(const YamlNode& node, LoopConstraints& constraints, Diagnostics& errors) {
  if (node.is_null()) return;
  MapReader reader(node, errors);
  if (!reader.valid()) return;
  ignore_common(reader);
  const Iteration iteration = read_iteration(reader, constraints.factors, false, errors);
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
  const Iteration iteration = read_iteration(reader, constraints.factors, true, errors);
  if (const auto split = reader.child("split"); split && !split->is_null()) read_split(*split, constraints, errors);
  if (iteration.permutation_place)
    set_order(iteration.permutation, constraints.order, *iteration.permutation_place, errors);
  if (iteration.listed_only) {
    const Names allowed = above_one(constraints.factors);
    constraints.allowed_x = common(constraints.allowed_x, allowed);
    constraints.allowed_y = common(constraints.allowed_y, allowed);
  }
  refuse(reader, {"no_reuse", "no_multicast_no_reduction"}, "changes how accesses are counted, which is not modelled",
         errors);
  if (const auto node = reader.child(kTimeloopNoPeers); node && !node->is_null())
    add_timeloop_no_peers(*node, constraints.no_peers, errors);
  reader.finish();
}

void refuse_unrolling(const SpatialConstraints& constraints, const std::string& owner, const YamlNode& place,
                      Diagnostics& errors) {
  for (const FactorConstraint& f : constraints.factors) {
    if (f.value == 1 || f.value == kLargestFactor || (f.value != 0 && f.relation == Relation::AtMost)) continue;
    errors.push_back(place.error(
        fmt::format("{}{}{} of {}, which has no fan-out (meshX and meshY are 1): give it one, or take the factor away",
                    f.dimension, relation_text(f.relation), f.value, owner)));
  }
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

}  // namespace heliolite
