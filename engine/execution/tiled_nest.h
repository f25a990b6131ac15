#pragma once
// Tilings as loop nests.
#include <span>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/bounds/tiling/iotile_search.h"
#include "engine/execution/loop_nest.h"
#include "engine/model/mapping.h"

namespace heliolite {

// The nest of a tiling for one cache: its parts one after the other, in each the loops over tiles (those that the
// tiling leaves open outermost, in the order of the dimensions), inside them the points of a tile. The tiling must be
// of this workload.
LoopNest tiled_nest(const Workload& workload, const PartTiling& tiling);

// The nest of a tiling for several caches, innermost first: level k of the loops is that of cache k - 1.
LoopNest tiled_nest(const Workload& workload, const TilingProblem& problem, std::span<const TiledLevel> tiling);

// Mappings as loop nests, and what each level of the machine moves when they are executed.

// The mapping's loops, outermost first: those of level k run inside the tile that level k keeps. Iterations that the
// machine runs side by side follow one another. Factors that do not divide end with a smaller box.
LoopNest mapped_nest(const Workload& workload, const Architecture& architecture, const Mapping& mapping);

// Words that came into all instances of a level from outside, and that left for it, of one tensor.
struct ExecutedTensor {
  int level = 0, tensor = 0;
  u64 fills = 0;   // words of the tiles that the instance did not have, outputs that are read back among them
  u64 drains = 0;  // words of an output's tiles as they leave, partial sums among them; 0 for inputs
};

// Why the mapping cannot be executed; empty if it can: at most a thousand million touches at all levels together, even
// tiles.
Diagnostics check_execution(const Workload& workload, const Mapping& mapping);

// Executes the mapping: each instance of each level holds, of every tensor that it keeps, the words that the present
// tile touches; those that it has already stay. By level, innermost first, and tensor; kept ones only.
std::vector<ExecutedTensor> execute_mapping(const Workload& workload, const Architecture& architecture,
                                            const Mapping& mapping);

}  // namespace heliolite
