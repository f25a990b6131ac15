// Schedules of networks that several threads look for: what they find is what one finds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "engine/network/group_plan.h"
#include "engine/search/fused/fused_search.h"
#include "engine/search/fused/tree_search.h"
#include "tests/support/fusion_toys.h"

namespace heliolite::fused_threads_test {
namespace {

using testing::FusionProblem;
using testing::options_for;

const std::string kSmall = R"(
architecture:
  name: small
  levels:
  - {name: DRAM, dram: true, energy: {read: 64, fill: 64, update: 64}, bandwidth: {shared: 2}}
  - {name: Buf, entries: 40, energy: {read: 6, fill: 7, update: 8}, bandwidth: {read: 4}, leak_pj_per_cycle: 2}
  - {name: Reg, entries: 3, energy: {read: 1, fill: 1, update: 1}}
  compute: {name: MAC, energy: 1}
)";
constexpr double kLambda = 8 * Energy::kUnitsPerPicojoule;

// From its end a group's trees are as good, and two threads that begin at both ends find what one finds, also below a
// limit that the best tree just meets or misses.
TEST(FusedThreads, TreesAreTheSameFromBothEnds) {
  int groups = 0, trees = 0;
  for (FusionProblem& toy : testing::fusion_toys()) {
    if (toy.graph.links[0].workload.macs() > 500) continue;
    toy.architecture = parse_architecture(kSmall, "small.yaml").value();
    const int last = static_cast<int>(toy.graph.links.size()) - 1;
    for (int first = 0; first < last; ++first) {
      const auto interval = make_interval(toy.graph, toy.architecture, 1, first, last, {});
      if (!interval) continue;
      ++groups;
      SearchOptions options = options_for(Objective::Edp);
      const SearchBudget budget(options);
      LinkSolver alone(toy.graph, toy.architecture, options);
      LinkBounds of_alone;
      const TreeAnswer expected = TreeSearch(*interval, alone, kLambda, budget, of_alone).run(kNoSum);
      LinkSolver from_end(toy.graph, toy.architecture, options);
      LinkBounds of_end;
      const TreeAnswer end = TreeSearch(*interval, from_end, kLambda, budget, of_end, {.backward = true}).run(kNoSum);
      ASSERT_EQ(end.found == nullptr, expected.found == nullptr);
      options.threads = 2;
      const std::vector<double> parts =
          expected.found ? std::vector{kNoSum, 1 + 1e-9, 1 - 1e-9, 0.8} : std::vector{kNoSum};
      for (const double part : parts) {
        LinkSolver solver(toy.graph, toy.architecture, options);
        LinkBounds bounds;
        TreeSearch forward(*interval, solver, kLambda, budget, bounds);
        TreeSearch backward(*interval, solver, kLambda, budget, bounds, {.backward = true});
        const double limit = expected.found ? part * expected.found->value : kNoSum;
        const TreeAnswer both = forward.run_with(backward, limit);
        EXPECT_TRUE(both.is_proven(limit));
        ASSERT_EQ(both.found != nullptr, expected.found && part > 1);
        if (!both.found) continue;
        EXPECT_NEAR(both.found->value / expected.found->value, 1, 1e-11);
        EXPECT_NEAR(end.found->value / expected.found->value, 1, 1e-11);
        EXPECT_EQ(both.found->node, expected.found->node);
        ++trees;
        // Which of equal mappings was found may depend on who was faster, but not the first of them.
        const GroupPlan p = plan({first, last, 1, both.found->node}, toy.graph, toy.architecture);
        for (int l = first; l <= last; ++l) {
          const std::size_t k = at(l - first);
          const auto first_of = [&](LinkSolver& own, const FusedTree& tree) {
            return own.first_as_good(l, p.passes[k], kLambda, tree.links[k], budget).mapping;
          };
          EXPECT_EQ(first_of(solver, *both.found), first_of(alone, *expected.found));
        }
      }
    }
  }
  EXPECT_GT(groups, 3);
  EXPECT_GT(trees, 2 * groups - 1);
}

TEST(FusedThreads, AnswersGetBetterAlikeForAnyNumberOfThreads) {
  int fused = 0;
  for (const testing::FusionRecord& record : testing::fusion_records()) {
    if (record.problem.graph.links.size() > 2) continue;  // others take longer
    SearchOptions options = options_for(Objective::Edp);
    const auto one = search_fused(record.problem.graph, record.problem.architecture, options);
    ASSERT_TRUE(one.ok() && !one->answers.empty());
    EXPECT_DOUBLE_EQ(one->answers.back().value, one->value);
    for (std::size_t k = 1; k < one->answers.size(); ++k) EXPECT_LT(one->answers[k].value, one->answers[k - 1].value);
    for (const FusedAnswer& a : one->answers) EXPECT_LE(a.lower_bound * kEqualSum, one->value);
    fused += one->answers.back().fused;
    for (const int threads : {2, 8}) {
      options.threads = threads;
      const auto more = search_fused(record.problem.graph, record.problem.architecture, options);
      ASSERT_TRUE(more.ok());
      EXPECT_EQ(more->cost, one->cost);
      EXPECT_EQ(more->schedule.groups, one->schedule.groups);
      EXPECT_EQ(more->schedule.mappings, one->schedule.mappings);
      ASSERT_EQ(more->answers.size(), one->answers.size());
      for (std::size_t k = 0; k < one->answers.size(); ++k) EXPECT_EQ(more->answers[k].value, one->answers[k].value);
    }
  }
  EXPECT_GT(fused, 0);
}

}  // namespace
}  // namespace heliolite::fused_threads_test
