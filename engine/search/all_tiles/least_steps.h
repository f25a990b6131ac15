#pragma once
// The fewest steps that any unrolling leaves the compute units: over all unrollings that the fan-outs allow, the
// product over the dimensions of ceil(size / unrolled). Found by branch and bound over the axes and the dimensions
// allowed there (docs/rules/any_factors.md, item 7).
#include "engine/model/compiled.h"
#include "engine/space/mapspace.h"

namespace heliolite {

// At least MACs / units; just that where there are too many unrollings to look at.
u64 fewest_steps(const Compiled& c, const Mapspace& space);

}  // namespace heliolite
