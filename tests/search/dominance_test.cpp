// Which partial mapping of the exact search drops which (rule state-dominance).

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <memory>
#include <utility>

#include "engine/model/cost_of_counts.h"
#include "engine/search/exact/frontier.h"
#include "engine/search/uneven/uneven.h"
#include "tests/support/dominance_check.h"
#include "tests/support/frontier_toy.h"
#include "tests/support/machine_families.h"

namespace heliolite::dominance_test {
namespace {

using testing::ExactToy;
using testing::gemm;
using testing::gemm_toy;
using testing::make_workload;
using testing::state_of;
using testing::three_levels;
using testing::toy_machine;
using testing::toy_problem;

constexpr std::size_t kOutput = 0, kLeft = 1;  // tensors of testing::gemm: Z[m,n], A[m,k], B[k,n]

// Whether a frontier that holds `a` drops `b`; the other way round b must then go when a comes, if a does.
bool drops(const ExactToy& toy, const PartialMapping& a, const PartialMapping& b, int level = 0) {
  Frontier frontier(toy.model, level);
  EXPECT_TRUE(frontier.add(a, {}, true).added) << "there is nothing yet";
  const bool dropped = frontier.dominated(b);
  EXPECT_EQ(frontier.add(b, {}, true).added, !dropped);
  Frontier reverse(toy.model, level);
  reverse.add(b, {}, true);
  const Frontier::Added then = reverse.add(a, {}, true);
  EXPECT_EQ(then.dropped, then.added && dropped ? 1u : 0u);
  EXPECT_EQ(reverse.node(0).dropped, then.dropped == 1);
  return dropped;
}

TEST(Dominance, DropsWhatIsNowhereCheaper) {
  const ExactToy toy = gemm_toy();
  const PartialMapping a = state_of(toy);
  PartialMapping b = a;
  EXPECT_TRUE(drops(toy, a, b)) << "the first of equals stays";
  b.sum[0] = 11;
  EXPECT_TRUE(drops(toy, a, b));
  EXPECT_FALSE(drops(toy, b, a));
}

// Stores of one memory: what the stores inside have taken is missing outside, until the last of them is placed.
TEST(Dominance, KeepsWhatLeavesMoreRoomToStoresOfTheSameMemory) {
  const LayerProblem even = toy_problem(gemm(4, 4, 4), toy_machine({{}, {.read = 1, .update = 1}}), Objective::Energy);
  const ExactToy toy(stacked_problem(even, store_orders(even, 100)->front()));
  ASSERT_EQ(toy.model.levels(), 4);
  PartialMapping a = state_of(toy), b = a;
  a.room = 7, b.room = 6, b.sum[0] = 11;
  for (const int level : {0, 1}) EXPECT_FALSE(drops(toy, a, b, level));
  EXPECT_TRUE(drops(toy, a, b, 2));
  b.room = 7;
  EXPECT_TRUE(drops(toy, a, b, 0));
}

// Each number of a state counts by itself: b is dearer in the sum, a in the number that is changed.
TEST(Dominance, KeepsWhatIsCheaperInOneNumber) {
  const ExactToy toy = gemm_toy();
  const PartialMapping start = state_of(toy);
  const auto expect_kept = [&](const char* what, auto make_dearer) {
    PartialMapping a = start, b = start;
    a.in_place = b.in_place = 1u << kLeft;
    b.sum[0] = 100;
    EXPECT_TRUE(drops(toy, a, b)) << what;
    make_dearer(a);
    EXPECT_FALSE(drops(toy, a, b)) << what;
    make_dearer(b);
    EXPECT_TRUE(drops(toy, a, b)) << what;
  };
  expect_kept("pending", [](PartialMapping& s) { s.pending[kOutput][0] = 1; });
  expect_kept("fill", [](PartialMapping& s) { s.fill[kLeft][0] = 1; });
  expect_kept("serve", [](PartialMapping& s) { s.serve[kLeft][0] = 1; });
  expect_kept("refund", [](PartialMapping& s) { s.refund[0] -= 1; });
}

// With bandwidths there is a channel for each: the cheaper in energy may be the slower.
TEST(Dominance, ComparesEveryChannel) {
  Architecture machine = three_levels();
  machine.levels[2].bandwidth.read = 0.5;
  const ExactToy toy(toy_problem(gemm(4, 4, 4), machine, Objective::Edp));
  ASSERT_EQ(toy.model.channels.size(), 2u);
  PartialMapping a = state_of(toy), b = a;
  b.sum[0] = 11;
  a.sum[1] = 5, b.sum[1] = 4;
  EXPECT_FALSE(drops(toy, a, b));
  EXPECT_FALSE(drops(toy, b, a));
  b.sum[1] = 5;
  EXPECT_TRUE(drops(toy, a, b));
}

// 1020 words in 360 steps at a quarter word a step take 4080 cycles. Timeloop adds up words per step by tensor, in
// doubles: 300 / 360 + 720 / 360 is a little more than 660 / 360 + 360 / 360, and rounds up to a cycle more.
TEST(Dominance, EqualCyclesOfOtherTensorsMayRoundUpToMore) {
  Architecture machine = three_levels();
  machine.levels[2].bandwidth.read = 0.25;
  machine.timeloop_cycles = true;
  const ExactToy toy(toy_problem(gemm(4, 4, 4), machine, Objective::Delay));
  const std::array<u64, 2> mine{300, 720}, other{660, 360}, writes{};
  const CompiledLevel& level = toy.compiled().level[2];
  EXPECT_EQ(level_cycles(level, mine, writes, 360), 4081u);
  EXPECT_EQ(level_cycles(level, other, writes, 360), 4080u);
  ASSERT_EQ(toy.model.channels.size(), 2u);
  const auto with = [&](const std::array<u64, 2>& words) {
    PartialMapping s = state_of(toy);
    for (int v = 0; v < 2; ++v) {
      const double cycles = static_cast<double>(words[v]) / 0.25;
      s.sum[1] += cycles;
      s.split[1] += split_hash(v, cycles);
    }
    return s;
  };
  PartialMapping a = with(mine), b = with(other);
  b.sum[0] = 1000;
  EXPECT_FALSE(drops(toy, a, b));
  a = with({300, 719});
  EXPECT_TRUE(drops(toy, a, b)) << "a word less is clearly less";
  a = with(other);
  EXPECT_TRUE(drops(toy, a, b)) << "the same words";
  // In a the second tensor's words wait: 360 of them if the next loop moves it, ten for each of 36 iterations.
  a = with({660, 0});
  a.iterations = b.iterations = 36;
  a.in_place = 1u << kLeft;
  a.fill[kLeft][1] = 10 / 0.25;
  EXPECT_TRUE(drops(toy, a, b));
}

TEST(Dominance, NeverComparesDifferentTiles) {
  const ExactToy toy = gemm_toy();
  const PartialMapping a = state_of(toy);
  PartialMapping b = a;
  b.tile = toy.tile({1, 2});
  b.sum[0] = 1000;
  EXPECT_FALSE(drops(toy, a, b));
  EXPECT_FALSE(drops(toy, b, a));
}

// a's tile of A is in place: 3 units a fill and 1 a word on its way, for each of 32 iterations outside. In b it has
// moved. At most a pays for the next loop to move it: 96 units, and 32 pending.
TEST(Dominance, CountsWhatIsInPlaceAsIfItMovedNext) {
  const ExactToy toy = gemm_toy();
  PartialMapping a = state_of(toy), b = a;
  a.in_place = 1u << kLeft;
  a.fill[kLeft][0] = 3, a.serve[kLeft][0] = 1;
  b.sum[0] = 10 + 96;
  b.pending[kLeft][0] = 32;
  EXPECT_TRUE(drops(toy, a, b));
  b.sum[0] -= 1;
  EXPECT_FALSE(drops(toy, a, b)) << "a's flow may have to be fetched at once";
  b.sum[0] += 1, b.pending[kLeft][0] -= 1;
  EXPECT_FALSE(drops(toy, a, b)) << "and its words go over a fan-out outside";
  b.sum[0] = b.pending[kLeft][0] = 0;
  a.fill[kLeft][0] = a.serve[kLeft][0] = 1000;
  EXPECT_FALSE(drops(toy, b, a)) << "not asked: a flow that only the other has in place";
}

// A one-dimensional convolution: I[p+r] slides.
TEST(Dominance, SlidingFlowsMustHaveTheSameShape) {
  const auto workload =
      make_workload("conv", {{"P", 4}, {"R", 3}}, {{"O", "P", Role::Output}, {"I", "P+R"}, {"W", "R", Role::Weight}});
  const ExactToy toy(toy_problem(workload, three_levels()));
  PartialMapping a = toy.steps.root(0, 0);
  a.tile = toy.tile({2, 1});
  ASSERT_TRUE(toy.steps.start(a, 0, 0));
  ASSERT_EQ(a.sliding_count, 1);
  ASSERT_EQ(a.sliding[0].tensor, 1);
  PartialMapping b = a;
  b.sum[0] = a.sum[0] + 100;
  EXPECT_TRUE(drops(toy, a, b));
  const auto expect_kept = [&](const char* what, auto change) {
    PartialMapping other = b;
    change(other.sliding[0]);
    EXPECT_FALSE(drops(toy, a, other)) << what;
    EXPECT_FALSE(drops(toy, other, a)) << what;
  };
  expect_kept("moving", [](auto& flow) { flow.moving = true; });
  expect_kept("start", [](auto& flow) { flow.start = 1; });
  expect_kept("extent", [](auto& flow) { flow.extent[0] += 1; });
  expect_kept("first", [](auto& flow) { flow.first[0] += 1; });
  expect_kept("inner", [](auto& flow) { flow.inner[0] += 1; });
  expect_kept("delta", [](auto& flow) { flow.delta = 0.5; });
  expect_kept("fewer fetches", [](auto& flow) { flow.fetched = 0.5; });
  expect_kept("cheaper fill", [](auto& flow) { flow.fill[0] = -1; });
  expect_kept("cheaper words", [](auto& flow) { flow.serve[0] = -1; });
  expect_kept("none", [](auto& flow) { flow.tensor = 0; });
  b.sliding_count = 0;
  EXPECT_FALSE(drops(toy, a, b));
  EXPECT_FALSE(drops(toy, b, a));
}

TEST(Dominance, InstancesCountWhereCyclesOrClustersDo) {
  const auto machine = three_levels(4);
  const auto used = [](const ExactToy& toy, double instances) {
    PartialMapping s = state_of(toy);
    s.instances[0] = s.units = instances;
    return s;
  };
  const ExactToy energy(toy_problem(gemm(4, 4, 4), machine));
  PartialMapping slow = used(energy, 2), fast = used(energy, 4);
  EXPECT_TRUE(drops(energy, slow, fast)) << "energy counts words, not units";
  EXPECT_TRUE(drops(energy, fast, slow));
  // Cycles are rounded in a way that depends on the steps: only states with as many units compare.
  const ExactToy delay(toy_problem(gemm(4, 4, 4), machine, Objective::Edp));
  slow = used(delay, 2), fast = used(delay, 4);
  EXPECT_FALSE(drops(delay, slow, fast));
  Architecture limited = machine;
  limited.levels[2].bandwidth.read = 0.25;
  const ExactToy bandwidth(toy_problem(gemm(4, 4, 4), limited, Objective::Edp));
  slow = used(bandwidth, 2), fast = used(bandwidth, 4);
  EXPECT_FALSE(drops(bandwidth, fast, slow));
  // Four buffers in two clusters: with four in use, an access serves two of them.
  Architecture clustered = toy_machine({{.read = 1}, {.fanout_x = 4}, {.read = 1}});
  clustered.levels[0].cluster_size = 2;
  const ExactToy clusters(toy_problem(gemm(4, 4, 4), clustered));
  ASSERT_EQ(clusters.model.channels.size(), 2u);
  slow = state_of(clusters), fast = slow;
  slow.instances[1] = slow.units = 2, fast.instances[1] = fast.units = 4;
  EXPECT_TRUE(drops(clusters, fast, slow, 1)) << "more share";
  EXPECT_FALSE(drops(clusters, slow, fast, 1));
}

// Blocks of four words at the outermost level, 10 units a read and 1 an update. The flows out of level 0 and 1 and of
// the MACs end where? The MACs' at level 0 and level 0's at level 1, which have no blocks: only level 1's at the
// outermost one, three tensors read and one updated: 3 * 10 + 1 units can be missing from the sums.
TEST(Dominance, ABetterSumMustOutweighTheRoundingToBlocks) {
  Architecture machine = toy_machine({{}, {}, {.read = 10, .update = 1}});
  machine.levels[2].block_words = 4;
  const ExactToy toy(toy_problem(gemm(4, 4, 4), machine));
  PartialMapping a = state_of(toy);
  ASSERT_TRUE(toy.steps.start(a, 0, 0));
  EXPECT_EQ(a.rounding, 0);
  PartialMapping other = a;
  other.signature = a.signature + 1;
  EXPECT_TRUE(drops(toy, a, other, 0)) << "nothing that has begun is rounded";
  ASSERT_TRUE(toy.steps.start(a, 1, 0));
  EXPECT_EQ(a.rounding, 31);
  PartialMapping b = a;
  EXPECT_TRUE(drops(toy, a, b, 1)) << "the same words, so the same blocks";
  b.signature = a.signature + 1;
  EXPECT_FALSE(drops(toy, a, b, 1)) << "as dear, but other words may be fewer blocks";
  b.sum[0] = a.sum[0] + 30;
  EXPECT_FALSE(drops(toy, a, b, 1));
  b.sum[0] = a.sum[0] + 31;
  EXPECT_TRUE(drops(toy, a, b, 1));
}

// Routers cost what no sum knows.
TEST(Dominance, DropsNothingWhereSumsLeaveOutMoreThanBlocks) {
  Architecture machine = three_levels(4);
  machine.levels[0].network.router_pj = 1;
  const ExactToy toy(toy_problem(gemm(4, 4, 4), machine));
  ASSERT_FALSE(toy.model.exact);
  PartialMapping b = state_of(toy);
  b.sum[0] = 1000;
  EXPECT_FALSE(drops(toy, state_of(toy), b));
}

TEST(Dominance, DropsNothingWithoutTheRule) {
  const ExactToy toy = gemm_toy();
  Frontier frontier(toy.model, 0);
  for (int k = 0; k < 3; ++k) EXPECT_TRUE(frontier.add(state_of(toy), {}, false).added);
  frontier.compact();
  EXPECT_EQ(frontier.size(), 3u);
}

// Two machines that differ in level 1: after level 0 their completions differ, after level 1 they are alike.
TEST(Dominance, MachinesCompareOutsideTheLevelsWhereTheyDiffer) {
  const auto toy_of = [](double leak) {
    std::vector<Architecture> machines(2, toy_machine({{}, {.entries = 16}, {.read = 1}}));
    machines[1].levels[1].entries = 32;
    machines[1].levels[1].leak_pj_per_cycle = leak;
    const auto family = MachineFamily::create(machines);
    EXPECT_TRUE(family.ok());
    return std::make_unique<ExactToy>(testing::family_problem(gemm(4, 4, 4), *family, {}));
  };
  const auto toy = toy_of(0);
  PartialMapping a = state_of(*toy), b = a;
  b.machine = 1;
  b.sum[0] = 1000;
  EXPECT_FALSE(drops(*toy, a, b, 0));
  EXPECT_TRUE(drops(*toy, a, b, 1));
  b.sum[0] = a.sum[0];
  EXPECT_TRUE(drops(*toy, a, b, 1));
  EXPECT_TRUE(drops(*toy, b, a, 1)) << "the tile fits both";
  const auto leaking = toy_of(1);
  EXPECT_TRUE(drops(*leaking, a, b, 1));
  EXPECT_FALSE(drops(*leaking, b, a, 1)) << "what is cheaper so far may leak more to the end";
}

// Against executions (tests/support/dominance_check.h).
RC_GTEST_PROP(Dominance, NoCompletionOfADroppedStateIsCheaper, ()) {
  testing::DominanceSeen seen;
  testing::compare_partial_mappings(*rc::gen::arbitrary<u64>(), seen);
  RC_ASSERT(seen.dearer == 0);
}

// The same for fixed problems: and states are dropped, and completed.
TEST(Dominance, NoCompletionOfADroppedStateIsCheaperOnFixedProblems) {
  testing::DominanceSeen seen;
  for (u64 seed = 0; seed < 3000; ++seed) {
    testing::compare_partial_mappings(seed, seen);
    ASSERT_EQ(seen.dearer, 0) << seed;
  }
  EXPECT_GT(seen.dropped, 10'000);
  EXPECT_GT(seen.completed, 50'000);
}

}  // namespace
}  // namespace heliolite::dominance_test
