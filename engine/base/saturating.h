#pragma once
// Numbers that end at the largest one.
#include <limits>

#include "engine/base/types.h"

namespace heliolite {

// a * b, or the largest u64 when that does not fit.
inline u64 saturating_product(u64 a, u64 b) {
  constexpr u64 kMost = std::numeric_limits<u64>::max();
  const u128 product = u128{a} * b;
  return product > kMost ? kMost : static_cast<u64>(product);
}

// A number that is not negative without its fraction, or the largest u64 when that does not fit.
inline u64 saturated(double number) {
  constexpr double kBeyond = 18446744073709551616.0;  // 2^64
  return number >= kBeyond ? std::numeric_limits<u64>::max() : static_cast<u64>(number);
}

}  // namespace heliolite
