#pragma once
// Tiles of a sliding tensor that come whole (docs/rules/any_factors.md, item 4).
#include "engine/search/any/flows.h"

namespace heliolite {

// At least so many words cross in one pass through the tensor's dimensions, as every tile of the flow's boundary comes
// whole once: into the tiles, and requests that arrive at the outer level, those of units that ask for the same tile
// once. {0, 0}: not known, as neighbouring tiles may have words in common that stay where they are.
FlowTraffic whole_tiles(const KeptFlows& costs, const Flow& flow, const Trail& trail, const Reach& reach);

}  // namespace heliolite
