#pragma once
// The strategies that go level by level, each on one layer, over all keep choices.
#include "engine/search/core/layer_problem.h"
#include "engine/search/sunstone/level_problem.h"

namespace heliolite {

// Evaluations of disturbances: what is left of the usual number, and no fewer than the least.
struct KickBudget {
  u64 usual, least;
};
inline constexpr KickBudget kKicksAlone{8'000, 2'500};
inline constexpr KickBudget kBeforePasses{5'000, 1'000};  // what these would find, wider passes find too

// The strategy `sunstone`: the best of the growing beam (sunstone.h) and, from there, of the thesis' search, with
// climbs (refine.h) from both.
LayerAnswer sunstone_search(const LevelProblem& levels, const SearchBudget& budget, const KickBudget& kicks);

// The strategy `thesis` (thesis_search.h).
LayerAnswer thesis_search(const LevelProblem& levels, const SearchBudget& budget);

}  // namespace heliolite
