#include "engine/bounds/orojenesis_tiles.h"

#include "engine/space/divisors.h"

namespace heliolite {

std::vector<u32> tile_sizes(u32 size, TileSizes which) {
  std::vector<u32> sizes;
  if (which == TileSizes::Divisors) {
    for (const u64 d : divisors(size)) sizes.push_back(static_cast<u32>(d));
    return sizes;
  }
  for (u32 tile = 1;; ++tile) {
    sizes.push_back(tile);
    if (tile == size) return sizes;
    const u32 tiles = (size - 1) / tile + 1;
    if (which == TileSizes::Least) tile = (size - 1) / (tiles - 1);  // the last size with as many tiles
  }
}

}  // namespace heliolite
