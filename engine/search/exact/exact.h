#pragma once
// The strategy `exact`: the optimum of the mapspace with its certificate, or under a budget the best so far with a
// proven gap. Proofs: docs/rules/exact.md.
#include <limits>

#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"

namespace heliolite {

// Searches all mappings with perfect factors. `incumbent`: the answer of another strategy, from which the search
// starts; the statistics returned include its evaluations, the budget does not. Only mappings below `limit`, in units
// of objective_number(), are looked for: a complete answer that is not below it proves that there is none.
LayerAnswer exact_search(const LayerProblem& problem, const LayerAnswer& incumbent, const SearchBudget& budget,
                         double limit = std::numeric_limits<double>::infinity());

}  // namespace heliolite
