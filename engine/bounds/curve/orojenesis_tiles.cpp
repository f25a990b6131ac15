#include "engine/bounds/curve/orojenesis_tiles.h"

#include "engine/space/divisors.h"

namespace heliolite {

std::vector<u64> tile_sizes(u64 size, TileSizes which) {
  if (which == TileSizes::Divisors) return divisors(size);
  std::vector<u64> sizes;
  for (u64 tile = 1;; ++tile) {
    sizes.push_back(tile);
    if (tile == size) return sizes;
    const u64 tiles = (size - 1) / tile + 1;
    if (which == TileSizes::Least) tile = (size - 1) / (tiles - 1);  // the last size with as many tiles
  }
}

}  // namespace heliolite
