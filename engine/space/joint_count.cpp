// Counting unrollings of several dimensions that share the room of the same fan-outs, for mapspace_size().
#include "engine/space/mapspace_size.h"

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/space/divisors.h"
#include "engine/space/factor_places.h"

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
    std::vector<u64> units;
    for (const AxisOption& o : options) units.push_back(units_of(o));
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
  std::vector<std::size_t> radix;
  for (const Axis& axis : axes) radix.push_back(axis.rooms.size());
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

}  // namespace heliolite
