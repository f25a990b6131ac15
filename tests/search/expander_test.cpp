// The exact search's expansion of partial mappings meets every mapping of a toy, and says what it had no room for.
#include "engine/search/exact/expand.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "tests/support/exact_toy.h"
#include "tests/support/named_toys.h"

namespace heliolite::expander_test {
namespace {

using testing::ExactToy;
using testing::kObjectives;
using testing::named_toys;
using testing::NamedToy;
using testing::toy_problem;

struct Expansion {
  Incumbent incumbent;
  u64 complete = 0;         // mappings that the last level arrived at
  ObjectiveKey left_out{};  // least bound of what there was no room for
};

// All levels, with room for this many bytes of states at a time.
Expansion expand(const ExactToy& toy, std::size_t most_bytes = ~std::size_t{0}) {
  const SearchBudget budget(toy.problem.options);
  const PartialBounds bounds(toy.model);
  Expansion out{Incumbent(toy.problem.options.objective, ObjectiveKey())};
  std::vector<Frontier> layers;
  for (int level = -1; level <= toy.top(); ++level) layers.emplace_back(toy.model, level);
  layers[0].add(toy.steps.root(0, 0), {}, false);
  for (int level = 0; level <= toy.top(); ++level) {
    Expander expander(toy.problem, toy.model, bounds, layers, level, out.incumbent, layers[level + 1], most_bytes);
    for (std::size_t k = 0; k < layers[level].size(); ++k)
      EXPECT_TRUE(expander.extend(k, budget, budget.evaluations_left(0)));
    layers[level + 1].compact();
    out.left_out = std::min(out.left_out, expander.left_out());
    out.complete = expander.statistics().evaluated;
  }
  return out;
}

RuleSet no_rules() {
  RuleSet rules;
  for (const RuleInfo& info : kRuleTable) rules.set(info.rule, false);
  return rules;
}

TEST(Expander, MeetsEveryMappingThatFitsIfNoRuleCuts) {
  for (const NamedToy& given : named_toys()) {
    SCOPED_TRACE(given.name);
    LayerProblem problem = toy_problem(given.workload, given.machine, given.objective);
    problem.options.rules = no_rules();
    const auto all = testing::enumerate_mapspace(given.workload, given.machine, {.innermost_orders = true});
    ASSERT_TRUE(all.has_value());
    EXPECT_EQ(expand(ExactToy(problem)).complete, all->legal);
  }
}

TEST(Expander, FindsTheCheapestWhicheverRuleIsOff) {
  std::vector<RuleSet> runs{RuleSet(), no_rules()};
  for (const RuleInfo& rule : kRuleTable)
    if (rule.user == RuleUser::Exact) runs.push_back(RuleSet().set(rule.rule, false));
  for (const NamedToy& given : named_toys()) {
    const auto all = testing::enumerate_mapspace(given.workload, given.machine);
    ASSERT_TRUE(all.has_value());
    for (const Objective objective : kObjectives)
      for (const RuleSet& rules : runs) {
        SCOPED_TRACE(std::string(given.name) + ", " + std::string(name(objective)));
        LayerProblem problem = toy_problem(given.workload, given.machine, objective);
        problem.options.rules = rules;
        const Expansion found = expand(ExactToy(problem));
        ASSERT_TRUE(found.incumbent.found());
        const Cost& best = all->best[at(objective)].cost;
        EXPECT_TRUE(found.incumbent.answer().value == Value::of(objective, best));
      }
  }
}

// What had no room has a bound: nothing that went is below it.
TEST(Expander, SaysWhatItHadNoRoomFor) {
  const NamedToy given = named_toys()[0];
  const auto all = testing::enumerate_mapspace(given.workload, given.machine);
  LayerProblem problem = toy_problem(given.workload, given.machine);
  problem.options.rules = no_rules();
  const ExactToy toy(problem);
  const Expansion whole = expand(toy), part = expand(toy, 4000);
  EXPECT_FALSE(whole.left_out < ObjectiveKey());
  ASSERT_LT(part.left_out.first, ObjectiveKey().first);
  EXPECT_LT(part.complete, whole.complete);
  const auto best = static_cast<double>(all->best[0].cost.energy.units);
  ASSERT_TRUE(part.incumbent.found());
  EXPECT_LE(std::min(part.left_out.first, part.incumbent.best().first), best * (1 + 1e-12));
}

}  // namespace
}  // namespace heliolite::expander_test
