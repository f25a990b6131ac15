#pragma once
// Tables by numbers of tiles: the numbers of each dimension in ranges, and where other tables' points stand in them.
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "engine/search/all_tiles/flows.h"
#include "engine/search/all_tiles/trail.h"

namespace heliolite {

// Numbers of tiles of each dimension in ranges, few enough for tables.
class TileRanges {
 public:
  static constexpr std::size_t kMostPoints = 300'000;

  explicit TileRanges(const Compiled& c, std::size_t most_points = kMostPoints);
  // Ranges of each of which several of these are part.
  TileRanges(const TileRanges& parts, std::size_t most_points);

  std::size_t points() const { return points_; }
  // The point whose ranges hold these numbers.
  std::size_t point(const Trail& trail) const {
    return point_of([&](int d) { return trail.of(d).tiles; });
  }
  // The point whose ranges hold tiles(d) along each dimension.
  template <class Tiles>
  std::size_t point_of(Tiles&& tiles) const {
    std::size_t out = 0;
    for (int d = 0; d < dimension_count_; ++d) out += point_along(d, tiles(d));
    return out;
  }
  // Which range of each dimension.
  using Place = std::array<u32, kMaxDimensions>;
  // Calls visit(point, most, least numbers of tiles, place) for all points, a larger tile before a smaller one.
  template <class Visit>
  void each(Visit&& visit) const;
  // Calls visit(point) for those with the next larger tile in one of these dimensions, of a point that each() visits.
  template <class Visit>
  void each_larger(std::size_t point, const Place& place, DimensionMask dimensions, Visit&& visit) const {
    for (int d = 0; d < dimension_count_; ++d)
      if (contains(dimensions, d) && place[d] + 1 != least_[d].size()) visit(point + stride_[d]);
  }
  // [place along d]: the most tiles.
  std::span<const u32> most(int d) const { return most_[d]; }
  // What a number of tiles along d adds to the point.
  std::size_t point_along(int d, u64 tiles) const { return index(d, tiles) * stride_[d]; }

 private:
  using Numbers = std::array<std::vector<u32>, kMaxDimensions>;

  void divide(const Numbers& most, const Numbers& least, std::size_t most_points);
  std::size_t index(int d, u64 tiles) const;  // of the range that holds a number

  int dimension_count_;
  Numbers most_, least_;  // of each range, descending
  Numbers range_of_;      // [tiles], or of sizes too large: searched
  std::array<std::size_t, kMaxDimensions> stride_{};
  std::size_t points_ = 1;
};

// Where the points of tables stand that belong to those of some ranges.
class PointsElsewhere {
 public:
  // Points of the same numbers of tiles among other ranges.
  static PointsElsewhere in(const TileRanges& others, const TileRanges& ranges, const Compiled& c);
  // Points of the tiles that the units leave which the fan-out below a level is known to make.
  static PointsElsewhere left_by_units(const KeptFlows& costs, int level, const TileRanges& ranges);

  // By a point of the ranges, and its place.
  std::size_t operator()(std::size_t point, const TileRanges::Place& place) const {
    std::size_t out = from_here_ ? point : 0;
    for (const auto& [d, parts] : along_) out += parts[place[d]];
    return out;
  }

 private:
  bool from_here_ = true;                                        // else from the first one
  std::vector<std::pair<int, std::vector<std::size_t>>> along_;  // a dimension, and by its place what it adds
};

template <class Visit>
void TileRanges::each(Visit&& visit) const {
  Place range{};
  std::array<u32, kMaxDimensions> most{}, least{};
  const auto set = [&](int d, std::size_t k) {
    range[d] = static_cast<u32>(k);
    most[d] = most_[d][k], least[d] = least_[d][k];
  };
  for (int d = 0; d < dimension_count_; ++d) set(d, most_[d].size() - 1);
  for (std::size_t p = points_; p-- > 0;) {
    visit(p, most, least, range);
    int d = 0;
    for (; d < dimension_count_ && range[d] == 0; ++d) set(d, most_[d].size() - 1);
    if (d < dimension_count_) set(d, range[d] - 1);
  }
}

}  // namespace heliolite
