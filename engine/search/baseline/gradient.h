#pragma once
// Gradient descent on a relaxed model, in DOSA's manner (Hong et al., MICRO 2023; ucb-bar/dosa), on one machine. Steps:
//  1. Seven starts: the splits of all dimensions drawn at random, whether they fit or not (DOSA: CoSA's answers).
//     Each start is rounded and priced once, so that a budget below 500 has an answer too.
//  2. 1,490 steps of Adam (Kingma, Ba, ICLR 2015) on the logarithms of the factors (relaxed_model.h).
//  3. After every 500 steps, and at the end, rounding: from the inside out, the fan-out of a level before its loops,
//     each factor to the nearest divisor of what is left that fits; the outermost place takes the rest. At each level
//     the best loop order of those that hold one tensor longest is kept; the descent goes on from the rounded factors.
// Chosen here: the rate of Adam (DOSA's is for other variables), the starts. Every level keeps what it may.
// A step counts as an evaluation, as in DOSA's curves; so does every mapping that is priced.
#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"

namespace heliolite {

inline constexpr int kDescents = 7, kDescentSteps = 1490, kRoundingEvery = 500;

// Runs on the calling thread, from options.seed, with perfect factors.
LayerAnswer gradient_search(const LayerProblem& problem, const SearchBudget& budget);

}  // namespace heliolite
