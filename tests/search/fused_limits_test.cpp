// Schedules of networks under limits of time and of evaluations: what is said holds wherever a limit ends the search,
// and a larger one never gives a dearer answer.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "engine/network/fused_cost.h"
#include "engine/search/fused/fused_search.h"
#include "engine/search/fused/link_solver.h"
#include "tests/support/fusion_toys.h"

namespace heliolite::fused_limits_test {
namespace {

using testing::FusionProblem;
using testing::options_for;

TEST(FusedLimits, AnswersWithinNoTime) {
  for (const testing::FusionRecord& record : testing::fusion_records()) {
    SearchOptions options = options_for(Objective::Edp);
    options.budget_seconds = 0;
    const auto best = search_fused(record.problem.graph, record.problem.architecture, options);
    if (!best.ok()) continue;  // no mapping of some layer was found either
    EXPECT_LE(best->lower_bound, best->value);
    const auto cost = schedule_cost(best->schedule, record.problem.graph, record.problem.architecture);
    ASSERT_TRUE(cost.ok()) << to_string(cost.errors());
    EXPECT_EQ(cost->total, best->cost);
  }
}

// Wherever time ends the slices, what is proven holds.
TEST(FusedLimits, NoBudgetProvesTooMuch) {
  int bounded = 0;
  for (const testing::FusionRecord& record : testing::fusion_records()) {
    if (record.problem.graph.links.size() > 3) continue;  // others take longer
    const auto best = search_fused(record.problem.graph, record.problem.architecture, options_for(Objective::Edp));
    ASSERT_TRUE(best.ok()) << to_string(best.errors());
    for (const double seconds : {0.001, 0.005, 0.02}) {
      SearchOptions options = options_for(Objective::Edp);
      options.budget_seconds = seconds;
      const auto some = search_fused(record.problem.graph, record.problem.architecture, options);
      if (!some.ok()) continue;  // no mapping of some layer was found
      EXPECT_LE(some->lower_bound * kEqualSum, best->value);
      EXPECT_GE(some->value, best->value * kEqualSum);
      if (some->status == Status::Optimal) {
        EXPECT_NEAR(some->value / best->value, 1, 1e-9);
      }
      bounded += some->status == Status::Bounded;
    }
  }
  EXPECT_GT(bounded, 0);
}

// What a search tells before somebody stops it is what it returns, or better; the later that is, the better.
TEST(FusedLimits, WhoeverWaitsLongerGetsNothingDearer) {
  int stopped = 0;
  for (const testing::FusionRecord& record : testing::fusion_records()) {
    if (record.problem.graph.links.size() > 2) continue;  // others take longer
    double before = kNoSum;
    for (const int patience : {1, 2, 3, 4, 6}) {
      SearchOptions options = options_for(Objective::Edp);
      std::atomic<bool> stop = false;
      options.stop = &stop;
      double told = kNoSum;
      int news = 0;
      options.progress = [&](const SearchProgress& p) {
        if (!stop) told = std::min(told, p.value);
        if (++news >= patience) stop = true;
      };
      const auto best = search_fused(record.problem.graph, record.problem.architecture, options);
      ASSERT_TRUE(best.ok()) << to_string(best.errors());
      EXPECT_LE(best->value * kEqualSum, std::min(told, before));
      EXPECT_LE(best->lower_bound, best->value);
      const auto cost = schedule_cost(best->schedule, record.problem.graph, record.problem.architecture);
      ASSERT_TRUE(cost.ok()) << to_string(cost.errors());
      EXPECT_EQ(cost->total, best->cost);
      before = best->value;
      stopped += best->status != Status::Optimal;
    }
  }
  EXPECT_GT(stopped, 3);
}

// The work that is done within a limit of evaluations is the beginning of what a larger one allows.
TEST(FusedLimits, MoreEvaluationsGiveNothingDearer) {
  int asked = 0, ended = 0, better = 0;
  const auto raise_limit = [&](const FusionProblem& toy, Objective objective) {
    double before = kNoSum;
    u64 first = 0;
    for (u64 limit = 1; limit < 100'000; limit = limit * 5 + 2) {
      SearchOptions options = options_for(objective);
      options.budget_evaluations = limit;
      options.threads = static_cast<int>(limit % 3);
      const auto best = search_fused(toy.graph, toy.architecture, options);
      if (!best.ok()) return;  // no mapping of some layer was found
      if (limit == 1) first = best->evaluated;
      EXPECT_LE(best->value * kEqualSum, before) << limit;
      EXPECT_LE(best->lower_bound, best->value);
      EXPECT_LE(best->evaluated, std::max(first, limit + 4 * kEvaluationSlack));
      const auto cost = schedule_cost(best->schedule, toy.graph, toy.architecture);
      ASSERT_TRUE(cost.ok()) << to_string(cost.errors());
      EXPECT_EQ(cost->total, best->cost);
      better += before < kNoSum && best->value < before;
      before = best->value;
      ++asked;
      if (best->status == Status::Optimal) break;
      EXPECT_THAT(best->why_not_proven, ::testing::HasSubstr("evaluations of the budget"));
      ++ended;
    }
  };
  for (const testing::FusionRecord& record : testing::fusion_records())
    if (record.problem.graph.links.size() <= 3)
      for (const Objective objective : {Objective::Edp, Objective::Energy}) raise_limit(record.problem, objective);
  EXPECT_GT(asked, 10);
  EXPECT_GT(ended, 10);
  EXPECT_GT(better, 2);
}

// More sets of arrays fit beside each other at the root of such a group than there is room or time for.
TEST(FusedLimits, GroupsOfManyLinksEndInTime) {
  for (const int count : {40, 70}) {
    std::string layers = "layers:\n", edges = "edges:\n";
    nlohmann::json ranks = nlohmann::json::array();
    for (int l = 0; l < count; ++l) {
      layers += fmt::format("- {{name: l{}, einsum: \"z[i,j] += w[i,k] * x[k,j]\", sizes: {{i: 2, j: 2, k: 2}}}}\n", l);
      if (l == 0) continue;
      edges += fmt::format("- {{from: l{}, to: l{}, tensor: x}}\n", l - 1, l);
      ranks.push_back(nlohmann::json::parse(R"([[["i"],["k"]],[["j"],["j"]]])"));
    }
    const FusionProblem chain = testing::fusion_problem(testing::kTwoBuffers, layers + edges, ranks);
    SearchOptions options = options_for(Objective::Energy);
    options.budget_seconds = 1;
    options.memory_bytes = u64{256} << 20;
    const auto best = search_fused(chain.graph, chain.architecture, options);
    ASSERT_TRUE(best.ok()) << to_string(best.errors());
    EXPECT_LE(best->lower_bound, best->value);
    EXPECT_LE(best->value, *best->unfused_value);
  }
}

}  // namespace
}  // namespace heliolite::fused_limits_test
