#pragma once
// Words of a sliding tensor that units hold, each its own (docs/rules/any_factors.md, item 4).
#include "engine/search/any/flows.h"

namespace heliolite {

struct HeldWords {
  FlowTraffic all;
  std::array<u64, kMaxRanks> along{};  // of each rank of two dimensions: what the placed units hold, at least
};

// At least so many words cross in one pass through the tensor's dimensions: into the tiles of a flow, what each of the
// units that are placed, or that the unrolling asks for, touches; and requests that arrive at the outer level, those of
// units that ask for the same tiles once. Never less than the tensor's different words.
HeldWords held_by_units(const KeptFlows& costs, const Flow& flow, const Trail& trail, const Reach& reach,
                        const UnitsAlong& along);

}  // namespace heliolite
