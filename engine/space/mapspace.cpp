#include "engine/space/mapspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "arch/check.h"
#include "engine/base/integers.h"
#include "engine/base/named.h"
#include "engine/base/text.h"
#include "engine/model/keep.h"
#include "engine/model/running_units.h"
#include "engine/space/constraint_notes.h"
#include "engine/space/factor_places.h"
#include "engine/space/machine_words.h"
#include "engine/space/mapspace_size.h"

namespace heliolite {
namespace {

// Turns the names of an architecture's constraints into the masks and numbers of a Mapspace.
class Resolver {
 public:
  Resolver(const Workload& workload, const Architecture& architecture, MapspaceOptions options)
      : workload_(workload), architecture_(architecture), classes_(classify(workload)) {
    constrained_ = !options.free && (classes_ || !architecture.constraints_for_channels_only);
    spoken_ = constrained_ ? in_machine_words(workload, architecture).workload : workload;
    open_ = options.open;
  }

  Result<Mapspace> run() {
    space_.dimension_count = static_cast<u8>(workload_.dimensions.size());
    space_.tensor_count = static_cast<u8>(workload_.tensors.size());
    space_.non_unit = non_unit_dimensions(workload_);
    space_.one_axis_per_dimension = architecture_.one_axis_per_dimension;
    space_.workload_name = workload_.name;
    space_.dimension_names = names_of(workload_.dimensions);
    space_.tensor_names = names_of(workload_.tensors);
    space_.level_names = names_of(architecture_.levels);
    for (std::size_t d = 0; d < workload_.dimensions.size(); ++d) space_.size[d] = workload_.dimensions[d].size;
    space_.levels.resize(architecture_.levels.size());
    for (std::size_t l = 0; l < architecture_.levels.size(); ++l) {
      resolve_spatial(architecture_.levels[l], space_.levels[l].spatial);
      resolve_temporal(architecture_.levels[l], space_.levels[l].temporal);
      resolve_keep(l, space_.levels[l]);
    }
    const auto meant_by = [&](const std::string& word, const std::string& where) {
      u32 mask = 0;
      for (const std::string& part : parts_of_word(word)) mask |= dimensions_named(part, where).value_or(0);
      return static_cast<DimensionMask>(mask & ((1U << space_.dimension_count) - 1));
    };
    const auto wrong = [&](const std::string& where, const std::string& what) { complain(where, what); };
    cut_ = limit_factors(places_, space_, meant_by, wrong);
    // Tightening contradictory limits would complain a second time.
    if (errors_.empty()) errors_ = tighten(space_);
    if (errors_.empty() && constrained_) ask_for_units();
    if (!errors_.empty()) return std::move(errors_);
    return std::move(space_);
  }

  const std::vector<CutFactor>& cut() const { return cut_; }  // by run()

 private:
  // Once: what is wrong with a word is wrong wherever the constraint has it (`allowed` is a list for X and one for Y).
  void complain(const std::string& where, const std::string& message) {
    const auto same = [&](const Diagnostic& d) { return d.field == where && d.message == message; };
    if (std::none_of(errors_.begin(), errors_.end(), same)) errors_.push_back({"", 0, where, message});
  }

  // Once for all of the machine's classes.
  void complain_of_classes(const std::string& word, const std::string& where) {
    if (std::exchange(said_no_classes_, true)) return;
    complain(where,
             fmt::format("class '{}', as every class, means nothing for workload '{}', which is neither a "
                         "convolution nor a matrix product; say 'constraints_for: channels' in the architecture to "
                         "leave such workloads free, name its dimensions ({}), or lift all constraints with --free",
                         word, workload_.name, join(space_.dimension_names)));
  }

