// The ladder of the Sunstone search, which prices plans that are not complete, on toys.
#include "engine/search/sunstone/ladder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "tests/support/exact_toy.h"
#include "tests/support/machine_families.h"

namespace heliolite::ladder_test {
namespace {

using testing::ExactToy;
using testing::extents;
using testing::gemm;
using testing::pick;
using testing::Rng;
using testing::toy_machine;
using testing::toy_problem;
using testing::ToyLevel;
using testing::Walk;

std::vector<LoopOrder> every_order(int dimensions) {
  LoopOrder order;
  order.count = static_cast<u8>(dimensions);
  std::iota(order.loop.begin(), order.loop.begin() + dimensions, u8{0});
  std::vector<LoopOrder> out;
  do out.push_back(order);
  while (std::next_permutation(order.loop.begin(), order.loop.begin() + dimensions));
  return out;
}

// A ladder over all orders of every level of a problem.
struct LadderToy {
  LayerProblem problem;
  Ladder ladder;

  explicit LadderToy(LayerProblem p)
      : problem(std::move(p)),
        ladder(problem.model, problem.space, {problem.space.levels.size(), every_order(problem.space.dimension_count)},
               problem.options.objective, problem.keep_range().may, SearchBudget(problem.options)) {}

  int top() const { return ladder.levels() - 1; }
  Plan empty_plan() const {
    Plan plan;
    plan.keep = ladder.keep();
    return plan;
  }
  // The number of an order that begins so, innermost first.
  u16 order(const std::vector<u8>& first) const {
    const auto& all = ladder.orders(0);
    const auto found = std::find_if(all.begin(), all.end(), [&](const LoopOrder& o) {
      return std::equal(first.begin(), first.end(), o.loop.begin());
    });
    return static_cast<u16>(found - all.begin());
  }
  Plan plan_of(const Mapping& mapping) const {
    Plan plan = empty_plan();
    std::array<std::vector<u8>, kMaxLevels> loops;
    for (const Loop& loop : mapping.loops()) {
      plan.factor[loop_place_of(loop.kind, loop.level)][loop.dimension] = loop.end;
      if (!loop.is_spatial()) loops[loop.level].push_back(loop.dimension);
    }
    for (int i = 0; i <= top(); ++i) plan.order[i] = order(loops[i]);
    return plan;
  }
};

std::vector<ToyLevel> three_levels() {
  return {{.entries = 6, .read = 1, .fill = 2, .update = 3},
          {.entries = 12, .read = 10, .fill = 20, .update = 30, .fanout_x = 2},
          {.read = 100, .update = 70}};
}

TEST(Ladder, ACompletePlanCostsWhatItsMappingCosts) {
  LadderToy toy(toy_problem(gemm(2, 2, 4), toy_machine(three_levels()), Objective::Edp));
  const ExactToy all(toy.problem);
  u64 mappings = 0;
  testing::for_each_completion(all, Walk(all, 0), 0, [&](const Walk& walk) {
    if (::testing::Test::HasFailure()) return;
    const Plan plan = toy.plan_of(walk.mapping);
    EXPECT_EQ(toy.ladder.mapping(plan), walk.mapping);
    const Score score = toy.ladder.score(plan, toy.top(), unit_extents());
    const Evaluation e = toy.problem.model.evaluate(walk.mapping);
    EXPECT_TRUE(score.fits);
    EXPECT_EQ(score.cost, e.cost);
    EXPECT_EQ(score.value, Value::of(Objective::Edp, e.cost));
    ++mappings;
  });
  EXPECT_GT(mappings, 100u);
  EXPECT_EQ(toy.ladder.evaluated(), mappings);
}

TEST(Ladder, APlanThatDoesNotFitHasNoScore) {
  LadderToy toy(toy_problem(gemm(2, 2, 4), toy_machine(three_levels())));
  Plan plan = toy.empty_plan();
  plan.factor[loop_place_of(LoopKind::Temporal, 0)] = extents({2, 2, 4});  // 4 + 8 + 8 words, where there is room for 6
  const Score score = toy.ladder.score(plan, toy.top(), unit_extents());
  EXPECT_FALSE(score.fits);
  EXPECT_EQ(score.value, Value::worst());
  EXPECT_FALSE(toy.ladder.choose_orders(plan, 0, toy.top(), unit_extents()).fits);
}

// A tile of m = 2, n = 4, k = 1 at level 0, the rest at level 1, which holds everything. With m inside k it is asked
// for 16 words of A, 16 of B and 64 of Z, of which the first 16 are not read: 16 + 16 + 48 reads and 64 updates. With k
// inside m: 16 of A, 32 of B, and Z's 16 are written only. Outside at least every word is read or written once: 32
// reads at 100 units, 16 updates at 70.
TEST(Ladder, ChargesWhatIsPlacedAndTheCompulsoryCostOutside) {
  LadderToy toy(toy_problem(gemm(4, 4, 4), toy_machine({{}, {.read = 1, .update = 1}, {.read = 100, .update = 70}})));
  Plan plan = toy.empty_plan();
  plan.factor[loop_place_of(LoopKind::Temporal, 0)] = extents({2, 4, 1});
  const Extents rest = extents({2, 1, 4});
  const u64 outside = 32 * 100 + 16 * 70;
  plan.order[1] = toy.order({0, 2});
  EXPECT_EQ(static_cast<u64>(toy.ladder.score(plan, 1, rest).cost.energy.units), 80 + 64 + outside);
  plan.order[1] = toy.order({2, 0});
  EXPECT_EQ(static_cast<u64>(toy.ladder.score(plan, 1, rest).cost.energy.units), 48 + 16 + outside);
  EXPECT_EQ(toy.ladder.score(plan, 1, rest).cost.cycles, 64u);
  plan.order[1] = toy.order({0, 2});
  EXPECT_EQ(static_cast<u64>(toy.ladder.choose_orders(plan, 1, 1, rest).cost.energy.units), 48 + 16 + outside);
  const std::span<const u8> chosen = toy.ladder.orders(1)[plan.order[1]].loops();
  EXPECT_LT(std::ranges::find(chosen, 2), std::ranges::find(chosen, 0)) << "k is the inner of the two now";
}

// Fan-outs outside are taken for full: two units outside halve the cycles.
TEST(Ladder, TakesTheFanOutsOutsideForFull) {
  LadderToy toy(toy_problem(gemm(4, 4, 4), toy_machine({{}, {}, {.fanout_x = 2}})));
  EXPECT_EQ(toy.ladder.score(toy.empty_plan(), 1, extents({4, 4, 4})).cost.cycles, 32u);
  EXPECT_EQ(toy.ladder.score(toy.empty_plan(), 2, extents({4, 4, 4})).cost.cycles, 64u);
}

// The score of the levels up to `top`, at the cheapest of all orders, is at most what any completion costs.
TEST(Ladder, APartialScoreIsBelowEveryCompletion) {
  for (const u64 fanout : {1, 2}) {
    auto levels = three_levels();
    levels[1].fanout_x = fanout;
    LadderToy toy(toy_problem(gemm(2, 2, 4), toy_machine(levels), Objective::Edp));
    const ExactToy all(toy.problem);
    const auto orders = static_cast<u16>(toy.ladder.orders(0).size());
    testing::for_each_completion(all, Walk(all, 0), 0, [&](const Walk& walk) {
      if (::testing::Test::HasFailure()) return;
      Plan plan = toy.plan_of(walk.mapping);
      const Extents rest = plan.factor[loop_place_of(LoopKind::Temporal, 2)];
      plan.factor[loop_place_of(LoopKind::Temporal, 2)] = unit_extents();
      Value least = Value::worst();
      for (plan.order[1] = 0; plan.order[1] < orders; ++plan.order[1])
        least = std::min(least, toy.ladder.score(plan, 1, rest).value);
      EXPECT_LE(least, Value::of(Objective::Edp, toy.problem.model.evaluate(walk.mapping).cost));
    });
  }
}

// Level by level: after it no order of one level alone does better for the last of them, and the score is the plan's.
TEST(Ladder, ChoosesTheBestOrderOfALevelWithTheOthersAsTheyAre) {
  LadderToy toy(toy_problem(testing::conv1d(2, 4, 2, 3), toy_machine({{}, {.read = 3, .update = 2}, {.read = 100}})));
  const auto orders = static_cast<u16>(toy.ladder.orders(0).size());
  Rng rng(1);
  for (int k = 0; k < 20; ++k) {
    Plan plan = toy.empty_plan();
    for (int d = 0; d < 4; ++d)
      plan.factor[at(loop_place_of(LoopKind::Temporal, static_cast<int>(pick(rng, 0, 2))))][d] =
          static_cast<u32>(toy.problem.space.size[d]);
    for (int i = 0; i < 3; ++i) plan.order[i] = static_cast<u16>(pick(rng, 0, orders - 1));
    const Score before = toy.ladder.score(plan, 2, unit_extents());
    const Score chosen = toy.ladder.choose_orders(plan, 0, 2, unit_extents());
    EXPECT_LE(chosen.value, before.value);
    EXPECT_EQ(chosen.value, toy.ladder.score(plan, 2, unit_extents()).value);
    for (u16 o = 0; o < orders; ++o) {
      Plan other = plan;
      other.order[2] = o;
      EXPECT_LE(chosen.value, toy.ladder.score(other, 2, unit_extents()).value);
    }
  }
}

// m = 2, n = 4, k = 1: 8 words of Z, 2 of A, 4 of B.
TEST(Ladder, ATileMustFitItsLevelAndThoseOutside) {
  const Extents tile = extents({2, 4, 1});
  LadderToy roomy(toy_problem(gemm(4, 4, 4), toy_machine({{.entries = 14}, {.entries = 14}, {}})));
  EXPECT_TRUE(roomy.ladder.tile_fits(tile, 0));
  LadderToy inner(toy_problem(gemm(4, 4, 4), toy_machine({{.entries = 13}, {.entries = 14}, {}})));
  EXPECT_FALSE(inner.ladder.tile_fits(tile, 0));
  EXPECT_TRUE(inner.ladder.tile_fits(tile, 1));
  LadderToy outer(toy_problem(gemm(4, 4, 4), toy_machine({{.entries = 14}, {.entries = 13}, {}})));
  EXPECT_FALSE(outer.ladder.tile_fits(tile, 0)) << "a tile of level 1 contains it";
  // Without Z at level 0 the other two take 6 words.
  LadderToy small(toy_problem(gemm(4, 4, 4), toy_machine({{.entries = 6}, {}, {}})));
  EXPECT_FALSE(small.ladder.tile_fits(tile, 0));
  KeepMasks keep = small.ladder.keep();
  keep[0] = 0b110;
  small.ladder.set_keep(keep);
  EXPECT_TRUE(small.ladder.tile_fits(tile, 0));
}

TEST(Ladder, UsesAnotherMachineOfItsFamily) {
  std::vector<Architecture> machines(2, toy_machine({{.entries = 6, .read = 1}, {.entries = 64}, {.read = 100}}));
  machines[1].levels[0].entries = 14;
  machines[1].levels[0].energy.read_pj *= 5;
  const auto family = MachineFamily::create(machines);
  ASSERT_TRUE(family.ok());
  LadderToy toy(testing::family_problem(gemm(4, 4, 4), *family, {}));
  for (const std::size_t k : {0, 1}) {
    toy.ladder.use(toy.problem.machine(k));
    EXPECT_EQ(toy.ladder.tile_fits(extents({2, 4, 1}), 0), k == 1) << "14 words";
    Plan plan = toy.empty_plan();
    plan.factor[loop_place_of(LoopKind::Temporal, 0)] = extents({1, 2, 1});
    plan.factor[loop_place_of(LoopKind::Temporal, 2)] = extents({4, 2, 4});
    const Score score = toy.ladder.score(plan, toy.top(), unit_extents());
    EXPECT_EQ(score.cost, toy.problem.machine(k).evaluate(toy.ladder.mapping(plan)).cost);
  }
}

TEST(Ladder, StopsAtItsBudget) {
  SearchOptions options;
  options.budget_evaluations = 3;
  LadderToy toy(testing::layer_problem(gemm(4, 4, 4), toy_machine({{}, {.read = 1}}), options));
  Plan plan = toy.empty_plan();
  plan.factor[loop_place_of(LoopKind::Temporal, 1)] = extents({4, 4, 4});
  EXPECT_FALSE(toy.ladder.stopped());
  EXPECT_TRUE(toy.ladder.choose_orders(plan, 0, 1, unit_extents()).fits);
  EXPECT_EQ(toy.ladder.evaluated(), 3u) << "of six orders";
  EXPECT_TRUE(toy.ladder.stopped());
}

}  // namespace
}  // namespace heliolite::ladder_test
