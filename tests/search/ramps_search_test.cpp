// Machines that count ramps (docs/cost_model.md, rule 46): searches of every kind against all mappings.
#include <gtest/gtest.h>

#include <functional>

#include "engine/model/true_counts/cost.h"
#include "engine/search/map.h"
#include "tests/support/load.h"
#include "tests/support/optimum_checks.h"

namespace heliolite::ramps_search_test {
namespace {

using testing::kObjectives;
using testing::random_search_problem;
using testing::SearchProblem;

SearchProblem problem(u64 seed, u64 mappings = 3'000) {
  return random_search_problem(seed + 460'000, {.max_mappings = mappings,
                                                .interconnects = seed % 4 == 0,
                                                .word_bits = seed % 3 == 0,
                                                .parallelism = seed % 7 == 2,
                                                .ramps = true,
                                                .operators = seed % 6 == 3});
}

TEST(RampsSearch, ExactFindsTheOptimum) {
  int ramped = 0;
  const auto look = [&](const SearchProblem& p, const LayerAnswer& answer) {
    const CostModel model(p.workload, p.architecture);
    const Breakdown b = model.explain(answer.mapping);
    ASSERT_TRUE(b.ramps.has_value());
    ramped += b.ramps->cycles() > 0 && b.cycles == b.cycles_of_units();
  };
  EXPECT_GT(testing::compare_exact_optima(
                80, [](u64 seed) { return problem(seed); }, look),
            200);
  EXPECT_GT(ramped, 30);
}

// Switching a rule off changes no answer.
TEST(RampsSearch, RulesChangeNoAnswer) {
  for (u64 seed = 100; seed < 112; ++seed) {
    const SearchProblem p = problem(seed, 500);
    if (p.answer.legal == 0) continue;
    for (const Rule rule : {Rule::StateDominance, Rule::LatticeBound, Rule::MergeDimensions, Rule::BatchOutermost,
                            Rule::CyclesFirst, Rule::FreeLoops, Rule::Symmetry, Rule::IdleBandwidth, Rule::OwnLoops}) {
      const Objective objective = kObjectives[seed % kObjectives.size()];
      LayerProblem asked = testing::layer_problem(p, objective);
      asked.options.rules.set(rule, false);
      const LayerAnswer answer = testing::exact_alone(asked);
      ASSERT_TRUE(answer.found);
      EXPECT_EQ(objective_number(objective, answer.cost),
                objective_number(objective, p.answer.best[at(objective)].cost))
          << seed << " " << kRuleTable[at(rule)].name;
    }
  }
}

TEST(RampsSearch, NoStrategyIsBelow) {
  EXPECT_GT(testing::compare_strategies(2, [](u64 seed) { return problem(seed + 200); }), 10);
}

// With tiles of any size, against all of them.
TEST(RampsSearch, AllTileSizesFindTheOptimum) {
  int searched = 0, proven = 0;
  for (u64 seed = 0; searched < 4; ++seed) {
    const SearchProblem p = random_search_problem(seed + 461'000, {.max_mappings = 120, .ramps = true});
    if (!has_true_counts(Compiled(p.workload, p.architecture))) continue;
    SearchOptions options;
    options.factors = Factors::Any;
    options.threads = 1;
    options.objective = kObjectives[seed % kObjectives.size()];
    const auto found = map_workload(p.workload, p.architecture, options);
    options.strategy = Strategy::Exhaustive;
    options.budget_evaluations = 10'000;
    const auto all = map_workload(p.workload, p.architecture, options);
    ASSERT_TRUE(found.ok() && all.ok());
    if (all->end != SearchEnd::Done || all->status == Status::Infeasible) continue;
    EXPECT_LE(found->lower_bound, all->value * (1 + 1e-12)) << seed;
    EXPECT_GE(found->value, all->value * (1 - 1e-12)) << seed;
    if (found->status == Status::Optimal) {
      EXPECT_DOUBLE_EQ(found->value, all->value) << seed;
      ++proven;
    }
    ++searched;
  }
  EXPECT_GT(proven, 1);
}

TEST(RampsSearch, ThreadsChangeNothing) {
  for (const u64 seed : {300, 301, 302}) {
    const SearchProblem p = problem(seed, 20'000);
    SearchOptions options;
    options.objective = Objective::Delay;
    std::optional<MappingResult> one;
    for (const int threads : {1, 2, 8}) {
      options.threads = threads;
      const auto answer = map_workload(p.workload, p.architecture, options);
      ASSERT_TRUE(answer.ok());
      if (!one) one = *answer;
      EXPECT_EQ(answer->mapping, one->mapping) << seed;
      EXPECT_EQ(answer->value, one->value) << seed;
    }
  }
}

// Tiles of a level that end at different loops are not searched: refused by name.
TEST(RampsSearch, UnevenTilesAreRefused) {
  const SearchProblem p = problem(1);
  SearchOptions options;
  options.tiles = Tiles::Uneven;
  const auto answer = map_workload(p.workload, p.architecture, options);
  ASSERT_FALSE(answer.ok());
  EXPECT_NE(to_string(answer.errors()).find("latency: ramps"), std::string::npos) << to_string(answer.errors());
}

}  // namespace
}  // namespace heliolite::ramps_search_test
