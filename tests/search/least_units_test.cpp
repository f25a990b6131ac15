// A least parallelism: what is called optimal is the best mapping that uses as many units, no rule changes the answer,
// and no strategy answers with a mapping that leaves more of them idle.
#include "engine/space/mapspace_size.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arch/check.h"
#include "engine/base/integers.h"
#include "engine/model/true_counts/cost.h"
#include "engine/search/co_search/co_search.h"
#include "engine/search/cosa/mip.h"
#include "engine/search/map.h"
#include "engine/search/uneven/uneven.h"
#include "tests/support/exact_problem.h"
#include "tests/support/load.h"
#include "tests/support/machine_families.h"

namespace heliolite::least_units_test {
namespace {

using testing::exact_alone;
using ::testing::HasSubstr;
using testing::kObjectives;
using testing::layer_problem;
using testing::OracleAnswer;
using testing::random_search_problem;
using testing::SearchProblem;

// The same machine without the constraint.
SearchProblem lifted(SearchProblem p, u64 limit) {
  p.architecture.min_parallelism = 0;
  p.answer = testing::enumerate_mapspace(p.workload, p.architecture, {.limit = limit}).value_or(OracleAnswer{});
  return p;
}

bool uses_enough(const SearchProblem& p, const Mapping& mapping) {
  return static_cast<double>(mapping.units()) / static_cast<double>(p.architecture.compute.instances) >=
         p.architecture.min_parallelism;
}

void expect_optimum(const SearchProblem& p, Objective objective, const RuleSet& rules) {
  LayerProblem problem = layer_problem(p, objective);
  problem.options.rules = rules;
  const LayerAnswer answer = exact_alone(problem);
  EXPECT_TRUE(answer.complete);
  ASSERT_EQ(answer.found, p.answer.legal > 0);
  if (!answer.found) return;
  EXPECT_TRUE(uses_enough(p, answer.mapping));
  const Cost& best = p.answer.best[at(objective)].cost;
  ASSERT_TRUE(answer.value == Value::of(objective, best))
      << objective_number(objective, answer.cost) << ", the oracle's is " << objective_number(objective, best);
}

// From nothing, with all rules, without each of them, and without any.
TEST(LeastUnits, ExactFindsTheBestThatUsesThemWhateverRulesAreOff) {
  std::vector<RuleSet> runs(2);
  for (const RuleInfo& info : kRuleTable) {
    if (info.user != RuleUser::Exact) continue;
    runs.push_back(RuleSet().set(info.rule, false));
    runs[1].set(info.rule, false);
  }
  int matters = 0;
  for (u64 seed = 0; seed < 40 && !::testing::Test::HasFatalFailure(); ++seed) {
    const testing::SearchProblemOptions options{.max_mappings = 200, .parallelism = true};
    const SearchProblem p =
        seed % 4 == 3 ? testing::unusual_search_problem(seed, options) : random_search_problem(seed, options);
    const SearchProblem free = lifted(p, 100'000);
    for (const Objective objective : kObjectives) {
      const auto& with = p.answer.best[at(objective)];
      const auto& without = free.answer.best[at(objective)];
      if (p.answer.legal > 0 && free.answer.legal > 0 &&
          Value::of(objective, without.cost) < Value::of(objective, with.cost))
        ++matters;
      for (std::size_t k = 0; k < runs.size(); ++k) {
        SCOPED_TRACE(fmt::format("seed {}, rules {}, {}", seed, k, name(objective)));
        expect_optimum(p, objective, runs[k]);
      }
    }
  }
  EXPECT_GT(matters, 5);
}

// A product on two arrays, one in the other: the outer one cannot always make up for what the inner one leaves idle.
SearchProblem on_two_arrays(u64 seed, std::span<const u64> sizes) {
  testing::Rng rng(seed);
  const auto price = [&] { return static_cast<double>(testing::pick(rng, 0, 8)); };
  const auto size = [&] { return sizes[testing::pick(rng, 0, sizes.size() - 1)]; };
  SearchProblem p;
  p.workload = testing::workload(fmt::format("gemm:{}x{}x{}", size(), size(), size()));
  for (const char* name : {"Reg", "Buf", "DRAM"}) {
    StorageLevel level;
    level.name = name;
    level.keep.keep = {"all"};
    level.energy = {price(), price(), price()};
    if (level.name != "DRAM") level.entries = testing::pick(rng, 3, 24);
    if (level.name != "Reg") level.fanout_x = testing::pick(rng, 2, 4);
    p.architecture.levels.push_back(level);
  }
  std::vector<StorageLevel>& levels = p.architecture.levels;
  levels[1].instances = levels[1].mesh_x = levels[2].fanout_x;
  levels[0].instances = levels[0].mesh_x = levels[1].instances * levels[1].fanout_x;
  p.architecture.compute.instances = p.architecture.compute.mesh_x = levels[0].instances;
  p.architecture.min_parallelism = static_cast<double>(testing::pick(rng, 1, 8)) / 8;
  if (!check(p.architecture).empty()) ADD_FAILURE() << to_string(check(p.architecture));
  p.answer = testing::enumerate_mapspace(p.workload, p.architecture).value_or(OracleAnswer{});
  return p;
}

TEST(LeastUnits, AnArrayMakesUpForAnotherOnlyAsFarAsItCan) {
  constexpr std::array<u64, 5> kSizes{1, 2, 4, 6, 8};
  int searched = 0;
  for (u64 seed = 0; seed < 600 && !::testing::Test::HasFatalFailure(); ++seed) {
    const SearchProblem p = on_two_arrays(seed, kSizes);
    if (p.answer.mappings == 0) continue;  // which resolve() may refuse
    ++searched;
    SCOPED_TRACE(seed);
    expect_optimum(p, Objective::Energy, {});
    expect_optimum(p, Objective::Edp, {});
  }
  EXPECT_GT(searched, 200);
}

TEST(LeastUnits, AnArrayMakesUpForAnotherWithAnyTileSizes) {
  constexpr std::array<u64, 5> kSizes{1, 1, 3, 4, 5};
  int searched = 0;
  for (u64 seed = 0; seed < 100; ++seed) {
    const SearchProblem p = on_two_arrays(seed, kSizes);
    SearchOptions options;
    options.factors = Factors::Any;
    options.objective = seed % 2 == 0 ? Objective::Energy : Objective::Edp;
    SearchOptions exhaustive = options;
    exhaustive.strategy = Strategy::Exhaustive;
    exhaustive.budget_evaluations = 10'000;
    const auto all = map_workload(p.workload, p.architecture, exhaustive);
    if (!all.ok() || all->end != SearchEnd::Done || all->status == Status::Infeasible) continue;
    ++searched;
    SCOPED_TRACE(seed);
    const auto found = map_workload(p.workload, p.architecture, options);
    ASSERT_TRUE(found.ok()) << to_string(found.errors());
    ASSERT_NE(found->status, Status::Infeasible) << to_string(found->why_infeasible);
    EXPECT_TRUE(uses_enough(p, found->mapping));
    EXPECT_LE(found->lower_bound, all->value * (1 + 1e-12));
    EXPECT_GE(found->value, all->value * (1 - 1e-12));
    if (found->status == Status::Optimal) {
      EXPECT_DOUBLE_EQ(found->value, all->value);
    }
  }
  EXPECT_GT(searched, 20);
}

// With the fast search first, which is what users get; with link transfers, too.
TEST(LeastUnits, MapProvesTheBestThatUsesThem) {
  int optimal = 0;
  for (u64 seed = 0; seed < 120; ++seed) {
    const SearchProblem p =
        random_search_problem(seed + 500, {.max_mappings = 1'000, .links = seed % 3 == 0, .parallelism = true});
    SCOPED_TRACE(seed);
    SearchOptions options;
    options.objective = kObjectives[seed % kObjectives.size()];
    options.probe_other_tiles = false;
    const auto found = map_workload(p.workload, p.architecture, options);
    ASSERT_TRUE(found.ok()) << to_string(found.errors());
    ASSERT_EQ(found->status == Status::Infeasible, p.answer.legal == 0) << to_string(found->why_infeasible);
    if (p.answer.legal == 0) continue;
    const double best = objective_number(options.objective, p.answer.best[at(options.objective)].cost);
    EXPECT_TRUE(uses_enough(p, found->mapping));
    EXPECT_LE(found->lower_bound, best * (1 + 1e-12));
    EXPECT_GE(found->value, best * (1 - 1e-12));
    if (found->status == Status::Optimal) {
      EXPECT_DOUBLE_EQ(found->value, best);
    }
    optimal += found->status == Status::Optimal;
  }
  EXPECT_GT(optimal, 100);
}

// Against all mappings with any tile sizes.
TEST(LeastUnits, AllTileSizesAreSearchedToTheBestThatUsesThem) {
  const std::array runs{RuleSet(), RuleSet().set(Rule::AnyDominance, false), RuleSet().set(Rule::BatchOutermost, false),
                        RuleSet().set(Rule::ColumnsFirst, false), RuleSet().set(Rule::UnrollingBound, false)};
  int optimal = 0, searched = 0;
  for (u64 seed = 0; searched < 3; ++seed) {
    const SearchProblem p = random_search_problem(seed, {.max_mappings = 150, .parallelism = true});
    if (!has_true_counts(Compiled(p.workload, p.architecture))) continue;
    SCOPED_TRACE(seed);
    SearchOptions options;
    options.factors = Factors::Any;
    options.objective = kObjectives[seed % kObjectives.size()];
    SearchOptions exhaustive = options;
    exhaustive.strategy = Strategy::Exhaustive;
    exhaustive.budget_evaluations = 10'000;
    const auto all = map_workload(p.workload, p.architecture, exhaustive);
    ASSERT_TRUE(all.ok()) << to_string(all.errors());
    if (all->end != SearchEnd::Done) continue;  // too many to look at
    ++searched;
    for (const RuleSet& rules : runs) {
      options.rules = rules;
      const auto found = map_workload(p.workload, p.architecture, options);
      ASSERT_TRUE(found.ok());
      ASSERT_EQ(found->status == Status::Infeasible, all->status == Status::Infeasible);
      if (found->status == Status::Infeasible) continue;
      EXPECT_TRUE(uses_enough(p, found->mapping));
      EXPECT_LE(found->lower_bound, all->value * (1 + 1e-12));
      EXPECT_GE(found->value, all->value * (1 - 1e-12));
      if (found->status == Status::Optimal) {
        EXPECT_DOUBLE_EQ(found->value, all->value);
      }
      optimal += found->status == Status::Optimal;
    }
  }
  EXPECT_GT(optimal, 10);
}

TEST(LeastUnits, EveryStrategyUsesThem) {
  for (u64 seed = 0; seed < 6; ++seed) {
    const SearchProblem p = random_search_problem(seed, {.max_mappings = 2'000, .parallelism = true});
    SCOPED_TRACE(seed);
    for (const StrategyInfo& strategy : kStrategyTable) {
      if (strategy.strategy == Strategy::Cosa && !has_mip_solver()) continue;
      SearchOptions options;
      options.strategy = strategy.strategy;
      options.budget_evaluations = strategy.strategy == Strategy::Bayes ? 20 : 300;
      const auto r = map_workload(p.workload, p.architecture, options);
      ASSERT_TRUE(r.ok()) << to_string(r.errors());
      if (r->status == Status::Infeasible) continue;
      EXPECT_TRUE(uses_enough(p, r->mapping)) << strategy.name;
      const double best = objective_number(options.objective, p.answer.best[at(options.objective)].cost);
      EXPECT_GE(r->value, best * (1 - 1e-12)) << strategy.name;
      EXPECT_LE(r->lower_bound, best * (1 + 1e-12)) << strategy.name;
    }
  }
}

TEST(LeastUnits, UnevenTilesUseThem) {
  for (u64 seed = 0; seed < 40; ++seed) {
    const SearchProblem p = random_search_problem(seed, {.max_mappings = 1'000, .parallelism = true});
    if (p.answer.legal == 0) continue;
    SCOPED_TRACE(seed);
    LayerProblem problem = layer_problem(p, Objective::Edp);
    problem.options.tiles = Tiles::Uneven;
    const LayerAnswer uneven = uneven_search(problem, {}, SearchBudget(problem.options));
    if (!uneven.complete) continue;  // no level can be divided into that many stores
    ASSERT_TRUE(uneven.found);
    EXPECT_TRUE(uses_enough(p, uneven.mapping));
    EXPECT_TRUE(uneven.value <= Value::of(Objective::Edp, p.answer.best[at(Objective::Edp)].cost));
  }
}

TEST(LeastUnits, CoSearchFindsTheBestOfAllMachines) {
  for (u64 seed = 0; seed < 15; ++seed) {
    const SearchProblem p = random_search_problem(seed, {.max_mappings = 500, .parallelism = true});
    const MachineFamily family = testing::random_family_of(seed, p.architecture, 6, seed % 3 == 0);
    SearchOptions options;
    options.objective = kObjectives[seed % kObjectives.size()];
    double best = kNever;
    for (const Architecture& machine : family.machines()) {
      const auto all = testing::enumerate_mapspace(p.workload, machine, {.limit = 10'000});
      if (all->legal > 0)
        best = std::min(best, objective_number(options.objective, all->best[at(options.objective)].cost));
    }
    SCOPED_TRACE(seed);
    const std::vector<WeightedLayer> layers{{p.workload, 1}};
    const auto found = co_search(layers, family, options);
    ASSERT_TRUE(found.ok()) << to_string(found.errors());
    ASSERT_EQ(found->layers.front().status == Status::Infeasible, best == kNever);
    if (best == kNever) continue;
    EXPECT_TRUE(uses_enough(p, found->layers.front().mapping));
    EXPECT_DOUBLE_EQ(found->value, best);
  }
}

// The counts and the most units, by looking at every mapping.
TEST(LeastUnits, MappingsAreCountedThatUseThem) {
  int counted = 0;
  for (u64 seed = 0; seed < 40; ++seed) {
    const SearchProblem p = random_search_problem(seed, {.max_mappings = 1'000, .parallelism = true});
    const auto all = testing::enumerate_mapspace(p.workload, p.architecture, {.innermost_orders = true});
    const auto space = resolve(p.workload, p.architecture);
    ASSERT_TRUE(all && space.ok());
    const MapspaceSize size = mapspace_size(*space);
    if (!size.nests) continue;
    ++counted;
    EXPECT_EQ(*size.nests, all->mappings) << seed;
    u64 most = 0;
    const auto units = [&](const Mapping& mapping) {
      most = std::max(most, mapping.units());
      return Evaluation{Verdict::OverCapacity, 0, {}};
    };
    testing::enumerate_mapspace(p.workload, p.architecture, {.price = units});
    EXPECT_EQ(most_units_of_perfect_factors(*space), most) << seed;
    EXPECT_GE(most_units(*space), most) << seed;
  }
  EXPECT_GT(counted, 20);
}

Architecture demanding(const char* preset, double share) {
  Architecture machine = testing::machine(preset);
  machine.min_parallelism = share;
  return machine;
}

TEST(LeastUnits, AMappingWithFewerIsOutsideTheMapspace) {
  const Workload product = testing::workload("gemm:64x64x64");
  SearchOptions energy;
  energy.objective = Objective::Energy;
  energy.free = true;
  Architecture machine = demanding("edge_unified", 0);
  const auto mapped = map_workload(product, machine, energy);
  ASSERT_TRUE(mapped.ok());
  machine.min_parallelism = 1;
  Mapping idle = mapped->mapping;
  for (Loop& loop : std::span(idle.loop).first(idle.loop_count)) loop.kind = LoopKind::Temporal;
  EXPECT_THAT(to_string(violations(*resolve(product, machine), idle)),
              HasSubstr("min_parallelism: 1 units used, at least 256 of 256 compute units must be used"));
  EXPECT_THAT(to_string(violations(*resolve(product, machine, {.free = true}), idle)), Not(HasSubstr("min_par")));
}

TEST(LeastUnits, WhatSizesCannotUseIsSaid) {
  const Architecture half = demanding("eyeriss", 0.5);  // of 14 x 12
  const auto refused = resolve(testing::workload("gemm:2x2x2"), half);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(to_string(refused.errors()), HasSubstr("at least 84 of 168 compute units must be used, but gemm"));
  EXPECT_TRUE(resolve(testing::workload("gemm:2x2x2"), half, {.free = true}).ok());
  // Primes divide by nothing that the fan-outs have room for.
  const Architecture most = demanding("edge_unified", 0.9);
  const Workload primes = testing::workload("gemm:127x127x127");
  const auto none = map_workload(primes, most, {});
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(none->status, Status::Infeasible);
  EXPECT_THAT(to_string(none->why_infeasible),
              HasSubstr("at least 231 of 256 compute units must be used, and factors that divide the sizes of"));
  SearchOptions any;
  any.factors = Factors::Any;
  any.budget_evaluations = 20'000;
  const auto found = map_workload(primes, most, any);
  ASSERT_TRUE(found.ok());
  ASSERT_NE(found->status, Status::Infeasible) << to_string(found->why_infeasible);
  EXPECT_GE(found->mapping.units(), 231u);
}

TEST(LeastUnits, SharesAreComparedAsTimeloopDoes) {
  Architecture machine;
  for (const auto& [units, share, least] : std::vector<std::tuple<u64, double, u64>>{{16, 0.9, 15},
                                                                                     {10, 0.7, 7},
                                                                                     {100, 0.07, 7},
                                                                                     {3, 1.0 / 3, 1},
                                                                                     {8, 0, 1},
                                                                                     {8, 1e-9, 1},
                                                                                     {8, 1, 8},
                                                                                     {1'000'000, 0.999999, 999'999}}) {
    machine.compute.instances = units;
    machine.min_parallelism = share;
    EXPECT_EQ(machine.least_units(), least) << share << " of " << units;
  }
}

}  // namespace
}  // namespace heliolite::least_units_test
