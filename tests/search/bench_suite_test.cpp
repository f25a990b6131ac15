// Suites of mappers side by side, and the ablation: ratios, summaries, what a stop leaves.
#include "engine/search/study/bench_suite.h"
#include "engine/search/map.h"
#include "engine/search/scheduling/fused_network.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/search/study/ablation.h"
#include "tests/support/small_chain.h"

namespace heliolite::bench_suite_test {
namespace {

Architecture machine(const std::string& name) {
  const auto architecture = load_architecture(name);
  EXPECT_TRUE(architecture.ok()) << to_string(architecture.errors());
  return *architecture;
}

BenchLayer layer(const std::string& text) {
  const auto network = load_network(text);
  EXPECT_TRUE(network.ok()) << to_string(network.errors());
  return {text, {text, {{network->layers.front().workload, 1}}}};
}

BenchStrategy strategy(const std::string& name, u64 evaluations = 20'000) {
  BenchStrategy out{name, {}};
  out.options.strategy = *parse_strategy(name);
  out.options.budget_evaluations = evaluations;
  return out;
}

BenchSuite small_suite() {
  BenchSuite suite;
  suite.strategies = {strategy("sunstone"), strategy("random"), strategy("exhaustive", 300)};
  for (const char* name : {"edge_unified", "eyeriss"}) suite.machines.push_back({name, machine(name)});
  suite.layers = {layer("gemm:16x16x16"), layer("conv:k=8,c=4,p=7,q=7,r=3,s=3")};
  return suite;
}

TEST(BenchSuite, RowsStandByMachineLayerAndStrategyWithTheirRatios) {
  BenchSuite suite = small_suite();
  suite.repeat = 3;
  const auto result = run_bench(suite);
  ASSERT_TRUE(result.ok()) << to_string(result.errors());
  ASSERT_EQ(result->rows.size(), 12u);
  EXPECT_EQ(result->done, 12u);
  EXPECT_EQ(result->planned, 12u);
  EXPECT_FALSE(result->interrupted);
  for (std::size_t k = 0; k < result->rows.size(); ++k) {
    const BenchRow& row = result->rows[k];
    EXPECT_EQ(row.strategy, suite.strategies[k % 3].label);
    EXPECT_EQ(row.layer, suite.layers[k / 3 % 2].name);
    EXPECT_EQ(row.machine, suite.machines[k / 6].name);
    ASSERT_TRUE(row.value && row.ratio_to_best && row.gap && row.seconds && row.evaluated);
    EXPECT_GE(*row.ratio_to_best, 1);
    double best = *row.value;
    for (std::size_t other = k / 3 * 3; other < k / 3 * 3 + 3; ++other)
      best = std::min(best, *result->rows[other].value);
    EXPECT_DOUBLE_EQ(*row.ratio_to_best, *row.value / best);
    EXPECT_DOUBLE_EQ(*row.gap, *row.value / *row.lower_bound - 1);
  }
}

// A row of a network is what `map --network`, or with fuse `map --fuse`, answers.
TEST(BenchSuite, RowsOfNetworksAreOfTheirSums) {
  BenchSuite suite;
  suite.network = true;
  BenchStrategy alone{"alone", {}}, fused{"fused", {}};
  fused.fuse = true;
  suite.strategies = {alone, fused};
  suite.machines = {{"two_buffers", *parse_architecture(testing::kChainMachine, "m.yaml")}};
  suite.layers = {{"chain", *parse_network(testing::kChain, "n.yaml")}};
  const auto result = run_bench(suite);
  ASSERT_TRUE(result.ok()) << to_string(result.errors());
  ASSERT_EQ(result->rows.size(), 2u);
  SearchOptions options;
  options.network = true;
  const auto mapped = map_network(suite.layers[0].network, suite.machines[0].architecture, options);
  const auto answer = fuse_network(suite.layers[0].network, suite.machines[0].architecture, {});
  ASSERT_TRUE(mapped.ok() && answer.ok());
  EXPECT_EQ(result->rows[0].value, mapped->optimum->value);
  EXPECT_EQ(result->rows[0].lower_bound, mapped->optimum->lower_bound);
  EXPECT_EQ(result->rows[0].status, mapped->optimum->status);
  EXPECT_FALSE(result->rows[0].unfused.has_value());
  EXPECT_EQ(result->rows[1].value, answer->best.value);
  EXPECT_EQ(result->rows[1].unfused, answer->best.unfused_value);
  EXPECT_LE(*result->rows[1].value, *result->rows[1].unfused);
  EXPECT_GE(*result->rows[1].value, *result->rows[1].lower_bound);
}

TEST(BenchSuite, ExternalResultsTakePartInTheRatios) {
  BenchSuite suite = small_suite();
  suite.strategies = {strategy("sunstone")};
  const auto alone = run_bench(suite);
  ASSERT_TRUE(alone.ok());
  const double ours = *alone->rows[0].value;
  suite.external = {{"edge_unified", "gemm:16x16x16", "other", ours / 2, 1.5, 77},
                    {"edge_unified", "gemm:16x16x16", "another", ours * 2, {}, {}},
                    {"edge_unified", "elsewhere", "other", 1, {}, {}},
                    {"nowhere", "gemm:16x16x16", "other", 1, {}, {}}};
  const auto result = run_bench(suite);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->left_out, 2u);
  ASSERT_EQ(result->rows.size(), 6u);
  EXPECT_DOUBLE_EQ(*result->rows[0].ratio_to_best, 2);
  EXPECT_EQ(result->rows[1].strategy, "other");
  EXPECT_TRUE(result->rows[1].external);
  EXPECT_EQ(result->rows[1].ratio_to_best, 1);
  EXPECT_EQ(result->rows[1].evaluated, 77u);
  EXPECT_FALSE(result->rows[1].gap);
  EXPECT_DOUBLE_EQ(*result->rows[2].ratio_to_best, 4);
  EXPECT_EQ(result->rows[3].ratio_to_best, 1);  // other layers are not touched
}

// A table of others may have several runs of one mapper: the layer counts once.
TEST(BenchSuite, OfRepeatedExternalResultsTheBestCounts) {
  BenchSuite suite = small_suite();
  suite.strategies = {strategy("sunstone")};
  suite.machines.pop_back();
  suite.external = {{"edge_unified", "gemm:16x16x16", "other", 3e12, 1.5, 77},
                    {"edge_unified", "gemm:16x16x16", "another", 7e12, {}, {}},
                    {"edge_unified", "gemm:16x16x16", "other", 2e12, 2.5, 78},
                    {"edge_unified", "gemm:16x16x16", "other", 4e12, 3.5, 79}};
  const auto result = run_bench(suite);
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result->rows.size(), 4u);
  EXPECT_EQ(result->repeated, 2u);
  EXPECT_EQ(result->left_out, 0u);
  EXPECT_EQ(result->rows[1].strategy, "other");
  EXPECT_EQ(result->rows[1].value, 2e12);
  EXPECT_EQ(result->rows[1].seconds, 2.5);
  EXPECT_EQ(result->rows[2].strategy, "another");
  for (const BenchSummary& s : summarize(result->rows))
    if (s.strategy == "other") {
      EXPECT_EQ(s.rows, 1u);
    }
}

