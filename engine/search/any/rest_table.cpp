#include "engine/search/any/rest_table.h"

#include <algorithm>
#include <span>

#include "engine/search/core/objective.h"

namespace heliolite {
namespace {

constexpr double kSumsRounded = 1 - 1e-12;  // of sums in doubles
constexpr Rest kNothingFits{Rest::kNone, {{kNever, kNever, kNever}}};

// Adds what is between a level and the next one outside.
Rest sum(Rest outside, const Rest& here) {
  outside.energy += here.energy;
  for (std::size_t k = 0; k < here.ports.of.size(); ++k) outside.ports.of[k] += here.ports.of[k] * kSumsRounded;
  return outside;
}

void least_of(Rest& value, const Rest& other) {
  value.energy = std::min(value.energy, other.energy);
  value.ports.lower_to(other.ports);
}

// All that ceil(size / tile) can be, descending.
std::vector<u32> numbers_of_tiles(u32 size) {
  std::vector<u32> out{size};
  while (out.back() > 1) {
    const u32 tile = (size - 1) / (out.back() - 1) + 1;  // the smallest with fewer
    out.push_back((size - 1) / tile + 1);
  }
  return out;
}

// Ranges of descending numbers, none more than `width` times as large as another one of its range: what a bound loses
// that takes the least number for the cost, and the most for the room.
void divide(const std::vector<u32>& numbers, double width, std::vector<u32>& most, std::vector<u32>& least) {
  most.clear(), least.clear();
  for (const u32 n : numbers)
    if (!most.empty() && most.back() <= width * n) least.back() = n;
    else most.push_back(n), least.push_back(n);
}

// What the tiles of a level may be.
class LevelTiles {
 public:
  LevelTiles(const KeptFlows& costs, int level) : c_(costs.compiled()), costs_(costs), level_(level) {
    for (std::size_t k = 0; k < costs.classes().size(); ++k)
      if (costs.has_unrolling() && !costs.is_free(k))
        outside_.push_back({costs.classes()[k], costs.class_units(level + 1, c_.level_count, k)});
  }

  bool fit(const Extents& tile) const { return costs_.fits(level_, tile); }

  // The longest that there may be so many of along a dimension, beside such tiles of the others. Only of two the
  // longest may be much longer than the shortest.
  u32 widest(Extents tile, int d, u32 number) const {
    const u32 size = c_.size[at(d)];
    u32 most = number == 1 ? size : (size - 1) / (number - 1);
    if (number != 2) return most;
    u32 fits = tile[at(d)];
    while (fits < most) {
      tile[at(d)] = fits + (most - fits + 1) / 2;
      if (fit(tile)) fits = tile[at(d)];
      else most = tile[at(d)] - 1;
    }
    return fits;
  }

  // Whether fan-outs outside can make their units of so many: several loops over a dimension have together less than
  // twice as many units as there are tiles.
  bool can_be_unrolled(std::span<const u32> numbers) const {
    return std::ranges::all_of(outside_, [&](const ClassUnits& units) {
      u64 most = 1;
      for (const int d : bits(units.dimensions)) most *= 2 * u64{numbers[at(d)]} - 1;
      return units.number <= most;
    });
  }

