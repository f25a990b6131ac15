#pragma once
// The search over all tile sizes, in true counts, that every strategy runs after its perfect answer. Steps:
//  1. Climbs by changing tile sizes, from the perfect answer and from the smallest factors: never worse than the
//  former.
//  2. The best-first search over partial mappings (partial_search.h), for strategy exact: finds better ones, and proves
//     what no mapping of any tile sizes is below. Other strategies get the bound that it begins with.
//  3. Where bounds of whole mappings lie below their costs, the same without dominance.
#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"

namespace heliolite {

// Whole and partial mappings that the search prices at most where the budget sets no limit.
inline constexpr u64 kAnyEvaluations = 2'000'000;

// `perfect`: the answer with perfect factors, which may have found nothing. The workload must have true counts. The
// answer is the same for any number of threads; its statistics are of this search alone.
LayerAnswer any_search(const LayerProblem& problem, const LayerAnswer& perfect, const SearchBudget& budget);

}  // namespace heliolite
