#include "engine/search/any/still_units.h"

#include <algorithm>

namespace heliolite {

// u units of B tiles, each of t elements. If they are more than half of them, there is one group of iterations, and
// 2 u - B units are alone in the second: 2 u t - size elements at most, with u t < size. Else u units at most are alone
// in the last group, of two groups or more.
u64 most_that_stay(u64 size, u64 tiles, u64 more, u64 most, u64 widest) {
  if (tiles + more < 2) return 0;
  const u64 least = std::max<u64>(tiles, 2), tile = std::min(widest, (size - 1) / (least - 1));
  if (least > 2 * most) return most * tile;
  const u64 twice = 2 * std::min(most * tile, size - 1);
  return std::max(twice > size ? twice - size : 0, std::min(most * tile, (size - 1) / 2));
}

// u of u + 1 tiles leave most: u - 1 of them, of less than size / u elements.
u64 most_left_by_units(u64 size, u64 units) { return (units - 1) * (size - 1) / units; }

}  // namespace heliolite
