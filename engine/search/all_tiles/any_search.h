#pragma once
// The search over all tile sizes, in true counts, that every strategy runs after its perfect answer. Steps:
//  1. Short climbs by changing tile sizes, from each start and from the smallest factors: never worse than any start.
//  2. The best-first search over partial mappings (partial_search.h), for strategy exact: finds better ones, and proves
//     what no mapping of any tile sizes is below. Other strategies get the bound that it begins with, and climb with
//     what is left of a budget, if there is one.
//  3. If that takes long, longer climbs after a first part of it while they find lower answers, which leave less to do:
//     where the answer is still far above what is proven.
#include <optional>
#include <span>
#include <vector>

#include "engine/model/compiled.h"
#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"

namespace heliolite {

// Whole and partial mappings that the search prices at most where the budget sets no limit.
inline constexpr u64 kAnyEvaluations = 2'000'000;

// `starts`: what is known, such as the answer with perfect factors; some may have found nothing. The workload must have
// true counts. The answer is the same for any number of threads; its statistics are of this search alone.
LayerAnswer any_search(const LayerProblem& problem, std::span<const LayerAnswer> starts, const SearchBudget& budget);

// A short look: the bound that the first partial mappings give, with small tables, and short climbs. It prices no more
// than `budget` allows, which must limit evaluations.
LayerAnswer any_look(const LayerProblem& problem, std::span<const LayerAnswer> starts, const SearchBudget& budget);

// Starts for climbs where sizes have few divisors: what a fast search finds with perfect factors for slightly larger
// sizes that have many, cut to the true ones.

// The workload with its dimensions enlarged, several ways; none where no dimension has a better size near.
std::vector<Workload> padded_workloads(const Workload& workload);

// The workload with each dimension enlarged to the next size without prime factors above 7.
Workload smooth_workload(const Workload& workload);

// A mapping of larger sizes with its loops cut to what `c` has to do; those that have nothing are left out. Nothing if
// the loops do not cover the sizes.
std::optional<Mapping> cut_to_size(const Mapping& mapping, const Compiled& c);

// Climbs over all tile sizes. Steps:
//  1. The starts: what is known; the same with other unrollings that fill the fan-outs; the least factors.
//  2. Each is climbed from: loop ends, loop orders, what is kept.
//  3. The best is disturbed and climbed from again, several times at once; then the best of what that gave, also if it
//     is a little worse; and so on until the budget is used up.
// What is known is among the candidates: the result is never worse.

// Mappings that the search prices at most where the budget sets no limit.
inline constexpr u64 kClimbEvaluations = 200'000;

// How climbs share the evaluations.
enum class ClimbShares : u8 {
  Equal,    // those that can run at the same time get equal parts
  InOrder,  // one after the other, each as many as it takes: a smaller budget has the first of what a larger one has
};

// `known`: an answer, which may have found nothing. What is found is the same for any number of threads; its statistics
// are of these climbs alone.
LayerAnswer climb_tiles(const LayerProblem& problem, const LayerAnswer& known, const SearchBudget& budget,
                        ClimbShares shares = ClimbShares::Equal);

}  // namespace heliolite
