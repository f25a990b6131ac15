#pragma once
// Variant convex of strategy cosa: programs of the cost model itself, each exact at the answers of those before it,
// until their bound and the best mapping found are close. docs/cosa.md.
#include <optional>

#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"
#include "engine/search/cosa/mip.h"

namespace heliolite {

// `start`: a mapping known, which the answer is not worse than.
LayerAnswer convex_search(const LayerProblem& problem, const std::optional<Mapping>& start, const SearchBudget& budget);

// The first program that it solves.
Mip first_convex_program(const LayerProblem& problem);

}  // namespace heliolite
