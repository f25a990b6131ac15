#include "engine/search/all_tiles/rest_table.h"

#include "engine/base/mapped.h"
#include "engine/search/all_tiles/partial_cost.h"
#include "engine/search/core/objective.h"

namespace heliolite {

// Tables by numbers of tiles: the numbers of each dimension in ranges.

namespace {

// All that ceil(size / tile) can be, descending.
std::vector<u32> numbers_of_tiles(u32 size) {
  std::vector<u32> out{size};
  while (out.back() > 1) {
    const u32 tile = (size - 1) / (out.back() - 1) + 1;  // the smallest with fewer
    out.push_back((size - 1) / tile + 1);
  }
  return out;
}

constexpr u32 kFewTiles = 3;   // this number, and fewer, stand apart
constexpr double kWidest = 3;  // of ranges, else fewer stand apart

// Ranges of descending ones, none with a number more than `width` times as large as another one: what a bound loses
// that takes the least number for the cost, and the most for the room. Those up to `few` stand apart.
void unite(const std::vector<u32>& most_of, const std::vector<u32>& least_of, double width, u32 few,
           std::vector<u32>& most, std::vector<u32>& least) {
  most.clear(), least.clear();
  for (std::size_t k = 0; k < most_of.size(); ++k)
    if (!most.empty() && least_of[k] > few && most.back() <= width * least_of[k]) least.back() = least_of[k];
    else most.push_back(most_of[k]), least.push_back(least_of[k]);
}

// What each range of a dimension adds.
std::vector<std::size_t> parts_along(const TileRanges& ranges, int d, auto&& part_of) {
  return mapped(ranges.most(d), part_of);
}

}  // namespace

TileRanges::TileRanges(const Compiled& c, std::size_t most_points) : dimension_count_(c.dimension_count) {
  Numbers all;
  for (int d = 0; d < dimension_count_; ++d) all[d] = numbers_of_tiles(c.size[d]);
  divide(all, all, most_points);
}

TileRanges::TileRanges(const TileRanges& parts, std::size_t most_points) : dimension_count_(parts.dimension_count_) {
  divide(parts.most_, parts.least_, most_points);
}

void TileRanges::divide(const Numbers& most, const Numbers& least, std::size_t most_points) {
  // The narrowest ranges that are few enough.
  u32 few = kFewTiles;
  for (double width = 1; width == 1 || points_ > most_points; width += (width - 1) / 8 + 0.001) {
    if (width > kWidest && few > 0) width = 1.001, --few;
    points_ = 1;
    for (int d = 0; d < dimension_count_; ++d) {
      unite(most[d], least[d], width, few, most_[d], least_[d]);
      stride_[d] = points_;
      points_ *= most_[d].size();
    }
  }
  for (int d = 0; d < dimension_count_; ++d) {
    const u32 size = most_[d].front();
    if (size > 100'000) continue;
    range_of_[d].resize(size + 1);
    for (u32 n = 1, k = static_cast<u32>(most_[d].size()) - 1; n <= size; ++n) {
      while (most_[d][k] < n) --k;
      range_of_[d][n] = k;
    }
  }
}

std::size_t TileRanges::index(int d, u64 tiles) const {
  if (!range_of_[d].empty()) return range_of_[d][tiles];
  const auto& most = most_[d];
  return at(std::partition_point(most.begin(), most.end(), [&](u32 n) { return n >= tiles; }) - most.begin()) - 1;
}

PointMap PointMap::in(const TileRanges& others, const TileRanges& ranges, const Compiled& c) {
  PointMap out;
  if (&ranges == &others) return out;
  out.from_here_ = false;
  for (int d = 0; d < c.dimension_count; ++d)
    out.along_.emplace_back(d, parts_along(ranges, d, [&](u32 tiles) { return others.point_along(d, tiles); }));
  return out;
}

PointMap PointMap::left_by_units(const KeptFlows& costs, int level, const TileRanges& ranges) {
  PointMap out;
  for (int d = 0; d < costs.compiled().dimension_count; ++d) {
    const u64 units = costs.known_units(level, d);
    if (units == 1) continue;
    out.along_.emplace_back(d, parts_along(ranges, d, [&](u32 tiles) {
                              return ranges.point_along(d, ceil_div(u64{tiles}, units)) - ranges.point_along(d, tiles);
                            }));
  }
  return out;
}

namespace {

constexpr double kSumsRounded = 1 - 1e-12;  // of sums in doubles
constexpr Rest kNoRest{Rest::kNone, {{kNever, kNever, kNever}}};
constexpr RestOutside kNothingFits{kNoRest, kNoRest};

// Adds what is between a level and the next one outside.
Rest sum(Rest outside, const Rest& here) {
  outside.energy += here.energy;
  for (std::size_t k = 0; k < here.ports.of.size(); ++k) outside.ports.of[k] += here.ports.of[k] * kSumsRounded;
  return outside;
}

RestOutside sum(const RestOutside& outside, const RestOutside& here) {
  return {sum(outside.all, here.all), sum(outside.with_proxies, here.with_proxies)};
}

void least_of(Rest& value, const Rest& other) {
  value.energy = std::min(value.energy, other.energy);
  value.ports.lower_to(other.ports);
}

void least_of(RestOutside& value, const RestOutside& other) {
  least_of(value.all, other.all);
  least_of(value.with_proxies, other.with_proxies);
}

// What the tiles of a level may be, and what the flows into those of the next one cost then.
class LevelTiles {
 public:
  LevelTiles(const KeptFlows& costs, const LoopLimits& limits, int level)
      : c_(costs.compiled()), costs_(costs), level_(level), most_(limits.most_tiles[level]) {
    for (std::size_t k = 0; k < costs.classes().size(); ++k)
      if (costs.has_unrolling() && !costs.is_free(k))
        outside_.push_back({costs.classes()[k], costs.class_units(level + 1, c_.level_count, k)});
  }

  // Whether some tile, where there are between `least` and `most` of them, fits and leaves as many as the levels
  // outside ask for.
  bool may_be(std::span<const u32> most, std::span<const u32> least) const {
    return leave_enough(most, least) && fit(most);
  }

  bool fit(std::span<const u32> most) const { return fit(smallest(most)); }

  // Whether these numbers of tiles are few enough for the loops outside, and enough for the fan-outs.
  bool leave_enough(std::span<const u32> most, std::span<const u32> least) const {
    for (std::size_t d = 0; d < least.size(); ++d)
      if (least[d] > most_[d]) return false;
    return can_be_unrolled(most);
  }

  // Whether fan-outs outside can make their units of these numbers: several loops over a dimension have together less
  // than twice as many units as there are tiles.
  bool can_be_unrolled(std::span<const u32> numbers) const {
    return std::ranges::all_of(outside_, [&](const ClassUnits& units) {
      u64 most = 1;
      for (const int d : bits(units.dimensions)) most *= 2 * u64{numbers[d]} - 1;
      return units.number <= most;
    });
  }

  RestOutside least_outside(PartialCost& partial, std::span<const u32> most, std::span<const u32> least) const {
    const Extents tile = smallest(most);
    Extents longest{};
    for (std::size_t d = 0; d < least.size(); ++d) longest[d] = widest(tile, static_cast<int>(d), least[d]);
    return partial.least_outside(level_, least, most, std::span(longest).first(least.size()));
  }

 private:
  bool fit(const Extents& tile) const { return costs_.fits(level_, tile); }

  Extents smallest(std::span<const u32> most) const {
    Extents tile{};
    for (std::size_t d = 0; d < most.size(); ++d) tile[d] = (c_.size[d] - 1) / most[d] + 1;
    return tile;
  }

  // The longest tile that there may be `number` of along a dimension, where the others have tiles such as `tile`. Only
  // where there are two the longest may be much longer than the shortest.
  u32 widest(Extents tile, int d, u32 number) const {
    const u32 size = c_.size[d];
    u32 most = number == 1 ? size : (size - 1) / (number - 1);
    if (number != 2) return most;
    u32 fits = tile[d];
    while (fits < most) {
      tile[d] = fits + (most - fits + 1) / 2;
      if (fit(tile)) fits = tile[d];
      else most = tile[d] - 1;
    }
    return fits;
  }

  struct ClassUnits {
    DimensionMask dimensions;
    u64 number;
  };
  const Compiled& c_;
  const KeptFlows& costs_;
  int level_;
  const std::array<u64, kMaxDimensions>& most_;
  std::vector<ClassUnits> outside_;
};

// Whether a value is nowhere below another.
bool nowhere_less(const Rest& a, const Rest& b) {
  for (std::size_t k = 0; k < a.ports.of.size(); ++k)
    if (a.ports.of[k] < b.ports.of[k]) return false;
  return a.energy >= b.energy;
}

}  // namespace

// The least of each point and of all that hold it.
std::vector<Rest> RestTable::grown(std::vector<Rest> table) const {
  ranges_.each([&](std::size_t p, const auto&, const auto&, const TileRanges::Place& place) {
    ranges_.each_larger(p, place, kAllDimensions, [&](std::size_t larger) { least_of(table[p], table[larger]); });
  });
  return table;
}

std::size_t RestTable::point(const KeptFlows& costs, const Trail& trail, const Reach& reach) const {
  if (!costs.has_unrolling()) return ranges_.point(trail);
  return ranges_.point_of(
      [&](int d) { return ceil_div(u64{trail.of(d).tiles}, costs.known_units_left(trail, reach, reach.level, d)); });
}

RestOutside RestTable::further_out(const KeptFlows& costs, const Trail& trail, const Reach& reach, int level) const {
  const std::size_t point = ranges_.point_of(
      [&](int d) { return ceil_div(u64{trail.of(d).tiles}, costs.known_units_up_to(trail, reach, level, d)); });
  const Rest& all = grown_[level][point];
  return {all, grown_proxies_.empty() ? all : grown_proxies_[level][point]};
}

LoopLimits loop_limits(const Mapspace& space) {
  LoopLimits out{};
  for (std::size_t d = 0; d < space.dimension_count; ++d) {
    const u64 size = space.size[d];
    u64 most = 1;
    const auto bit = dimension_bit(static_cast<int>(d));
    for (std::size_t i = space.levels.size(); i-- > 0;) {
      out.most_tiles[i][d] = most;
      const auto times = [&](u64 factor) {
        most = std::min(size, most * std::min(size, factor));
        if (factor > 1) out.looped[i] |= bit;
      };
      const LevelSpace& level = space.levels[i];
      if (level.temporal.allowed & bit) times(level.temporal.factor[d].max);
      const u64 x = level.spatial.allowed_x & bit ? level.spatial.fanout_x : 1;
      const u64 y = level.spatial.allowed_y & bit ? level.spatial.fanout_y : 1;
      if (x * y > 1) times(std::min(x * y, level.spatial.factor[d].max));
    }
  }
  return out;
}

u64 tiles_looked_at(const KeptFlows& costs, const TileRanges& ranges, const LoopLimits& limits) {
  const Compiled& c = costs.compiled();
  const auto of_each = [&](const auto& numbers) { return std::span(numbers).first(at(c.dimension_count)); };
  u64 out = 0;
  for (int i = 0; i + 1 < c.level_count; ++i) {
    const LevelTiles tiles(costs, limits, i);
    ranges.each([&](std::size_t, const auto& most, const auto& least, const auto&) {
      if (tiles.may_be(of_each(most), of_each(least))) ++out;
    });
  }
  return out;
}

BoundaryTable::BoundaryTable(PartialCost& partial, const KeptFlows& costs, const TileRanges& ranges,
                             const LoopLimits& limits)
    : ranges_(ranges) {
  const Compiled& c = costs.compiled();
  const auto of_each = [&](const auto& numbers) { return std::span(numbers).first(at(c.dimension_count)); };
  for (int i = 0; i + 1 < c.level_count; ++i) {
    std::vector<RestOutside>& table = at_level_.emplace_back(ranges.points(), kNothingFits);
    const LevelTiles tiles(costs, limits, i);
    ranges.each([&](std::size_t p, const auto& most, const auto& least, const auto&) {
      if (tiles.may_be(of_each(most), of_each(least)))
        table[p] = tiles.least_outside(partial, of_each(most), of_each(least));
    });
  }
}

// Steps, for the tiles of a level, the larger ones first:
//  1. What the next level's tiles, which hold this one, cost at least, and larger ones of this level, which its loops
//     make.
//  2. What all unrollings cost at this boundary may say that the tile is no better than a larger one, or of no use.
//  3. Else what it costs.
RestTable::RestTable(PartialCost& partial, const KeptFlows& costs, const TileRanges& ranges, const LoopLimits& limits,
                     const KnownBefore* known, FurtherOut further_out)
    : ranges_(ranges) {
  const Compiled& c = costs.compiled();
  const bool proxies = !costs.passing().empty();
  at_level_.resize(at(c.level_count));
  if (proxies) proxies_.resize(at(c.level_count));
  if (further_out == FurtherOut::Yes) {
    grown_.resize(at(c.level_count));
    if (proxies) grown_proxies_.resize(at(c.level_count));
  }
  const auto of_each = [&](const auto& numbers) { return std::span(numbers).first(at(c.dimension_count)); };
  const bool asks = known != nullptr && known->over;
  bool over = asks && known->over();
  u64 asked = 0;
  const auto is_over = [&] {
    constexpr u64 kPointsBetweenLooks = 1024;
    if (!over && asks && ++asked % kPointsBetweenLooks == 0) over = known->over();
    return over;
  };
  const PointMap boundary_points = known ? PointMap::in(known->boundaries.ranges(), ranges, c) : PointMap();
  for (int i = c.level_count - 2; i >= 0 && !over; --i) {
    std::vector<Rest>& table = at_level_[i];
    table.assign(ranges.points(), kNoRest);
    if (proxies) proxies_[i].assign(ranges.points(), kNoRest);
    const LevelTiles tiles(costs, limits, i);
    const PointMap next_points = PointMap::left_by_units(costs, i + 1, ranges);
    const bool outermost = i + 2 == c.level_count;
    const auto use = [&](const RestOutside& value) { return !known || known->can_improve(i, value.all); };
    ranges.each([&](std::size_t p, const auto& most, const auto& least, const TileRanges::Place& place) {
      if (is_over()) return;
      RestOutside best = kNothingFits;
      ranges.each_larger(p, place, limits.looped[i], [&](std::size_t larger) {
        if (table[larger].energy == Rest::kNone) return;
        least_of(best.all, table[larger]);
        if (proxies) least_of(best.with_proxies, proxies_[i][larger]);
      });
      if (!proxies) best.with_proxies = best.all;
      const auto consider = [&] {
        // The tile of the next level at least: what the fan-out makes of this one.
        const std::size_t next = next_points(p, place);
        RestOutside outside{(*this)(i + 1, next), {}};
        if (outside.all.energy == Rest::kNone || !tiles.leave_enough(of_each(most), of_each(least))) return;
        outside.with_proxies = proxies && !outermost ? with_proxies(i + 1, next) : outside.all;
        if (known) {
          const RestOutside& here = known->boundaries(i, boundary_points(p, place));
          if (here.all.energy == Rest::kNone) return;  // it fits nowhere
          const RestOutside cheap = sum(outside, here);
          if (!use(cheap)) return;
          if (best.all.energy != Rest::kNone && nowhere_less(cheap.all, best.all) &&
              nowhere_less(cheap.with_proxies, best.with_proxies))
            return;
        }
        if (!tiles.fit(of_each(most))) return;
        const RestOutside value = sum(outside, tiles.least_outside(partial, of_each(most), of_each(least)));
        if (use(value)) least_of(best, value);
      };
      consider();
      table[p] = best.all;
      if (proxies) proxies_[i][p] = best.with_proxies;
    });
    if (further_out == FurtherOut::Yes && i > 0 && !over) {
      grown_[i] = grown(table);
      if (proxies) grown_proxies_[i] = grown(proxies_[i]);
    }
  }
}

}  // namespace heliolite
