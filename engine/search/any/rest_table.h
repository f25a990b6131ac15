#pragma once
// What the flows outside a level cost at least, over all tiles that its tile can grow into. Proof:
// docs/rules/any_factors.md.
#include <array>
#include <vector>

#include "engine/search/any/partial_cost.h"

namespace heliolite {

// Numbers of tiles of each dimension in ranges, few enough for tables.
class TileRanges {
 public:
  static constexpr std::size_t kMostPoints = 300'000;

  explicit TileRanges(const Compiled& c, std::size_t most_points = kMostPoints);

  std::size_t points() const { return points_; }
  // The point whose ranges hold these numbers.
  std::size_t point(const Trail& trail) const;
  // Calls visit(point, most, least numbers of tiles) for all points, a larger tile before a smaller one.
  template <class Visit>
  void each(Visit&& visit) const;
  // The point with the next larger tile in dimension d; none: the point itself.
  std::size_t larger(std::size_t point, int d) const;
  // How far the point of tiles n times as large along d is from one with so many.
  std::size_t point_along(int d, u64 tiles) const { return index(d, tiles) * stride_[at(d)]; }

 private:
  std::size_t index(int d, u64 tiles) const;  // of the range that holds a number

  int dimension_count_;
  std::array<std::vector<u32>, kMaxDimensions> most_, least_;  // of each range, descending
  std::array<std::vector<u32>, kMaxDimensions> range_of_;      // [tiles], or of sizes too large: searched
  std::array<std::size_t, kMaxDimensions> stride_{};
  std::size_t points_ = 1;
};

// [level][dimension]: so many tiles of the level at most, if the loops outside it are to go through all of them.
using TilesOutside = std::array<std::array<u64, kMaxDimensions>, kMaxLevels>;

// What the loops of a mapspace may be, by their limits.
TilesOutside most_tiles_outside(const Mapspace& space);

class RestTable {
 public:
  RestTable(PartialCost& partial, const KeptFlows& costs, const TileRanges& ranges, const TilesOutside& most);

  // Where the tile of a level stands in the table, if it holds the present one and what fan-outs have yet to make of
  // it.
  std::size_t point(const KeptFlows& costs, const Trail& trail, const Reach& reach) const;
  // At least what all flows from boundaries outside `level` cost. Rest::kNone: nothing fits that leaves few enough
  // tiles.
  Rest operator()(int level, std::size_t point) const {
    if (at_level_.size() <= at(level) || at_level_[at(level)].empty()) return {};
    return at_level_[at(level)][point];
  }
  u64 bytes() const { return (at_level_.size() + twins_.size()) * ranges_.points() * sizeof(Rest); }
  // The same with twins (RestOutside), if there are any.
  Rest with_twins(int level, std::size_t point) const { return twins_[at(level)][point]; }

 private:
  const TileRanges& ranges_;
  std::vector<std::vector<Rest>> at_level_, twins_;  // [level][point]; of the outermost none
};

template <class Visit>
void TileRanges::each(Visit&& visit) const {
  std::array<u32, kMaxDimensions> most{}, least{};
  for (std::size_t p = points_; p-- > 0;) {
    for (int d = 0; d < dimension_count_; ++d) {
      const std::size_t k = p / stride_[at(d)] % most_[at(d)].size();
      most[at(d)] = most_[at(d)][k], least[at(d)] = least_[at(d)][k];
    }
    visit(p, most, least);
  }
}

}  // namespace heliolite
