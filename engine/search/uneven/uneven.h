#pragma once
// The search of uneven mappings: `exact` on the stacked machine of each order of the stores (docs/rules/uneven.md).
#include <optional>
#include <vector>

#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"

namespace heliolite {

// The stacks of stores of a machine: which tensors each level keeps, and in which order their stores stand.

// One stack.
struct StoreOrder {
  KeepMasks keep;      // [level of the machine]
  StackedParts parts;  // [level]: its stores, innermost first; one part where all tensors have one tile
};

// Levels whose tensors may have tiles at different places. Not the outermost, whose tiles are the whole tensors; not
// where loops are forbidden or constrained, for a constraint speaks of all loops of the level; and not below a network
// that prices hops, which counts the words of tensors that pass a level by at one tile of the level.
std::vector<bool> uneven_levels(const Mapspace& space, const Compiled& compiled);

// Every order of the stores of every keep choice, the choices that keep most first. None if there are more than `most`,
// or if a stack has more than kMaxLevels levels.
std::optional<std::vector<StoreOrder>> store_orders(const LayerProblem& problem, std::size_t most);

// The problem of the even mappings of the stacked machine: the uneven mappings of `problem` whose stores stand in this
// order.
LayerProblem stacked_problem(const LayerProblem& problem, const StoreOrder& order);

// The best uneven mapping with perfect factors, never worse than `even`, the answer with one tile for each level; the
// statistics returned include its evaluations, the budget does not.
LayerAnswer uneven_search(const LayerProblem& problem, const LayerAnswer& even, const SearchBudget& budget);

}  // namespace heliolite
