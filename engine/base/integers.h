#pragma once
// Small integer operations that many files need.
#include <cstddef>

#include "engine/base/types.h"

namespace heliolite {

// An int that is never negative, as an index.
constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

// a / b, rounded up; a + b must not overflow.
constexpr u32 ceil_div(u32 a, u32 b) { return (a + b - 1) / b; }
constexpr u64 ceil_div(u64 a, u64 b) { return (a + b - 1) / b; }

// Whether element d is in the mask, and the mask of d alone.
constexpr bool contains(DimensionMask mask, int d) { return (mask >> d & 1) != 0; }
constexpr DimensionMask dimension_bit(int d) { return static_cast<DimensionMask>(1U << d); }

}  // namespace heliolite