 private:
  struct ClassUnits {
    DimensionMask dimensions;
    u64 number;
  };
  const Compiled& c_;
  const KeptFlows& costs_;
  int level_;
  std::vector<ClassUnits> outside_;
};

}  // namespace

TileRanges::TileRanges(const Compiled& c, std::size_t most_points) : dimension_count_(c.dimension_count) {
  std::array<std::vector<u32>, kMaxDimensions> all;
  for (int d = 0; d < dimension_count_; ++d) all[at(d)] = numbers_of_tiles(c.size[at(d)]);
  // The narrowest ranges that are few enough.
  for (double width = 1; width == 1 || points_ > most_points; width += (width - 1) / 8 + 0.001) {
    points_ = 1;
    for (int d = 0; d < dimension_count_; ++d) {
      divide(all[at(d)], width, most_[at(d)], least_[at(d)]);
      stride_[at(d)] = points_;
      points_ *= most_[at(d)].size();
    }
  }
  for (int d = 0; d < dimension_count_; ++d) {
    if (c.size[at(d)] > 100'000) continue;
    range_of_[at(d)].resize(c.size[at(d)] + 1);
    for (u32 n = 1, k = static_cast<u32>(most_[at(d)].size()) - 1; n <= c.size[at(d)]; ++n) {
      while (most_[at(d)][k] < n) --k;
      range_of_[at(d)][n] = k;
    }
  }
}

std::size_t TileRanges::index(int d, u64 tiles) const {
  if (!range_of_[at(d)].empty()) return range_of_[at(d)][tiles];
  const auto& most = most_[at(d)];
  return at(std::partition_point(most.begin(), most.end(), [&](u32 n) { return n >= tiles; }) - most.begin()) - 1;
}

std::size_t TileRanges::point(const Trail& trail) const {
  std::size_t out = 0;
  for (int d = 0; d < dimension_count_; ++d) out += point_along(d, trail.of(d).tiles);
  return out;
}

std::size_t RestTable::point(const KeptFlows& costs, const Trail& trail, const Reach& reach) const {
  if (!costs.has_unrolling()) return ranges_.point(trail);
  std::size_t out = 0;
  for (int d = 0; d < costs.compiled().dimension_count; ++d)
    out += ranges_.point_along(d, ceil_div(u64{trail.of(d).tiles}, costs.known_units_left(trail, reach, d)));
  return out;
}

std::size_t TileRanges::larger(std::size_t point, int d) const {
  const std::size_t k = point / stride_[at(d)] % most_[at(d)].size();
  return k + 1 < most_[at(d)].size() ? point + stride_[at(d)] : point;
}

TilesOutside most_tiles_outside(const Mapspace& space) {
  TilesOutside out{};
  for (std::size_t d = 0; d < space.dimension_count; ++d) {
    const u64 size = space.size[d];
    u64 most = 1;
    const auto times = [&](u64 factor) { most = std::min(size, most * std::min(size, factor)); };
    for (std::size_t i = space.levels.size(); i-- > 0;) {
      out[i][d] = most;
      const LevelSpace& level = space.levels[i];
      const auto bit = dimension_bit(static_cast<int>(d));
      if (level.temporal.allowed & bit) times(level.temporal.factor[d].max);
      const u64 x = level.spatial.allowed_x & bit ? level.spatial.fanout_x : 1;
      const u64 y = level.spatial.allowed_y & bit ? level.spatial.fanout_y : 1;
      if (x * y > 1) times(std::min(x * y, level.spatial.factor[d].max));
    }
  }
  return out;
}

RestTable::RestTable(PartialCost& partial, const KeptFlows& costs, const TileRanges& ranges,
                     const TilesOutside& most_of)
    : ranges_(ranges) {
  const Compiled& c = costs.compiled();
  at_level_.resize(at(c.level_count));
  const bool twins = !costs.passing().empty();
  if (twins) twins_.resize(at(c.level_count));
  for (int i = c.level_count - 2; i >= 0; --i) {
    std::vector<Rest>& table = at_level_[at(i)];
    table.assign(ranges.points(), kNothingFits);
    if (twins) twins_[at(i)].assign(ranges.points(), kNothingFits);
    const std::vector<Rest>& outside = at_level_[at(i) + 1];
    const LevelTiles tiles(costs, i);
    ranges.each([&](std::size_t p, const auto& most, const auto& least) {
      Extents tile{}, widest{};
      bool may_be = true;
      std::size_t next = 0;  // the tile of the next level at least: what the fan-out between makes of this one
      for (int d = 0; d < c.dimension_count; ++d) {
        tile[at(d)] = (c.size[at(d)] - 1) / most[at(d)] + 1;
        may_be &= least[at(d)] <= most_of[at(i)][at(d)];
        next += ranges.point_along(d, ceil_div(u64{most[at(d)]}, costs.known_units(i + 1, d)));
      }
      may_be = may_be && (outside.empty() || outside[next].energy != Rest::kNone) && tiles.fit(tile) &&
               tiles.can_be_unrolled(most);
      RestOutside value{kNothingFits, kNothingFits};
      if (may_be) {
        for (int d = 0; d < c.dimension_count; ++d) widest[at(d)] = tiles.widest(tile, d, least[at(d)]);
        const auto of_each = [&](const auto& numbers) { return std::span(numbers).first(at(c.dimension_count)); };
        const RestOutside here = partial.least_outside(i, of_each(least), of_each(most), of_each(widest));
        value.all = sum(outside.empty() ? Rest{} : outside[next], here.all);
        if (twins) value.with_twins = sum(outside.empty() ? Rest{} : twins_[at(i) + 1][next], here.with_twins);
      }
      for (int d = 0; d < c.dimension_count; ++d) {
        least_of(value.all, table[ranges.larger(p, d)]);
        if (twins) least_of(value.with_twins, twins_[at(i)][ranges.larger(p, d)]);
      }
      table[p] = value.all;
      if (twins) twins_[at(i)][p] = value.with_twins;
    });
  }
}

}  // namespace heliolite
