#pragma once
// Strategy cosa: a mixed-integer program, solved once, says the mapping. docs/cosa.md.
#include <optional>
#include <string>

#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"
#include "engine/search/cosa/mip.h"

namespace heliolite {

// Variant convex of strategy cosa: programs of the cost model itself, each exact at the answers of those before it,
// until their bound and the best mapping found are close. docs/cosa.md.

// `start`: a mapping known, which the answer is not worse than.
LayerAnswer convex_search(const LayerProblem& problem, const std::optional<Mapping>& start, const SearchBudget& budget);

// The first program that it solves.
Mip first_convex_program(const LayerProblem& problem);

// The best mapping by the program of options.cosa.variant, priced by the cost model. Variant convex also gives a lower
// bound. `start`: a mapping to begin with; the answer is not worse than it by the program's own objective, if it is an
// answer of the program. Needs has_mip_solver() (mip.h).
LayerAnswer cosa_search(const LayerProblem& problem, const std::optional<Mapping>& start, const SearchBudget& budget);

// The program that cosa_search() solves first, as CPLEX LP text. Needs no solver.
std::string cosa_program_text(const LayerProblem& problem);

}  // namespace heliolite
