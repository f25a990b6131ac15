// The exact search from nothing against the oracle, on machines that spend everything on one kind of cost.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/search/map.h"
#include "tests/support/exact_problem.h"

namespace heliolite::exact_unusual_test {
namespace {

TEST(ExactUnusual, EqualsTheOracleFromNothing) {
  for (u64 seed = 0; seed < 1'101; ++seed) {
    const testing::SearchProblem p = testing::unusual_search_problem(seed, {.max_mappings = 1'500});
    for (const Objective objective : testing::kObjectives) {
      SCOPED_TRACE(fmt::format("seed {}, {}", seed, name(objective)));
      const LayerAnswer answer = testing::exact_alone(testing::layer_problem(p, objective));
      EXPECT_TRUE(answer.complete);
      ASSERT_EQ(answer.found, p.answer.legal > 0);
      if (!answer.found) continue;
      const Cost& best = p.answer.best[at(objective)].cost;
      EXPECT_TRUE(answer.value == Value::of(objective, best))
          << objective_number(objective, answer.cost) << ", the oracle's is " << objective_number(objective, best)
          << ", cycles " << answer.cost.cycles << ", the oracle's " << best.cycles;
    }
  }
}

// Levels that read sums back over networks as dear as memories, whose outputs may slide.
TEST(ExactUnusual, EqualsTheOracleWhereLevelsDoNotReduce) {
  int reading_back = 0;
  for (u64 seed = 0; seed < 600; ++seed) {
    const testing::SearchProblem p =
        testing::random_search_problem(seed + 30'000, {.max_mappings = 1'500, .reductions = true});
    for (std::size_t i = 0; i + 1 < p.architecture.levels.size(); ++i)
      reading_back += !p.architecture.levels[i].reduces() && p.architecture.levels[i].network.ingress_pj > 0;
    for (const Objective objective : testing::kObjectives) {
      SCOPED_TRACE(fmt::format("seed {}, {}", seed, name(objective)));
      const LayerAnswer answer = testing::exact_alone(testing::layer_problem(p, objective));
      EXPECT_TRUE(answer.complete);
      ASSERT_EQ(answer.found, p.answer.legal > 0);
      if (!answer.found) continue;
      const Cost& best = p.answer.best[at(objective)].cost;
      EXPECT_TRUE(answer.value == Value::of(objective, best))
          << objective_number(objective, answer.cost) << ", the oracle's is " << objective_number(objective, best);
    }
  }
  EXPECT_GT(reading_back, 100);
}

// Tables with as many cells as there are tiles, or fewer, down to one for all tiles: the answer is the same, and the
// bound without any search no higher.
TEST(ExactUnusual, CoarseTablesReachTheOptimum) {
  for (u64 seed = 0; seed < 500; ++seed) {
    const testing::SearchProblemOptions small{.max_mappings = 1'500};
    const testing::SearchProblem p =
        seed % 2 == 0 ? testing::random_search_problem(seed, small) : testing::unusual_search_problem(seed, small);
    const Objective objective = testing::kObjectives[seed / 2 % testing::kObjectives.size()];
    SCOPED_TRACE(fmt::format("seed {}, {}", seed, name(objective)));
    const LayerProblem problem = testing::layer_problem(p, objective);
    const GridLimits tables{0, u64{1} << seed % 7};
    const SearchBudget budget(problem.options);
    const LayerAnswer answer = exact_search(problem, {}, budget, {}, {}, tables);
    EXPECT_TRUE(answer.complete);
    ASSERT_EQ(answer.found, p.answer.legal > 0);
    if (!answer.found) continue;
    EXPECT_TRUE(answer.value == Value::of(objective, p.answer.best[at(objective)].cost));
    // In parts, with tables each.
    EXPECT_TRUE(exact_search(problem, {}, budget, {}, {0, 0}, tables).value == answer.value);
    const LayerAnswer begun = exact_search(problem, {}, budget.at_most(1), {}, {}, tables);
    EXPECT_LE(begun.lower_bound, objective_number(objective, answer.cost));
  }
}

// A sliding tensor that waits in place while the dimensions change places keeps what it shares with its neighbours.
TEST(ExactUnusual, SymmetryKeepsTheOptimumOfLargeKernels) {
  const Network layer = *load_network("inception_v3_wu/5b_5x5_2");
  const Architecture machine = *load_architecture("eyeriss");
  SearchOptions options;
  const double with = map_network(layer, machine, options)->layers.front().result.value;
  options.rules.set(Rule::Symmetry, false);
  EXPECT_EQ(with, map_network(layer, machine, options)->layers.front().result.value);
}

// Many mappings take as long as the fastest where a bandwidth decides; a bound that is a hair lower cuts none of them.
TEST(ExactUnusual, BoundsOfManyCyclesReachTheFastestMapping) {
  SearchOptions options;
  options.objective = Objective::Delay;
  for (const char* layer : {"mttkrp/netflix", "ttmc/netflix"}) {
    const auto found = map_network(*load_network(layer), *load_architecture("tpu_v1"), options);
    const MappingResult& fastest = found->layers.front().result;
    EXPECT_EQ(fastest.status, Status::Optimal);
    EXPECT_GT(fastest.cost.cycles, 100'000'000'000U);
    EXPECT_LT(fastest.statistics.evaluated, 25'000U);
  }
}

}  // namespace
}  // namespace heliolite::exact_unusual_test
