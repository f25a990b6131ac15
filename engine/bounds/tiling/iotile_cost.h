#pragma once
// What a tiling moves across the outer boundary of each cache, in closed form. Formulas: docs/rules/bounds_tilings.md.
#include <span>
#include <vector>

#include "engine/base/integers.h"
#include "engine/bounds/tiling/iotile_problem.h"

namespace heliolite {

// The tiles of one cache inside those of the next one out, with the order of its loops.
struct TiledLevel {
  Extents tile{};
  TileOrder order;
  double words = 0;      // moved between this cache and what is outside, over the whole execution
  double footprint = 0;  // words held
};

using CacheTiling = std::vector<TiledLevel>;  // innermost cache first

// All boxes of a cache along one dimension: the extents that occur and how many boxes have each.
class TileExtents {
 public:
  struct Entry {
    double extent, count;
  };

  TileExtents() = default;  // no boxes
  // One box of the whole dimension.
  static TileExtents whole(double size) { return TileExtents({size, 1}); }
  // Every box cut into boxes of extent `tile`.
  TileExtents cut(double tile, Trips trips) const;
  void cut(double tile, Trips trips, TileExtents& out) const;  // into other extents, which it replaces

  const Entry* begin() const { return entries_.data(); }
  const Entry* end() const { return entries_.data() + count_; }
  double boxes() const;
  double largest() const { return entries_[0].extent; }

 private:
  explicit TileExtents(Entry entry) : count_(1) { entries_[0] = entry; }
  void add(Entry entry);

  std::array<Entry, kMaxLevels + 1> entries_;  // the largest first; unset beyond count_
  std::size_t count_ = 0;
};

// [dimension]: the boxes of a cache along it.
using TileGrid = std::array<TileExtents, kMaxDimensions>;

// One box of the whole problem, and the boxes of `outer` cut into boxes of `tile`.
TileGrid whole_grid(const TilingProblem& problem);
TileGrid cut_grid(const TilingProblem& problem, const TileGrid& outer, const Extents& tile);

// The dimensions along which some box of `outer` holds more than one box of `tile`.
DimensionMask looping(const TilingProblem& problem, const TileGrid& outer, const Extents& tile);

// Words between a cache with boxes of `tile` in the boxes of `outer` and what lies outside.
class LevelTraffic {
 public:
  LevelTraffic(const TilingProblem& problem, const TileGrid& outer, const Extents& tile);

  // Words moved over the whole execution, and words held at a time, with this loop order.
  double words(const TileOrder& order) const;
  double footprint(const TileOrder& order) const;
  // The boxes of the cache.
  const TileGrid& grid() const { return inner_; }

 private:
  double fetched(const TiledTensor& tensor, double at_rest, const TileReuse& reuse) const;
  double rank_sum(const TiledTensor::TiledRank& rank, const TileReuse& reuse) const;
  double lifted_sum(const TiledTensor::TiledRank& rank, const TileReuse& reuse) const;
  bool as_interval(const TiledTensor::TiledRank& rank, const TileReuse& reuse) const;
  // What a box covers of the dimension.
  const TileExtents& along(int d, const TileReuse& reuse) const {
    return contains(reuse.held, d) ? outer_[d] : inner_[d];
  }

  const TilingProblem& problem_;
  const TileGrid& outer_;
  const Extents& tile_;
  TileGrid inner_;
  std::array<double, kMaxDimensions> outer_boxes_{}, inner_boxes_{};  // along each dimension
  std::array<double, kMaxTensors> box_sum_{};  // words of each tensor's boxes along the dimensions that move it
};

// Fills in words and footprints of all levels; every tile must fit in the next one out.
void price(const TilingProblem& problem, CacheTiling& tiling);

}  // namespace heliolite
