#include "engine/space/mapspace_size.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "engine/base/integers.h"
#include "engine/base/mapped.h"
#include "engine/space/divisors.h"

namespace heliolite {
namespace {

constexpr double kOptionLimit = 2e5;          // ways to unroll the dimensions, each alone
constexpr std::size_t kMaxCountedLevels = 6;  // for nests: sets of levels are enumerated

class Counter {
 public:
  Counter(const Mapspace& space, MapspaceSizeOptions options) : space_(space), options_(options) {}

  MapspaceSize run() {
    MapspaceSize size;
    for (int l = 0; l < space_.level_count(); ++l) {
      size.unrollings.push_back(unrollings(l));
      size.orders.push_back(factorial(ordered_loops(l)));
      size.keeps.push_back(BigCount{1} << std::popcount(space_.levels[l].open));
    }
    size.tilings = 1;
    double unrollings = 0;
    for (int d = 0; d < space_.dimension_count; ++d) {
      const Alone a = alone(d);
      size.splits.push_back(a.splits);
      size.tilings *= a.splits;
      unrollings += a.unrollings;
    }
    std::optional<BigCount> joint;
    if (unrollings <= kOptionLimit) {
      std::vector<int> levels(space_.levels.size());
      std::iota(levels.begin(), levels.end(), 0);
      const std::vector<Axis> axes = axes_of(space_, levels);
      joint = tilings(axes);
      if (joint) size.nests = nests(axes, size.keeps);
    }
    size.tilings_exact = joint.has_value();
    if (joint) size.tilings = *joint;
    size.mappings = size.tilings;
    for (const BigCount& n : size.orders) size.mappings *= n;
    for (const BigCount& n : size.keeps) size.mappings *= n;
    return size;
  }

 private:
  // What becomes of the part of a dimension that is not unrolled.
  enum class Temporal : u8 {
    Ignore,   // any
    Count,    // one way for each split over the levels
    ByLevels  // one way for each split, apart for each set of levels that get a loop
  };

  DimensionMask prefix(int level) const {
    unsigned mask = 0;
    for (u8 d : space_.levels[level].temporal.order.dimensions()) mask |= 1u << d;
    return static_cast<DimensionMask>(mask);
  }

  int ordered_loops(int level) const {
    unsigned loops = space_.levels[level].temporal.allowed;
    if (options_.unit_loops) {  // those the level could have if they were larger
      const unsigned all = (1u << space_.dimension_count) - 1;
      loops |= loops != 0 ? all & ~static_cast<unsigned>(space_.non_unit) : 0;
    }
    return std::popcount(static_cast<DimensionMask>(loops & ~unsigned{prefix(level)}));
  }

  // By index of a divisor of one dimension's size: ways to write it as factors of some places.
  using Row = std::vector<u128>;

  static Row unit_row(const DivisorTable& table) {
    Row row(table.all().size(), 0);
    row[0] = 1;
    return row;
  }

  static Row temporal_row(const FactorLimit& limit, const DivisorTable& table) {
    return mapped<u128>(table.all(), [&](u32 factor) { return limit.allows(factor) ? 1 : 0; });
  }

  // Over both axes of the fan-out below a level.
  Row spatial_row(int level, int d, const DivisorTable& table) const {
    const SpatialSpace& s = space_.levels[level].spatial;
    const u64 most_x = contains(s.allowed_x, d) ? s.fanout_x : 1, most_y = contains(s.allowed_y, d) ? s.fanout_y : 1;
    Row row(table.all().size(), 0);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const u64 factor = table.all()[i];
      if (!s.factor[d].allows(factor)) continue;
      for (u64 x : table.of(factor)) {
        const u64 y = factor / x;
        if (x <= most_x && y <= most_y && !(space_.one_axis_per_dimension && x > 1 && y > 1)) ++row[i];
      }
    }
    return row;
  }

  static Row convolve(const Row& a, const Row& b, const DivisorTable& table) {
    Row out(a.size(), 0);
    for (std::size_t i = 0; i < out.size(); ++i)
      for (u32 factor : table.of(table.all()[i])) {
        const std::size_t f = table.index(factor);
        if (b[f] != 0) out[i] += a[table.index(table.all()[i] / factor)] * b[f];
      }
    return out;
  }

  Row ways(const std::vector<FactorLimit>& limits, const DivisorTable& table) const {
    Row row = unit_row(table);
    for (const FactorLimit& limit : limits) row = convolve(row, temporal_row(limit, table), table);
    return row;
  }

  // Ways to split dimension d, and to unroll it over all fan-outs at once.
  struct Alone {
    BigCount splits;
    double unrollings = 0;
  };
  Alone alone(int d) const {
    const DivisorTable table(space_.size[d]);
    Row row = unit_row(table);
    for (int l = 0; l < space_.level_count(); ++l) row = convolve(row, spatial_row(l, d, table), table);
    Alone out;
    for (u128 n : row) out.unrollings += static_cast<double>(n);
    for (const LevelSpace& level : space_.levels)
      row = convolve(row, temporal_row(level.temporal.factor[d], table), table);
    out.splits = BigCount{row.back()};
    return out;
  }

