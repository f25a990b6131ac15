#pragma once
// Narrow passes of the exact search: what its bounds find quickly (docs/rules/search.md).
#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"

namespace heliolite {

// The better of `start`, an answer with a mapping, and what passes over the levels find below it that keep few partial
// mappings after each, then more, until what is left out is not much better. `start` itself where little can be
// gained, or where the tables of the bounds would take much longer than the search before. The statistics returned
// include those of `start`, the budget does not.
LayerAnswer narrow_search(const LayerProblem& problem, const LayerAnswer& start, const SearchBudget& budget);

// Whether it gets to its end soon: the layer has few tiles, and few sets of servers.
bool narrow_search_is_quick(const LayerProblem& problem);

}  // namespace heliolite
