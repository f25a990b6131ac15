#pragma once
// The sizes of a tile along one dimension that can matter.
#include <vector>

#include "engine/base/types.h"

namespace heliolite {

// Ascending, 1 and `size` included: the divisors; or, with `imperfect`, the least sizes for every number of tiles,
// about 2 sqrt(size) of them. A larger tile with as many tiles takes more room for the same accesses.
std::vector<u32> tile_sizes(u32 size, bool imperfect);

}  // namespace heliolite
