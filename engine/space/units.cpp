// How many compute units mappings of a mapspace can use, and unrollings of several dimensions that share the room of
// the same fan-outs, counted.
#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/mapped.h"
#include "engine/space/divisors.h"
#include "engine/space/factor_places.h"
#include "engine/space/mapspace_size.h"

namespace heliolite {

namespace {

// Additions of big integers, and sums held at a time, beyond which counting is given up.
constexpr double kWorkLimit = 5e6;
constexpr double kStateLimit = 1e6;

std::size_t index_of(const std::vector<u64>& rooms, u64 room) {
  return at(std::lower_bound(rooms.begin(), rooms.end(), room) - rooms.begin());
}

// Units that the option's factors make.
u64 units_of(const AxisOption& o) {
  u64 units = 1;
  for (const u32 factor : o.factor) units = saturating_product(units, factor);
  return units;
}

// What options of some dimensions can make together, ascending; `most` stands for more, too.
std::vector<u64> products(const std::vector<std::vector<AxisOption>>& choices, u64 most) {
  std::vector<u64> out{1};
  for (const std::vector<AxisOption>& options : choices) {
    std::vector<u64> units = mapped(options, units_of);
    std::ranges::sort(units);
    units.erase(std::unique(units.begin(), units.end()), units.end());
    std::vector<u64> next;
    for (const u64 before : out)
      for (const u64 here : units) next.push_back(product_up_to(before, here, most));
    std::ranges::sort(next);
    next.erase(std::unique(next.begin(), next.end()), next.end());
    out.insert(out.end(), next.begin(), next.end());
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
  }
  return out;
}

// A state is a number in mixed radix: the index of the room of each axis, then the loops of each level, then the index
// of the units that it makes.
std::size_t encode(const std::vector<std::size_t>& digit, const std::vector<std::size_t>& radix) {
  std::size_t code = 0;
  for (std::size_t i = 0; i < radix.size(); ++i) code = code * radix[i] + digit[i];
  return code;
}

void decode(std::size_t code, const std::vector<std::size_t>& radix, std::vector<std::size_t>& digit) {
  for (std::size_t i = radix.size(); i-- > 0; code /= radix[i]) digit[i] = code % radix[i];
}

// False: an axis has no room for the option. `units`: products().
bool advance(const AxisOption& o, const std::vector<Axis>& axes, const std::vector<u64>& units,
             std::vector<std::size_t>& digit) {
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (o.factor[a] == 1) continue;
    const u64 room = axes[a].rooms[digit[a]] / o.factor[a];
    if (room == 0) return false;
    digit[a] = index_of(axes[a].rooms, room);
  }
  for (std::size_t l = axes.size(); l + 1 < digit.size(); ++l) digit[l] += o.ordered >> (l - axes.size()) & 1;
  digit.back() = index_of(units, product_up_to(units[digit.back()], units_of(o), units.back()));
  return true;
}

}  // namespace

BigCount factorial(int n) {
  BigCount product = 1;
  for (int i = 2; i <= n; ++i) product *= i;
  return product;
}

std::vector<Axis> axes_of(const Mapspace& mapspace, const std::vector<int>& levels) {
  std::vector<Axis> axes;
  for (int l : levels) {
    const SpatialSpace& s = mapspace.levels[l].spatial;
    if (s.allowed_x != 0) axes.push_back({l, false, {s.fanout_x}});
    if (s.allowed_y != 0) axes.push_back({l, true, {s.fanout_y}});
  }
  for (Axis& axis : axes) {
    const SpatialSpace& s = mapspace.levels[axis.level].spatial;
    for (int d = 0; d < mapspace.dimension_count; ++d) {
      if (!contains(axis.y ? s.allowed_y : s.allowed_x, d)) continue;
      std::vector<u64> more = axis.rooms;
      for (u64 factor : divisors(mapspace.size[d]))
        for (u64 room : axis.rooms)
          if (room >= factor) more.push_back(room / factor);
      std::sort(more.begin(), more.end());
      more.erase(std::unique(more.begin(), more.end()), more.end());
      axis.rooms = std::move(more);
    }
  }
  return axes;
}

std::optional<BigCount> count_jointly(const std::vector<std::vector<AxisOption>>& choices,
                                      const std::vector<Axis>& axes, int ordered_levels, u64 least_units) {
  const std::size_t most = choices.size() + 1;  // loops of a level: 0 .. dimensions
  const std::vector<u64> units = products(choices, std::max<u64>(1, least_units));
  if (units.back() < least_units) return 0;
  auto states = static_cast<double>(units.size());
  for (const Axis& axis : axes) states *= static_cast<double>(axis.rooms.size());
  for (int l = 0; l < ordered_levels; ++l) states *= static_cast<double>(most);
  if (states > kStateLimit) return std::nullopt;
  std::vector<std::size_t> radix = mapped(axes, [&](const Axis& axis) { return axis.rooms.size(); });
  radix.resize(axes.size() + at(ordered_levels), most);
  radix.push_back(units.size());
  // Start: every room at its largest, no loops.
  std::vector<BigCount> now(static_cast<std::size_t>(states)), next;
  std::vector<std::size_t> digit(radix.size(), 0);
  for (std::size_t a = 0; a < axes.size(); ++a) digit[a] = axes[a].rooms.size() - 1;
  now[encode(digit, radix)] = 1;
  double work = 0;
  for (const std::vector<AxisOption>& options : choices) {
    next.assign(now.size(), 0);
    for (std::size_t s = 0; s < now.size(); ++s) {
      if (now[s] == 0) continue;
      if ((work += static_cast<double>(options.size())) > kWorkLimit) return std::nullopt;
      for (const AxisOption& o : options) {
        decode(s, radix, digit);
        if (advance(o, axes, units, digit)) next[encode(digit, radix)] += now[s] * o.ways;
      }
    }
    std::swap(now, next);
  }
  BigCount total = 0;
  for (std::size_t s = 0; s < now.size(); ++s) {
    if (now[s] == 0) continue;
    decode(s, radix, digit);
    if (units[digit.back()] < least_units) continue;
    BigCount orders = 1;
    for (std::size_t i = axes.size(); i + 1 < digit.size(); ++i) orders *= factorial(static_cast<int>(digit[i]));
    total += now[s] * orders;
  }
  return total;
}

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
