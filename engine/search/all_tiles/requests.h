#pragma once
// How many words of a sliding tensor the compute units ask for (docs/rules/any_factors.md, item 2): units that stand
// apart along two dimensions of a rank meet at some of them.
#include "engine/model/true_counts/asked_words.h"
#include "engine/search/all_tiles/flows.h"

namespace heliolite {

// [level][dimension]: units that stand in the fan-outs between a flow's tile and its outer level. What each works on
// inside is counted from loop `first` of the trail on.
using UnitRows = std::array<std::array<UnitRow, kMaxDimensions>, kMaxLevels>;
UnitRows unit_rows(const Flow& flow, const Trail& trail, int first);

// Words that leave the fan-outs up to the level `flow.outer` in one pass through all tiles of the tensor's dimensions,
// for a flow of a sliding tensor to the compute units.
struct Requests {
  u64 placed;    // with the units that stand already; exact if those of each rank meet in one fan-out at most
  u64 at_least;  // whatever fan-outs to come do along the tensor's dimensions
};
Requests requests(const KeptFlows& costs, const Flow& flow, const Trail& trail, const Reach& reach);

// Units at most that ask for one word together, or for one tile, and that stand apart along the tensor's dimensions.
u64 units_that_meet(const KeptFlows& costs, const Flow& flow, const Trail& trail, const Reach& reach);

}  // namespace heliolite