  // Ways to complete each divisor left of dimension d, with the set of levels it orders.
  struct Completions {
    u32 ordered = 0;
    Row ways;
  };
  std::vector<Completions> completions(int d, Temporal temporal, const DivisorTable& table) const {
    if (temporal == Temporal::Ignore) return {{0, Row(table.all().size(), 1)}};
    std::vector<FactorLimit> limits;
    for (const LevelSpace& level : space_.levels) limits.push_back(level.temporal.factor[d]);
    if (temporal == Temporal::Count) return {{0, ways(limits, table)}};
    std::vector<Completions> out;
    for (u32 loops = 0; loops < 1u << limits.size(); ++loops) {
      std::vector<FactorLimit> exact = limits;
      u32 ordered = loops;
      bool possible = true;
      for (std::size_t l = 0; l < limits.size(); ++l) {
        const bool loop = contains(loops, l);
        exact[l] = loop ? FactorLimit{std::max<u64>(limits[l].min, 2), limits[l].max} : FactorLimit{1, 1};
        possible = possible && (loop ? limits[l].max > 1 : limits[l].allows(1));
        if (contains(prefix(static_cast<int>(l)), d)) ordered &= ~(1u << l);
      }
      if (possible) out.push_back({ordered, ways(exact, table)});
    }
    return out;
  }

  std::vector<AxisOption> options_of(int d, const std::vector<Axis>& axes, Temporal temporal) const {
    const DivisorTable table(space_.size[d]);
    const std::vector<Completions> all = completions(d, temporal, table);
    std::vector<AxisOption> out;
    std::vector<u32> factor(axes.size(), 1);
    const auto finish = [&](u64 left) {
      for (const LevelSpace& level : space_.levels) {
        u64 product = 1;
        bool here = false;
        for (std::size_t a = 0; a < axes.size(); ++a) {
          if (&space_.levels[axes[a].level] != &level) continue;
          product *= factor[a];
          here = true;
        }
        if (here && !level.spatial.factor[d].allows(product)) return;
      }
      for (const Completions& c : all)
        if (c.ways[table.index(left)] != 0) out.push_back({factor, c.ordered, BigCount{c.ways[table.index(left)]}});
    };
    const auto walk = [&](auto&& self, std::size_t a, u64 left) -> void {
      if (a == axes.size()) return finish(left);
      const SpatialSpace& s = space_.levels[axes[a].level].spatial;
      const bool allowed = contains(axes[a].y ? s.allowed_y : s.allowed_x, d);
      const bool x_taken = axes[a].y && a > 0 && axes[a - 1].level == axes[a].level && factor[a - 1] > 1;
      for (u32 f : table.of(left)) {
        if (f > 1 && (!allowed || f > axes[a].rooms.back() || (space_.one_axis_per_dimension && x_taken))) break;
        factor[a] = f;
        self(self, a + 1, left / f);
      }
      factor[a] = 1;
    };
    walk(walk, 0, space_.size[d]);
    return out;
  }

  std::optional<BigCount> unrollings(int level) const {
    const std::vector<Axis> axes = axes_of(space_, {level});
    std::vector<std::vector<AxisOption>> choices;
    for (int d = 0; d < space_.dimension_count; ++d) choices.push_back(options_of(d, axes, Temporal::Ignore));
    u64 elsewhere = 1;  // units that the other fan-outs can make
    for (int l = 0; l < space_.level_count(); ++l) {
      const SpatialSpace& other = space_.levels[l].spatial;
      if (l != level) elsewhere = saturating_product(elsewhere, other.fanout());
    }
    return count_jointly(choices, axes, 0, ceil_div(space_.least_units, elsewhere));
  }

  std::optional<BigCount> tilings(const std::vector<Axis>& axes) const {
    std::vector<std::vector<AxisOption>> choices;
    for (int d = 0; d < space_.dimension_count; ++d) choices.push_back(options_of(d, axes, Temporal::Count));
    return count_jointly(choices, axes, 0, space_.least_units);
  }

  std::optional<BigCount> nests(const std::vector<Axis>& axes, const std::vector<BigCount>& keeps) const {
    if (space_.levels.size() > kMaxCountedLevels) return std::nullopt;
    std::vector<std::vector<AxisOption>> choices;
    for (int d = 0; d < space_.dimension_count; ++d)
      if (contains(space_.non_unit, d)) choices.push_back(options_of(d, axes, Temporal::ByLevels));
    std::optional<BigCount> count = count_jointly(choices, axes, space_.level_count(), space_.least_units);
    if (count)
      for (const BigCount& n : keeps) *count *= n;
    return count;
  }

  const Mapspace& space_;
  MapspaceSizeOptions options_;
};

}  // namespace

MapspaceSize mapspace_size(const Mapspace& mapspace, MapspaceSizeOptions options) {
  return Counter(mapspace, options).run();
}

}  // namespace heliolite
