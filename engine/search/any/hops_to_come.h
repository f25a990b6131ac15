#pragma once
// How far words go at least in the network of a fan-out whose loops are not placed yet, if it is known how many units
// it has along each dimension (docs/rules/any_factors.md, item 9).
#include <vector>

#include "engine/base/energy.h"
#include "engine/model/compiled.h"
#include "engine/search/any/remembered.h"

namespace heliolite {

// Remembers what it has been asked.
class HopsToCome {
 public:
  // Energy units of all tensors' words in the network below a level, each word's way once, where so many units stand
  // along each dimension and these dimensions may have loops along X and along Y.
  u128 least(const Compiled& c, int level, const Extents& units, DimensionMask x, DimensionMask y);

 private:
  Remembered<std::vector<u64>, u128> known_;
};

}  // namespace heliolite
