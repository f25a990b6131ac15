// Proofs of layers that two kinds of compute units can run, on random machines: the value is that of complete
// enumerations of both, the checker accepts it, and no other has a proof.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/search/map.h"
#include "tests/support/cost_sums.h"
#include "tests/support/proof_cases.h"
#include "tests/support/proven.h"
#include "tests/support/search_problem.h"

namespace heliolite::proof_units_test {
namespace {

using ::testing::HasSubstr;
using testing::prove;
using testing::Proven;
using testing::random_search_problem;
using testing::SearchProblem;

constexpr std::array kObjectives = {Objective::Edp, Objective::Energy, Objective::Delay, Objective::Ed2p};

// The machine with other units beside its own, under levels of the same kind: they are larger or smaller, their prices
// others.
Architecture with_second_unit(const Architecture& machine, u64 seed) {
  testing::Rng rng(seed);
  Architecture unit = machine;
  unit.compute.name = "other";
  unit.compute.op_pj = static_cast<double>(testing::pick(rng, 1, 16)) / 4;
  unit.compute.cycles_per_op = testing::pick(rng, 1, 2);
  StorageLevel& inner = unit.levels.front();
  inner.name += "2";
  inner.leak_pj_per_cycle = static_cast<double>(testing::pick(rng, 0, 2)) / 8;
  if (inner.entries) *inner.entries *= testing::pick(rng, 1, 3);
  Architecture out = machine;
  out.units = {unit};
  return out;
}

TEST(ProofUnits, ProvesTheBestOfBothUnits) {
  int proven = 0;
  std::array<int, 2> on{};
  for (u64 seed = 0; seed < 80; ++seed) {
    const SearchProblem p = random_search_problem(seed + 9000, {.max_mappings = 1'500});
    const Architecture machine = with_second_unit(p.architecture, seed);
    std::array<std::vector<Cost>, 2> costs;
    for (std::size_t unit = 0; unit < 2; ++unit) costs[unit] = testing::all_costs(p.workload, machine.chain(unit));
    if (costs[0].empty() || costs[1].empty()) continue;
    for (const Objective objective : kObjectives) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << ", " << name(objective));
      SearchOptions search;
      search.objective = objective;
      search.threads = 1;
      const auto value = [&](const Cost& c) { return objective_number(objective, c); };
      const Result<MappingResult> answer = map_workload(p.workload, machine, search);
      ASSERT_TRUE(answer.ok()) << to_string(answer.errors());
      const auto [report, text] = prove(p.workload, machine, search, {answer->mapping, answer->unit});
      if (!report.refused.empty()) {
        EXPECT_THAT(report.refused, HasSubstr("no proof "));
        break;
      }
      double least = INFINITY;
      for (const auto& of : costs)
        for (const Cost& c : of) least = std::min(least, value(c));
      EXPECT_NEAR(objective_number(objective, report.cost), least, least * 1e-6);
      ASSERT_TRUE(report.complete()) << report.ended;
      const testing::Checked checked = testing::check(text);
      EXPECT_EQ(checked.verdict, testing::Verdict::Accepted) << checked.line << ": " << checked.what;
      EXPECT_THAT(checked.what, HasSubstr("no legal mapping on any of 2 units has "));
      EXPECT_THAT(checked.what, HasSubstr(", the mapping has it; "));
      ++proven, ++on[answer->unit];
      // Of the best on the other unit the pass says what is better.
      SearchOptions elsewhere = search;
      Workload named = p.workload;
      named.unit = machine.chain(1 - answer->unit).compute.name;
      const Result<MappingResult> other = map_workload(named, machine, elsewhere);
      if (!other || other->status != Status::Optimal || value(other->cost) <= least * (1 + 1e-6)) continue;
      const Proven worse = prove(p.workload, machine, search, {other->mapping, other->unit});
      EXPECT_FALSE(worse.report.complete());
      ASSERT_TRUE(worse.report.better);
      EXPECT_EQ(worse.report.better->unit, answer->unit);
    }
  }
  EXPECT_GT(proven, 60);
  EXPECT_GT(on[0], 10);
  EXPECT_GT(on[1], 10);
}

// A unit that the layer names is the only one that its proof is of.
TEST(ProofUnits, ANamedUnitIsTheOnlyOne) {
  for (u64 seed = 0; seed < 20; ++seed) {
    SearchProblem p = random_search_problem(seed + 9000, {.max_mappings = 1'500});
    const Architecture machine = with_second_unit(p.architecture, seed);
    p.workload.unit = "other";
    const Result<MappingResult> answer = map_workload(p.workload, machine, {});
    if (!answer || answer->status != Status::Optimal) continue;
    const auto [report, text] = prove(p.workload, machine, {}, {answer->mapping, answer->unit});
    if (!report.complete()) continue;
    EXPECT_EQ(text.substr(0, 20), "heliolite-instance 1");
    EXPECT_EQ(testing::check(text).verdict, testing::Verdict::Accepted);
  }
}

// Prices of one unit that are finer than those of the other are counted in the same.
TEST(ProofUnits, UnitsCountEnergiesAlike) {
  SearchProblem p;
  for (u64 seed = 9000;; ++seed) {
    p = random_search_problem(seed, {.max_mappings = 500, .constraints = false});
    if (proof::instance_of(p.workload, p.architecture) && p.answer.legal > 0) break;
  }
  Architecture machine = with_second_unit(p.architecture, 1);
  machine.units[0].compute.op_pj = 1.0 / 1024 / 1024;
  const auto instances = proof::instances_of(p.workload, machine);
  ASSERT_TRUE(instances.ok()) << to_string(instances.errors());
  ASSERT_EQ(instances->size(), 2U);
  const auto alone = proof::instance_of(p.workload, machine.chain(0));
  ASSERT_TRUE(alone.ok());
  const proof::Instance &first = (*instances)[0].instance, &second = (*instances)[1].instance;
  EXPECT_EQ(first.unit_bits, second.unit_bits);
  EXPECT_GE(first.unit_bits, 20);
  EXPECT_LT(alone->unit_bits, first.unit_bits);
  EXPECT_EQ(first.mac, alone->mac << (first.unit_bits - alone->unit_bits));
  for (std::size_t i = 0; i < first.levels.size(); ++i)
    EXPECT_EQ(first.levels[i].of[0].read, alone->levels[i].of[0].read << (first.unit_bits - alone->unit_bits));
  const Result<MappingResult> answer = map_workload(p.workload, machine, {});
  const auto [report, text] = prove(p.workload, machine, {}, {answer->mapping, answer->unit});
  ASSERT_TRUE(report.complete()) << report.refused << report.ended;
  EXPECT_EQ(testing::check(text).verdict, testing::Verdict::Accepted);
}

}  // namespace
}  // namespace heliolite::proof_units_test
