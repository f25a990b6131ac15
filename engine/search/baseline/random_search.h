#pragma once
// Random search: Timeloop's random-pruned mapper as a baseline. Every sample is drawn from options.seed and its number
// alone: each dimension's split over levels and fan-outs uniformly from all its splits (drawn again as a whole until
// the fan-outs have room), uniform orders of the loops of more than one iteration, a coin for each open keep choice.
#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"

namespace heliolite {

// The search gives up after this many samples in a row that do not fit their buffers or fan-outs.
inline constexpr u64 kRandomPatience = 250'000;

// Stops after options.victory legal mappings in a row that did not improve on the best, or when the patience or a
// budget is spent. The answer is that of looking at the samples one by one, whatever options.threads.
LayerAnswer random_search(const LayerProblem& problem, const SearchBudget& budget);

}  // namespace heliolite
