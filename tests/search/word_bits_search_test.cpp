// Searches of layers whose tensors state the sizes of their words, against all mappings.
#include <gtest/gtest.h>

#include "engine/search/map.h"
#include "tests/support/exact_problem.h"

namespace heliolite::word_bits_search_test {
namespace {

using testing::kObjectives;
using testing::random_search_problem;
using testing::SearchProblem;

SearchProblem problem(u64 seed, bool interconnects = false) {
  return random_search_problem(seed + 70'000,
                               {.max_mappings = 3'000, .interconnects = interconnects, .word_bits = true});
}

TEST(WordBitsSearch, ExactFindsTheOptimum) {
  int compared = 0;
  for (u64 seed = 0; seed < 60; ++seed) {
    const SearchProblem p = problem(seed, seed % 4 == 0);
    for (const Objective objective : kObjectives) {
      const LayerAnswer answer = testing::exact_alone(testing::layer_problem(p, objective));
      ASSERT_EQ(answer.found, p.answer.legal > 0) << seed;
      if (!answer.found) continue;
      const Cost& best = p.answer.best[at(objective)].cost;
      ASSERT_EQ(objective_number(objective, answer.cost), objective_number(objective, best))
          << "seed " << seed << ", " << name(objective);
      ++compared;
    }
  }
  EXPECT_GT(compared, 150);
}

// Every strategy finds a legal mapping, none below the optimum, and no bound is above it.
TEST(WordBitsSearch, NoStrategyIsBelowTheOptimum) {
  int found = 0;
  for (u64 seed = 0; seed < 2; ++seed) {
    const SearchProblem p = problem(seed);
    if (p.answer.legal == 0) continue;
    const double optimum = objective_number(Objective::Edp, p.answer.best[2].cost);
    for (const char* strategy : {"exact", "sunstone", "thesis", "random", "random-pruned", "hybrid", "exhaustive",
                                 "annealing", "genetic", "gradient", "dmazerunner", "interstellar", "bayes"}) {
      SearchOptions options;
      options.strategy = *parse_strategy(strategy);
      options.budget_evaluations = 40;
      options.threads = 1;
      const auto answer = map_workload(p.workload, p.architecture, options);
      ASSERT_TRUE(answer.ok()) << strategy << to_string(answer.errors());
      EXPECT_LE(answer->lower_bound, optimum * (1 + 1e-9)) << strategy << ", seed " << seed;
      if (answer->status == Status::Infeasible) continue;
      ++found;
      EXPECT_GE(answer->value, optimum * (1 - 1e-9)) << strategy << ", seed " << seed;
      const Evaluation cost = CostModel(p.workload, p.architecture).evaluate(answer->mapping);
      EXPECT_EQ(cost.verdict, Verdict::Fits) << strategy << ", seed " << seed;
      EXPECT_EQ(cost.cost, answer->cost) << strategy << ", seed " << seed;
    }
  }
  EXPECT_GT(found, 12);
}

// With tiles of any size nothing is above what perfect ones reach, and the bound is no higher; so with uneven tiles.
TEST(WordBitsSearch, MoreMappingsAreNoWorse) {
  int compared = 0;
  for (u64 seed = 0; seed < 6; ++seed) {
    const SearchProblem p = problem(seed);
    if (p.answer.legal == 0) continue;
    const double perfect = objective_number(Objective::Edp, p.answer.best[2].cost);
    SearchOptions options;
    options.threads = 1;
    options.factors = Factors::Any;
    options.budget_evaluations = 5'000;
    const auto any = map_workload(p.workload, p.architecture, options);
    if (any.ok() && any->status != Status::Infeasible) {
      EXPECT_LE(any->lower_bound, perfect * (1 + 1e-9)) << seed;
      EXPECT_LE(any->lower_bound, any->value * (1 + 1e-9)) << seed;
      ++compared;
    }
    options.factors = Factors::Perfect;
    options.tiles = Tiles::Uneven;
    const auto uneven = map_workload(p.workload, p.architecture, options);
    ASSERT_TRUE(uneven.ok()) << to_string(uneven.errors());
    EXPECT_LE(uneven->value, perfect * (1 + 1e-9)) << seed;
    EXPECT_LE(uneven->lower_bound, uneven->value * (1 + 1e-9)) << seed;
  }
  EXPECT_GT(compared, 2);
}

// Layers that differ in sizes alone are searched each for itself.
TEST(WordBitsSearch, LayersOfOtherSizesAreOthers) {
  Network network;
  for (const u64 bits : {u64{4}, u64{8}, u64{8}}) {
    Layer& layer = network.layers.emplace_back(Layer{testing::random_search_problem(7, {}).workload, 1});
    for (Tensor& t : layer.workload.tensors) t.word_bits = bits;
  }
  const auto answer = map_network(network, testing::random_search_problem(7, {}).architecture, {});
  ASSERT_TRUE(answer.ok()) << to_string(answer.errors());
  const auto energy = [&](std::size_t k) { return answer->layers[k].result.cost.energy.units; };
  EXPECT_LT(energy(0), energy(1));
  EXPECT_EQ(energy(1), energy(2));
}

}  // namespace
}  // namespace heliolite::word_bits_search_test
