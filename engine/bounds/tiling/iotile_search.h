#pragma once
// The best known tiling of a workload for one or several caches: integer tiles and loop orders by local search from
// many starts. An upper bound of what has to move; the lower bounds say how far it can be from the optimum.
#include <optional>
#include <span>
#include <vector>

#include "engine/bounds/tiling/iotile_problem.h"

namespace heliolite {

// Nested tiles against the capacities they must fit, and where searches for good ones begin.

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

// The tiling with the least sum of weighted words that was found. `caches`: innermost first, capacities ascending.
// Nothing if a single iteration does not fit. Deterministic.
std::optional<CacheTiling> best_tiling(const TilingProblem& problem, std::span<const CacheLevel> caches);

// The best tile for one cache of `capacity` words.
std::optional<TiledLevel> best_tile(const TilingProblem& problem, double capacity);

// The best tiling for one cache that is found from `start` alone, a tile that fits.
TiledLevel tile_from(const TilingProblem& problem, double capacity, const Extents& start);

// Tilings for one cache whose tiles need not be alike: the iterations fall into parts, cut along one dimension after
// the other and executed one after the other, and each part has tiles and loop orders of its own. So the last tiles
// along a dimension, which are smaller, can be larger along the others. Also tilings of the lifted problem are looked
// at. Model: docs/rules/bounds_tilings.md.

// A part of the iterations as a problem of its own, and its tiling.
struct TilingPart {
  TilingProblem problem;
  TiledLevel level;
  Extents origin{};  // [dimension]: where it begins in the whole problem
};

// The parts in the order of their execution; never none.
struct PartTiling {
  std::vector<TilingPart> parts;

  double words() const;      // moved by all of them
  double footprint() const;  // words held at a time
};

// The iterations of the problem that lie in `extent` values of dimension d, as a problem of its own; if `later`, sums
// of those before are there to be read. Nothing where a part is no box of the same kind: a dimension taken apart, or
// an output that slides along d.
std::optional<TilingProblem> part_of(const TilingProblem& problem, int d, u32 extent, bool later);

// The tiling that moves the fewest words of those found. Nothing if a single iteration does not fit. Deterministic.
std::optional<PartTiling> best_parts(const Workload& workload, double capacity, TrafficRule rule = {},
                                     std::span<const double> word_sizes = {});
std::optional<PartTiling> best_parts(const TilingProblem& problem, double capacity);

}  // namespace heliolite
