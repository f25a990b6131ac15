// The parts of the Sunstone search on toys: the ladder, which prices plans that are not complete, and the fillings of a
// fan-out.
#include "engine/search/sunstone/fillings.h"
#include "engine/search/sunstone/ladder.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "tests/support/exact_toy.h"
#include "tests/support/machine_families.h"

namespace heliolite::sunstone_parts_test {
namespace {

using testing::chance;
using testing::ExactToy;
using testing::gemm;
using testing::pick;
using testing::Rng;
using testing::toy_machine;
using testing::toy_problem;
using testing::ToyLevel;
using testing::Walk;

// --- The ladder.

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
        ladder(problem.workload, problem.architecture, problem.space,
               {problem.space.levels.size(), every_order(problem.space.dimension_count)}, problem.options.objective,
               problem.keep_range().may, SearchBudget(problem.options)) {}

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
      plan.factor[at(loop_place_of(loop.kind, loop.level))][loop.dimension] = loop.end;
      if (!loop.is_spatial()) loops[loop.level].push_back(loop.dimension);
    }
    for (int i = 0; i <= top(); ++i) plan.order[at(i)] = order(loops[at(i)]);
    return plan;
  }
};

std::vector<ToyLevel> three_levels() {
  return {{.entries = 6, .read = 1, .fill = 2, .update = 3},
          {.entries = 12, .read = 10, .fill = 20, .update = 30, .fanout_x = 2},
          {.read = 100, .update = 70}};
}