  // The dimension that the machine calls so, or all dimensions of that class. Bits beyond those of the workload stand
  // for dimensions that it lacks.
  std::optional<DimensionMask> dimensions_named(const std::string& word, const std::string& where) {
    if (const auto d = spoken_.find_dimension(word)) return dimension_bit(*d);
    if (const auto tensors = tensor_dimensions(word)) {
      check_selectors(tensors->selectors, where);
      return tensors->of(workload_);
    }
    if (const auto c = class_named(word)) {
      if (!classes_) {
        complain_of_classes(word, where);
        return std::nullopt;
      }
      DimensionMask mask = 0;
      for (std::size_t d = 0; d < classes_->size(); ++d)
        if ((*classes_)[d] == *c) mask = static_cast<DimensionMask>(mask | dimension_bit(static_cast<int>(d)));
      return mask;
    }
    std::vector<std::string> known = space_.dimension_names;
    for (const DimensionClass c : kDimensionClasses) known.emplace_back(name(c));
    const auto classes_from = known.begin() + space_.dimension_names.size();
    const std::string hint = did_you_mean(word, known);
    complain(where, fmt::format("'{}' is not a dimension of workload '{}' (it has {}) nor a class of dimensions ({}){}",
                                word, workload_.name, join(space_.dimension_names),
                                join(std::vector<std::string>(classes_from, known.end())),
                                hint.empty() ? rename_advice(workload_, architecture_) : hint));
    return std::nullopt;
  }

  DimensionMask mask_of(const std::optional<std::vector<std::string>>& words, const std::string& where) {
    if (!words) return space_.non_unit;
    DimensionMask mask = 0;
    for (const std::string& word : *words)
      if (const auto named = dimensions_named(word, where)) mask = static_cast<DimensionMask>(mask | *named);
    return static_cast<DimensionMask>(mask & space_.non_unit);
  }

  void resolve_order(const std::vector<std::string>& words, const std::string& where, OrderPrefix& order) {
    DimensionMask seen = 0;
    for (const std::string& word : words) {
      const auto named = dimensions_named(word, where);
      if (!named) continue;
      for (int d = 0; d < space_.dimension_count; ++d) {
        if (!contains(*named, d)) continue;
        if (contains(seen, d)) {
          complain(where, fmt::format("dimension '{}' is ordered twice", space_.dimension_names[d]));
          continue;
        }
        seen = static_cast<DimensionMask>(seen | dimension_bit(d));
        order.dimension[order.count++] = static_cast<u8>(d);
      }
    }
  }

  void resolve_temporal(const StorageLevel& level, TemporalSpace& out) {
    const std::string where = level_field(level.name, "temporal constraint");
    const LoopConstraints none;
    const LoopConstraints& c = constrained_ ? level.constraints.temporal : none;
    const DimensionMask allowed = level.loops_allowed ? mask_of(c.allowed, where) : DimensionMask{0};
    FactorPlace& place =
        places_.emplace_back(FactorPlace{.limits = &out.factor,
                                         .constraints = c.factors,
                                         .where = where,
                                         .room = level.loops_allowed ? "what loops are allowed here leaves it out"
                                                                     : "the level takes no temporal loops"});
    for (int d = 0; d < space_.dimension_count; ++d) place.most[d] = contains(allowed, d) ? space_.size[d] : 1;
    resolve_order(c.order, where, out.order);
  }

  void divide_axes(const SpatialConstraints& c, const std::string& where, SpatialSpace& out) {
    const auto meant_by = [&](const std::string& word) { return dimensions_named(word, where).value_or(0); };
    std::vector<u8> order;  // dimensions that the workload lacks count in a split, as those of size 1 do
    for (const std::string& word : c.order)
      for (const int d : bits(meant_by(word))) order.push_back(static_cast<u8>(d));
    const Result<SplitAxes> axes = split_axes(c, order, architecture_.unit_loops_first, spoken_, meant_by);
    if (!axes) return complain(where, axes.errors().front().message);
    out.allowed_x = static_cast<DimensionMask>(out.allowed_x & axes->x);
    out.allowed_y = static_cast<DimensionMask>(out.allowed_y & axes->y);
  }

