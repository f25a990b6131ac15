// The search of uneven tiles against all uneven mappings of small problems, and on the products that even tiles miss.
#include "engine/search/uneven/uneven.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/bounds/curve/movement_distance.h"
#include "engine/formats/load_network.h"
#include "engine/model/mapping_check.h"
#include "engine/model/mapping_yaml.h"
#include "engine/search/map.h"
#include "tests/support/buffer_machine.h"
#include "tests/support/exact_problem.h"
#include "tests/support/uneven_mappings.h"

namespace heliolite::uneven_search_test {
namespace {

using testing::all_uneven;
using testing::buffer_of;
using ::testing::HasSubstr;
using testing::layer_problem;
using testing::OracleAnswer;
using testing::random_search_problem;
using testing::SearchProblem;
using testing::small_buffers;

constexpr std::array kObjectives{Objective::Energy, Objective::Delay, Objective::Edp, Objective::Ed2p};

// From nothing: the search has to find the optimum itself.
void expect_optimum(const SearchProblem& p, const OracleAnswer& all, Objective objective, const RuleSet& rules,
                    RuleCounts& counts) {
  LayerProblem problem = layer_problem(p, objective);
  problem.options.rules = rules;
  problem.options.tiles = Tiles::Uneven;
  const LayerAnswer answer = uneven_search(problem, {}, SearchBudget(problem.options));
  counts += answer.statistics.rules;
  EXPECT_TRUE(answer.complete) << explain(answer.end, problem) << " " << answer.found << all.legal;
  ASSERT_EQ(answer.found, all.legal > 0);
  if (!answer.found) return;
  const testing::OracleBest& best = all.best[at(objective)];
  ASSERT_TRUE(answer.value == Value::of(objective, best.cost))
      << objective_number(objective, answer.cost) << ", the least is " << objective_number(objective, best.cost) << "\n"
      << write_mapping(best.mapping, p.workload, p.architecture);
  EXPECT_EQ(problem.model.evaluate(answer.mapping).cost, answer.cost);
  EXPECT_TRUE(check(answer.mapping, p.workload, p.architecture).empty());
  EXPECT_TRUE(violations(problem.space, answer.mapping).empty());
}

// Of the seeds [first, last); returns how often uneven tiles beat even ones.
int expect_optima(u64 first, u64 last, bool word_bits, RuleCounts& counts) {
  RuleSet none;
  for (const RuleInfo& rule : kRuleTable) none.set(rule.rule, false);
  const std::array runs{none, RuleSet().set(Rule::StoreOrder, false), RuleSet(none).set(Rule::StoreOrder, true),
                        RuleSet(none).set(Rule::PushIn, true), RuleSet(none).set(Rule::StateDominance, true)};
  int gains = 0;
  for (u64 seed = first; seed < last && !::testing::Test::HasFatalFailure(); ++seed) {
    const SearchProblem p = seed % 4 != 0 ? small_buffers(seed, word_bits)
                                          : random_search_problem(seed, {.max_mappings = 300,
                                                                         .interconnects = word_bits && seed % 8 == 0,
                                                                         .word_bits = word_bits,
                                                                         .reductions = seed % 8 == 4});
    const auto all = all_uneven(p, 16'000);
    if (!all) continue;
    SCOPED_TRACE(seed);
    for (const Objective objective : kObjectives) {
      expect_optimum(p, *all, objective, {}, counts);
      // Each rule where it could be at fault: where even tiles do not have the optimum.
      const Cost &even = p.answer.best[at(objective)].cost, &uneven = all->best[at(objective)].cost;
      if (all->legal == 0 || Value::of(objective, uneven) >= Value::of(objective, even)) continue;
      ++gains;
      for (const RuleSet& rules : runs) expect_optimum(p, *all, objective, rules, counts);
    }
  }
  return gains;
}

TEST(UnevenSearch, FindsTheLeastOfAllUnevenMappings) {
  RuleCounts counts;
  EXPECT_GT(expect_optima(0, 450, false, counts), 50);
  EXPECT_GT(counts.cuts[at(Rule::StoreOrder)], 1'000u);
}

TEST(UnevenSearch, FindsTheLeastWithSizesOfWords) {
  RuleCounts counts;
  EXPECT_GT(expect_optima(0, 200, true, counts), 10);
}

// Products whose even optimum moves at least 1.4 times the words that the bound on every mapping asks for: uneven tiles
// reach it, proven.
TEST(UnevenSearch, ReachesTheBoundOfWordsMovedWhereEvenTilesDoNot) {
  struct Case {
    u64 words;
    const char* gemm;
    u64 even, uneven;
  };
  for (const Case& c : {Case{37, "gemm:8x64x8", 2'560, 1'600},
                        {73, "gemm:8x8x64", 1'600, 1'088},
                        {141, "gemm:16x64x16", 5'120, 3'328},
                        {150, "gemm:16x64x16", 5'120, 3'328},
                        {273, "gemm:16x16x64", 3'328, 2'304},
                        {280, "gemm:16x16x64", 3'328, 2'304},
                        {545, "gemm:32x64x32", 10'240, 7'168},
                        {553, "gemm:32x64x32", 10'240, 7'168},
                        {1'057, "gemm:32x64x32", 7'168, 5'120},
                        {1'070, "gemm:32x64x32", 7'168, 5'120}}) {
    SCOPED_TRACE(c.words);
    const Workload workload = load_network(c.gemm)->layers[0].workload;
    const Architecture machine = buffer_of(c.words);
    SearchOptions options;
    options.objective = Objective::Energy;
    EXPECT_DOUBLE_EQ(map_workload(workload, machine, options)->value, static_cast<double>(c.even));
    options.tiles = Tiles::Uneven;
    const Result<MappingResult> r = map_workload(workload, machine, options);
    ASSERT_TRUE(r.ok());
    EXPECT_EQ(r->status, Status::Optimal);
    EXPECT_DOUBLE_EQ(r->value, static_cast<double>(c.uneven));
    MovementBound bound;
    const auto distances = bound.distances(workload, machine, r->mapping);
    ASSERT_TRUE(distances) << to_string(distances.errors());
    EXPECT_EQ(distances->back().bound.least, c.uneven);
  }
}

// Where tensors slide too; no bound is known that reaches it.
TEST(UnevenSearch, GainsOnAConvolution) {
  const Workload workload = load_network("conv:k=8,c=4,p=3,q=6,r=3,s=2")->layers[0].workload;
  SearchOptions options;
  options.objective = Objective::Energy;
  for (const auto& [tiles, words] : {std::pair{Tiles::Even, 2'256.0}, {Tiles::Uneven, 1'776.0}}) {
    options.tiles = tiles;
    const Result<MappingResult> r = map_workload(workload, buffer_of(16), options);
    ASSERT_TRUE(r.ok());
    EXPECT_EQ(r->status, Status::Optimal);
    EXPECT_DOUBLE_EQ(r->value, words);
  }
}

TEST(UnevenSearch, WhatItCannotAnswerIsRefusedOrSaid) {
  const Workload workload = load_network("gemm:8x8x8")->layers[0].workload;
  Architecture machine = buffer_of(64);
  SearchOptions options;
  options.tiles = Tiles::Uneven;
  options.strategy = Strategy::Sunstone;
  EXPECT_THAT(to_string(map_workload(workload, machine, options).errors()),
              HasSubstr("tiles: uneven ones need strategy exact, sunstone knows even ones only"));
  options.strategy = Strategy::Exact;
  options.factors = Factors::Any;
  EXPECT_THAT(to_string(map_workload(workload, machine, options).errors()), HasSubstr("leave out factors any"));
  options.factors = Factors::Perfect;
  while (machine.levels.size() < 6) machine.levels.insert(machine.levels.begin(), machine.levels[0]);
  for (std::size_t i = 0; i < 5; ++i)
    machine.levels[i].name += std::to_string(i), machine.levels[i].keep = {{"all"}, {}};
  const Result<MappingResult> r = map_workload(workload, machine, options);
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(r->status, Status::Bounded);
  EXPECT_THAT(r->why_not_proven, HasSubstr("uneven tiles were not searched, the answer is that of even ones"));
  options.tiles = Tiles::Even;
  EXPECT_TRUE(map_workload(workload, machine, options)->mapping == r->mapping);
}

// Constrained loops belong to the whole level, hops are counted at its one tile, and the outermost tile is the tensor.
TEST(UnevenSearch, LevelsWithConstrainedLoopsOrBelowPricedHopsHaveOneTile) {
  const Workload workload = load_network("gemm:8x8x8")->layers[0].workload;
  Architecture machine = buffer_of(64);
  machine.levels.insert(machine.levels.begin(), machine.levels[0]);
  machine.levels[0].name = "Regs";
  const auto uneven = [&] {
    const LayerProblem problem = layer_problem(workload, machine, {});
    return uneven_levels(problem.space, problem.model.compiled());
  };
  EXPECT_EQ(uneven(), (std::vector<bool>{true, true, false}));
  machine.levels[1].network.hop_pj = 1;
  EXPECT_EQ(uneven(), (std::vector<bool>{false, true, false}));
  machine.levels[1].constraints.temporal.factors = {{"M", Relation::AtMost, 4}};
  EXPECT_EQ(uneven(), (std::vector<bool>{false, false, false}));
}

}  // namespace
}  // namespace heliolite::uneven_search_test
