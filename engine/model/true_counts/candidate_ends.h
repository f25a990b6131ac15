#pragma once
// Which factors a temporal loop need have when all tile sizes are allowed (docs/rules/true_counts.md, "Candidates").
#include <vector>

#include "engine/base/types.h"

namespace heliolite {

// A temporal loop over one dimension, to be placed around tiles that are there.
struct PlacedLoop {
  u32 tiles = 1;                 // ceil(size / tile inside): what the loop and those outside it go through
  bool tile_divides = true;      // the tile inside divides the size
  bool spatial_inside = false;   // a spatial loop over the dimension lies inside
  bool spatial_outside = false;  // one lies, or may come, outside
};

// Ascending factors such that for any mapping of a workload without sliding ranks, with any factor here, one of these
// in its place, and the loops outside as they are, costs no more: no count, no cycle and no tile is larger.
inline std::vector<u32> candidate_ends(const PlacedLoop& loop) {
  std::vector<u32> out;
  for (u32 end = 1; end <= loop.tiles;) {
    const u32 groups = (loop.tiles - 1) / end + 1;
    const u32 largest = groups == 1 ? loop.tiles : (loop.tiles - 1) / (groups - 1);  // with as many groups
    out.push_back(end);
    for (u32 other = loop.spatial_outside ? end + 1
                     : largest > end + 1  ? largest - 1
                                          : end + 1;
         other <= largest; ++other) {
      const u32 last = loop.tiles - (groups - 1) * other;
      const bool lone = last == 1, pair = last == 2 && loop.spatial_inside && !loop.tile_divides;
      if (loop.spatial_outside || lone || pair) out.push_back(other);
    }
    end = largest + 1;
  }
  return out;
}

}  // namespace heliolite
