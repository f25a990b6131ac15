// Strategies against the oracle, which looks at every mapping on its own: those that promise the optimum reach it, the
// others stay legal and above it.
#include <gtest/gtest.h>

#include "engine/base/integers.h"
#include "engine/model/mapping_check.h"
#include "engine/model/mapping_yaml.h"
#include "engine/search/map.h"
#include "engine/search/sunstone/strategies.h"
#include "engine/space/mapspace.h"
#include "tests/support/load.h"
#include "tests/support/search_problem.h"

namespace heliolite::exact_test {
namespace {

using testing::OracleBest;
using testing::random_search_problem;
using testing::SearchProblem;
using testing::SearchProblemOptions;

constexpr std::array kObjectives{Objective::Energy, Objective::Delay, Objective::Edp, Objective::Ed2p};

class Exact : public ::testing::TestWithParam<const char*> {
 protected:
  void expect_optimum(const SearchProblem& p, Objective objective) const {
    SCOPED_TRACE(std::string(name(objective)));
    SearchOptions options;
    options.strategy = *parse_strategy(GetParam());
    options.objective = objective;
    const auto r = map_workload(p.workload, p.architecture, options);
    ASSERT_TRUE(r.ok()) << to_string(r.errors());
    if (p.answer.legal == 0) {
      EXPECT_EQ(r->status, Status::Infeasible);
      return;
    }
    const OracleBest& best = p.answer.best[at(objective)];
    ASSERT_EQ(r->status, Status::Optimal);
    EXPECT_EQ(r->gap, 0);
    EXPECT_EQ(r->value, r->lower_bound);
    // Energies of delay's optima too: of equally fast mappings the thriftiest is best.
    EXPECT_TRUE(Value::of(objective, r->cost) == Value::of(objective, best.cost))
        << r->value << ", the oracle's is " << objective_number(objective, best.cost) << "\n"
        << write_mapping(r->mapping, p.workload, p.architecture) << "the oracle's\n"
        << write_mapping(best.mapping, p.workload, p.architecture);
    EXPECT_EQ(CostModel(p.workload, p.architecture).evaluate(r->mapping).cost, r->cost);
    EXPECT_TRUE(check(r->mapping, p.workload, p.architecture).empty());
    EXPECT_TRUE(violations(*resolve(p.workload, p.architecture), r->mapping).empty());
  }