TEST(BenchSuite, SummariesAreOverMachinesAndAll) {
  const auto row = [](const char* strategy, const char* machine, std::optional<double> ratio, double seconds) {
    BenchRow out;
    out.strategy = strategy;
    out.machine = machine;
    out.layer = "l";
    out.value = out.ratio_to_best = ratio;
    out.seconds = seconds;
    out.status = !ratio ? Status::Infeasible : *ratio == 1 ? Status::Optimal : Status::Bounded;
    return out;
  };
  const auto all = summarize(
      {row("a", "m", 1, 1), row("b", "m", 2, 4), row("a", "n", 4, 3), row("b", "n", {}, 2), row("a", "n", 2, 10)});
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(all[1].strategy, "a");
  EXPECT_EQ(all[1].machine, "n");
  EXPECT_DOUBLE_EQ(*all[1].mean_ratio, std::sqrt(8.0));
  EXPECT_EQ(all[2].machine, "");
  EXPECT_DOUBLE_EQ(*all[2].mean_ratio, 2);
  EXPECT_EQ(all[2].median_seconds, 3);
  EXPECT_EQ(all[2].max_seconds, 10);
  EXPECT_EQ(all[2].worst_ratio, 4);
  EXPECT_EQ(all[2].worst, "n l");
  EXPECT_EQ(all[2].best, 1u);
  EXPECT_EQ(all[2].proven, 1u);
  EXPECT_EQ(all[5].rows, 2u);
  EXPECT_EQ(all[5].mapped, 1u);
  EXPECT_EQ(all[4].mapped, 0u);
  EXPECT_FALSE(all[4].mean_ratio);
  EXPECT_EQ(all[5].median_seconds, 3);
}

