#include "engine/formats/timeloop/constraints.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "arch/architecture_yaml.h"
#include "arch/check.h"
#include "engine/base/mapped.h"
#include "engine/base/text.h"
#include "engine/formats/timeloop/attributes.h"
#include "engine/formats/timeloop/loops.h"
#include "engine/formats/timeloop/machine.h"

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

// The dimensions whose factor may be above 1 by these constraints: those of `factors_only` that may have a loop.
std::vector<std::string> above_one(const std::vector<FactorConstraint>& factors) {
  Names names;
  for (const FactorConstraint& f : factors) {
    const bool one = f.value == 1 && f.relation != Relation::AtLeast;
    const bool product = f.dimension.find('*') != std::string::npos;
    if (!one && !product && std::ranges::find(names, f.dimension) == names.end()) names.push_back(f.dimension);
  }
  return names;
}

}  // namespace

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

// Writes what a machine says about loops and tensors as constraints of Timeloop files (machine.h).

namespace {

bool same_names(Names a, Names b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  return a == b;
}

Names factor_words(const std::vector<FactorConstraint>& factors) { return mapped(factors, factor_text); }

class ConstraintsWriter {
 public:
  ConstraintsWriter(const Architecture& machine, TimeloopVersion version, Diagnostics& notes)
      : machine_(machine), tree_(version == TimeloopVersion::V03), notes_(notes) {}

  Result<std::string> run() {
    if (machine_.constraints_for_channels_only)
      notes_.push_back({"", 0, "",
                        "constraints_for = channels: the files constrain every workload; write those of one "
                        "workload by giving it"});
    for (std::size_t i = machine_.levels.size(); i-- > 0;) level(static_cast<int>(i));
    if (machine_.min_parallelism > 0)
      add(innermost().name, "utilization", {fmt::format("min: {}", machine_.min_parallelism)});
    if (!errors_.empty()) return errors_;
    if (targets_.empty()) return std::string();
    return fmt::format("{}:\n  version: {}\n  targets:\n{}", tree_ ? "architecture_constraints" : "constraints",
                       tree_ ? "0.3" : "0.4", targets_);
  }

 private:
  void complain(const StorageLevel& level, std::string message) {
    errors_.push_back({"", 0, fmt::format("level '{}'", level.name), std::move(message)});
  }

  const StorageLevel& innermost() const {
    int index = 0;
    while (!tree_ && is_bare_fanout(machine_, index)) ++index;
    return machine_.levels[index];
  }

  void level(int index) {
    const StorageLevel& level = machine_.levels[index];
    const bool bare = !tree_ && is_bare_fanout(machine_, index);
    if (!bare) keep(level);
    if (!bare) temporal(level);
    spatial(level);
  }

  void add(const std::string& target, std::string_view type, const Names& parts) {
    targets_ += fmt::format("  - {{target: {}, type: {}, {}}}\n", yaml_scalar(target), type, fmt::join(parts, ", "));
  }

  // Timeloop splits factors and permutations of v0.3 files itself, the front end of v0.4 wants lists.
  std::string list(const Names& words) const {
    return fmt::format("[{}]", fmt::join(mapped(words, yaml_scalar), ", "));
  }
  std::string factors(const Names& words) const {
    return tree_ ? fmt::format("\"{}\"", fmt::join(words, " ")) : list(words);
  }
  std::string permutation(const Names& names) const {
    const bool letters = std::ranges::all_of(names, [](const std::string& name) { return name.size() == 1; });
    return tree_ && letters ? fmt::format("\"{}\"", fmt::join(names, "")) : list(names);
  }

  void keep(const StorageLevel& level) {
    if (level.keep.keep.empty() && level.keep.bypass.empty()) return;
    add(level.name, tree_ ? "bypass" : "dataspace",
        {"keep: " + list(tensors(level.keep.keep)), "bypass: " + list(tensors(level.keep.bypass))});
  }

  static Names tensors(Names selectors) {
    std::ranges::replace(selectors, std::string("all"), std::string("*"));
    return selectors;
  }

  void temporal(const StorageLevel& level) {
    const LoopConstraints& rules = level.constraints.temporal;
    Names parts;
    const bool listed_only = !level.loops_allowed || rules.allowed;
    const Names allowed = level.loops_allowed ? rules.allowed.value_or(Names{}) : Names{};
    if (listed_only && (tree_ || !same_names(allowed, above_one(rules.factors)))) {
      complain(level,
               "which dimensions may have loops here can be said only of a workload's own dimensions: give the "
               "workload");
      return;
    }
    if (listed_only) parts.push_back("factors_only: " + factors(factor_words(rules.factors)));
    else if (!rules.factors.empty()) parts.push_back("factors: " + factors(factor_words(rules.factors)));
    if (!rules.order.empty()) parts.push_back("permutation: " + permutation(rules.order));
    if (!parts.empty()) add(level.name, "temporal", parts);
  }

  void spatial(const StorageLevel& level) {
    const SpatialConstraints& rules = level.constraints.spatial;
    Names parts;
    if (!rules.factors.empty()) parts.push_back("factors: " + factors(factor_words(rules.factors)));
    if (!rules.order.empty()) parts.push_back("permutation: " + permutation(rules.order));
    if (rules.split && !rules.allowed_x && !rules.allowed_y) {
      parts.push_back(fmt::format("split: {}", *rules.split));
    } else if (rules.split || rules.allowed_x || rules.allowed_y) {
      const Names x = rules.allowed_x.value_or(Names{}), y = rules.allowed_y.value_or(Names{});
      Names both = x;
      both.insert(both.end(), y.begin(), y.end());
      const bool no_order = rules.order.empty() && x.empty() && !rules.allowed_y;
      // The front end of v0.4 puts dimensions of one iteration before a permutation that does not name them.
      if (rules.split || !tree_ || (both != rules.order && !no_order)) {
        complain(level,
                 "which dimensions may go to X and to Y can be said only of a workload's own dimensions: give "
                 "the workload");
        return;
      }
      parts.push_back(fmt::format("split: {}", x.size()));
    }
    if (!rules.no_peers.empty()) parts.push_back(timeloop_no_peers_text(tensors(rules.no_peers)));
    if (!parts.empty()) add(level.fanout_name.empty() ? level.name : level.fanout_name, "spatial", parts);
  }

  const Architecture& machine_;
  const bool tree_;
  Diagnostics& notes_;
  Diagnostics errors_;
  std::string targets_;
};

}  // namespace

Result<std::string> write_timeloop_constraints(const Architecture& machine, TimeloopVersion version,
                                               Diagnostics& notes) {
  return ConstraintsWriter(machine, version, notes).run();
}

}  // namespace heliolite
