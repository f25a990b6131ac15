// A machine's constraints for one workload in the words that Timeloop's files have (form.h): names of tensors and
// dimensions, limits of factors, a permutation with a split.
#include "engine/base/mapped.h"
#include "engine/formats/timeloop/form.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arch/check.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/model/keep.h"
#include "engine/space/machine_words.h"
#include "engine/space/mapspace.h"

namespace heliolite {
namespace {

class ConstraintNamer {
 public:
  // `unit_loops_first`: how the machine's own constraints are to be read.
  ConstraintNamer(TimeloopForm form, const Workload& workload, const Mapspace& space, bool unit_loops_first)
      : workload_(workload),
        spoken_(in_machine_words(workload, form.machine).workload),
        space_(space),
        classes_(classify(workload)),
        unit_loops_first_(unit_loops_first),
        named_(std::move(form)) {
    for (std::size_t d = 0; d < workload.dimensions.size(); ++d) all_ = with(all_, static_cast<int>(d));
  }

  TimeloopForm run() {
    const bool constrained = classes_ || !named_.machine.constraints_for_channels_only;
    named_.machine.constraints_for_channels_only = false;
    if (!constrained) named_.machine.min_parallelism = 0;
    for (std::size_t i = 0; i < named_.machine.levels.size(); ++i) {
      StorageLevel& level = named_.machine.levels[i];
      if (!constrained) level.constraints = {};
      // A container has neither tensors nor loops over time to constrain.
      if (!is_bare_fanout(named_.machine, static_cast<int>(i))) {
        keep(static_cast<int>(i), level);
        temporal(level, space_.levels[i].temporal);
      }
      spatial(level, space_.levels[i].spatial);
    }
    return std::move(named_);
  }

 private:
  static DimensionMask with(DimensionMask mask, int d) { return static_cast<DimensionMask>(mask | dimension_bit(d)); }

  const std::string& name_of(int d) const { return workload_.dimensions[d].name; }

  std::vector<std::string> names_of(DimensionMask mask) const {
    return mapped(bits(mask), [&](int d) { return name_of(d); });
  }

  // The dimension that the machine calls so, or those of the class; resolve() has complained about other words.
  DimensionMask meant_by(const std::string& word) const { return static_cast<DimensionMask>(spoken(word) & all_); }

  // With bits for dimensions that the workload lacks.
  DimensionMask spoken(const std::string& word) const {
    if (const auto d = spoken_.find_dimension(word)) return dimension_bit(*d);
    DimensionMask mask = 0;
    if (const auto tensors = tensor_dimensions(word)) return tensors->of(workload_);
    if (const auto wanted = class_named(word))
      for (std::size_t d = 0; classes_ && d < classes_->size(); ++d)
        if ((*classes_)[d] == *wanted) mask = with(mask, static_cast<int>(d));
    return mask;
  }

  DimensionMask meant_by(const std::optional<std::vector<std::string>>& words) const {
    if (!words) return all_;
    DimensionMask mask = 0;
    for (const std::string& word : *words) mask = static_cast<DimensionMask>(mask | meant_by(word));
    return mask;
  }

  // Keeps what the level holds, so that a file says it tensor by tensor. A level without rules stays without.
  void keep(int index, StorageLevel& level) {
    const bool outermost = at(index) + 1 == named_.machine.levels.size();
    if (outermost || (level.keep.keep.empty() && level.keep.bypass.empty())) {
      level.keep = {};
      return;
    }
    KeepRule rule;
    for (std::size_t v = 0; v < workload_.tensors.size(); ++v) {
      const KeepChoice choice = keep_choice(level.keep, workload_, static_cast<int>(v));
      if (choice == KeepChoice::Keep) rule.keep.push_back(workload_.tensors[v].name);
      if (choice == KeepChoice::Bypass) rule.bypass.push_back(workload_.tensors[v].name);
    }
    level.keep = std::move(rule);
  }

  // Each dimension by its name; those not in `allowed` have the factor 1 and nothing else.
  // The largest factors that there is room for are what they come to.
  std::vector<FactorConstraint> factors(const std::vector<FactorConstraint>& given, DimensionMask allowed,
                                        const FactorLimits& limits) const {
    std::vector<FactorConstraint> out;
    for (const FactorConstraint& f : given) {
      if (f.value == kLargestFactor)
        for (const std::string& part : parts_of_word(f.dimension))
          for (const int d : bits(meant_by(part))) out.push_back({name_of(d), Relation::Equal, limits[d].min});
      if (f.value == kLargestFactor || parts_of_word(f.dimension).size() > 1) continue;
      for (const int d : bits(meant_by(f.dimension))) {
        if (!contains(allowed, d)) continue;
        const auto same = [&](const FactorConstraint& o) {
          return o.dimension == name_of(d) && o.relation == f.relation;
        };
        const auto known = std::ranges::find_if(out, same);
        if (known == out.end()) out.push_back({name_of(d), f.relation, f.value});
        else if (f.relation == Relation::AtMost) known->value = std::min(known->value, f.value);
        else if (f.relation == Relation::AtLeast) known->value = std::max(known->value, f.value);
      }
    }
    for (const int d : bits(all_))
      if (!contains(allowed, d)) out.push_back({name_of(d), Relation::Equal, 1});
    return out;
  }

  std::vector<std::string> order(const std::vector<std::string>& given) const {
    std::vector<std::string> out;
    for (const std::string& word : given)
      for (const int d : bits(meant_by(word))) out.push_back(name_of(d));
    return out;
  }

