#pragma once
// The best known tiling of a workload for one or several caches: integer tiles and loop orders by local search from
// many starts. An upper bound of what has to move; the lower bounds say how far it can be from the optimum.
#include <optional>
#include <span>

#include "engine/bounds/tiling/iotile_cost.h"
#include "engine/bounds/tiling/iotile_room.h"

namespace heliolite {

// Innermost cache first, capacities ascending. The sum of weighted words is minimised. Nothing when a single iteration
// does not fit. The same answer every time.
std::optional<CacheTiling> best_tiling(const TilingProblem& problem, std::span<const CacheLevel> caches);

// Of one cache.
std::optional<TiledLevel> best_tile(const TilingProblem& problem, double capacity);

}  // namespace heliolite