TEST(BenchSuite, RoundedTablesOfOthersDoNotTakeTheFirstPlace) {
  BenchRow ours, theirs;
  ours.strategy = "ours", theirs.strategy = "theirs";
  ours.machine = theirs.machine = "m";
  ours.ratio_to_best = 1 + 4e-6;  // their energy has six digits
  theirs.ratio_to_best = 1;
  EXPECT_EQ(summarize({ours, theirs})[0].best, 1u);
  ours.ratio_to_best = 1.001;
  EXPECT_EQ(summarize({ours, theirs})[0].best, 0u);
}

TEST(BenchSuite, AStopKeepsTheRowsThatAreDone) {
  const BenchSuite suite = small_suite();
  std::atomic<bool> stop{false};
  const auto result = run_bench(suite, &stop, [&](u64 done, u64 planned, const std::string& where) {
    EXPECT_EQ(planned, 12u);
    EXPECT_FALSE(where.empty());
    if (done == 4) stop = true;
  });
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->interrupted);
  EXPECT_EQ(result->rows.size(), 4u);
  EXPECT_TRUE(result->rows.back().ratio_to_best);
}

TEST(BenchSuite, ConstraintsALayerCannotObeyAreRefusedBeforeAnySearch) {
  BenchSuite suite = small_suite();
  FactorConstraint odd{"Nowhere", Relation::Equal, 17};
  suite.machines[1].architecture.levels.back().constraints.temporal.factors = {odd};
  suite.machines[1].architecture.constraints_for_channels_only = false;
  const auto result = run_bench(suite, nullptr, [](u64, u64, const std::string&) { FAIL(); });
  ASSERT_FALSE(result.ok());
  EXPECT_NE(to_string(result.errors()).find("gemm:16x16x16 on eyeriss"), std::string::npos)
      << to_string(result.errors());
}

AblationSuite ablation(const char* name, const char* text) {
  AblationSuite suite;
  suite.machines = {{name, machine(name)}};
  suite.layers = {layer(text)};
  return suite;
}

TEST(Ablation, EveryRuleLooksAtFewerPointsAndTheFirstStepsLoseNothing) {
  for (const char* text : {"gemm:16x16x16", "conv:k=8,c=4,p=7,q=1,r=3,s=1"}) {
    const auto result = run_ablation(ablation("edge_unified", text));
    ASSERT_TRUE(result.ok()) << to_string(result.errors());
    ASSERT_EQ(result->layers.size(), 1u);
    const auto& rows = result->layers[0].rows;
    ASSERT_EQ(rows.size(), kAblationSteps);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      EXPECT_EQ(rows[k].step, static_cast<AblationStep>(k));
      EXPECT_TRUE(rows[k].finished);
      EXPECT_EQ(rows[k].counted, k < 2);
      EXPECT_EQ(rows[k].value.has_value(), k >= 2);
      if (k == 0) continue;
      EXPECT_LT(rows[k].points, rows[k - 1].points) << name(rows[k].step);
      if (k > 2) {
        EXPECT_GE(*rows[k].value, *rows[k - 1].value * (1 - 1e-12));
      }
    }
  }
}

TEST(Ablation, WithoutHeuristicRulesItFindsTheOptimum) {
  const char* text = "gemm:8x4x6";
  const auto result = run_ablation(ablation("edge_unified", text));
  ASSERT_TRUE(result.ok());
  SearchOptions options;
  options.strategy = Strategy::Exhaustive;
  const auto optimum = map_workload(layer(text).workload(), machine("edge_unified"), options);
  ASSERT_TRUE(optimum.ok());
  ASSERT_EQ(optimum->status, Status::Optimal);
  EXPECT_NEAR(*result->layers[0].rows[2].value / optimum->value, 1, 1e-12);
  EXPECT_TRUE(result->layers[0].optimum.proven);
  EXPECT_EQ(result->layers[0].optimum.value, optimum->value);
}

