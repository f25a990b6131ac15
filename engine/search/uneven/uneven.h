#pragma once
// The search of uneven mappings: `exact` on the stacked machine of each order of the stores (docs/rules/uneven.md).
#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"

namespace heliolite {

// The best uneven mapping with perfect factors, never worse than `even`, the answer with one tile for each level; the
// statistics returned include its evaluations, the budget does not.
LayerAnswer uneven_search(const LayerProblem& problem, const LayerAnswer& even, const SearchBudget& budget);

}  // namespace heliolite
