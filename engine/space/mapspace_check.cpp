// Whether a mapping is inside a mapspace, and whether the mapspace has perfect mappings at all.
#include <fmt/format.h>

#include <algorithm>

#include "arch/check.h"
#include "engine/base/integers.h"
#include "engine/space/divisors.h"
#include "engine/space/mapspace.h"
#include "engine/space/mapspace_size.h"

namespace heliolite {
namespace {

// Products of the loops of one level by dimension.
struct LevelFactors {
  std::array<u64, kMaxDimensions> temporal{}, x{}, y{};
};

class Checker {
 public:
  Checker(const Mapspace& space, const Mapping& mapping) : space_(space), mapping_(mapping) {}

  Diagnostics run() {
    if (mapping_.level_count != space_.level_count()) {
      complain("mapping", fmt::format("{} levels, but the machine has {}", mapping_.level_count, space_.level_count()));
      return std::move(errors_);
    }
    for (int l = 0; l < space_.level_count(); ++l) {
      const LevelFactors factors = factors_of(l);
      check_temporal(l, factors);
      check_spatial(l, factors);
      check_order(l, LoopKind::SpatialX, space_.levels[l].spatial.order);
      check_order(l, LoopKind::SpatialY, space_.levels[l].spatial.order);
      check_order(l, LoopKind::Temporal, space_.levels[l].temporal.order);
      check_keep(l);
    }
    if (!space_.uses_enough_units(mapping_))
      complain("min_parallelism", fmt::format("{} units used, {}", mapping_.units(), least_units_text(space_)));
    return std::move(errors_);
  }

 private:
  void complain(std::string where, std::string message) {
    errors_.push_back({"", 0, std::move(where), std::move(message)});
  }
  std::string where(int level, std::string_view part) const { return level_field(space_.level_names[level], part); }
  const std::string& dimension(int d) const { return space_.dimension_names[d]; }

  LevelFactors factors_of(int level) const {
    LevelFactors f;
    f.temporal.fill(1);
    f.x.fill(1);
    f.y.fill(1);
    for (const Loop& loop : mapping_.loops()) {
      if (loop.level != level) continue;
      auto& factor = loop.kind == LoopKind::Temporal ? f.temporal : loop.kind == LoopKind::SpatialX ? f.x : f.y;
      factor[loop.dimension] *= loop.end;
    }
    return f;
  }

  void check_limit(const FactorLimit& limit, u64 factor, int d, const std::string& at) {
    if (limit.allows(factor)) return;
    const std::string allowed = limit.fixed() ? fmt::format("must be {}", limit.min)
                                              : fmt::format("must be from {} to {}", limit.min, limit.max);
    complain(at, fmt::format("{} = {}, {}", dimension(d), factor, allowed));
  }

  void check_temporal(int level, const LevelFactors& f) {
    for (int d = 0; d < space_.dimension_count; ++d)
      check_limit(space_.levels[level].temporal.factor[d], f.temporal[d], d, where(level, "temporal"));
  }

  void check_axis(const std::array<u64, kMaxDimensions>& factors, DimensionMask allowed, u64 fanout,
                  const std::string& at) {
    u64 used = 1;
    for (int d = 0; d < space_.dimension_count; ++d) {
      used *= factors[d];
      if (factors[d] > 1 && fanout > 1 && !contains(allowed, d))
        complain(at, fmt::format("{} = {}, may not be unrolled here", dimension(d), factors[d]));
    }
    if (used > fanout) complain(at, fmt::format("{} instances used, the fan-out has {}", used, fanout));
  }

  void check_spatial(int level, const LevelFactors& f) {
    const SpatialSpace& s = space_.levels[level].spatial;
    check_axis(f.x, s.allowed_x, s.fanout_x, where(level, "spatial X"));
    check_axis(f.y, s.allowed_y, s.fanout_y, where(level, "spatial Y"));
    for (int d = 0; d < space_.dimension_count; ++d) {
      // A dimension that may go to no axis has been reported above.
      if (contains(static_cast<DimensionMask>(s.allowed_x | s.allowed_y), d) || s.factor[d].min > 1)
        check_limit(s.factor[d], f.x[d] * f.y[d], d, where(level, "spatial"));
      if (space_.one_axis_per_dimension && f.x[d] > 1 && f.y[d] > 1)
        complain(where(level, "spatial"),
                 fmt::format("{} is on both axes ({} x {}), the machine allows one", dimension(d), f.x[d], f.y[d]));
    }
  }

