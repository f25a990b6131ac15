#include "engine/space/mapspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "arch/level_places.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/model/keep.h"
#include "engine/space/fit_names.h"
#include "engine/space/reuse.h"
#include "engine/space/split_axes.h"
#include "engine/space/tighten.h"

namespace heliolite {
namespace {

constexpr std::array kClasses{DimensionClass::InputChannel, DimensionClass::OutputChannel, DimensionClass::Kernel,
                              DimensionClass::Pixel, DimensionClass::Group};

std::vector<std::string> names_of(const auto& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(item.name);
  return names;
}

// Turns the names of an architecture's constraints into the masks and numbers of a Mapspace.
class Resolver {
 public:
  Resolver(const Workload& workload, const Architecture& architecture, MapspaceOptions options)
      : workload_(workload), architecture_(architecture), classes_(classify(workload)) {
    constrained_ = !options.free && (classes_ || !architecture.constraints_for_channels_only);
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
    for (std::size_t l = 0; l < architecture_.levels.size(); ++l) {
      space_.levels.emplace_back();
      resolve_temporal(architecture_.levels[l], space_.levels.back().temporal);
      resolve_spatial(architecture_.levels[l], space_.levels.back().spatial);
      resolve_keep(l, space_.levels.back());
    }
    // Tightening contradictory limits would complain a second time.
    if (errors_.empty()) errors_ = tighten(space_);
    if (!errors_.empty()) return std::move(errors_);
    return std::move(space_);
  }

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

  // The dimension of that name, or all dimensions of that class.
  std::optional<DimensionMask> dimensions_named(const std::string& word, const std::string& where) {
    if (const auto d = workload_.find_dimension(word)) return dimension_bit(*d);
    std::vector<std::string> known = space_.dimension_names;
    for (DimensionClass c : kClasses) {
      known.emplace_back(name(c));
      if (lower(word) != name(c)) continue;
      if (!classes_) {
        complain_of_classes(word, where);
        return std::nullopt;
      }
      DimensionMask mask = 0;
      for (std::size_t d = 0; d < classes_->size(); ++d)
        if ((*classes_)[d] == c) mask = static_cast<DimensionMask>(mask | dimension_bit(static_cast<int>(d)));
      return mask;
    }
    const auto classes_from = known.begin() + static_cast<std::ptrdiff_t>(space_.dimension_names.size());
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

  // `most[d]`: the largest factor the place has room for at all; `room` says why.
  void resolve_factors(const std::vector<FactorConstraint>& constraints, const std::string& where,
                       const std::array<u64, kMaxDimensions>& most, std::string_view room, FactorLimits& limits) {
    for (int d = 0; d < space_.dimension_count; ++d) limits[d] = {1, most[d]};
    for (const FactorConstraint& c : constraints) {
      const auto named = dimensions_named(c.dimension, where);
      if (!named) continue;
      for (int d = 0; d < space_.dimension_count; ++d)
        if (contains(*named, d)) resolve_factor(c, d, where, most[d], room, limits[d]);
    }
  }

  void resolve_factor(const FactorConstraint& c, int d, const std::string& where, u64 most, std::string_view room,
                      FactorLimit& limit) {
    const char* sign = c.relation == Relation::Equal ? "=" : c.relation == Relation::AtMost ? "<=" : ">=";
    const std::string text = fmt::format("{} {} {}", c.dimension, sign, c.value);
    const u64 value = c.relation == Relation::Equal && c.value == 0 ? space_.size[d] : c.value;
    if (value == 0) return complain(where, fmt::format("{} is not a factor, must be at least 1", text));
    if (c.relation == Relation::AtMost) {
      limit.max = std::min(limit.max, value);
    } else {
      if (value > space_.size[d]) return complain(where, fmt::format("{}, but {}", text, dimension_text(space_, d)));
      if (value > most) return complain(where, fmt::format("{}, but {}", text, room));
      limit.min = std::max(limit.min, value);
      if (c.relation == Relation::Equal) limit.max = std::min(limit.max, value);
    }
    if (limit.min > limit.max)
      complain(where, fmt::format("{} contradicts another constraint on {}", text, space_.dimension_names[d]));
  }

  void resolve_temporal(const StorageLevel& level, TemporalSpace& out) {
    const std::string where = level_field(level.name, "temporal constraint");
    const LoopConstraints none;
    const LoopConstraints& c = constrained_ ? level.constraints.temporal : none;
    const DimensionMask allowed = level.loops_allowed ? mask_of(c.allowed, where) : DimensionMask{0};
    std::array<u64, kMaxDimensions> most{};
    for (int d = 0; d < space_.dimension_count; ++d) most[d] = contains(allowed, d) ? space_.size[d] : 1;
    resolve_factors(c.factors, where, most,
                    level.loops_allowed ? "'allowed' leaves it out" : "the level takes no temporal loops", out.factor);
    resolve_order(c.order, where, out.order);
  }

  void divide_axes(const SpatialConstraints& c, const std::string& where, SpatialSpace& out) {
    const auto meant_by = [&](const std::string& word) { return dimensions_named(word, where).value_or(0); };
    const Result<SplitAxes> axes =
        split_axes(c, out.order.dimensions(), architecture_.unit_loops_first, workload_, meant_by);
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
    std::array<u64, kMaxDimensions> most{};
    for (int d = 0; d < space_.dimension_count; ++d) {
      const u64 x = contains(out.allowed_x, d) ? out.fanout_x : 1;
      const u64 y = contains(out.allowed_y, d) ? out.fanout_y : 1;
      const u64 both = space_.one_axis_per_dimension ? std::max(x, y) : product_up_to(x, y, space_.size[d]);
      most[d] = std::min(both, space_.size[d]);
    }
    resolve_factors(c.factors, where, most,
                    fmt::format("the fan-out of {}x{} and what may go to its axes leave no room for it", level.fanout_x,
                                level.fanout_y),
                    out.factor);
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
  std::optional<std::vector<DimensionClass>> classes_;
  bool constrained_ = false;
  bool open_ = false;
  bool said_no_classes_ = false;
  Mapspace space_;
  Diagnostics errors_;
};

}  // namespace

Result<Mapspace> resolve(const Workload& workload, const Architecture& architecture, MapspaceOptions options) {
  return Resolver(workload, architecture, options).run();
}

}  // namespace heliolite
