#pragma once
// Nested tiles against the capacities they must fit, and where searches for good ones begin.
#include <span>
#include <vector>

#include "engine/bounds/tiling/iotile_problem.h"

namespace heliolite {

struct CacheLevel {
  double capacity = 0;  // words
  double weight = 1;    // of a word moved across its outer boundary: 1 / bandwidth, or its energy
};

// [cache]: its tile, innermost first; no tile exceeds the next one out.
using NestedTiles = std::vector<Extents>;

// Which nested tiles fit the caches. Levels count caches, 0 is the innermost.
class TileRoom {
 public:
  TileRoom(const TilingProblem& problem, std::span<const CacheLevel> caches) : problem_(problem), caches_(caches) {}

  // From now on, along these dimensions, a box of a sliding tensor must have room for all of the next cache's tile.
  void hold(DimensionMask dimensions) { held_ = dimensions; }

  // Tiles of one iteration.
  NestedTiles units() const;
  // The largest extent of dimension d at `level`: that of the next cache's tile, or the size at the outermost cache.
  u32 most(const NestedTiles& tiles, std::size_t level, int d) const;
  // Whether the tile of one cache fits, and whether all do.
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

// Where a descent begins.
struct TileStart {
  NestedTiles tiles;
  DimensionMask fixed = 0;  // dimensions that are left alone at first
  DimensionMask held = 0;   // as TileRoom::hold()
};

// The starts for these caches; tiles of one iteration must fit.
std::vector<TileStart> tile_starts(const TilingProblem& problem, std::span<const CacheLevel> caches);

}  // namespace heliolite
