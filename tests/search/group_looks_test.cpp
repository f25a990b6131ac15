// What is said of groups before their links are mapped, against plans and against the best mappings of random trees.
#include "engine/search/fused/group_looks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "engine/network/fused_cost.h"
#include "engine/network/schedule_text.h"
#include "tests/support/fusion_toys.h"

namespace heliolite::group_looks_test {
namespace {

using testing::FusionProblem;

constexpr double kLambda = 4e9;  // units of energy a cycle

// The best mappings of the links in these passes and the terms, if all have one.
std::optional<Cost> best_cost(const LinkGroup& group, const GroupPlan& p, const FusionProblem& toy, LinkSolver& solver,
                              const SearchBudget& budget) {
  Cost out = terms_cost(p, toy.graph, toy.architecture);
  for (int l = group.first; l <= group.last; ++l) {
    const LinkAnswer answer = solver.solve(l, p.passes[l - group.first], kLambda, kNoSum, budget);
    if (!answer.found) return std::nullopt;
    out.energy += answer.found->cost.energy;
    out.cycles += answer.found->cost.cycles;
  }
  return out;
}

TEST(GroupLooks, SayWhatPlansSayAndNoMoreThanMappingsCost) {
  int legal = 0, tight = 0, mapped = 0, reached = 0;
  for (const FusionProblem& toy : testing::fusion_toys()) {
    if (toy.graph.links[0].workload.macs() > 500) continue;
    SearchOptions options;
    options.strategy = Strategy::Exact;
    const SearchBudget budget(options);
    LinkSolver solver(toy.graph, toy.architecture, options);
    const FusionRules rules;
    GroupLooks looks(toy.graph, toy.architecture, rules, solver);
    testing::RandomTrees random(toy, 23);
    for (int k = 0; k < 40; ++k) {
      const LinkGroup group = random.next();
      SCOPED_TRACE(group_text(group, toy.graph, toy.architecture));
      const GroupPlan p = plan(group, toy.graph, toy.architecture);
      const GroupLook look = looks.of(group);
      EXPECT_EQ(look.legal, p.is_legal());
      if (!look.legal) continue;
      ++legal;
      const auto room = toy.architecture.levels[group.level].capacity_words();
      const bool fits = group.is_single() || !room ||
                        std::ranges::all_of(p.passes, [&](const LinkPass& pass) { return pass.taken < *room; });
      EXPECT_EQ(look.taken < 1, fits);
      tight += !fits;
      const auto cost = best_cost(group, p, toy, solver, budget);
      if (!cost) continue;
      EXPECT_LE(look.moved.energy, cost->energy);
      EXPECT_LE(look.moved.cycles, cost->cycles);
      ++mapped;
      reached += look.moved.cycles == cost->cycles;
    }
  }
  EXPECT_GT(legal, 60);
  EXPECT_GT(tight, 0);
  EXPECT_GT(mapped, 40);
  EXPECT_GT(reached, 0);
}

TEST(GroupLooks, GroupsOfOneKeyAreEqual) {
  for (const FusionProblem& toy : testing::fusion_toys()) {
    std::map<std::vector<u64>, LinkGroup> known;
    testing::RandomTrees random(toy, 29);
    for (int k = 0; k < 200; ++k) {
      const LinkGroup group = random.next();
      const auto same = known.try_emplace(key_of_group(group), group).first;
      EXPECT_EQ(same->second, group) << group_text(group, toy.graph, toy.architecture);
    }
  }
}

}  // namespace
}  // namespace heliolite::group_looks_test