Extents extents(std::initializer_list<u32> sizes) {
  Extents out = unit_extents();
  std::copy(sizes.begin(), sizes.end(), out.begin());
  return out;
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
      plan.factor[at(loop_place_of(LoopKind::Temporal, static_cast<int>(pick(rng, 0, 2))))][at(d)] =
          static_cast<u32>(toy.problem.space.size[at(d)]);
    for (int i = 0; i < 3; ++i) plan.order[at(i)] = static_cast<u16>(pick(rng, 0, orders - 1));
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

// --- Fillings.

struct Fan {
  Workload workload;
  Mapspace space;
  std::vector<DivisorTable> tables;
  Extents rest = unit_extents();

  Fan(const Workload& w, u64 x, u64 y) : workload(w) {
    Architecture machine = toy_machine({{}, {.fanout_x = x * y}});
    machine.levels[1].fanout_x = x, machine.levels[1].fanout_y = y;
    machine.levels[0].mesh_x = x;
    machine.compute.mesh_x = x;
    space = *resolve(workload, machine);
    for (int d = 0; d < space.dimension_count; ++d) {
      tables.emplace_back(space.size[at(d)]);
      rest[at(d)] = static_cast<u32>(space.size[at(d)]);
    }
  }

  SpatialSpace& fanout() { return space.levels[1].spatial; }
  const SpatialSpace& fanout() const { return space.levels[1].spatial; }

  std::vector<Unrolling> list(bool full, bool indexing) const {
    Fillings fillings(space, workload, tables);
    RuleCounts counts;
    std::vector<Unrolling> out{{}};  // what was there goes
    fillings.list(1, rest, RuleSet().set(Rule::FullUnrolling, full).set(Rule::IndexingFirst, indexing), counts, out);
    return out;
  }

  // --- The same by the definitions.

  u64 used(const Extents& factor) const {
    return std::accumulate(factor.begin(), factor.end(), u64{1}, std::multiplies<>());
  }
  // Whether X and Y have room for the factors of dimensions d and on.
  bool shared(const Extents& factor, int d, u64 room_x, u64 room_y) const {
    if (d == space.dimension_count) return true;
    for (u32 x = 1; x <= factor[at(d)]; ++x) {
      const u32 y = factor[at(d)] / x;
      if (factor[at(d)] % x != 0 || x > room_x || y > room_y) continue;
      if ((x > 1 && !(fanout().allowed_x >> d & 1)) || (y > 1 && !(fanout().allowed_y >> d & 1))) continue;
      if (x > 1 && y > 1 && space.one_axis_per_dimension) continue;
      if (shared(factor, d + 1, room_x / x, room_y / y)) return true;
    }
    return false;
  }
  bool legal(const Extents& factor) const {
    for (int d = 0; d < space.dimension_count; ++d)
      if (rest[at(d)] % factor[at(d)] != 0 || !fanout().factor[at(d)].allows(factor[at(d)])) return false;
    return shared(factor, 0, fanout().fanout_x, fanout().fanout_y);
  }
  // Whether some dimension can take one more of the least prime that it has left.
  bool can_grow(const Extents& factor) const {
    for (int d = 0; d < space.dimension_count; ++d) {
      const u32 left = rest[at(d)] / factor[at(d)];
      u32 prime = 2;
      while (prime < left && left % prime != 0) ++prime;
      Extents larger = factor;
      larger[at(d)] *= prime;
      if (left > 1 && legal(larger)) return true;
    }
    return false;
  }
  // Whether the dimensions that index some tensor, and those that the machine forces, make more than the others.
  bool prevails(const Extents& factor) const {
    for (int v = 0; v < space.tensor_count; ++v) {
      u64 mine = 1;
      for (int d = 0; d < space.dimension_count; ++d)
        if ((workload.indexing(v) >> d & 1) != 0 || fanout().factor[at(d)].min > 1) mine *= factor[at(d)];
      const u64 others = used(factor) / mine;
      if (others == 1 || mine > others) return true;
    }
    return false;
  }
  std::set<Extents> expected(bool full, bool indexing) const {
    std::set<Extents> out;
    Extents factor = unit_extents();
    const auto walk = [&](const auto& self, int d) -> void {
      if (d == space.dimension_count) {
        if (legal(factor) && (!indexing || prevails(factor)) && (!full || !can_grow(factor))) out.insert(factor);
        return;
      }
      for (const u32 f : tables[at(d)].of(rest[at(d)])) {
        factor[at(d)] = f;
        self(self, d + 1);
      }
      factor[at(d)] = 1;
    };
    walk(walk, 0);
    if (out.empty() && indexing) return expected(full, false);
    u64 most = 1;
    for (const Extents& f : out) most = std::max(most, used(f));
    if (full) std::erase_if(out, [&](const Extents& f) { return used(f) < most / kLeastShare; });
    return out;
  }
};

// The products of a list, each of which X and Y must have room for.
std::set<Extents> products(const Fan& fan, const std::vector<Unrolling>& list) {
  std::set<Extents> out;
  for (const Unrolling& u : list) {
    Extents factor;
    for (int d = 0; d < kMaxDimensions; ++d) factor[at(d)] = u.factor(d);
    EXPECT_LE(fan.used(u.x), fan.fanout().fanout_x);
    EXPECT_LE(fan.used(u.y), fan.fanout().fanout_y);
    for (int d = 0; d < fan.space.dimension_count; ++d) {
      EXPECT_TRUE(u.x[at(d)] == 1 || (fan.fanout().allowed_x >> d & 1));
      EXPECT_TRUE(u.y[at(d)] == 1 || (fan.fanout().allowed_y >> d & 1));
    }
    EXPECT_TRUE(out.insert(factor).second) << "once for each product";
  }
  return out;
}

TEST(Fillings, KnownCases) {
  // Six units for m = 2, n = 2, k = 3: nothing, one, or two of them. What cannot grow: two of them, as the third would
  // need twelve.
  const Fan six(gemm(2, 2, 3), 6, 1);
  EXPECT_EQ(products(six, six.list(false, false)).size(), 7u);
  EXPECT_EQ(products(six, six.list(true, false)),
            (std::set<Extents>{extents({2, 2, 1}), extents({2, 1, 3}), extents({1, 2, 3})}));
  // Four units: m and n fill them. k leaves one idle, and cannot grow.
  const Fan four(gemm(2, 2, 3), 4, 1);
  EXPECT_EQ(products(four, four.list(true, false)), (std::set<Extents>{extents({2, 2, 1}), extents({1, 1, 3})}));
  // Sixteen units for 2, 3 and 5. None of 3 * 5, 2 * 5, 2 * 3 can grow, but six are less than half of fifteen.
  const Fan sixteen(gemm(2, 3, 5), 16, 1);
  EXPECT_EQ(products(sixteen, sixteen.list(true, false)), (std::set<Extents>{extents({1, 3, 5}), extents({2, 1, 5})}));
}

// Each tensor has two neighbours of the chain i, j, k, l. Of 2 * 2 * 2 * 2 they make four, the other two four as well.
TEST(Fillings, IndexingFirstLeavesOutMixtures) {
  const Fan fan(testing::mmc(), 16, 1);  // o[i,l] a[i,j] b[j,k] c[k,l], all of size 8
  const auto all = products(fan, fan.list(true, false)), first = products(fan, fan.list(true, true));
  const Extents even = extents({2, 2, 2, 2}), ahead = extents({4, 2, 2, 1}), one = extents({2, 8, 1, 1});
  EXPECT_TRUE(all.contains(even) && all.contains(ahead) && all.contains(one));
  EXPECT_FALSE(first.contains(even));
  EXPECT_TRUE(first.contains(ahead)) << "i and j make eight, k two";
  EXPECT_TRUE(first.contains(one));
}

TEST(Fillings, NothingOnlyWhereTheLimitsLeaveNothing) {
  Fan fan(gemm(2, 2, 3), 6, 1);
  fan.fanout().factor[0] = {4, 4};  // m has two iterations
  EXPECT_TRUE(fan.list(true, true).empty());
  fan.fanout().factor[0] = {2, 2};
  EXPECT_FALSE(fan.list(true, true).empty());
  fan.rest[0] = 1;
  EXPECT_TRUE(fan.list(true, true).empty()) << "they are placed already";
}

RC_GTEST_PROP(Fillings, AreWhatTheRulesSay, ()) {
  Rng rng(*rc::gen::arbitrary<u64>());
  const auto size = [&] { return std::array<u64, 8>{1, 2, 3, 4, 5, 6, 8, 12}[pick(rng, 0, 7)]; };
  Fan fan(chance(rng, 50) ? gemm(size(), size(), size()) : testing::conv1d(size(), size(), size(), size()),
          pick(rng, 1, 6), pick(rng, 2, 6));
  fan.space.one_axis_per_dimension = chance(rng, 30);
  for (int d = 0; d < fan.space.dimension_count; ++d) {
    const auto divisors = fan.tables[at(d)].all();
    fan.rest[at(d)] = divisors[pick(rng, 0, divisors.size() - 1)];
    FactorLimit& limit = fan.fanout().factor[at(d)];
    if (chance(rng, 20)) limit.max = pick(rng, 1, limit.max);
    if (chance(rng, 10)) limit.min = pick(rng, 1, limit.max);
    if (chance(rng, 20)) fan.fanout().allowed_x &= static_cast<DimensionMask>(~(1u << d));
    if (chance(rng, 20)) fan.fanout().allowed_y &= static_cast<DimensionMask>(~(1u << d));
  }
  for (const bool full : {false, true})
    for (const bool indexing : {false, true}) {
      const auto list = fan.list(full, indexing);
      RC_ASSERT(products(fan, list) == fan.expected(full, indexing));
      RC_ASSERT(list == fan.list(full, indexing));
    }
}

}  // namespace
}  // namespace heliolite::sunstone_parts_test
