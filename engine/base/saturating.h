#pragma once
// Products that end at the largest number.
#include <limits>

#include "engine/base/types.h"

namespace heliolite {

// a * b, or the largest u64 when that does not fit.
inline u64 saturating_product(u64 a, u64 b) {
  constexpr u64 kMost = std::numeric_limits<u64>::max();
  const u128 product = u128{a} * b;
  return product > kMost ? kMost : static_cast<u64>(product);
}

}  // namespace heliolite
