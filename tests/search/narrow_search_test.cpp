// The narrow passes after a search: from a poor start they end near the optimum, unless they have no budget for it.
#include "engine/search/exact/exact.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/search/map.h"
#include "tests/support/exact_problem.h"
#include "tests/support/load.h"

namespace heliolite::narrow_search_test {
namespace {

using testing::kObjectives;
using testing::layer_problem;
using testing::machine;
using testing::random_search_problem;
using testing::SearchProblem;
using testing::workload;

// What docs/rules/search.md promises of an answer whose passes were not cut short.
constexpr double kPromised = 1.05;

// The best mapping for another objective.
LayerAnswer start_of(const SearchProblem& p, Objective objective) {
  const Objective other = objective == Objective::Energy ? Objective::Delay : Objective::Energy;
  const testing::OracleBest& best = p.answer.best[at(other)];
  LayerAnswer out;
  out.offer(objective, best.mapping, best.cost);
  return out;
}

TEST(NarrowSearch, FromAPoorStartEndsNearTheOptimum) {
  int better = 0;
  for (u64 seed = 0; seed < 150 && !HasFailure(); ++seed) {
    const SearchProblem p = random_search_problem(seed + 81'000, {.max_mappings = 5'000});
    if (p.answer.legal == 0) continue;
    for (const Objective objective : kObjectives) {
      SCOPED_TRACE(fmt::format("seed {}, {}", seed, name(objective)));
      const LayerProblem problem = layer_problem(p, objective);
      const LayerAnswer start = start_of(p, objective);
      const LayerAnswer out = narrow_search(problem, start, SearchBudget(problem.options));
      const double optimum = objective_number(objective, p.answer.best[at(objective)].cost);
      EXPECT_GE(objective_number(objective, out.cost), optimum * (1 - 1e-12));
      EXPECT_LE(objective_number(objective, out.cost), optimum * kPromised);
      EXPECT_LE(out.value, start.value);
      EXPECT_EQ(CostModel(p.workload, p.architecture).evaluate(out.mapping).cost, out.cost);
      better += out.value < start.value;
    }
  }
  EXPECT_GT(better, 50);
}

TEST(NarrowSearch, PricesNoMoreThanItMay) {
  const SearchProblem p = random_search_problem(81'003, {.max_mappings = 5'000});
  ASSERT_GT(p.answer.legal, 0u);
  const LayerProblem all = layer_problem(p, Objective::Edp);
  const LayerAnswer start = start_of(p, Objective::Edp);
  for (const u64 budget : {u64{0}, u64{1}, u64{300}, u64{1'000}}) {
    LayerProblem problem = layer_problem(p, Objective::Edp);
    problem.options.budget_evaluations = budget;
    const LayerAnswer out = narrow_search(problem, start, SearchBudget(problem.options));
    EXPECT_LE(out.statistics.evaluated, budget + kEvaluationSlack);
    EXPECT_LE(out.value, start.value);
  }
}

TEST(NarrowSearch, IsAPartOfRefine) {
  const SearchProblem p = random_search_problem(81'003, {.max_mappings = 5'000});
  ASSERT_GT(p.answer.legal, 0u);
  LayerProblem problem = layer_problem(p, Objective::Edp);
  problem.options.rules.set(Rule::Refine, false);
  const LayerAnswer start = start_of(p, Objective::Edp);
  const LayerAnswer out = narrow_search(problem, start, SearchBudget(problem.options));
  EXPECT_EQ(out.value, start.value);
  EXPECT_EQ(out.statistics.evaluated, 0u);
}

// Layers on which climbs and one narrow pass end 1.05 to 1.4 times above the optimum: the first pass finds nothing
// there, a wider one does; one has an answer close to what every mapping costs.
TEST(NarrowSearch, OnPresetsIsCloseForEveryObjective) {
  struct Case {
    const char *machine, *layer;
  };
  for (const Case c : {Case{"gpu_sm", "inception_v3_wu/7c_1x1"}, Case{"dc_unified", "vgg16/conv5_x"},
                       Case{"edge_unified", "inception_v3/6cd_7x7_1"}, Case{"simba", "sddmm/bcsstk17"}})
    for (const Objective objective : kObjectives) {
      SCOPED_TRACE(fmt::format("{} on {}, {}", c.layer, c.machine, name(objective)));
      SearchOptions options;
      options.objective = objective;
      options.strategy = Strategy::Sunstone;
      const auto fast = map_workload(workload(c.layer), machine(c.machine), options);
      options.strategy = Strategy::Exact;
      const auto exact = map_workload(workload(c.layer), machine(c.machine), options);
      ASSERT_TRUE(fast.ok() && exact.ok());
      EXPECT_EQ(exact->status, Status::Optimal);
      EXPECT_LE(fast->value, exact->value * kPromised);
    }
}

// 216,000 tiles.
TEST(NarrowSearch, IsMadeForManyTilesToo) {
  SearchOptions options;
  options.strategy = Strategy::Sunstone;
  options.budget_evaluations = 5'000;
  const Workload large = workload("gemm:5040x5040x5040");
  const auto begun = map_workload(large, machine("gpu_sm"), options);
  ASSERT_TRUE(begun.ok());
  const LayerProblem problem = layer_problem(large, machine("gpu_sm"), {});
  LayerAnswer start;
  start.offer(Objective::Edp, begun->mapping, begun->cost);
  const LayerAnswer out = narrow_search(problem, start, SearchBudget(problem.options));
  EXPECT_LT(out.value, start.value);
  EXPECT_EQ(problem.model.evaluate(out.mapping).cost, out.cost);
}

}  // namespace
}  // namespace heliolite::narrow_search_test
