#pragma once
// The strategy `exact`: the optimum of the mapspace with its certificate, or under a budget the best so far with a
// proven gap. Proofs: docs/rules/exact.md.
#include <limits>

#include "engine/search/layer_problem.h"
#include "engine/search/search_budget.h"

namespace heliolite {

// Ways to keep tensors or to pass them by, where the machine leaves that open, that are looked at.
inline constexpr u64 kMostKeepChoices = 1 << 16;

// `incumbent`: what another strategy found, to start from; its evaluations are in the statistics, and not in the
// budget. Only mappings below `limit`, in units of objective_number(), are looked for: a complete answer that is not
// below it says that there is none. Perfect factors.
LayerAnswer exact_search(const LayerProblem& problem, const LayerAnswer& incumbent, const SearchBudget& budget,
                         double limit = std::numeric_limits<double>::infinity());

}  // namespace heliolite
