#pragma once
// Simulated annealing (Kirkpatrick, Gelatt, Vecchi, Science 220, 1983; as a mapper: SALSA, Jung et al., AICAS 2022).
// Steps:
//  1. Begin with the smallest tiles, everything else at the outermost level.
//  2. A change that is drawn: a prime factor moves to another place (SALSA: to another memory), two loops of a level
//     change places, what a level keeps changes. What does not fit is taken back.
//  3. Better: stay. Worse by a factor r: stay with probability r^(-1/T).
//  4. T falls by a fixed ratio with each change that was priced, from kHottest to kColdest in kAnnealingSteps; then the
//     next round begins at step 1, with other random numbers.
// Chosen here, for no paper has it: the temperatures, the number of steps, of rounds, and how often each change is
// drawn. Logarithms are compared: the objectives span many orders of magnitude.
#include <algorithm>

#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"

namespace heliolite {

inline constexpr double kHottest = 1.0, kColdest = 0.001;
inline constexpr u64 kAnnealingSteps = 20'000;  // of a round; a budget of fewer evaluations is one round
inline constexpr int kAnnealingRounds = 4;

// Steps of a round within `budget`.
inline u64 annealing_steps(const SearchBudget& budget) {
  return std::max<u64>(1, std::min(kAnnealingSteps, budget.evaluations_left(0)));
}

// Runs on the calling thread, from options.seed, with perfect factors, in rounds of `steps` steps.
LayerAnswer annealing_search(const LayerProblem& problem, const SearchBudget& budget, u64 steps);

}  // namespace heliolite