  void resolve_spatial(const StorageLevel& level, SpatialSpace& out) {
    const std::string where = level_field(level.name, "spatial constraint");
    const SpatialConstraints none;
    const SpatialConstraints& c = constrained_ ? level.constraints.spatial : none;
    out.fanout_x = level.fanout_x;
    out.fanout_y = level.fanout_y;
    out.allowed_x = mask_of(c.allowed_x, where);
    out.allowed_y = mask_of(c.allowed_y, where);
    resolve_order(c.order, where, out.order);
    if (c.split) divide_axes(c, where, out);
    if (out.fanout_x == 1) out.allowed_x = 0;
    if (out.fanout_y == 1) out.allowed_y = 0;
    FactorPlace& place = places_.emplace_back(
        FactorPlace{.limits = &out.factor,
                    .constraints = c.factors,
                    .where = where,
                    .room = fmt::format("the fan-out of {}x{} and what may go to its axes leave no room for it",
                                        level.fanout_x, level.fanout_y),
                    .instances = level.fanout()});
    for (int d = 0; d < space_.dimension_count; ++d) {
      const u64 x = contains(out.allowed_x, d) ? out.fanout_x : 1;
      const u64 y = contains(out.allowed_y, d) ? out.fanout_y : 1;
      const u64 both = space_.one_axis_per_dimension ? std::max(x, y) : product_up_to(x, y, space_.size[d]);
      place.most[d] = std::min(both, space_.size[d]);
    }
  }

  void ask_for_units() {
    space_.least_units = architecture_.least_units();
    if (const u64 most = most_units(space_); most < space_.least_units)
      complain("min_parallelism",
               fmt::format("{}, but {} can use {} at most: ask for less, or lift all constraints with --free",
                           least_units_text(space_), workload_.name, most));
  }

  void check_selectors(const std::vector<std::string>& selectors, const std::string& where) {
    static const std::vector<std::string> roles{"all", "inputs", "weights", "outputs"};
    static const std::vector<std::string> singular{"input", "weight", "output"};
    for (const std::string& s : selectors) {
      const std::string word = lower(s);
      const bool role =
          std::count(roles.begin(), roles.end(), word) + std::count(singular.begin(), singular.end(), word) > 0;
      if (role || workload_.find_tensor(s)) continue;
      std::vector<std::string> known = space_.tensor_names;
      known.insert(known.end(), roles.begin(), roles.end());
      complain(where,
               fmt::format("'{}' is not a tensor of workload '{}' (it has {}) nor one of {}{}", s, workload_.name,
                           join(space_.tensor_names), join(roles, "or"), did_you_mean(s, known)));
    }
  }

  void resolve_keep(std::size_t l, LevelSpace& out) {
    const StorageLevel& level = architecture_.levels[l];
    const bool outermost = l + 1 == architecture_.levels.size();
    if (open_ && can_be_opened(architecture_, static_cast<int>(l))) {
      out.open = static_cast<TensorMask>((1u << space_.tensor_count) - 1);
      return;
    }
    check_selectors(level.keep.keep, level_field(level.name, "keep"));
    check_selectors(level.keep.bypass, level_field(level.name, "bypass"));
    for (int v = 0; v < space_.tensor_count; ++v) {
      const KeepChoice choice = outermost ? KeepChoice::Keep : keep_choice(level.keep, workload_, v);
      TensorMask& mask = choice == KeepChoice::Keep ? out.keep : choice == KeepChoice::Bypass ? out.bypass : out.open;
      mask = static_cast<TensorMask>(mask | 1u << v);
    }
  }

  const Workload& workload_;
  const Architecture& architecture_;
  Workload spoken_;  // the workload in the machine's words
  std::optional<std::vector<DimensionClass>> classes_;
  bool constrained_ = false;
  bool open_ = false;
  bool said_no_classes_ = false;
  std::vector<FactorPlace> places_;  // innermost first
  std::vector<CutFactor> cut_;
  Mapspace space_;
  Diagnostics errors_;
};

}  // namespace

DimensionMask non_unit_dimensions(const Workload& workload) {
  DimensionMask mask = 0;
  for (std::size_t d = 0; d < workload.dimensions.size(); ++d)
    if (workload.dimensions[d].size > 1) mask = static_cast<DimensionMask>(mask | 1u << d);
  return mask;
}

std::vector<CutFactor> cut_factors(const Workload& workload, const Architecture& architecture,
                                   MapspaceOptions options) {
  Resolver resolver(workload, architecture, options);
  return resolver.run() ? resolver.cut() : std::vector<CutFactor>{};
}

Result<Mapspace> resolve(const Workload& workload, const Architecture& architecture, MapspaceOptions options) {
  if (Diagnostics errors = operation_complaints(workload, architecture); !errors.empty()) return errors;
  return Resolver(workload, architecture, options).run();
}

}  // namespace heliolite