// Every step may stop at the same mapping and still be far from the optimum: ratios are to what `exact` proves.
TEST(Ablation, RatiosAreToTheProvenOptimum) {
  AblationSuite suite = ablation("dc_split", "conv:r=1,s=1,p=14,q=14,c=64,k=64,stride=2");
  suite.budget_seconds = 20;
  const auto result = run_ablation(suite);
  ASSERT_TRUE(result.ok());
  const AblationLayer& layer = result->layers[0];
  ASSERT_TRUE(layer.optimum.proven);
  EXPECT_EQ(layer.optimum.lower_bound, layer.optimum.value);
  EXPECT_EQ(ratio(layer, layer.rows[0]), std::nullopt);
  for (std::size_t k = 2; k < kAblationSteps; ++k) {
    ASSERT_TRUE(layer.rows[k].value);
    EXPECT_EQ(ratio(layer, layer.rows[k]), *layer.rows[k].value / layer.optimum.value);
    EXPECT_GE(*ratio(layer, layer.rows[k]), 1);
  }
  EXPECT_GT(*ratio(layer, layer.rows.back()), 1.01);
}

TEST(Ablation, WithoutAProofTheBestKnownValueStandsIn) {
  AblationLayer layer{"m", "l", std::vector<AblationRow>(2), {}};
  layer.rows[1].value = 3;
  EXPECT_EQ(ratio(layer, layer.rows[1]), std::nullopt);
  layer.optimum.value = 2;
  EXPECT_EQ(ratio(layer, layer.rows[1]), 1.5);
}

TEST(Ablation, ABudgetLeavesALowerBoundAndSaysSo) {
  AblationSuite suite = ablation("edge_split", "conv:k=64,c=64,p=56,q=56,r=3,s=3");
  suite.budget_seconds = 0.05;
  const auto result = run_ablation(suite);
  ASSERT_TRUE(result.ok());
  EXPECT_FALSE(result->layers[0].rows[2].finished);
  EXPECT_GT(result->layers[0].rows[2].points, 0);
  EXPECT_LT(result->layers[0].rows[2].seconds, 2);
}

// Two fan-outs that no loops separate, and one inside all loops.
TEST(Ablation, FanOutsMayStandAnywhere) {
  AblationSuite suite = ablation("edge_unified", "gemm:8x6x4");
  std::vector<StorageLevel>& levels = suite.machines[0].architecture.levels;
  levels[1].loops_allowed = false;  // inside the fan-out of DRAM, outside its own
  levels[2].fanout_x = 2;
  levels[0].fanout_x = 2;
  const auto result = run_ablation(suite);
  ASSERT_TRUE(result.ok()) << to_string(result.errors());
  const AblationLayer& layer = result->layers[0];
  ASSERT_TRUE(layer.optimum.proven);
  for (std::size_t k = 2; k < kAblationSteps; ++k) ASSERT_TRUE(layer.rows[k].value) << k;
  // Rule alpha-beta is on: it compares what partial mappings are estimated to cost, and may lose a little.
  EXPECT_GE(*ratio(layer, layer.rows[2]), 1);
  EXPECT_LT(*ratio(layer, layer.rows[2]), 1.01);
}

// A strategy that has learned the layer elsewhere begins near the optimum; what it priced there is not counted.
TEST(BenchSuite, TrainedStrategiesLearnFirst) {
  BenchSuite suite;
  suite.objective = Objective::Energy;
  suite.strategies = {strategy("exact"), strategy("bayes", 3), strategy("bayes", 3)};
  suite.strategies[1].label = "trained";
  suite.strategies[1].trained = true;
  suite.machines.push_back({"edge_unified", machine("edge_unified")});
  suite.training = {.machines = suite.machines, .evaluations = 20};
  suite.layers = {layer("gemm:64x512x128")};
  const auto result = run_bench(suite);
  ASSERT_TRUE(result.ok()) << to_string(result.errors());
  ASSERT_EQ(result->rows.size(), 3u);
  EXPECT_EQ(*result->rows[1].evaluated, 3u);
  EXPECT_LT(*result->rows[1].ratio_to_best, 1.01);
  EXPECT_GT(*result->rows[2].ratio_to_best, 1.1);
}

}  // namespace
}  // namespace heliolite::bench_suite_test
