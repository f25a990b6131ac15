#pragma once
// Cycles of a bound as a mapping's are: whole.
#include <algorithm>
#include <cmath>

namespace heliolite {

// What a sum of doubles of a bound, and the cost model's own, can be too large by: less than 1e-13 each
// (docs/rules/exact.md). Were it more, bounds of layers with 1e9 cycles would end below a mapping that reaches them.
inline constexpr double kCycleRounding = 1 - 2e-13;

// The least whole number that is not clearly below; at least 1.
inline double whole_cycles(double cycles) { return std::max(1.0, std::ceil(cycles * kCycleRounding)); }

}  // namespace heliolite
