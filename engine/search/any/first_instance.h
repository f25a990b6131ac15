#pragma once
// What the first instance of a level is asked for: it has the most to do, as all its tiles are full
// (docs/rules/any_factors.md, item 7).
#include "engine/search/any/flows.h"

namespace heliolite {

// Whether requests of the compute units are all that a flow is, of a tensor without sliding ranks.
bool is_asked_by_units(const Flow& flow);

// [dimension]: how often the first instance of `flow.outer` is asked, by the loops that are placed.
std::array<TrailCells, kMaxDimensions> asked_of_first_instance(const Flow& flow, const Trail& trail);

// Requests that arrive there at least.
u64 words_of_first_instance(const KeptFlows& costs, const Flow& flow, const Trail& trail, const Reach& reach);

}  // namespace heliolite
