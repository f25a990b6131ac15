#pragma once
// Temporal loops over dimensions that index every tensor stand at the outermost level only (rule batch-outermost; for
// true counts docs/rules/any_factors.md, Batches).
#include "engine/model/compiled.h"
#include "engine/space/mapspace.h"

namespace heliolite {

// Takes them away from all other levels, where no mapping becomes dearer by that. Returns the dimensions whose loops
// are meant.
DimensionMask keep_batches_outermost(Mapspace& space, const Compiled& c);

}  // namespace heliolite