  void expect_optima(u64 first, u64 last, const SearchProblemOptions& options) const {
    for (u64 seed = first; seed < last && !HasFatalFailure(); ++seed) {
      const SearchProblem p = random_search_problem(seed, options);
      SCOPED_TRACE(seed);
      for (Objective objective : kObjectives) expect_optimum(p, objective);
    }
  }
};

// Everything at once: 2 to 5 levels and split ones, fan-outs, bypass open, constraints, all families and objectives.
TEST_P(Exact, EqualsTheOracle) { expect_optima(0, 300, {.max_mappings = 10'000}); }

TEST_P(Exact, EqualsTheOracleWithoutConstraints) {
  expect_optima(1'000, 1'100, {.max_mappings = 10'000, .open_keep = false, .constraints = false});
}

TEST_P(Exact, EqualsTheOracleOnLargerSpaces) { expect_optima(2'000, 2'012, {.max_mappings = 100'000}); }

// With connections that hold nothing between the levels, inside and outside of fan-outs.
TEST_P(Exact, EqualsTheOracleWithInterconnects) {
  expect_optima(20'000, 20'120, {.max_mappings = 4'000, .interconnects = true});
}

// With link transfers: what is called optimal is the optimum, and no bound is above it, also without any one rule.
TEST(ExactWithLinks, EqualsTheOracle) {
  std::vector<Rule> exact_rules;
  for (const RuleInfo& rule : kRuleTable)
    if (rule.user == RuleUser::Exact) exact_rules.push_back(rule.rule);
  int with_links = 0, proven = 0;
  u64 cuts = 0;
  for (u64 seed = 0; seed < 1'200; ++seed) {
    const SearchProblem p =
        random_search_problem(seed, {.max_mappings = 2'000, .links = true, .reductions = seed % 3 == 0});
    SearchOptions options;
    options.objective = kObjectives[seed % kObjectives.size()];
    if (seed % 2 != 0) options.rules.set(exact_rules[seed / 2 % exact_rules.size()], false);
    const auto r = map_workload(p.workload, p.architecture, options);
    ASSERT_TRUE(r.ok()) << to_string(r.errors());
    if (!r->without_peers || p.answer.legal == 0) continue;
    SCOPED_TRACE(seed);
    ++with_links;
    cuts += r->statistics.rules.cuts[at(Rule::PeersOnly)];
    const Cost& best = p.answer.best[at(options.objective)].cost;
    const double least = objective_number(options.objective, best);
    EXPECT_LE(r->lower_bound, least * (1 + 1e-12));
    EXPECT_GE(r->value, least * (1 - 1e-12));
    EXPECT_EQ(CostModel(p.workload, p.architecture).evaluate(r->mapping).cost, r->cost);
    if (r->status != Status::Optimal) continue;
    ++proven;
    EXPECT_LE(r->value, least * (1 + 1e-12)) << r->why_not_proven;
  }
  EXPECT_GT(with_links, 100);
  EXPECT_GT(proven, 50);
  EXPECT_GT(cuts, 0u);
}

INSTANTIATE_TEST_SUITE_P(Strategies, Exact, ::testing::Values("exact", "exhaustive"),
                         [](const auto& strategy) { return std::string(strategy.param); });

class Heuristic : public ::testing::TestWithParam<const char*> {};

TEST_P(Heuristic, IsLegalAndNeverBelowTheOracle) {
  for (u64 seed = 5'000; seed < 5'150; ++seed) {
    const SearchProblem p = random_search_problem(seed, {.max_mappings = 5'000});
    SCOPED_TRACE(seed);
    SearchOptions options;
    options.strategy = *parse_strategy(GetParam());
    options.objective = kObjectives[seed % kObjectives.size()];
    if (seed % 3 == 0) options.memory_bytes = 4'096;  // room for two candidates
    if (seed % 5 == 0) options.rules.set(Rule::MaximalTiles, false).set(Rule::FullUnrolling, false);
    const auto r = map_workload(p.workload, p.architecture, options);
    ASSERT_TRUE(r.ok()) << to_string(r.errors());
    if (r->status == Status::Infeasible) continue;
    ASSERT_GT(p.answer.legal, 0u);
    const OracleBest& best = p.answer.best[at(options.objective)];
    EXPECT_FALSE(Value::of(options.objective, r->cost) < Value::of(options.objective, best.cost)) << r->value;
    EXPECT_EQ(CostModel(p.workload, p.architecture).evaluate(r->mapping).cost, r->cost);
    EXPECT_TRUE(check(r->mapping, p.workload, p.architecture).empty());
    EXPECT_TRUE(violations(*resolve(p.workload, p.architecture), r->mapping).empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, Heuristic, ::testing::Values("sunstone", "thesis"),
                         [](const auto& strategy) { return std::string(strategy.param); });

// Levels 0 and 3 have loops; fan-outs stand inside level 0 and, two of them, between the others.
TEST(LevelChain, HasAStepForEachLevelWithLoopsAndEachFurtherFanOut) {
  Mapspace space;
  space.levels.resize(4);
  space.levels[0].temporal.allowed = 1;
  space.levels[0].spatial.fanout_x = 2;
  space.levels[1].spatial.fanout_x = 2;
  space.levels[3].spatial.fanout_y = 2;
  const std::vector<ChainStep> chain = level_chain(space);
  ASSERT_EQ(chain.size(), 4u);
  const auto expect = [&](std::size_t k, int level, int fanout, int outer) {
    EXPECT_EQ(chain[k].level, level) << k;
    EXPECT_EQ(chain[k].fanout, fanout) << k;
    EXPECT_EQ(chain[k].outer, outer) << k;
  };
  expect(0, -1, 0, 0);
  expect(1, 0, 1, 2);
  expect(2, -1, 3, 3);
  expect(3, 3, -1, -1);
}

// A level of two buffers for a tensor each, and one for both outside them.
TEST(LevelChain, JoinsNeighboursThatKeepDifferentTensors) {
  Mapspace space;
  space.levels.resize(4);
  for (LevelSpace& level : space.levels) level.temporal.allowed = 1;
  space.levels[0].keep = 1;
  space.levels[1].keep = 2;
  space.levels[2].keep = 3;
  const auto levels = [&] {
    std::vector<int> out;
    for (const ChainStep& step : level_chain(space)) out.push_back(step.level);
    return out;
  };
  EXPECT_EQ(levels(), (std::vector<int>{0, 2, 3}));
  space.levels[1].temporal.factor[0].min = 2;  // loops that have to stand there
  EXPECT_EQ(levels(), (std::vector<int>{0, 1, 2, 3}));
  space.levels[1].temporal.factor[0].min = 1;
  space.levels[1].spatial.fanout_x = 2;
  EXPECT_EQ(levels(), (std::vector<int>{0, 1, 2, 3}));
}

// Thousands of keep choices, more than the evaluations suffice for: the first that are looked at are the ones that
// machines have.
TEST(ExactOnOpenMachines, IsNoWorseThanWithTheirOwnChoices) {
  for (const char* name : {"eyeriss", "simba"}) {
    const Architecture constrained = testing::machine(name);
    Architecture open = constrained;
    for (std::size_t i = 0; i + 1 < open.levels.size(); ++i) open.levels[i].keep = {};
    const Workload w = testing::workload("conv:k=32,c=16,p=14,q=14,r=3,s=3");
    SearchOptions options;
    const auto closed = map_workload(w, constrained, options);
    options.budget_evaluations = 200'000;
    const auto best = map_workload(w, open, options);
    ASSERT_TRUE(closed.ok() && best.ok());
    EXPECT_TRUE(violations(*resolve(w, open), best->mapping).empty());
    EXPECT_EQ(CostModel(w, open).evaluate(best->mapping).cost, best->cost);
    EXPECT_LE(best->value, closed->value) << name;
    EXPECT_LE(best->lower_bound, best->value);
  }
}

// 216,000 tiles: cycles have tables where the levels outside leave one way to keep the weights, and none where two.
TEST(ExactOnLargeLattices, TablesOfCyclesMayEndAtALevel) {
  SearchOptions options;
  options.budget_evaluations = 2'000;
  const auto found = map_workload(testing::workload("gemm:5040x5040x5040"), testing::machine("simba"), options);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->strategy, Strategy::Exact);
  EXPECT_GT(found->lower_bound, 0);
  EXPECT_LE(found->lower_bound, found->value);
}

}  // namespace
}  // namespace heliolite::exact_test
