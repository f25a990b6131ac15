#pragma once
// A genetic mapper with GAMMA's operators (Kao, Krishna, ICCAD 2020; maestro-project/gamma). A genome is a mapping: the
// tile, the parallel dimensions and the loop order of each level. Steps:
//  1. A population of 100, all with the smallest tiles and everything else at the outermost level.
//  2. A generation: the best 40 % are parents, the best 5 % stay as they are; each other one is a child.
//  3. A child is a copy of a parent, drawn, to which each of these happens with probability 1/2:
//     tile       one dimension's factors are drawn anew, at all levels and fan-outs
//     parallel   two dimensions' factors are drawn anew, until some fan-out has others of them
//     order      two loops of a level change places
//     keep       what a level keeps changes, where the machine leaves it open
//     crossover  the factors of each dimension, with probability 1/2, are those of another parent
//  4. Those that do not fit are worst. 100 generations, or until a budget ends it.
// Different: GAMMA also grows and ages levels of parallelism, which a fixed machine has as they are.
#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"

namespace heliolite {

inline constexpr std::size_t kPopulation = 100, kParents = 40, kElites = 5;
inline constexpr int kGenerations = 100;

// Prices a generation on options.threads threads; the answer, from options.seed, does not depend on them. Perfect
// factors.
LayerAnswer genetic_search(const LayerProblem& problem, const SearchBudget& budget);

}  // namespace heliolite
