#pragma once
// The search of the ablation: the thesis' steps on one layer, with the rules of a step on. Inside out, from one level
// with loops to the next:
//  1. Each unrolling of the fan-out between them (S1 from step `Spatial` on), each tile of the inner level in what it
//     leaves (T1 in step `Tiles`), with the cheapest orders: a candidate, priced by the ladder.
//  2. Candidates in ascending price, each continued outward, until the price is above the incumbent (A1).
//  3. At the last level the rest of all loops: a complete mapping.
#include <array>
#include <vector>

#include "engine/search/core/layer_problem.h"
#include "engine/search/study/ablation.h"
#include "engine/search/sunstone/ladder.h"

namespace heliolite {

// The levels with loops, innermost first, and the fan-out between each and the next.
struct AblationLevels {
  std::vector<int> level;
  std::vector<int> fanout;  // [k]: the level whose fan-out is between level[k] and level[k + 1]; -1: none
};

// Errors: two fan-outs that no loops separate, a fan-out inside all loops, an outermost level without loops.
Result<AblationLevels> ablation_levels(const Mapspace& space, const std::string& machine);

// The loop orders of each level that can matter (O1-O3); the empty one where there are no loops.
std::vector<std::vector<LoopOrder>> ablation_orders(const LayerProblem& problem);

// Searches the layer by the step row.step, which must be AlphaBeta or later, and fills in the rest of the row.
void ablation_search(const LayerProblem& problem, const AblationLevels& levels, AblationRow& row);

}  // namespace heliolite
