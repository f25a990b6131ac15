// Machines whose levels read what leaves an output's tile outwards: what that costs, and searches against all mappings.
#include <gtest/gtest.h>

#include "engine/formats/load_network.h"
#include "engine/model/mapping_yaml.h"
#include "engine/model/true_counts/cost.h"
#include "engine/search/map.h"
#include "tests/support/load.h"
#include "tests/support/optimum_checks.h"

namespace heliolite::drain_reads_test {
namespace {

using testing::kObjectives;
using testing::random_search_problem;
using testing::SearchProblem;

SearchProblem problem(u64 seed, u64 mappings = 3'000) {
  return random_search_problem(
      seed + 90'000,
      {.max_mappings = mappings, .interconnects = seed % 4 == 0, .word_bits = seed % 3 == 0, .drain_reads = true});
}

const std::string kMachine = R"(
architecture:
  name: small
  drain_reads: {}
  levels:
  - {name: DRAM, dram: true, energy: {read: 64, fill: 64, update: 64}}
  - {name: Buf, entries: 40, energy: {read: 6, fill: 7, update: 8}}
  compute: {name: MAC, energy: 1}
)";

Cost cost_on(const char* drains, const std::string& mapping) {
  std::string text = kMachine;
  text.replace(text.find("{}"), 2, drains);
  const auto machine = parse_architecture(text, "small.yaml");
  EXPECT_TRUE(machine.ok()) << (machine.ok() ? "" : to_string(machine.errors()));
  const Workload gemm = testing::workload("gemm:4x4x4");
  const auto read = read_mapping(*YamlNode::parse(mapping, "m.yaml"), gemm, *machine);
  EXPECT_TRUE(read.ok()) << (read.ok() ? "" : to_string(read.errors()));
  return CostModel(gemm, *machine).evaluate(*read).cost;
}

// Buf's tile of Z has 4 words. With K outside it leaves 16 words 4 times, three times to come back; with K innermost
// outside it leaves once.
TEST(DrainReads, CostAReadForEachWordThatLeaves) {
  const auto mapping = [](const char* outside) {
    return std::string("[{level: DRAM, temporal: [") + outside + "]}, {level: Buf, temporal: [N: 4]}]";
  };
  for (const auto& [outside, drained] : {std::pair("K: 4, M: 4", 64), std::pair("M: 4, K: 4", 16)}) {
    const Cost off = cost_on("off", mapping(outside)), on = cost_on("on", mapping(outside));
    EXPECT_EQ((on.energy.picojoules() - off.energy.picojoules()) / 6, drained) << outside;
    EXPECT_EQ(on.cycles, off.cycles);
  }
}

TEST(DrainReads, ExactFindsTheOptimum) {
  EXPECT_GT(testing::compare_exact_optima(80, [](u64 seed) { return problem(seed); }), 200);
}

// With tiles of any size, against all of them.
TEST(DrainReads, AllTileSizesFindTheOptimum) {
  int searched = 0;
  for (u64 seed = 0; searched < 12; ++seed) {
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
    if (found->status == Status::Optimal) {
      EXPECT_DOUBLE_EQ(found->value, all->value) << seed;
    }
    ++searched;
  }
}

// Uneven tiles are no worse than even ones, and their bound is no higher.
TEST(DrainReads, UnevenTilesAreNoWorse) {
  int compared = 0;
  for (u64 seed = 0; seed < 30; ++seed) {
    const SearchProblem p = problem(seed);
    if (p.answer.legal == 0) continue;
    SearchOptions options;
    options.threads = 1;
    options.tiles = Tiles::Uneven;
    const auto uneven = map_workload(p.workload, p.architecture, options);
    if (!uneven.ok()) continue;
    const double even = objective_number(Objective::Edp, p.answer.best[at(Objective::Edp)].cost);
    EXPECT_LE(uneven->value, even * (1 + 1e-9)) << seed;
    EXPECT_EQ(CostModel(p.workload, p.architecture).evaluate(uneven->mapping).cost, uneven->cost) << seed;
    ++compared;
  }
  EXPECT_GT(compared, 10);
}

}  // namespace
}  // namespace heliolite::drain_reads_test
