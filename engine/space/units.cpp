// How many compute units mappings of a mapspace can use.
#include "engine/space/mapspace_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "engine/base/integers.h"
#include "engine/space/divisors.h"
#include "engine/space/factor_places.h"
#include "engine/space/joint_count.h"

namespace heliolite {
namespace {

u64 all_units(const Mapspace& space) {
  u64 product = 1;
  for (const LevelSpace& level : space.levels) product = saturating_product(product, level.spatial.fanout());
  return product;
}

// Dimension by dimension, with the room that is left on each axis.
class PerfectUnits {
 public:
  explicit PerfectUnits(const Mapspace& space) : space_(space) {
    std::vector<int> levels;
    for (int l = 0; l < space.level_count(); ++l) levels.push_back(l);
    axes_ = axes_of(space, levels);
  }

  std::optional<u64> run() {
    Rooms all;
    for (const Axis& axis : axes_) all.push_back(axis.rooms.back());
    states_ = {{all, 1}};
    for (int d = 0; d < space_.dimension_count; ++d) {
      next_.clear();
      for (const auto& [rooms, units] : states_) {
        rooms_ = rooms;
        here_.assign(axes_.size(), 1);
        place(d, 0, space_.size[d], units);
        if (next_.size() > kMostStates || steps_ > kMostSteps) return std::nullopt;
      }
      states_.swap(next_);
    }
    u64 most = 0;
    for (const auto& [rooms, units] : states_) most = std::max(most, units);
    return most;
  }

 private:
  using Rooms = std::vector<u64>;  // [axis]
  static constexpr std::size_t kMostStates = 100'000;
  static constexpr u64 kMostSteps = 5'000'000;

  void place(int d, std::size_t a, u64 left, u64 units) {
    if (++steps_ > kMostSteps) return;
    if (a == axes_.size()) {
      if (!allowed(d)) return;
      u64& known = next_[rooms_];
      known = std::max(known, units);
      return;
    }
    const SpatialSpace& fanout = space_.levels[axes_[a].level].spatial;
    const bool open = contains(axes_[a].y ? fanout.allowed_y : fanout.allowed_x, d);
    const u64 room = rooms_[a];
    for (const u64 factor : divisors(left)) {
      if (factor > (open ? std::min(room, fanout.factor[d].max) : 1)) break;
      rooms_[a] = room / factor;
      here_[a] = factor;
      place(d, a + 1, left / factor, saturating_product(units, factor));
    }
    rooms_[a] = room;
    here_[a] = 1;
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
  std::map<Rooms, u64> states_, next_;  // [room left]: the most units
  Rooms rooms_, here_;                  // room left in the state at hand; its factors of the present dimension
  u64 steps_ = 0;
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
