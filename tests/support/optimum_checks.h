#pragma once
// Searches of random layers on random machines against all mappings of each: that exact finds the optimum, that no
// strategy is below it, and that more mappings to choose from are no worse.
#include <gtest/gtest.h>

#include <functional>

#include "engine/search/map.h"
#include "tests/support/exact_problem.h"

namespace heliolite::testing {

// The problem of a seed, with the optima of all its mappings.
using ProblemOfSeed = std::function<SearchProblem(u64 seed)>;

// That exact finds the optimum of every objective and proves it, for the first `seeds` seeds. Returns how many optima
// there were. `found` sees each answer.
inline int compare_exact_optima(
    u64 seeds, const ProblemOfSeed& problem,
    const std::function<void(const SearchProblem&, const LayerAnswer&)>& found = [](const auto&, const auto&) {}) {
  int compared = 0;
  for (u64 seed = 0; seed < seeds && !::testing::Test::HasFailure(); ++seed) {
    const SearchProblem p = problem(seed);
    for (const Objective objective : kObjectives) {
      const LayerAnswer answer = exact_alone(layer_problem(p, objective));
      EXPECT_EQ(answer.found, p.answer.legal > 0) << seed;
      if (!answer.found) continue;
      const Cost& best = p.answer.best[at(objective)].cost;
      EXPECT_EQ(objective_number(objective, answer.cost), objective_number(objective, best))
          << "seed " << seed << ", " << name(objective);
      EXPECT_TRUE(answer.complete) << seed;
      found(p, answer);
      ++compared;
    }
  }
  return compared;
}

// That every strategy finds a legal mapping, none below the optimum, that no bound is above it, and that the answer
// costs what the cost model and its breakdown say. Returns how many mappings were found.
inline int compare_strategies(u64 seeds, const ProblemOfSeed& problem) {
  int found = 0;
  for (u64 seed = 0; seed < seeds; ++seed) {
    const SearchProblem p = problem(seed);
    if (p.answer.legal == 0) continue;
    const CostModel model(p.workload, p.architecture);
    const double optimum = objective_number(Objective::Edp, p.answer.best[2].cost);
    for (const char* strategy : {"exact", "sunstone", "thesis", "random", "random-pruned", "hybrid", "exhaustive",
                                 "annealing", "genetic", "gradient", "dmazerunner", "interstellar", "bayes"}) {
      SCOPED_TRACE(::testing::Message() << strategy << ", seed " << seed);
      SearchOptions options;
      options.strategy = *parse_strategy(strategy);
      options.budget_evaluations = 40;
      options.threads = 1;
      const auto answer = map_workload(p.workload, p.architecture, options);
      EXPECT_TRUE(answer.ok());
      if (!answer.ok()) continue;
      EXPECT_LE(answer->lower_bound, optimum * (1 + 1e-9));
      if (answer->status == Status::Infeasible) continue;
      ++found;
      EXPECT_GE(answer->value, optimum * (1 - 1e-9));
      const Evaluation cost = model.evaluate(answer->mapping);
      EXPECT_EQ(cost.verdict, Verdict::Fits);
      EXPECT_EQ(cost.cost, answer->cost);
      const Breakdown breakdown = model.explain(answer->mapping);
      EXPECT_EQ(breakdown.cycles, answer->cost.cycles);
      EXPECT_EQ(breakdown.energy, answer->cost.energy);
    }
  }
  return found;
}

// That with tiles of any size, within a budget, and with uneven tiles nothing is above what perfect ones reach, and no
// bound above what was found. Returns how many of any size were found.
inline int compare_larger_mapspaces(u64 seeds, const ProblemOfSeed& problem, u64 evaluations) {
  int compared = 0;
  for (u64 seed = 0; seed < seeds; ++seed) {
    const SearchProblem p = problem(seed);
    if (p.answer.legal == 0) continue;
    const double perfect = objective_number(Objective::Edp, p.answer.best[2].cost);
    SearchOptions options;
    options.threads = 1;
    options.factors = Factors::Any;
    options.budget_evaluations = evaluations;
    const auto any = map_workload(p.workload, p.architecture, options);
    if (any.ok() && any->status != Status::Infeasible) {
      EXPECT_LE(any->lower_bound, perfect * (1 + 1e-9)) << seed;
      EXPECT_LE(any->lower_bound, any->value * (1 + 1e-9)) << seed;
      ++compared;
    }
    options.factors = Factors::Perfect;
    options.tiles = Tiles::Uneven;
    const auto uneven = map_workload(p.workload, p.architecture, options);
    EXPECT_TRUE(uneven.ok()) << seed;
    if (!uneven.ok()) continue;
    EXPECT_LE(uneven->value, perfect * (1 + 1e-9)) << seed;
    EXPECT_LE(uneven->lower_bound, uneven->value * (1 + 1e-9)) << seed;
  }
  return compared;
}

}  // namespace heliolite::testing
