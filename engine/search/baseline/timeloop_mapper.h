#pragma once
// Timeloop's mappers `hybrid` and `random-pruned` (Parashar et al., ISPASS 2019; NVlabs/timeloop: HybridSearch,
// RandomPrunedSearch, MapperThread), as one of their threads runs. Steps:
//  1. Draw factors: each dimension's split over levels and fan-outs, uniformly.
//  2. Loop orders of the loops of more than one iteration, at all levels, the innermost too: `hybrid` takes all, one
//     after the other, the innermost level's first; `random-pruned` 16 that it draws.
//  3. Of each order every keep choice. If none fits its buffers, the factors are given up: orders do not change tiles.
// The end: victory, so many legal mappings in a row that are no better than the best; timeout, so many in a row that do
// not fit a fan-out or a buffer. Of a run of mappings that differ in what they keep alone, the first counts only.
//
// What is different: Timeloop draws what is unrolled and lists the ways to lay it along X and Y; both are drawn here.
// Its mapspace is shared out among threads, each with a victory and a timeout of its own.
#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"

namespace heliolite {

// How many orders random-pruned tries: they are drawn for the same factors (Timeloop's max-permutations-per-if-visit).
inline constexpr u64 kOrdersOfFactors = 16;
// Keep choices of one order at most; Timeloop has no such limit, and may take them for hours.
inline constexpr u64 kKeepChoices = 1 << 16;

// Both run on the calling thread, with perfect factors.
LayerAnswer random_pruned_search(const LayerProblem& problem, const SearchBudget& budget);
LayerAnswer hybrid_search(const LayerProblem& problem, const SearchBudget& budget);

}  // namespace heliolite
