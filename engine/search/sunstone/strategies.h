#pragma once
// The strategies that go level by level, each on one layer, over all keep choices.
#include "engine/search/core/layer_problem.h"
#include "engine/search/sunstone/level_problem.h"

namespace heliolite {

// The strategy `sunstone`: the best of the growing beam (sunstone.h) and, from there, of the thesis' search, with
// climbs (refine.h) from both.
LayerAnswer sunstone_search(const LevelProblem& levels, const SearchBudget& budget);

// The strategy `thesis` (thesis_search.h).
LayerAnswer thesis_search(const LevelProblem& levels, const SearchBudget& budget);

}  // namespace heliolite
