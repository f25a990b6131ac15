// Climbs over all tile sizes, through the door of strategy sunstone and alone: legal, inside the mapspace, never worse
// than perfect factors, never below the bound, and near the best where all mappings can be looked at.
#include "engine/search/all_tiles/any_search.h"

#include "engine/search/map.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/model/mapping_check.h"
#include "engine/model/true_counts/nest.h"
#include "engine/search/all_tiles/unrollings.h"
#include "engine/search/baseline/strategies.h"
#include "tests/support/load.h"
#include "tests/support/random_problem.h"
#include "tests/support/search_problem.h"

namespace heliolite::tile_climbs_test {
namespace {

using testing::machine;
using testing::workload;

SearchOptions all_tiles(Objective objective = Objective::Edp) {
  SearchOptions options;
  options.strategy = Strategy::Sunstone;
  options.factors = Factors::Any;
  options.objective = objective;
  return options;
}

// Of one map: sound, and not worse than with perfect factors. Returns value / perfect value.
double expect_sound(const Workload& w, const Architecture& a, const SearchOptions& options) {
  SearchOptions plain = options;
  plain.factors = Factors::Perfect;
  // Perfect factors are searched first, with half of the evaluations.
  if (plain.budget_evaluations) plain.budget_evaluations = *plain.budget_evaluations / 2;
  const auto perfect = map_workload(w, a, plain);
  const auto r = map_workload(w, a, options);
  EXPECT_TRUE(perfect.ok() && r.ok());
  EXPECT_NE(r->status, Status::Infeasible);
  EXPECT_TRUE(check(r->mapping, w, a).empty()) << to_string(check(r->mapping, w, a));
  const auto space = resolve(w, a);
  EXPECT_TRUE(violations(*space, r->mapping).empty()) << to_string(violations(*space, r->mapping));
  EXPECT_EQ(CostModel(w, a).evaluate(r->mapping, Counts::True).cost, r->cost);
  EXPECT_GE(r->value, r->lower_bound);
  EXPECT_GT(r->lower_bound, 0);
  if (perfect->status == Status::Infeasible) return 1;
  EXPECT_LE(r->value, perfect->value);
  return r->value / perfect->value;
}

TEST(TileClimbs, NeverWorseThanPerfectFactors) {
  for (const char* name : {"eyeriss", "edge_unified", "simba", "gemmini"}) {
    const Architecture a = machine(name);
    for (const char* text : {"conv:k=16,c=8,p=14,q=14,r=3,s=3", "gemm:60x44x97"}) {
      SCOPED_TRACE(std::string(name) + " " + text);
      SearchOptions options = all_tiles();
      options.budget_evaluations = 5'000;
      expect_sound(workload(text), a, options);
    }
  }
}

// Without its keep rules the machine has more mappings, and no dearer answer, whatever the factors.
TEST(TileClimbs, OpenMachinesHaveNoDearerAnswers) {
  int compared = 0, cheaper = 0;
  for (u64 seed = 0; seed < 60; ++seed) {
    const testing::SearchProblem p = testing::random_search_problem(seed, {.max_mappings = 2'000});
    SearchOptions options;
    options.probe_other_tiles = false;
    options.factors = Factors::Any;
    options.budget_evaluations = 500;
    const auto closed = map_workload(p.workload, p.architecture, options);
    if (!closed.ok() || closed->status == Status::Infeasible) continue;
    options.open = true;
    options.budget_evaluations = 2'500;  // a part of it goes to the machine as it is
    const auto open = map_workload(p.workload, p.architecture, options);
    ASSERT_TRUE(open.ok()) << to_string(open.errors());
    EXPECT_LE(open->value, closed->value * (1 + 1e-12)) << seed;
    ++compared;
    cheaper += open->value < closed->value;
  }
  EXPECT_GT(compared, 30);
  EXPECT_GT(cheaper, 5);
}

TEST(TileClimbs, EveryObjective) {
  for (const Objective objective : {Objective::Energy, Objective::Delay, Objective::Ed2p}) {
    SearchOptions options = all_tiles(objective);
    options.budget_evaluations = 5'000;
    expect_sound(workload("gemm:60x44x97"), machine("eyeriss"), options);
  }
}

// 512 has no divisors that fill an array of 14 x 12.
TEST(TileClimbs, FillsTheArrayThatPerfectFactorsCannot) {
  SearchOptions options = all_tiles();
  options.budget_evaluations = 30'000;
  const Workload w = workload("gemm:512x512x512");
  const Architecture a = machine("eyeriss");
  EXPECT_LT(expect_sound(w, a, options), 0.5);
  const auto r = map_workload(w, a, options);
  EXPECT_GT(CostModel(w, a).explain(r->mapping, Counts::True).compute.utilized, 64u);
}

TEST(TileClimbs, SameAnswerForAnyNumberOfThreads) {
  const Architecture a = machine("eyeriss");
  const Network network{"n", {{workload("gemm:60x44x97"), 2}, {workload("conv:k=8,c=8,p=7,q=7,r=3,s=3"), 3}}};
  SearchOptions options = all_tiles();
  options.budget_evaluations = 5'000;
  options.threads = 1;
  const auto one = map_network(network, a, options);
  ASSERT_TRUE(one.ok());
  for (int threads : {2, 8}) {
    options.threads = threads;
    const auto many = map_network(network, a, options);
    ASSERT_TRUE(many.ok());
    for (std::size_t k = 0; k < network.layers.size(); ++k) {
      EXPECT_EQ(one->layers[k].result.mapping, many->layers[k].result.mapping);
      EXPECT_EQ(one->layers[k].result.statistics, many->layers[k].result.statistics);
    }
  }
}

TEST(TileClimbs, StopsAtOnceAndStillAnswers) {
  const std::atomic<bool> stop{true};
  SearchOptions options = all_tiles();
  options.stop = &stop;
  const auto r = map_workload(workload("resnet18/conv2_x"), machine("eyeriss"), options);
  ASSERT_TRUE(r.ok());
  EXPECT_NE(r->status, Status::Infeasible);
  EXPECT_LT(r->statistics.evaluated, 2'000u);
}

// Few enough mappings to look at all of them: the climbs are near the best one.
TEST(TileClimbs, NearTheOptimumOfTinyMapspaces) {
  double log_ratio = 0, worst = 1;
  int cases = 0;
  for (u64 seed = 0; cases < 40 && seed < 2'000; ++seed) {
    testing::RandomOptions random;
    random.capacities = seed % 2 == 0;
    random.max_dimensions = 2;
    random.max_levels = 3;
    random.max_tensors = 3;
    random.max_size = 9;
    random.max_fanout = 3;
    const testing::RandomProblem p = testing::random_problem(seed, random);
    SearchOptions options = all_tiles(static_cast<Objective::Kind>(seed % 4));
    options.budget_evaluations = 15'000;
    const LayerProblem problem{p.workload, p.architecture, options, *resolve(p.workload, p.architecture),
                               CostModel(p.workload, p.architecture)};
    const LayerAnswer all = exhaustive_search(problem, SearchBudget(options));
    if (!all.complete || !all.found) continue;
    ++cases;
    const double optimum = objective_number(options.objective, all.cost);
    const LayerAnswer found = climb_tiles(problem, {}, SearchBudget(options));
    ASSERT_TRUE(found.found) << seed;
    EXPECT_TRUE(violations(problem.space, found.mapping).empty());
    EXPECT_TRUE(check(found.mapping, p.workload, p.architecture).empty());
    const double ratio = objective_number(options.objective, found.cost) / optimum;
    EXPECT_GE(ratio, 1) << seed;
    log_ratio += std::log(ratio);
    worst = std::max(worst, ratio);
  }
  EXPECT_EQ(cases, 40);
  EXPECT_LT(std::exp(log_ratio / cases), 1.01);
  EXPECT_LT(worst, 1.1);
}

TEST(TileClimbs, NoMappingTakesFewerStepsThanAnyUnrollingLeaves) {
  for (u64 seed = 0; seed < 3'000; ++seed) {
    testing::RandomOptions random;
    random.imperfect = true;
    random.max_fanout = 2 + seed % 5;
    if (seed % 3 == 0) random.max_dimensions = 2, random.max_size = 60;
    const testing::RandomProblem p = testing::random_problem(seed, random);
    const Compiled c(p.workload, p.architecture);
    ASSERT_LE(fewest_steps(c, *resolve(p.workload, p.architecture)), TrueNest(c, p.mapping).steps) << seed;
  }
}

}  // namespace
}  // namespace heliolite::tile_climbs_test
