#pragma once
// Nested tiles against the capacities they must fit, and where searches for good ones begin.
#include <span>
#include <vector>

#include "engine/base/integers.h"
#include "engine/bounds/tiling/iotile_orders.h"
#include "engine/bounds/tiling/iotile_problem.h"

namespace heliolite {

struct CacheLevel {
  double capacity = 0;  // words
  double weight = 1;    // of a word moved across its outer boundary: 1 / bandwidth, or its energy
};

using NestedTiles = std::vector<Extents>;  // by cache, innermost first; no tile exceeds the next one out

class TileRoom {
 public:
  TileRoom(const TilingProblem& problem, std::span<const CacheLevel> caches) : problem_(problem), caches_(caches) {}

  // Dimensions that sliding tensors must have room to hold whole in every box.
  void hold(DimensionMask dimensions) { held_ = dimensions; }

  NestedTiles units() const;
  // What the outer cache's tile leaves for dimension d: the size for the outermost cache.
  u32 most(const NestedTiles& tiles, std::size_t level, int d) const;
  bool fits(const NestedTiles& tiles, std::size_t level) const;
  bool fits(const NestedTiles& tiles) const;

  // Sets one extent; inner tiles shrink and outer tiles grow as they must.
  static void set(NestedTiles& tiles, std::size_t level, int d, u32 extent);
  // The largest extent of dimension d, up to the present one, with which the cache's tile fits, or the smallest that
  // has as few boxes; 0 when none does.
  u32 largest_fitting(NestedTiles tiles, std::size_t level, int d) const;
  // Multiplies the extents of some dimensions by 1 + 1 / `slowness` in turn, as long as there is room.
  NestedTiles grown(NestedTiles tiles, DimensionMask dimensions, u32 slowness) const;

 private:
  const TilingProblem& problem_;
  std::span<const CacheLevel> caches_;
  DimensionMask held_ = 0;
};

// Where a descent begins. At first some dimensions are left alone, and there must be room to hold others.
struct TileStart {
  NestedTiles tiles;
  DimensionMask fixed = 0;
  DimensionMask held = 0;
};

// Unit tiles must fit.
std::vector<TileStart> tile_starts(const TilingProblem& problem, std::span<const CacheLevel> caches);

}  // namespace heliolite
