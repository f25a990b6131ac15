// The search over all tile sizes: its answers against complete enumerations and recorded optima.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/model/true_counts/cost.h"
#include "engine/search/all_tiles/any_search.h"
#include "engine/search/map.h"
#include "tests/support/exact_problem.h"
#include "tests/support/fitting_mapping.h"
#include "tests/support/part_of_cases.h"
#include "tests/support/search_problem.h"

namespace heliolite::any_factors_test {
namespace {

using testing::kObjectives;
using testing::random_search_problem;
using testing::SearchProblem;

SearchOptions any_factors(Objective objective, Strategy strategy = Strategy::Exact) {
  SearchOptions options;
  options.factors = Factors::Any;
  options.objective = objective;
  options.strategy = strategy;
  return options;
}

// On random problems, from this seed on.
void expect_optima(u64 first, testing::SearchProblemOptions kind, int problems = 10) {
  int optimal = 0, searched = 0;
  kind.max_mappings = 150;
  for (u64 seed = first; searched < problems && !::testing::Test::HasFailure(); ++seed) {
    kind.interconnects = seed % 2 == 0;
    const SearchProblem p = random_search_problem(seed, kind);
    if (!has_true_counts(Compiled(p.workload, p.architecture))) continue;
    SCOPED_TRACE(seed);
    const Objective objective = kObjectives[seed % kObjectives.size()];
    SearchOptions options = any_factors(objective, Strategy::Exhaustive);
    options.budget_evaluations = 10'000;
    const auto all = map_workload(p.workload, p.architecture, options);
    ASSERT_TRUE(all.ok()) << to_string(all.errors());
    if (all->end != SearchEnd::Done) continue;  // too many to look at
    const auto found = map_workload(p.workload, p.architecture, any_factors(objective));
    ASSERT_TRUE(found.ok());
    ASSERT_EQ(found->status == Status::Infeasible, all->status == Status::Infeasible);
    if (found->status == Status::Infeasible) continue;
    ++searched;
    EXPECT_LE(found->lower_bound, all->value * (1 + 1e-12));
    EXPECT_GE(found->value, all->value * (1 - 1e-12));
    if (found->status != Status::Optimal) continue;
    EXPECT_DOUBLE_EQ(found->value, all->value);
    ++optimal;
  }
  EXPECT_GT(optimal, searched * 9 / 10);
}

TEST(AnyFactors, FindAndProveTheOptimumOfEveryMapping) { expect_optima(0, {}); }
TEST(AnyFactors, FindAndProveTheOptimumWithSizesOfWords) { expect_optima(5'000, {.word_bits = true}); }
TEST(AnyFactors, FindAndProveTheOptimumWhereLevelsDoNotReduce) {
  expect_optima(6'000, {.reductions = true}, static_cast<int>(30 / testing::one_case_in(2)));
}

TEST(AnyFactors, FindAndProveTheOptimumOfOutputsThatSlide) {
  const int problems = static_cast<int>(testing::kRandomMappings / 25 / testing::one_case_in(2));
  expect_optima(8'000, {.sliding_output = true}, problems);
  expect_optima(9'000, {.reductions = true, .sliding_output = true}, problems / 2);
}

// With few evaluations the search does not end with all mappings together: it divides them, and takes turns.
TEST(AnyFactors, NoMappingIsBelowTheBoundOfASearchThatIsCutShort) {
  int bounded = 0, optimal = 0;
  for (u64 seed = 0; bounded + optimal < 60; ++seed) {
    const SearchProblem p = random_search_problem(
        seed, {.max_mappings = 150, .interconnects = seed % 2 == 0, .sliding_output = seed % 5 == 0});
    if (!has_true_counts(Compiled(p.workload, p.architecture))) continue;
    SCOPED_TRACE(seed);
    const Objective objective = kObjectives[seed % kObjectives.size()];
    const auto best = map_workload(p.workload, p.architecture, any_factors(objective));
    ASSERT_TRUE(best.ok());
    if (best->status != Status::Optimal) continue;
    for (const u64 evaluations : {300, 1'000, 3'000}) {
      SearchOptions options = any_factors(objective);
      options.budget_evaluations = evaluations;
      const auto found = map_workload(p.workload, p.architecture, options);
      ASSERT_TRUE(found.ok());
      if (found->status == Status::Infeasible) continue;
      EXPECT_LE(found->lower_bound, best->value * (1 + 1e-12)) << evaluations;
      EXPECT_LE(found->lower_bound, found->value) << evaluations;
      EXPECT_GE(found->value, best->value * (1 - 1e-12)) << evaluations;
      ++(found->status == Status::Optimal ? optimal : bounded);
      if (found->status == Status::Optimal) {
        EXPECT_DOUBLE_EQ(found->value, best->value) << evaluations;
      }
    }
  }
  EXPECT_GT(bounded, 5);
  EXPECT_GT(optimal, 5);
}

// Found elsewhere by pricing every mapping, without link transfers; every fifth of them, each problem and objective
// sometimes.
TEST(AnyFactors, RecordedOptimaAreFoundAndProven) {
  const std::string folder = HELIOLITE_TEST_DATA "/data/true_counts/";
  std::ifstream file(folder + "optima.jsonl");
  int records = 0;
  for (std::string line; std::getline(file, line); ++records) {
    if (records % 5 != 0) continue;
    const auto record = nlohmann::json::parse(line);
    SCOPED_TRACE(record["id"].get<std::string>());
    auto machine = load_architecture(folder + "arch/" + record["arch"].get<std::string>() + ".yaml");
    const auto network = load_network(folder + "problem/" + record["problem"].get<std::string>() + ".yaml");
    ASSERT_TRUE(machine.ok() && network.ok());
    machine->peer_channel = false;
    SearchOptions options = any_factors(*parse_objective(record["objective"].get<std::string>()));
    const auto found = map_workload(network->layers[0].workload, *machine, options);
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(found->status, Status::Optimal);
    EXPECT_NEAR(found->value / record["any"]["optimum"].get<double>(), 1, 1e-9);
  }
  EXPECT_GT(records, 10);
}

// Sizes with more divisors lead to mappings of the true ones: 3 x 44 of 132 rows become 3 x 43 with a last one of 2.
TEST(AnyFactors, MappingsOfLargerSizesAreCutToTheTrueOnes) {
  const auto network = load_network("gemm:128x127x1");
  const auto machine = load_architecture("edge_unified");
  ASSERT_TRUE(network.ok() && machine.ok());
  const Workload& workload = network->layers[0].workload;
  const std::vector<Workload> larger = padded_workloads(workload);
  ASSERT_FALSE(larger.empty());
  for (const Workload& w : larger)
    for (std::size_t d = 0; d < w.dimensions.size(); ++d) EXPECT_GE(w.dimensions[d].size, workload.dimensions[d].size);
  const Compiled c(workload, *machine);
  Mapping m;
  m.level_count = static_cast<u8>(c.level_count);
  m.add(LoopKind::Temporal, 0, 0, 3);
  m.add(LoopKind::Temporal, 1, 0, 44);
  m.add(LoopKind::Temporal, 1, 1, 128);
  m.add(LoopKind::Temporal, 2, 0, 2);
  const std::optional<Mapping> cut = cut_to_size(m, c);
  ASSERT_TRUE(cut.has_value());
  ASSERT_EQ(cut->loop_count, 3);
  EXPECT_EQ(cut->loop[1].end, 43u);
  EXPECT_EQ(cut->loop[1].residual, 43u);
  EXPECT_EQ(cut->loop[0].residual, 2u);
  EXPECT_EQ(cut->loop[2].end, 127u);
  m.loop_count = 2;
  EXPECT_FALSE(cut_to_size(m, c).has_value());
}

u64 divisors(u64 n) {
  u64 count = 0;
  for (u64 d = 1; d * d <= n; ++d)
    if (n % d == 0) count += d * d == n ? 1 : 2;
  return count;
}

// Of all sizes in reach those with the most divisors; of huge ones as soon as of small ones.
TEST(AnyFactors, LargerSizesHaveTheMostDivisors) {
  Workload workload = load_network("gemm:2x1x1")->layers[0].workload;
  for (u64 size = 2; size < 2'000; ++size) {
    workload.dimensions[0].size = size;
    for (const Workload& w : padded_workloads(workload)) {
      const u64 chosen = w.dimensions[0].size, most = divisors(chosen);
      ASSERT_LE(chosen, size + size / 5);
      for (u64 n = size; n < chosen; ++n) ASSERT_LT(divisors(n), most) << size;
    }
  }
  for (const u64 size : {u64{16'777'213}, u64{2'147'483'647}, u64{2'147'483'583}, u64{1'999'999'973}}) {
    workload.dimensions[0].size = size;
    const auto begin = std::chrono::steady_clock::now();
    for (const Workload& w : padded_workloads(workload)) {
      EXPECT_LE(w.dimensions[0].size, kMaxDimensionSize);
      EXPECT_GT(divisors(w.dimensions[0].size), divisors(size));
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  }
}

// Square convolutions with and without fan-outs, whose rows and columns may change places.
TEST(AnyFactors, OneOfTwoMirroredMappingsIsLookedAt) {
  const std::string folder = HELIOLITE_TEST_DATA "/data/true_counts/arch/";
  u64 pruned = 0, cases = 0;
  for (const std::string machine : {"r1_flat2", "r2_arr4", "r4_mac8", "r5_arr4g", "gemmini"})
    for (const std::string layer : {"conv:c=1,k=2,p=3,r=2", "conv:c=2,k=1,p=5,r=1", "conv:c=1,k=1,p=4,r=3,stride=2"}) {
      if (cases++ % testing::one_case_in(2) != 0) continue;
      SCOPED_TRACE(machine + " " + layer);
      const auto arch = load_architecture(folder + machine + ".yaml");
      const auto network = load_network(layer);
      ASSERT_TRUE(arch.ok() && network.ok());
      for (const Objective objective : {Objective::Energy, Objective::Edp}) {
        SearchOptions options = any_factors(objective);
        options.budget_evaluations = 60'000;
        const auto one = map_workload(network->layers[0].workload, *arch, options);
        options.rules.set(Rule::Symmetry, false);
        const auto both = map_workload(network->layers[0].workload, *arch, options);
        ASSERT_TRUE(one.ok() && both.ok());
        pruned += one->statistics.rules.cuts[at(Rule::Symmetry)];
        if (one->status == Status::Optimal && both->status == Status::Optimal) {
          EXPECT_EQ(one->value, both->value);
        }
        EXPECT_LE(one->lower_bound, both->value * (1 + 1e-12));
      }
    }
  EXPECT_GT(pruned, 100u);
}

// A rule that is off changes the work, not the answer.
TEST(AnyFactors, RulesChangeNoAnswer) {
  const std::string folder = HELIOLITE_TEST_DATA "/data/true_counts/";
  const auto machine = load_architecture(folder + "arch/r5_arr4g.yaml");
  const auto network = load_network(folder + "problem/gemm_5x11x2.yaml");
  ASSERT_TRUE(machine.ok() && network.ok());
  const auto answer = [&](const SearchOptions& options) {
    return *map_workload(network->layers[0].workload, *machine, options);
  };
  const MappingResult one = answer(any_factors(Objective::Edp));
  std::vector<Rule> rules = testing::sound_rules(RuleUser::Any);
  for (const Rule of_exact : {Rule::Symmetry, Rule::PushIn, Rule::FreeLoops}) rules.push_back(of_exact);
  for (const Rule rule : rules) {
    SearchOptions options = any_factors(Objective::Edp);
    options.rules.set(rule, false);
    const MappingResult off = answer(options);
    EXPECT_EQ(off.status, Status::Optimal) << kRuleTable[at(rule)].name;
    EXPECT_EQ(off.value, one.value) << kRuleTable[at(rule)].name;
    if (rule == Rule::UnrollingBound) continue;  // there are more bounds to look at with it
    EXPECT_GE(off.statistics.evaluated, one.statistics.evaluated) << kRuleTable[at(rule)].name;
  }
}

// On random problems, with and without networks, whose costs may be above their bounds.
TEST(AnyFactors, LoopsThatAreNoWorseElsewhereAreNotMissed) {
  RuleCounts counts;
  const u64 cases = 50 / testing::one_case_in(2);
  u64 compared = 0;
  for (u64 seed = 0; compared < cases; ++seed) {
    SearchProblem p = random_search_problem(seed, {.max_mappings = 150, .interconnects = seed % 3 == 0});
    if (!has_true_counts(Compiled(p.workload, p.architecture))) continue;
    if (seed % 2 == 0)
      for (StorageLevel& level : p.architecture.levels)
        level.network = {.hop_pj = 40, .router_pj = 0, .ingress_pj = seed % 4 == 0 ? 3.0 : 0};
    SCOPED_TRACE(seed);
    SearchOptions options = any_factors(kObjectives[seed % kObjectives.size()]);
    options.budget_evaluations = 10'000;
    const auto one = map_workload(p.workload, p.architecture, options);
    options.rules.set(Rule::PushIn, false).set(Rule::FreeLoops, false).set(Rule::ColumnsFirst, false);
    const auto all = map_workload(p.workload, p.architecture, options);
    ASSERT_TRUE(one.ok() && all.ok());
    if (one->status != Status::Optimal || all->status != Status::Optimal) continue;
    EXPECT_DOUBLE_EQ(one->value, all->value);
    counts += one->statistics.rules;
    ++compared;
  }
  EXPECT_GT(counts.cuts[at(Rule::PushIn)], cases / 10);
  // One problem in three has free loops at all, and one of the second half most of them.
  EXPECT_GT(counts.cuts[at(Rule::FreeLoops)], cases == 50 ? 50u : 0u);
}

}  // namespace
}  // namespace heliolite::any_factors_test
