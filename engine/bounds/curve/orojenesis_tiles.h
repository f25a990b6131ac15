#pragma once
// The sizes of a tile along one dimension that can matter.
#include <vector>

#include "engine/base/types.h"

namespace heliolite {

// Which sizes are listed.
enum class TileSizes : u8 {
  Divisors,  // those that divide the size
  Least,     // the least size for every number of tiles, about 2 sqrt(size) of them: a larger one takes more room
  All,
};

// The sizes of tiles of a dimension of `size`, ascending, 1 and `size` included.
std::vector<u64> tile_sizes(u64 size, TileSizes which);

}  // namespace heliolite
