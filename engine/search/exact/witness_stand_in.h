#pragma once
// What stands for a mapping where a rule of the exact search drops it: the other mappings that a witness becomes.
#include <vector>

#include "engine/search/exact/layered_pass.h"
#include "engine/search/exact/witness.h"

namespace heliolite {

// The mapping with the loops of a level in another order, which is as in FrontierNode (rule free-loops).
Mapping reordered(const Mapping& mapping, int level, u64 order);

// The orders, as in FrontierNode, in which the search tries the loops of the mapping at the stage's level, whatever
// they cost. `parent`: the node that the mapping came to in the stage before; `walk`: it has led the mapping through
// the level. Without rule free-loops: the mapping's own.
std::vector<u64> orders_tried(const LayerProblem& problem, const PassStage& stage, u32 parent, const Mapping& mapping,
                              const WitnessWalk& walk);

// The mapping with all that has room moved from its innermost loops of `level` (1 or more) into the level inside (rule
// push-in); the same mapping: nothing has.
Mapping all_moved_in(const FlowCosts& model, const Mapping& mapping, int level);

}  // namespace heliolite
