#pragma once
// The best known tiling of a workload for one or several caches: integer tiles and loop orders by local search from
// many starts. An upper bound of what has to move; the lower bounds say how far it can be from the optimum.
#include <optional>
#include <span>

#include "engine/bounds/tiling/iotile_cost.h"
#include "engine/bounds/tiling/iotile_room.h"

namespace heliolite {

// The tiling with the least sum of weighted words that was found. `caches`: innermost first, capacities ascending.
// Nothing if a single iteration does not fit. Deterministic.
std::optional<CacheTiling> best_tiling(const TilingProblem& problem, std::span<const CacheLevel> caches);

// The best tile for one cache of `capacity` words.
std::optional<TiledLevel> best_tile(const TilingProblem& problem, double capacity);

// The best tiling for one cache that is found from `start` alone, a tile that fits.
TiledLevel tile_from(const TilingProblem& problem, double capacity, const Extents& start);

}  // namespace heliolite
