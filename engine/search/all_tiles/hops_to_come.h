#pragma once
// How far words go at least in the network of a fan-out whose loops are not placed yet, if it is known how many units
// it has along each dimension (docs/rules/any_factors.md, item 9).
#include <array>
#include <vector>

#include "engine/base/types.h"
#include "engine/model/compiled.h"
#include "engine/search/all_tiles/tiles_of_rank.h"

namespace heliolite {

// What is known of the tiles of one dimension in a fan-out.
struct TilesInFanout {
  u64 units = 1;                // of the fan-out
  u64 inside = 1, outside = 1;  // units that the fan-outs further in and further out make
  u64 most_steps = ~u64{0};     // a unit takes so many along the dimension at most
  u64 part = 1;                 // the nominal tile is a multiple of this
};
using TilesInFanouts = std::array<TilesInFanout, kMaxDimensions>;

// Remembers what it has been asked.
class HopsToCome {
 public:
  // Energy units of all tensors' words in the network below a level, each word's way once, where these dimensions may
  // have loops along X and along Y.
  u128 least(const Compiled& c, int level, const TilesInFanouts& tiles, DimensionMask x, DimensionMask y);

 private:
  Remembered<std::vector<u64>, u128> known_;
};

}  // namespace heliolite
