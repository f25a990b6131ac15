// Machines all of whose instances leak, in use or not (docs/cost_model.md, rule 25): what that costs, and searches
// against all mappings.
#include <gtest/gtest.h>

#include "arch/architecture_yaml.h"
#include "engine/model/mapping_yaml.h"
#include "engine/model/true_counts/cost.h"
#include "engine/search/map.h"
#include "tests/support/load.h"
#include "tests/support/machine_families.h"
#include "tests/support/optimum_checks.h"

namespace heliolite::all_leaks_test {
namespace {

using testing::kObjectives;
using testing::random_search_problem;
using testing::SearchProblem;

SearchProblem problem(u64 seed, u64 mappings = 3'000) {
  return random_search_problem(seed + 270'000, {.max_mappings = mappings,
                                                .interconnects = seed % 4 == 0,
                                                .word_bits = seed % 3 == 0,
                                                .leakage = true,
                                                .operators = seed % 5 == 3});
}

const std::string kMachine = R"(
architecture:
  name: leaky
  leakage: {}
  levels:
  - {name: DRAM, dram: true, energy: 64, leak_pj_per_cycle: 60}
  - {name: Buf, entries: 96, energy: 6, leak_pj_per_cycle: 2, fanout: 4x4}
  - {name: Regs, entries: 4, energy: 0.5, leak_pj_per_cycle: 0.25}
  compute: {name: MAC, energy: 1}
)";

Architecture machine(const char* leakage) {
  std::string text = kMachine;
  text.replace(text.find("{}"), 2, leakage);
  const auto read = parse_architecture(text, "leaky.yaml");
  EXPECT_TRUE(read.ok()) << (read.ok() ? "" : to_string(read.errors()));
  return *read;
}

// The example of rule 25: 8 of 16 registers work, for 64 cycles.
TEST(AllLeaks, IdleInstancesLeak) {
  const Workload gemm = testing::workload("gemm:8x8x8");
  const Architecture used = machine("used"), all = machine("all");
  const std::string text =
      "[{level: DRAM, temporal: [M: 8, K: 8]}, {level: Buf, temporal: [N: 1], spatial: {x: [N: 4], y: [N: 2]}}]";
  const auto mapping = read_mapping(*YamlNode::parse(text, "m.yaml"), gemm, used);
  ASSERT_TRUE(mapping.ok()) << to_string(mapping.errors());
  const Breakdown a = CostModel(gemm, used).explain(*mapping), b = CostModel(gemm, all).explain(*mapping);
  ASSERT_EQ(a.cycles, 64u);
  EXPECT_EQ(b.cycles, 64u);
  const auto leakage = [](const Breakdown& of, int level) { return of.level[level].leakage.picojoules(); };
  EXPECT_EQ(leakage(a, 0), 8 * 0.25 * 64);
  EXPECT_EQ(leakage(b, 0), 16 * 0.25 * 64);
  for (const int level : {1, 2}) EXPECT_EQ(leakage(a, level), leakage(b, level));
  EXPECT_EQ(b.energy.picojoules() - a.energy.picojoules(), 8 * 0.25 * 64);
  EXPECT_EQ(CostModel(gemm, all).evaluate(*mapping).cost, (Cost{b.energy, b.cycles}));
}

TEST(AllLeaks, IsWrittenAndReadAgain) {
  const Architecture all = machine("all");
  const std::string text = write_architecture(all);
  EXPECT_NE(text.find("leakage: all"), std::string::npos) << text;
  EXPECT_TRUE(parse_architecture(text, "again.yaml").value().all_leaks);
  EXPECT_EQ(write_architecture(machine("used")).find("leakage"), std::string::npos);
}

TEST(AllLeaks, ExactFindsTheOptimum) {
  EXPECT_GT(testing::compare_exact_optima(60, [](u64 seed) { return problem(seed); }), 150);
}

TEST(AllLeaks, NoStrategyIsBelow) {
  EXPECT_GT(testing::compare_strategies(2, [](u64 seed) { return problem(seed + 200); }), 10);
}

// With tiles of any size, against all of them.
TEST(AllLeaks, AllTileSizesFindTheOptimum) {
  int searched = 0;
  for (u64 seed = 0; searched < 3; ++seed) {
    const SearchProblem p = problem(seed, 150);
    if (!has_true_counts(Compiled(p.workload, p.architecture))) continue;
    SearchOptions options;
    options.factors = Factors::Any;
    options.threads = 1;
    options.objective = kObjectives[seed % kObjectives.size()];
    const auto found = map_workload(p.workload, p.architecture, options);
    options.strategy = Strategy::Exhaustive;
    options.budget_evaluations = 10'000;
    const auto all = map_workload(p.workload, p.architecture, options);
    ASSERT_TRUE(found.ok() && all.ok());
    if (all->end != SearchEnd::Done || all->status == Status::Infeasible) continue;
    EXPECT_LE(found->lower_bound, all->value * (1 + 1e-12)) << seed;
    EXPECT_GE(found->value, all->value * (1 - 1e-12)) << seed;
    ++searched;
  }
}

// One traversal for a family of machines that leak differently.
TEST(AllLeaks, CoSearchFindsTheBestMachine) {
  for (u64 seed = 0; seed < 40; ++seed) {
    const SearchProblem p = problem(seed, 1'000);
    const MachineFamily family = testing::random_family_of(seed, p.architecture, 6, seed % 2 == 0);
    SearchOptions options;
    options.objective = kObjectives[seed % kObjectives.size()];
    const LayerAnswer answer = testing::exact_alone(testing::family_problem(p.workload, family, options));
    Value best = Value::worst();
    for (const Architecture& machine : family.machines()) {
      const auto all = testing::enumerate_mapspace(p.workload, machine, {.limit = 10'000});
      if (all->legal > 0) best = std::min(best, Value::of(options.objective, all->best[at(options.objective)].cost));
    }
    ASSERT_EQ(answer.found, best < Value::worst()) << seed;
    EXPECT_TRUE(!answer.found || answer.value == best) << seed;
  }
}

}  // namespace
}  // namespace heliolite::all_leaks_test
