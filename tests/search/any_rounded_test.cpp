// Bounds of what the cost model rounds: cycles of words that fill all of them, and blocks of each instance.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/search/all_tiles/partial_cost.h"
#include "engine/search/map.h"
#include "tests/support/fitting_mapping.h"
#include "tests/support/search_problem.h"

namespace heliolite::any_rounded_test {
namespace {

using testing::bound_of_whole;
using testing::each_prefix;
using testing::FittingMapping;
using testing::kRandomMappings;
using testing::random_search_problem;
using testing::SearchProblem;

// The example of docs/rules/any_factors.md: whether the words of b5_pw2 take a cycle more depends on the steps, where
// cycles are counted as Timeloop does.
TEST(AnyRounded, WordsThatFillAllCyclesMayTakeOneMore) {
  const auto network = load_network("mobilenet_v2");
  auto machine = load_architecture("gemmini");
  ASSERT_TRUE(network.ok() && machine.ok());
  const auto layer = std::ranges::find(network->layers, "b5_pw2", [](const auto& l) { return l.workload.name; });
  ASSERT_NE(layer, network->layers.end());
  KeepMasks keep{0b001, 0b100, 0b011, 0b111};
  const Compiled exact(layer->workload, *machine);
  const RoundedCycles own(KeptFlows(exact, keep, Unrollable::all()));
  EXPECT_FALSE(own.may_round_up());
  EXPECT_EQ(own.of_multiples(784, 18'816, 18'816), 22'720u);
  machine->timeloop_cycles = true;
  const Compiled c(layer->workload, *machine);
  const RoundedCycles rounded(KeptFlows(c, keep, Unrollable::all()));
  EXPECT_TRUE(rounded.may_round_up());
  EXPECT_EQ(rounded.exact(), 22'720u);
  EXPECT_EQ(rounded.of_multiples(784, 18'816, 18'816), 22'721u);
  EXPECT_EQ(rounded.of_multiples(784, 18'816, 22'720), 22'720u);  // 25 * 784 steps do not
  EXPECT_EQ(rounded.of_multiples(784 * 12, 18'816, 50'000), 22'721u);
  EXPECT_EQ(rounded.of_multiples(1, 1, 22'720), 22'720u);  // too many to look at
}

// Memories so slow that the words of a layer fill all their cycles, if each crosses once; most count as Timeloop does.
void slow_down(Architecture& machine, u64 seed) {
  machine.levels.back().bandwidth = {};
  machine.levels.back().bandwidth.shared = 1 / static_cast<double>(10 + seed % 7);
  machine.timeloop_cycles = seed % 8 < 6;
}

TEST(AnyRounded, NoMappingTakesFewerCyclesThanItsInnerLoopsSay) {
  int rounded_up = 0;
  for (u64 seed = 0; seed < kRandomMappings && !HasFailure(); ++seed) {
    FittingMapping m(seed, seed % 3 != 0, seed % 5 == 0);
    if (!m.fits) continue;
    SCOPED_TRACE(seed);
    slow_down(m.problem.architecture, seed);
    const Compiled c(m.problem.workload, m.problem.architecture);
    const KeptFlows costs(c, m.keep(), seed % 4 < 2 ? Unrollable::all() : m.unrolled());
    PartialCost partial(costs, 1);
    const u64 cycles = true_cost_of(c, m.mapping).cost.cycles;
    each_prefix(c, m.mapping,
                [&](const Trail& trail, const Reach& reach) { EXPECT_LE(partial(trail, reach).cycles, cycles); });
    const RoundedCycles rounded(costs);
    rounded_up += rounded.may_round_up() && cycles == rounded.exact() + 1 &&
                  bound_of_whole(partial, c, m.mapping).cycles == cycles;
  }
  EXPECT_GT(rounded_up, 5);
}

// Cycles that more steps may save, and fewer may add, hide no optimum.
TEST(AnyRounded, OptimaOfSlowMemoriesAreFound) {
  int optimal = 0;
  for (u64 seed = 0; optimal < 12 && !HasFailure(); ++seed) {
    SearchProblem p = random_search_problem(seed, {.max_mappings = 150});
    slow_down(p.architecture, seed);
    if (!has_true_counts(Compiled(p.workload, p.architecture))) continue;
    SCOPED_TRACE(seed);
    SearchOptions options;
    options.factors = Factors::Any;
    options.objective = seed % 2 == 0 ? Objective::Edp : Objective::Delay;
    options.strategy = Strategy::Exhaustive;
    options.budget_evaluations = 10'000;
    const auto all = map_workload(p.workload, p.architecture, options);
    ASSERT_TRUE(all.ok()) << to_string(all.errors());
    if (all->end != SearchEnd::Done || all->status == Status::Infeasible) continue;
    options.strategy = Strategy::Exact;
    const auto found = map_workload(p.workload, p.architecture, options);
    ASSERT_TRUE(found.ok());
    EXPECT_LE(found->lower_bound, all->value * (1 + 1e-12));
    if (found->status != Status::Optimal) continue;
    EXPECT_DOUBLE_EQ(found->value, all->value);
    ++optimal;
  }
}

// Where the bound of a whole mapping is its cost as long as no block is rounded up, it mostly is with blocks, too:
// units that divide their dimensions are alike.
TEST(AnyRounded, InstancesThatAreAlikeRoundUpEachByItself) {
  int exact = 0, all = 0;
  for (u64 seed = 0; seed < 2'000 && !HasFailure(); ++seed) {
    FittingMapping m(seed, seed % 2 != 0);
    if (!m.fits || std::ranges::none_of(m.mapping.loops(), &Loop::is_spatial)) continue;
    SCOPED_TRACE(seed);
    const auto is_exact = [&](u64 block) {
      for (StorageLevel& level : m.problem.architecture.levels) {
        level.block_words = block;
        level.bandwidth = {};
      }
      const Compiled c(m.problem.workload, m.problem.architecture);
      const KeptFlows costs(c, m.keep(), Unrollable::all());
      PartialCost partial(costs, 1);
      const Cost bound = bound_of_whole(partial, c, m.mapping), cost = true_cost_of(c, m.mapping).cost;
      EXPECT_LE(bound.energy.picojoules(), cost.energy.picojoules());
      return bound.energy.units == cost.energy.units;
    };
    if (!is_exact(1)) continue;
    ++all;
    exact += is_exact(4);
  }
  EXPECT_GT(exact * 10, all * 9);
}

}  // namespace
}  // namespace heliolite::any_rounded_test