  // The loops over the ordered dimensions come before all others, in the given order.
  void check_order(int level, LoopKind kind, const OrderPrefix& order) {
    std::vector<int> found;  // place in the prefix, `count` for the others
    for (const Loop& loop : mapping_.loops()) {
      if (loop.level != level || loop.kind != kind) continue;
      const auto dims = order.dimensions();
      found.push_back(static_cast<int>(std::find(dims.begin(), dims.end(), loop.dimension) - dims.begin()));
    }
    if (std::is_sorted(found.begin(), found.end())) return;
    std::string text;
    for (u8 d : order.dimensions()) text += (text.empty() ? "" : " ") + dimension(d);
    const char* part = kind == LoopKind::Temporal ? "temporal" : kind == LoopKind::SpatialX ? "spatial X" : "spatial Y";
    complain(where(level, part), fmt::format("the innermost loops must be {} (innermost first)", text));
  }

  void check_keep(int level) {
    const LevelSpace& l = space_.levels[level];
    for (int v = 0; v < space_.tensor_count; ++v) {
      const bool kept = mapping_.keeps(level, v);
      if (!kept && contains(l.keep, v))
        complain(where(level, "keep"), fmt::format("tensor '{}' must be kept", space_.tensor_names[v]));
      if (kept && contains(l.bypass, v))
        complain(where(level, "keep"), fmt::format("tensor '{}' must bypass the level", space_.tensor_names[v]));
    }
  }

  const Mapspace& space_;
  const Mapping& mapping_;
  Diagnostics errors_;
};

// Whether `size` is a product of one allowed factor per place.
bool factorizes(const Mapspace& space, int d) {
  const std::vector<u64> all = divisors(space.size[d]);
  std::vector<char> reached(all.size(), 0);
  reached[0] = 1;
  const auto index = [&](u64 n) { return std::lower_bound(all.begin(), all.end(), n) - all.begin(); };
  const auto place = [&](const FactorLimit& limit) {
    std::vector<char> next(all.size(), 0);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (reached[i] == 0) continue;
      for (u64 factor : all)
        if (limit.allows(factor) && space.size[d] / all[i] % factor == 0) next[index(all[i] * factor)] = 1;
    }
    reached = std::move(next);
  };
  for (const LevelSpace& level : space.levels) {
    place(level.spatial.factor[d]);
    place(level.temporal.factor[d]);
  }
  return reached.back() != 0;
}

}  // namespace

Diagnostics violations(const Mapspace& mapspace, const Mapping& mapping) { return Checker(mapspace, mapping).run(); }

Diagnostics perfect_factor_conflicts(const Mapspace& mapspace) {
  Diagnostics out;
  for (int d = 0; d < mapspace.dimension_count; ++d) {
    if (factorizes(mapspace, d)) continue;
    std::string text;
    for (int l = 0; l < mapspace.level_count(); ++l) {
      const FactorLimit& t = mapspace.levels[l].temporal.factor[d];
      const FactorLimit& s = mapspace.levels[l].spatial.factor[d];
      if (t.min > 1) text += fmt::format("; {} temporal {} to {}", mapspace.level_names[l], t.min, t.max);
      if (s.min > 1) text += fmt::format("; {} spatial {} to {}", mapspace.level_names[l], s.min, s.max);
    }
    out.push_back({"", 0, fmt::format("dimension '{}'", mapspace.dimension_names[d]),
                   fmt::format("the constraints leave no factors whose product is its size {} in workload '{}'{}",
                               mapspace.size[d], mapspace.workload_name, text)});
  }
  return out;
}

std::vector<u8> canonical_order(const Mapspace& mapspace, const OrderPrefix& prefix) {
  std::vector<u8> out;
  DimensionMask left = mapspace.non_unit;
  const auto add = [&](u8 d) {
    if (contains(left, d)) out.push_back(d);
    left &= static_cast<DimensionMask>(~(1u << d));
  };
  for (u8 d : prefix.dimensions()) add(d);
  for (u8 d = 0; d < mapspace.dimension_count; ++d) add(d);
  return out;
}

}  // namespace heliolite
