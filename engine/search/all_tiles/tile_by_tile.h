#pragma once
// Words of a sliding tensor, tile by tile (docs/rules/any_factors.md, item 4).
#include "engine/search/all_tiles/flows.h"

namespace heliolite {

// At least so many words cross in one pass through the tensor's dimensions, as every tile of the flow's boundary comes
// once, less what the one before may have left of it: into the tiles, and requests that arrive at the outer level,
// those of units that ask for the same tile once. {0, 0}: not known.
FlowTraffic tile_by_tile(const KeptFlows& costs, const Flow& flow, const Trail& trail, const Reach& reach);

}  // namespace heliolite
