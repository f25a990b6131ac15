#pragma once
// Which tensors link transfers may touch, in some mapping of a mapspace (docs/rules/link_transfers.md).
#include "engine/model/compiled.h"
#include "engine/space/mapspace.h"

namespace heliolite {

// Tensors of which some mapping takes words over links at the fan-out below the level.
TensorMask linkable_tensors(const Mapspace& space, const Compiled& compiled, int level);

// Whether link transfers can change the cost of any mapping.
bool links_matter(const Mapspace& space, const Compiled& compiled);

// Whether the bounds of strategy exact hold with them: not where compute units share the innermost level, nor for an
// output that crosses in both directions below a DRAM whose network has a price.
bool links_searched(const Mapspace& space, const Compiled& compiled);

}  // namespace heliolite
