#pragma once
// Searches in the manner of dMazeRunner and of Interstellar, which look at tilings that use enough of the machine.
#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"

namespace heliolite {

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

}  // namespace heliolite
