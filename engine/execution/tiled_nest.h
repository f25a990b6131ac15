#pragma once
// Tilings as users write them, and as loop nests.
#include <span>
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/field_reader.h"
#include "engine/base/result.h"
#include "engine/bounds/tiling/iotile_problem.h"
#include "engine/bounds/tiling/iotile_search.h"
#include "engine/execution/loop_nest.h"
#include "engine/model/mapping.h"

namespace heliolite {

// Tilings as users write them, in a file or on the command line.

// The fields of tiling files (docs/execution.md), map by map.

const FieldTable& tiling_file_fields();  // the document
const FieldTable& tiling_fields();
const FieldTable& tile_fields();

// The tile of one cache.
struct NamedTile {
  std::vector<u32> extent;  // [dimension of the workload]: 1 to its size, not more than in the next cache out
  std::vector<u8> loops;    // dimensions of the loops over these tiles, outermost first; others stand outside
};

struct NamedTiling {
  std::vector<NamedTile> tiles;  // innermost cache first; empty: no tiles
  std::vector<u8> points;        // loops inside the innermost tile, outermost first; others stand outside of these
};

// Reads a file
//   tiling:
//     caches:                        # innermost first
//       - tile: {M: 31, N: 31}       # dimensions that are not named: the whole extent
//         loops: [M, N, K]           # over these tiles, outermost first
//     points: [K, M, N]              # inside the innermost tile
// Errors: as of all files, unknown or repeated dimensions, extents out of range or larger than the next tile out.
Result<NamedTiling> load_named_tiling(const std::string& path, const Workload& workload);

// A tiling for one cache from texts: tile "M=31,N=31", loops and points "M,N,K" or empty. Errors name the options.
Result<NamedTiling> parse_named_tiling(const std::string& tile, const std::string& loops, const std::string& points,
                                       const Workload& workload);

// The nest, level k of its loops being those over the tiles of cache k - 1.
LoopNest tiled_nest(const Workload& workload, const NamedTiling& tiling);

// What the tiles move and hold by the model of tilings (docs/rules/bounds_tilings.md), innermost cache first.
CacheTiling priced(const Workload& workload, const NamedTiling& tiling, TrafficRule rule);

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
