#pragma once
// The limits of factors bound each other: what the machine says of one place leaves less to the others.
#include <algorithm>
#include <string>

#include "engine/base/result.h"
#include "engine/space/mapspace.h"

namespace heliolite {

// a * b, at most `cap`.
inline u64 product_up_to(u64 a, u64 b, u64 cap) { return a != 0 && b > cap / a ? cap : std::min(a * b, cap); }

// "K of workload 'conv' has size 64", for messages.
std::string dimension_text(const Mapspace& space, int dimension);

// Tightens the limits of every place to what the others leave, for perfect and imperfect factors alike, and the masks
// of the dimensions that may have a loop. Errors: dimensions that cannot be split at all; then nothing may be asked of
// the mapspace.
Diagnostics tighten(Mapspace& space);

}  // namespace heliolite
