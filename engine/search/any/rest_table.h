#pragma once
// What the flows outside a level cost at least, over all tiles that its tile can grow into. Proof:
// docs/rules/any_factors.md.
#include <array>
#include <functional>
#include <vector>

#include "engine/search/any/partial_cost.h"

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
  std::size_t point(std::span<const u32> tiles) const {
    return point_of([&](int d) { return tiles[at(d)]; });
  }
  // The same of tiles(d) along each dimension.
  template <class Tiles>
  std::size_t point_of(Tiles&& tiles) const {
    std::size_t out = 0;
    for (int d = 0; d < dimension_count_; ++d) out += point_along(d, tiles(d));
    return out;
  }
  // Calls visit(point, most, least numbers of tiles) for all points, a larger tile before a smaller one.
  template <class Visit>
  void each(Visit&& visit) const;
  // Calls visit(point) for those with the next larger tile in one dimension, of a point that each() visits.
  template <class Visit>
  void each_larger(std::size_t point, const std::array<u32, kMaxDimensions>& least, Visit&& visit) const {
    for (int d = 0; d < dimension_count_; ++d)
      if (least[at(d)] != least_[at(d)].back()) visit(point + stride_[at(d)]);
  }
  // How far the point of tiles n times as large along d is from one with so many.
  std::size_t point_along(int d, u64 tiles) const { return index(d, tiles) * stride_[at(d)]; }

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

// [level][dimension]: so many tiles of the level at most, if the loops outside it are to go through all of them.
using TilesOutside = std::array<std::array<u64, kMaxDimensions>, kMaxLevels>;

// What the loops of a mapspace may be, by their limits.
TilesOutside most_tiles_outside(const Mapspace& space);

// How many tiles of all levels tables with these ranges look at.
u64 tiles_looked_at(const KeptFlows& costs, const TileRanges& ranges, const TilesOutside& most);

// What the flows of each boundary by itself cost at least, of all unrollings together.
class BoundaryTable {
 public:
  BoundaryTable(PartialCost& partial, const KeptFlows& costs, const TileRanges& ranges, const TilesOutside& most);

  // Of those into tiles of the level outside `level`, so many tiles of which there are; Rest::kNone: none fits.
  const RestOutside& operator()(int level, std::span<const u32> tiles) const {
    return at_level_[at(level)][ranges_.point(tiles)];
  }
  u64 bytes() const { return at_level_.size() * ranges_.points() * sizeof(RestOutside); }

 private:
  const TileRanges& ranges_;
  std::vector<std::vector<RestOutside>> at_level_;  // [level][point]; of the outermost none
};

// What is known before tables are made, so that few of their tiles need be looked at.
struct KnownBefore {
  const BoundaryTable& boundaries;  // with the same ranges, or with ranges of which these are parts
  // Whether mappings may be of use whose flows into boundaries outside a level cost so much at least.
  std::function<bool(int level, const Rest& outside)> worth;
};

class RestTable {
 public:
  // With `known`: of mappings that are worth it.
  RestTable(PartialCost& partial, const KeptFlows& costs, const TileRanges& ranges, const TilesOutside& most,
            const KnownBefore* known = nullptr);

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
  RestOutside at_point(int level, std::size_t point) const;

  const TileRanges& ranges_;
  std::vector<std::vector<Rest>> at_level_, twins_;  // [level][point]; of the outermost none
};

template <class Visit>
void TileRanges::each(Visit&& visit) const {
  std::array<std::size_t, kMaxDimensions> range{};
  std::array<u32, kMaxDimensions> most{}, least{};
  const auto set = [&](int d, std::size_t k) {
    range[at(d)] = k;
    most[at(d)] = most_[at(d)][k], least[at(d)] = least_[at(d)][k];
  };
  for (int d = 0; d < dimension_count_; ++d) set(d, most_[at(d)].size() - 1);
  for (std::size_t p = points_; p-- > 0;) {
    visit(p, most, least);
    int d = 0;
    for (; d < dimension_count_ && range[at(d)] == 0; ++d) set(d, most_[at(d)].size() - 1);
    if (d < dimension_count_) set(d, range[at(d)] - 1);
  }
}

}  // namespace heliolite
