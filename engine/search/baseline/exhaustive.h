#pragma once
// The strategy that tries everything: Timeloop's linear mapper as a baseline. Steps:
//  1. Each keep choice.
//  2. Each way to split the dimensions over levels and fan-outs that the fan-outs have room for.
//  3. Each order of the loops of more than one iteration, level by level. The order at the innermost level changes no
//     count but of words that compute units pass to each other, so elsewhere one is tried there; a tiling that does not
//     fit its buffers fits them in no order, so one is tried.
#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"

namespace heliolite {

// Random search: Timeloop's random mapper, without its superfluous orders, as a baseline. Every sample is drawn from
// options.seed and its number alone: each dimension's split over levels and fan-outs uniformly from all its splits
// (drawn again as a whole until the fan-outs have room), uniform orders of the loops of more than one iteration, a coin
// for each open keep choice.

// Stops after options.victory legal mappings in a row that did not improve on the best, after options.timeout samples
// in a row that do not fit their buffers or fan-outs (kRandomTimeout without it), or when a budget is spent. The answer
// is that of looking at the samples one by one, whatever options.threads.
LayerAnswer random_search(const LayerProblem& problem, const SearchBudget& budget);

// Runs on the calling thread. The answer is `complete` when the whole mapspace was covered; a budget or a stop ends the
// search before, with the best so far. The mapspace is what docs/rules/mapspace_size.md counts as "nests", or with
// options.imperfect the one with all imperfect factors.
LayerAnswer exhaustive_search(const LayerProblem& problem, const SearchBudget& budget);

}  // namespace heliolite