  void temporal(StorageLevel& level, const TemporalSpace& space) {
    LoopConstraints& rules = level.constraints.temporal;
    const DimensionMask allowed = level.loops_allowed ? meant_by(rules.allowed) : DimensionMask{0};
    rules.factors = factors(rules.factors, allowed, space.factor);
    rules.order = order(rules.order);
    rules.allowed.reset();
    level.loops_allowed = true;
  }

  // The machine has been resolved: the split leaves nothing open.
  SplitAxes divided(const SpatialConstraints& rules) const {
    std::vector<u8> ordered;
    for (const std::string& word : rules.order)
      for (const int d : bits(spoken(word))) ordered.push_back(static_cast<u8>(d));
    const auto meant = [&](const std::string& word) { return spoken(word); };
    return split_axes(rules, ordered, unit_loops_first_, spoken_, meant).value();
  }

  void spatial(StorageLevel& level, const SpatialSpace& space) {
    SpatialConstraints& rules = level.constraints.spatial;
    const bool two_axes = level.fanout_x > 1 && level.fanout_y > 1;
    DimensionMask x = meant_by(rules.allowed_x), y = meant_by(rules.allowed_y);
    if (level.fanout() == 1) {
      rules = {};
      return;
    }
    if (rules.split) {
      const SplitAxes axes = divided(rules);
      x = static_cast<DimensionMask>(x & axes.x);
      y = static_cast<DimensionMask>(y & axes.y);
      rules.split.reset();
    }
    if (!two_axes) x = y = level.fanout_x > 1 ? x : y;
    const auto any = static_cast<DimensionMask>(x | y), both = static_cast<DimensionMask>(x & y);
    rules.factors = factors(rules.factors, any, space.factor);
    rules.order = order(rules.order);
    rules.allowed_x.reset();
    rules.allowed_y.reset();
    if (!two_axes || x == y) return;
    if ((both & non_unit_dimensions(workload_)) != 0) {
      note(level,
           fmt::format("X may take {} and Y {}: Timeloop's files cannot share {} between the axes; they let both "
                       "take all of these",
                       join(names_of(x)), join(names_of(y)), join(names_of(both))));
      return;
    }
    y = static_cast<DimensionMask>(all_ & ~x);
    split(level, rules, x, y, any);
  }

  // A permutation of which the first go to X, as short as it can be: Timeloop takes no mapping whose loops are not the
  // first ones of it. What is not named goes to Y; the front end of v0.4 puts dimensions of one iteration first unless
  // they are named, so there all are. It is an order, too.
  void split(const StorageLevel& level, SpatialConstraints& rules, DimensionMask x, DimensionMask y,
             DimensionMask used) {
    const auto loops = static_cast<DimensionMask>(used & non_unit_dimensions(workload_));
    const bool all = named_.machine.unit_loops_first;
    const std::vector<std::string> ordered = std::exchange(rules.order, {});
    for (const bool is_x : {true, false}) {
      const DimensionMask axis = is_x ? x : y;
      const auto in_axis = static_cast<DimensionMask>(axis & loops);
      std::vector<std::string> names;
      for (const std::string& name : ordered)
        if (contains(all ? axis : in_axis, *workload_.find_dimension(name))) names.push_back(name);
      const std::size_t said = names.size();
      for (const std::string& name : names_of(all ? axis : is_x ? in_axis : DimensionMask{0}))
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
      if (names.size() > said && std::popcount(in_axis) > static_cast<int>(said) + 1)
        note(level,
             fmt::format("the loops along {} get an order, {}: Timeloop's files divide the axes by a permutation",
                         is_x ? "X" : "Y", join(names, "then")));
      rules.order.insert(rules.order.end(), names.begin(), names.end());
      if (is_x) rules.split = names.size();
    }
  }

  void note(const StorageLevel& level, std::string message) {
    named_.notes.push_back({"", 0, fmt::format("level '{}', spatial constraint", level.name), std::move(message)});
  }

  const Workload& workload_;
  const Workload spoken_;  // in the machine's words
  const Mapspace& space_;
  std::optional<std::vector<DimensionClass>> classes_;
  bool unit_loops_first_;
  TimeloopForm named_;
  DimensionMask all_ = 0;
};

}  // namespace

Result<TimeloopForm> timeloop_form(const Architecture& architecture, const Workload& workload,
                                   TimeloopVersion version) {
  const Result<Mapspace> space = resolve(workload, architecture);
  if (!space) return space.errors();
  // What is written names every dimension where it divides the axes: that is the same in all versions.
  Architecture same = architecture;
  same.unit_loops_first = version == TimeloopVersion::V04;
  Result<TimeloopForm> form = timeloop_form(same, version, true);
  if (!form) return form;
  return ConstraintNamer(*std::move(form), workload, *space, architecture.unit_loops_first).run();
}

bool names_classes(const Architecture& architecture) {
  const auto needs = [](const std::string& word) {
    return class_named(word) || tensor_dimensions(word) || parts_of_word(word).size() > 1;
  };
  const auto any = [&](const std::vector<std::string>& words) { return std::ranges::any_of(words, needs); };
  const auto any_factor = [&](const std::vector<FactorConstraint>& factors) {
    return std::ranges::any_of(
        factors, [&](const FactorConstraint& f) { return f.value == kLargestFactor || needs(f.dimension); });
  };
  return std::ranges::any_of(architecture.levels, [&](const StorageLevel& level) {
    const LoopConstraints& t = level.constraints.temporal;
    const SpatialConstraints& s = level.constraints.spatial;
    const std::vector<std::string> none;
    return any_factor(t.factors) || any(t.order) || any(t.allowed.value_or(none)) || any_factor(s.factors) ||
           any(s.order) || any(s.allowed_x.value_or(none)) || any(s.allowed_y.value_or(none));
  });
}

}  // namespace heliolite
