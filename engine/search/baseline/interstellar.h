#pragma once
// Interstellar's search (Yang et al., ASPLOS 2020; xuanyoya/Interstellar-CNN-scheduler:
// cnn_mapping/mapping_point_generator.py, with replication of unrolled loops). Steps:
//  1. Unrollings of at most two dimensions along an axis that use every unit; if there is none with a tiling that fits,
//     80 % of the units, then any share.
//  2. All tilings that fit.
//  3. Of each, level by level from the inside, the best order of that level's loops with the others as they are.
// The share of step 1 is an option. That 100 % and then 80 % are its usual ones is chosen here. Loop orders that cannot
// matter are left out (engine/space/order_trie.h), and each order is priced by the whole mapping's cost: Interstellar
// compares what a level costs.
#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"

namespace heliolite {

// Runs on the calling thread, without random numbers, with perfect factors. Without a budget it may take hours, as
// Interstellar does.
LayerAnswer interstellar_search(const LayerProblem& problem, const SearchBudget& budget);

}  // namespace heliolite
