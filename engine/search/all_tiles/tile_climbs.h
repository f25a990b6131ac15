#pragma once
// Climbs over all tile sizes. Steps:
//  1. The starts: what is known; the same with other unrollings that fill the fan-outs; the least factors.
//  2. Each is climbed from: loop ends, loop orders, what is kept.
//  3. The best is disturbed and climbed from again, several times at once; then the best of what that gave, also if it
//     is a little worse; and so on until the budget is used up.
// What is known is among the candidates: the result is never worse.
#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"

namespace heliolite {

// Mappings that the search prices at most where the budget sets no limit.
inline constexpr u64 kClimbEvaluations = 200'000;

// How climbs share the evaluations.
enum class ClimbShares : u8 {
  Equal,    // those that can run at the same time get equal parts
  InOrder,  // one after the other, each as many as it takes: a smaller budget has the first of what a larger one has
};

// `known`: an answer, which may have found nothing. What is found is the same for any number of threads; its statistics
// are of these climbs alone.
LayerAnswer climb_tiles(const LayerProblem& problem, const LayerAnswer& known, const SearchBudget& budget,
                        ClimbShares shares = ClimbShares::Equal);

}  // namespace heliolite
