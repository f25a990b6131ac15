#pragma once
// The mappers of the field, each a search of one layer on the calling thread, with perfect factors; what each does and
// where it is from, its source file says.
#include <algorithm>

#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"

namespace heliolite {

inline constexpr double kHottest = 1.0, kColdest = 0.001;
inline constexpr u64 kAnnealingSteps = 20'000;  // steps of a round; a budget of fewer evaluations is one round
inline constexpr int kAnnealingRounds = 4;

// Steps of a round within `budget`.
inline u64 annealing_steps(const SearchBudget& budget) {
  return std::max<u64>(1, std::min(kAnnealingSteps, budget.evaluations_left(0)));
}

// Runs on the calling thread, from options.seed, with perfect factors, in rounds of `steps` steps.
LayerAnswer annealing_search(const LayerProblem& problem, const SearchBudget& budget, u64 steps);

// dMazeRunner's search (Dave et al., ACM TECS 18, 2019; MPSLab-ASU/dMazeRunner: python/dMazeRunner/common/optimizer.py,
// its automatic optimizer). Steps:
//  1. Tilings that use at least 80 % of the units, 80 % of the register file (here the innermost memory) and 50 % of
//     the scratchpad (here every other memory with a capacity). No loop that reduces is unrolled; loops over windows
//     (dimensions that slide and that the output does not have) stay out of the outermost level.
//  2. Of each tiling all loop orders of different reuse, at all levels.
//  3. With fewer than 100 tilings again, with units and register file lowered by 10 points, once one of them is at 60 %
//     the scratchpad too; once one is at 30 % step 1's second sentence is dropped, and one tiling is enough. It gives
//     up when one would be below 0 %.
// The thresholds are options. Its machine has three levels, ours any number; levels may keep or pass by, dMazeRunner's
// keep everything: each level keeps what it may. Its loop orders are listed by hand for convolutions and GEMM; ours are
// those that the trie of loop orders leaves (engine/space/order_trie.h).

// Runs on the calling thread, without random numbers, with perfect factors. Without a budget it may take hours, as
// dMazeRunner does.
LayerAnswer dmazerunner_search(const LayerProblem& problem, const SearchBudget& budget);

// Interstellar's search (Yang et al., ASPLOS 2020; xuanyoya/Interstellar-CNN-scheduler:
// cnn_mapping/mapping_point_generator.py, with replication of unrolled loops). Steps:
//  1. Unrollings of at most two dimensions along an axis that use every unit; if there is none with a tiling that fits,
//     80 % of the units, then any share.
//  2. All tilings that fit.
//  3. Of each, level by level from the inside, the best order of that level's loops with the others as they are.
// The share of step 1 is an option. That 100 % and then 80 % are its usual ones is chosen here. Loop orders that cannot
// matter are left out (engine/space/order_trie.h), and each order is priced by the whole mapping's cost: Interstellar
// compares what a level costs.

// Runs on the calling thread, without random numbers, with perfect factors. Without a budget it may take hours, as
// Interstellar does.
LayerAnswer interstellar_search(const LayerProblem& problem, const SearchBudget& budget);

// Random search: Timeloop's random mapper, without its superfluous orders, as a baseline. Every sample is drawn from
// options.seed and its number alone: each dimension's split over levels and fan-outs uniformly from all its splits
// (drawn again as a whole until the fan-outs have room), uniform orders of the loops of more than one iteration, a coin
// for each open keep choice.

// Stops after options.sampling.victory legal mappings in a row that did not improve on the best, after
// options.sampling.timeout samples in a row that do not fit their buffers or fan-outs (kRandomTimeout without it), or
// when a budget is spent. The answer is that of looking at the samples one by one, whatever options.threads.
LayerAnswer random_search(const LayerProblem& problem, const SearchBudget& budget);

// Runs on the calling thread. The answer is `complete` when the whole mapspace was covered; a budget or a stop ends the
// search before, with the best so far. The mapspace is what docs/rules/mapspace_size.md counts as "nests", or with
// options.factors the one with all factors.
LayerAnswer exhaustive_search(const LayerProblem& problem, const SearchBudget& budget);

inline constexpr std::size_t kPopulation = 100, kParents = 40, kElites = 5;
inline constexpr int kGenerations = 100;

// Prices a generation on options.threads threads; the answer, from options.seed, does not depend on them. Perfect
// factors.
LayerAnswer genetic_search(const LayerProblem& problem, const SearchBudget& budget);

inline constexpr int kDescents = 7, kDescentSteps = 1490, kRoundingEvery = 500;

// Runs on the calling thread, from options.seed, with perfect factors.
LayerAnswer gradient_search(const LayerProblem& problem, const SearchBudget& budget);

// How many orders random-pruned tries: they are drawn for the same factors (Timeloop's max-permutations-per-if-visit).
inline constexpr u64 kOrdersOfFactors = 16;
// Keep choices of one order at most; Timeloop has no such limit, and may take them for hours.
inline constexpr u64 kKeepChoices = 1 << 16;

// Both run on the calling thread, with perfect factors.
LayerAnswer random_pruned_search(const LayerProblem& problem, const SearchBudget& budget);
LayerAnswer hybrid_search(const LayerProblem& problem, const SearchBudget& budget);

}  // namespace heliolite
