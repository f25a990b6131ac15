#pragma once
// Cycles of a bound as a mapping's are: whole.
#include <algorithm>
#include <cmath>

namespace heliolite {

// The least whole number that is not clearly below; at least 1. Sums of doubles may be too large by a few roundings.
inline double whole_cycles(double cycles) { return std::max(1.0, std::ceil(cycles * (1 - 1e-9))); }

}  // namespace heliolite
