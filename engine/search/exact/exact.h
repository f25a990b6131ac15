#pragma once
// The strategy `exact`: the optimum of the mapspace with its certificate, or under a budget the best so far with a
// proven gap. Proofs: docs/rules/exact.md.
#include <limits>

#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"

namespace heliolite {

// `incumbent`: what another strategy found, to start from; its evaluations are in the statistics, and not in the
// budget. Only mappings below `limit`, in units of objective_number(), are looked for: a complete answer that is not
// below it says that there is none. Perfect factors.
LayerAnswer exact_search(const LayerProblem& problem, const LayerAnswer& incumbent, const SearchBudget& budget,
                         double limit = std::numeric_limits<double>::infinity());

}  // namespace heliolite
