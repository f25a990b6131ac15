#pragma once
// The strategies that go level by level, each on one layer, over all keep choices.
#include <vector>

#include "engine/search/core/layer_problem.h"
#include "engine/search/sunstone/level_problem.h"

namespace heliolite {

// How much a search climbs.
struct ClimbEffort {
  std::size_t first_steps;  // candidates of the beam that take the first steps
  std::size_t climbs;       // those of them that are best then and climb to the end
  bool from_thesis;         // whether what the thesis' search finds climbs, too
  u64 kicks, least_kicks;   // evaluations of disturbances: what is left of the first, and no fewer than the second
  bool first_to_end;        // whether under a limit of evaluations the first start climbs to the end before the beam
};
inline constexpr ClimbEffort kClimbsAlone{10, 5, true, 8'000, 2'500, true};
inline constexpr ClimbEffort kBeforePasses{10, 1, false, 0, 0, true};  // narrow passes find what more would find
inline constexpr ClimbEffort kForLargerSizes{10, 5, true, 8'000, 2'500, false};  // the answer is cut to the true sizes

// The strategy `sunstone`: the best of the growing beam (sunstone.h) and, from there, of the thesis' search, with
// climbs (refine.h) from both.
LayerAnswer sunstone_search(const LevelProblem& levels, const SearchBudget& budget, const ClimbEffort& effort);

// The first `most` mappings that sunstone prices (greedy_starts.h), made without pricing any.
std::vector<Mapping> greedy_mappings(const LevelProblem& levels, std::size_t most);

// The strategy `thesis` (thesis_search.h).
LayerAnswer thesis_search(const LevelProblem& levels, const SearchBudget& budget);

}  // namespace heliolite
