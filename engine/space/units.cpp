// How many compute units mappings of a mapspace can use.
#include "engine/space/mapspace_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "engine/base/integers.h"
#include "engine/space/divisors.h"
#include "engine/space/factor_places.h"

namespace heliolite {
namespace {

u64 all_units(const Mapspace& space) {
  u64 product = 1;
  for (const LevelSpace& level : space.levels) product = saturating_product(product, level.spatial.fanout());
  return product;
}

// Dimension by dimension, with the room that is left on each axis; large factors first, and only what may still be more
// than the most that is known.
class PerfectUnits {
 public:
  explicit PerfectUnits(const Mapspace& space) : space_(space), known_(at(space.dimension_count)) {
    std::vector<int> levels;
    for (int l = 0; l < space.level_count(); ++l) levels.push_back(l);
    axes_ = axes_of(space, levels);
    rest_.assign(at(space.dimension_count + 1), 1);
    for (int d = space.dimension_count; d-- > 0;) rest_[d] = saturating_product(rest_[d + 1], space.size[d]);
  }

  std::optional<u64> run() {
    for (const Axis& axis : axes_) rooms_.push_back(axis.rooms.back());
    here_.assign(axes_.size(), 1);
    from(0, 1);
    return steps_ > kMostSteps ? std::nullopt : std::optional(most_);
  }

 private:
  using Rooms = std::vector<u64>;  // [axis]
  static constexpr u64 kMostSteps = 5'000'000;

  // The dimensions from d on.
  void from(int d, u64 units) {
    if (d == space_.dimension_count) {
      most_ = std::max(most_, units);
      return;
    }
    u64 room = 1;
    for (const u64 r : rooms_) room = saturating_product(room, r);
    if (saturating_product(units, std::min(room, rest_[d])) <= most_) return;
    u64& known = known_[d][rooms_];
    if (known >= units) return;
    known = units;
    place(d, 0, space_.size[d], units);
  }

  void place(int d, std::size_t a, u64 left, u64 units) {
    if (++steps_ > kMostSteps) return;
    if (a == axes_.size()) {
      if (!allowed(d)) return;
      const Rooms here = here_;
      here_.assign(axes_.size(), 1);
      from(d + 1, units);
      here_ = here;
      return;
    }
    const SpatialSpace& fanout = space_.levels[axes_[a].level].spatial;
    const bool open = contains(axes_[a].y ? fanout.allowed_y : fanout.allowed_x, d);
    const u64 room = rooms_[a], most = open ? std::min(room, fanout.factor[d].max) : 1;
    if (most == 1) return place(d, a + 1, left, units);
    const std::vector<u64>& factors = divisors_of(left);
    for (auto factor = std::ranges::upper_bound(factors, most); factor-- != factors.begin();) {
      rooms_[a] = room / *factor;
      here_[a] = *factor;
      place(d, a + 1, left / *factor, saturating_product(units, *factor));
    }
    rooms_[a] = room;
    here_[a] = 1;
  }

  const std::vector<u64>& divisors_of(u64 number) {
    std::vector<u64>& out = divisors_[number];
    if (out.empty()) out = divisors(number);
    return out;
  }

  // The factors of both axes of a fan-out together.
  bool allowed(int d) const {
    for (std::size_t l = 0; l < space_.levels.size(); ++l) {
      u64 product = 1, axes = 0;
      for (std::size_t a = 0; a < axes_.size(); ++a)
        if (at(axes_[a].level) == l) product *= here_[a], axes += here_[a] > 1 ? 1 : 0;
      if (!space_.levels[l].spatial.factor[d].allows(product)) return false;
      if (space_.one_axis_per_dimension && axes > 1) return false;
    }
    return true;
  }

  const Mapspace& space_;
  std::vector<Axis> axes_;
  std::vector<u64> rest_;                    // [dimension]: the product of its size and those after it
  std::vector<std::map<Rooms, u64>> known_;  // [dimension][room left]: the most units that came there
  std::map<u64, std::vector<u64>> divisors_;
  Rooms rooms_, here_;  // room left in the state at hand; factors of the present dimension
  u64 most_ = 0, steps_ = 0;
};

}  // namespace

u64 most_units(const Mapspace& space) {
  u64 most = 1;
  for (const LevelSpace& level : space.levels) {
    const u64 all = level.spatial.fanout();
    u64 used = 1;
    for (int d = 0; d < space.dimension_count; ++d) used = product_up_to(used, level.spatial.factor[d].max, all);
    most = saturating_product(most, used);
  }
  return most;
}

std::optional<u64> most_units_of_perfect_factors(const Mapspace& space) { return PerfectUnits(space).run(); }

std::string least_units_text(const Mapspace& space) {
  return fmt::format("at least {} of {} compute units must be used", space.least_units, all_units(space));
}

}  // namespace heliolite
