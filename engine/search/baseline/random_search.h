#pragma once
// Random search: Timeloop's random mapper, without its superfluous orders, as a baseline. Every sample is drawn from
// options.seed and its number alone: each dimension's split over levels and fan-outs uniformly from all its splits
// (drawn again as a whole until the fan-outs have room), uniform orders of the loops of more than one iteration, a coin
// for each open keep choice.
#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"

namespace heliolite {

// Stops after options.victory legal mappings in a row that did not improve on the best, after options.timeout samples
// in a row that do not fit their buffers or fan-outs (kRandomTimeout without it), or when a budget is spent. The answer
// is that of looking at the samples one by one, whatever options.threads.
LayerAnswer random_search(const LayerProblem& problem, const SearchBudget& budget);

}  // namespace heliolite
