#pragma once
// What the flows outside a level cost at least, over all tiles that its tile can grow into. Proof:
// docs/rules/any_factors.md.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/integers.h"
#include "engine/search/all_tiles/flows.h"
#include "engine/search/all_tiles/trail.h"

namespace heliolite {

class PartialCost;

// Cycles that the outermost level's bandwidths need: for reads, for writes, and for both together where they share one.
struct PortCycles {
  std::array<double, 3> of{};

  PortCycles& operator+=(const PortCycles& other) {
    for (std::size_t k = 0; k < of.size(); ++k) of[k] += other.of[k];
    return *this;
  }
  // The less of both, port by port.
  void lower_to(const PortCycles& other) {
    for (std::size_t k = 0; k < of.size(); ++k) of[k] = std::min(of[k], other.of[k]);
  }
};

// What flows into later boundaries cost at least.
struct Rest {
  static constexpr u128 kNone = ~u128{0};

  u128 energy = 0;  // units; kNone: there are no such flows, as no mapping is left
  PortCycles ports;

  // Cycles of any mapping with such flows, at least.
  u64 cycles() const { return saturated(std::ceil(std::ranges::max(ports.of))); }
  void raise_to(const Rest& other) {
    energy = std::max(energy, other.energy);
    for (std::size_t k = 0; k < ports.of.size(); ++k) ports.of[k] = std::max(ports.of[k], other.ports.of[k]);
  }
};
// `all`: of all flows into later boundaries. `with_proxies`: without what flows that pass a level ask of their outer
// ones, but with what all proxies do.
struct RestOutside {
  Rest all, with_proxies;

  // Hops to come, too.
  void add_energy(u128 units) {
    for (Rest* rest : {&all, &with_proxies})
      if (rest->energy != Rest::kNone) rest->energy += units;
  }
};

// Tables by numbers of tiles: the numbers of each dimension in ranges, and where other tables' points stand in them.

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
class PointMap {
 public:
  // Points of the same numbers of tiles among other ranges.
  static PointMap in(const TileRanges& others, const TileRanges& ranges, const Compiled& c);
  // Points of the tiles that the units leave which the fan-out below a level is known to make.
  static PointMap left_by_units(const KeptFlows& costs, int level, const TileRanges& ranges);

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

// What the loops of a mapspace may be, by their limits.
struct LoopLimits {
  // [level][dimension]: the most tiles of the level, if the loops outside it are to go through all of them.
  std::array<std::array<u64, kMaxDimensions>, kMaxLevels> most_tiles;
  // [level]: dimensions that the level or the fan-out below it may loop over.
  std::array<DimensionMask, kMaxLevels> looped;
};
LoopLimits loop_limits(const Mapspace& space);

// How many tiles of all levels tables with these ranges look at.
u64 tiles_looked_at(const KeptFlows& costs, const TileRanges& ranges, const LoopLimits& limits);

// What the flows of each boundary by itself cost at least, of all unrollings together.
class BoundaryTable {
 public:
  BoundaryTable(PartialCost& partial, const KeptFlows& costs, const TileRanges& ranges, const LoopLimits& limits);

  // What the flows into tiles of the level outside `level` cost, at a point of ranges(); Rest::kNone: none fits.
  const RestOutside& operator()(int level, std::size_t point) const { return at_level_[level][point]; }
  const TileRanges& ranges() const { return ranges_; }
  u64 bytes() const { return at_level_.size() * ranges_.points() * sizeof(RestOutside); }

 private:
  const TileRanges& ranges_;
  std::vector<std::vector<RestOutside>> at_level_;  // [level][point]; of the outermost none
};

// What is known before tables are made, so that few of their tiles need be looked at.
struct KnownBefore {
  const BoundaryTable& boundaries;  // with the same ranges, or with ranges of which these are parts
  // Whether mappings may be of use whose flows into boundaries outside a level cost this at least.
  std::function<bool(int level, const Rest& outside)> can_improve;
  // Whether nobody wants the tables any more: what they say then means nothing.
  std::function<bool()> over = {};
};

// Whether a table is to answer further_out(), too.
enum class FurtherOut : u8 { No, Yes };

class RestTable {
 public:
  // With `known`: of mappings that can improve on the incumbent.
  RestTable(PartialCost& partial, const KeptFlows& costs, const TileRanges& ranges, const LoopLimits& limits,
            const KnownBefore* known = nullptr, FurtherOut further_out = FurtherOut::No);

  // Where the tile of a level stands in the table, if it holds the present one and what fan-outs have yet to make of
  // it.
  std::size_t point(const KeptFlows& costs, const Trail& trail, const Reach& reach) const;
  // What all flows from boundaries outside `level` cost, one further out than the present level, if it holds what all
  // fan-outs up to its own make of the present tile. Only if that was to be answered.
  RestOutside further_out(const KeptFlows& costs, const Trail& trail, const Reach& reach, int level) const;
  // At least what all flows from boundaries outside `level` cost. Rest::kNone: nothing fits that leaves few enough
  // tiles.
  Rest operator()(int level, std::size_t point) const {
    if (at_level_.size() <= at(level) || at_level_[level].empty()) return {};
    return at_level_[level][point];
  }
  u64 bytes() const {
    return (at_level_.size() + proxies_.size() + grown_.size() + grown_proxies_.size()) * ranges_.points() *
           sizeof(Rest);
  }
  // What they cost with proxies (RestOutside), if there are any.
  Rest with_proxies(int level, std::size_t point) const { return proxies_[level][point]; }

 private:
  std::vector<Rest> grown(std::vector<Rest> table) const;

  const TileRanges& ranges_;
  std::vector<std::vector<Rest>> at_level_, proxies_;     // [level][point]; of the outermost none
  std::vector<std::vector<Rest>> grown_, grown_proxies_;  // the same if levels inside have loops yet, too
};

}  // namespace heliolite
