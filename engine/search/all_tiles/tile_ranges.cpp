// Tables by numbers of tiles: the numbers of each dimension in ranges.
#include "engine/search/all_tiles/rest_table.h"

#include <algorithm>

namespace heliolite {
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
  std::vector<std::size_t> out;
  for (const u32 tiles : ranges.most(d)) out.push_back(part_of(tiles));
  return out;
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

PointsElsewhere PointsElsewhere::in(const TileRanges& others, const TileRanges& ranges, const Compiled& c) {
  PointsElsewhere out;
  if (&ranges == &others) return out;
  out.from_here_ = false;
  for (int d = 0; d < c.dimension_count; ++d)
    out.along_.emplace_back(d, parts_along(ranges, d, [&](u32 tiles) { return others.point_along(d, tiles); }));
  return out;
}

PointsElsewhere PointsElsewhere::left_by_units(const KeptFlows& costs, int level, const TileRanges& ranges) {
  PointsElsewhere out;
  for (int d = 0; d < costs.compiled().dimension_count; ++d) {
    const u64 units = costs.known_units(level, d);
    if (units == 1) continue;
    out.along_.emplace_back(d, parts_along(ranges, d, [&](u32 tiles) {
                              return ranges.point_along(d, ceil_div(u64{tiles}, units)) - ranges.point_along(d, tiles);
                            }));
  }
  return out;
}

}  // namespace heliolite
