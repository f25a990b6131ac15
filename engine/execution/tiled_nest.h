#pragma once
// Tilings as loop nests.
#include <span>

#include "engine/bounds/tiling/iotile_parts.h"
#include "engine/execution/loop_nest.h"

namespace heliolite {

// The nest of a tiling for one cache: its parts one after the other, in each the loops over tiles (those that the
// tiling leaves open outermost, in the order of the dimensions), inside them the points of a tile. The tiling must be
// of this workload.
LoopNest tiled_nest(const Workload& workload, const PartTiling& tiling);

// The nest of a tiling for several caches, innermost first: level k of the loops is that of cache k - 1.
LoopNest tiled_nest(const Workload& workload, const TilingProblem& problem, std::span<const TiledLevel> tiling);

}  // namespace heliolite
