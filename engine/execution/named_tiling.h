#pragma once
// Tilings as users write them, in a file or on the command line.
#include <string>
#include <vector>

#include "engine/base/field_reader.h"
#include "engine/bounds/tiling/iotile_problem.h"
#include "engine/execution/loop_nest.h"

namespace heliolite {

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

}  // namespace heliolite
