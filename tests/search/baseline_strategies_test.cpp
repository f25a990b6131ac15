// The baselines: exhaustive covers the mapspace and nothing twice, random stays inside it.
#include <gtest/gtest.h>

#include <map>

#include "engine/model/mapping_check.h"
#include "engine/search/baseline/sampler.h"
#include "engine/search/map.h"
#include "engine/space/mapspace_size.h"
#include "engine/space/splits.h"
#include "tests/support/random_problem.h"
#include "tests/support/space_workloads.h"

namespace heliolite::baseline_strategies_test {
namespace {

using namespace heliolite::testing;  // NOLINT(google-build-using-namespace)

SearchOptions strategy(const std::string& name, Objective objective = Objective::Edp) {
  SearchOptions options;
  options.strategy = *parse_strategy(name);
  options.objective = objective;
  options.threads = 1;
  return options;
}

MappingResult found(const Workload& w, const Architecture& a, const SearchOptions& options) {
  const auto result = map_workload(w, a, options);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : to_string(result.errors()));
  return *result;
}

Workload gemm(u64 m, u64 n, u64 k) {
  return make_workload("gemm", {{"M", m}, {"N", n}, {"K", k}}, {{"Z", "M,N"}, {"A", "M,K"}, {"B", "K,N"}});
}

// Two or three levels without capacities, a fan-out of 4x2 inside the outer one.
Architecture unbounded(std::size_t levels) {
  Rng rng(7);
  Architecture a;
  while (a.levels.size() != levels) a = random_architecture(rng, {.max_levels = static_cast<int>(levels)});
  for (StorageLevel& level : a.levels) level.fanout_x = level.fanout_y = 1;
  a.levels.back().fanout_x = 4;
  a.levels.back().fanout_y = 2;
  for (std::size_t i = 0; i < levels; ++i) {
    a.levels[i].instances = i + 1 == levels ? 1 : 8;
    a.levels[i].mesh_x = i + 1 == levels ? 1 : 4;
    a.levels[i].cluster_size = 1;
    a.levels[i].keep.keep = {"all"};
  }
  a.compute.instances = 8;
  a.compute.mesh_x = 4;
  return a;
}

// The innermost level's order is given, because exhaustive tries one there.
BigCount nests(const Workload& w, Architecture a) {
  for (const Dimension& d : w.dimensions) a.levels[0].constraints.temporal.order.push_back(d.name);
  const auto space = resolve(w, a);
  EXPECT_TRUE(space.ok());
  return mapspace_size(*space).nests.value();
}

// Every assignment of factors and every order, by nested loops: two levels, fan-out x by y below the outer one.
u64 count_by_hand(const Workload& w, u64 fanout_x, u64 fanout_y) {
  u64 count = 0;
  const auto walk = [&](auto&& self, std::size_t d, u64 x, u64 y, u64 outer_loops) -> void {
    if (d == w.dimensions.size()) {
      u64 orders = 1;
      for (u64 k = 2; k <= outer_loops; ++k) orders *= k;
      count += orders;
      return;
    }
    const u64 size = w.dimensions[d].size;
    for (u64 inner = 1; inner <= size; ++inner)
      for (u64 fx = 1; fx * x <= fanout_x; ++fx)
        for (u64 fy = 1; fy * y <= fanout_y; ++fy)
          for (u64 outer = 1; outer <= size; ++outer)
            if (inner * fx * fy * outer == size) self(self, d + 1, x * fx, y * fy, outer_loops + (outer > 1));
  };
  walk(walk, 0, 1, 1, 0);
  return count;
}

TEST(Exhaustive, EvaluatesEveryMappingOnce) {
  for (const Workload& w : {gemm(4, 6, 8), gemm(12, 1, 5), gemm(1, 1, 1)}) {
    const MappingResult r = found(w, unbounded(2), strategy("exhaustive"));
    EXPECT_EQ(r.statistics.evaluated, count_by_hand(w, 4, 2));
    EXPECT_EQ(BigCount(r.statistics.evaluated), nests(w, unbounded(2)));
    EXPECT_EQ(r.status, Status::Optimal);
  }
}

TEST(Exhaustive, CountsAsTheClosedFormUnderConstraintsAndOpenChoices) {
  const Workload w = gemm(4, 6, 8);
  for (const int variant : {0, 1, 2, 3, 4}) {
    Architecture a = unbounded(3);
    if (variant == 1) a.one_axis_per_dimension = true;
    if (variant == 2) a.levels[1].keep = {};  // all three tensors open
    if (variant == 3) {
      a.levels[2].constraints.spatial.allowed_x = {"M"};
      a.levels[2].constraints.temporal.order = {"K"};
    }
    if (variant == 4)
      a.levels[1].constraints.temporal.factors = {{"K", Relation::AtMost, 2}, {"M", Relation::Equal, 2}};
    const MappingResult r = found(w, a, strategy("exhaustive"));
    EXPECT_EQ(BigCount(r.statistics.evaluated), nests(w, a)) << variant;
  }
}

TEST(Exhaustive, NothingIsBetter) {
  int feasible = 0;
  for (u64 seed = 0; seed < 60; ++seed) {
    const RandomProblem p =
        random_problem(seed, {.max_dimensions = 3, .max_size = 6, .max_levels = 3, .capacities = true});
    for (const Objective objective : {Objective::Edp, Objective::Delay}) {
      const MappingResult all = found(p.workload, p.architecture, strategy("exhaustive", objective));
      const MappingResult some = found(p.workload, p.architecture, strategy("random", objective));
      const MappingResult sunstone = found(p.workload, p.architecture, strategy("sunstone", objective));
      if (all.status == Status::Infeasible) {
        EXPECT_EQ(some.status, Status::Infeasible) << seed;
        EXPECT_FALSE(all.why_infeasible.empty());
        continue;
      }
      ++feasible;
      EXPECT_EQ(all.status, Status::Optimal);
      EXPECT_EQ(all.gap, 0);
      for (const MappingResult* other : {&some, &sunstone}) {
        if (other->status == Status::Infeasible) continue;
        EXPECT_GE(Value::of(objective, other->cost), Value::of(objective, all.cost)) << seed;
      }
      for (const MappingResult* r : {&all, &some}) {
        if (r->status == Status::Infeasible) continue;
        EXPECT_TRUE(check(r->mapping, p.workload, p.architecture).empty()) << seed;
        EXPECT_TRUE(violations(*resolve(p.workload, p.architecture), r->mapping).empty()) << seed;
        EXPECT_EQ(CostModel(p.workload, p.architecture).evaluate(r->mapping).cost, r->cost);
      }
    }
  }
  EXPECT_GT(feasible, 60);
}

TEST(Exhaustive, TheOrderAtTheInnermostLevelChangesNothing) {
  Rng rng(3);
  for (u64 seed = 0; seed < 200; ++seed) {
    const RandomProblem p = random_problem(seed);
    Mapping m = p.mapping;
    u8 first = 0;
    while (first < m.loop_count && m.loop[first].is_spatial()) ++first;
    u8 end = first;
    while (end < m.loop_count && m.loop[end].level == 0) ++end;
    std::vector<Loop> inner(m.loop.begin() + first, m.loop.begin() + end);
    if (first < m.loop_count && m.loop[first].level != 0) continue;
    heliolite::testing::detail::shuffle(rng, inner);
    std::copy(inner.begin(), inner.end(), m.loop.begin() + first);
    const CostModel model(p.workload, p.architecture);
    EXPECT_EQ(model.evaluate(m).cost, model.evaluate(p.mapping).cost) << seed;
  }
}

TEST(Exhaustive, AllTileSizesContainThePerfectOnes) {
  for (u64 seed = 100; seed < 120; ++seed) {
    const RandomProblem p =
        random_problem(seed, {.max_dimensions = 2, .max_size = 7, .max_levels = 2, .capacities = true});
    SearchOptions options = strategy("exhaustive");
    const MappingResult perfect = found(p.workload, p.architecture, options);
    options.factors = Factors::Any;
    const MappingResult any = found(p.workload, p.architecture, options);
    EXPECT_GE(any.statistics.evaluated, perfect.statistics.evaluated);
    if (perfect.status == Status::Infeasible) continue;
    EXPECT_LE(any.value, perfect.value) << seed;
    EXPECT_TRUE(check(any.mapping, p.workload, p.architecture).empty()) << seed;
    options.strategy = Strategy::Random;
    const MappingResult some = found(p.workload, p.architecture, options);
    if (some.status == Status::Infeasible) continue;
    EXPECT_GE(some.value, any.value) << seed;
    EXPECT_TRUE(check(some.mapping, p.workload, p.architecture).empty()) << seed;
  }
}

TEST(Exhaustive, ABudgetEndsItWithTheBestSoFarAndWithoutAProof) {
  SearchOptions options = strategy("exhaustive");
  options.budget_evaluations = 1000;
  const MappingResult r = found(gemm(64, 64, 64), unbounded(3), options);
  EXPECT_EQ(r.statistics.evaluated, 1000);
  EXPECT_EQ(r.status, Status::Bounded);
  options.budget_evaluations = std::nullopt;
  options.budget_seconds = 0.02;
  EXPECT_EQ(found(gemm(512, 512, 512), unbounded(3), options).status, Status::Bounded);
  const std::atomic<bool> stop{true};
  options.stop = &stop;
  EXPECT_EQ(found(gemm(64, 64, 64), unbounded(3), options).status, Status::Infeasible);
}

TEST(Random, OneSeedOneAnswerForAnyNumberOfThreads) {
  const Workload w = gemm(48, 60, 64);
  const Architecture a = unbounded(3);
  std::map<u64, int> answers;
  for (u64 seed : {1, 2, 3}) {
    SearchOptions options = strategy("random");
    options.seed = seed;
    const MappingResult one = found(w, a, options);
    for (int threads : {1, 2, 8}) {
      options.threads = threads;
      const auto many = map_network({"n", {{w, 1}}}, a, options);
      ASSERT_TRUE(many.ok());
      EXPECT_EQ(many->layers[0].result.mapping, one.mapping);
      EXPECT_EQ(many->layers[0].result.statistics, one.statistics);
    }
    ++answers[one.statistics.evaluated];
  }
  EXPECT_GT(answers.size(), 1u);  // seeds differ
}

TEST(Random, VictoryAndEvaluationsEndIt) {
  SearchOptions options = strategy("random");
  options.sampling.victory = 10;
  const MappingResult quick = found(gemm(48, 60, 64), unbounded(3), options);
  options.sampling.victory = 5000;
  const MappingResult slow = found(gemm(48, 60, 64), unbounded(3), options);
  EXPECT_LT(quick.statistics.evaluated, slow.statistics.evaluated);
  EXPECT_LE(slow.value, quick.value);
  options.budget_evaluations = 100;
  EXPECT_EQ(found(gemm(48, 60, 64), unbounded(3), options).statistics.evaluated, 100);
}

TEST(Random, EndsWhereNothingFits) {
  Architecture a = unbounded(2);
  a.levels[0].entries = 2;
  EXPECT_EQ(found(gemm(4, 4, 4), a, strategy("random")).status, Status::Infeasible);
  EXPECT_EQ(found(gemm(4, 4, 4), a, strategy("exhaustive")).status, Status::Infeasible);
}

TEST(Splits, CountsAreThoseOfWalkingAndOfTheClosedForm) {
  for (u64 size : {1, 7, 12, 360}) {
    const Workload w = gemm(size, 1, 1);
    const auto space = resolve(w, unbounded(3));
    ASSERT_TRUE(space.ok());
    for (const bool imperfect : {false, true}) {
      if (imperfect && size > 12) continue;
      const Splits splits(*space, imperfect);
      u64 walked = 0;
      const auto walk = [&](auto&& self, int p, u32 left) -> void {
        if (p == splits.place_count()) {
          walked += left == 1;
          return;
        }
        splits.for_each_run(0, p, left, [&](const FactorRun& run) {
          for (u32 f = run.first; f <= run.last; ++f) self(self, p + 1, run.left);
          return true;
        });
      };
      walk(walk, 0, static_cast<u32>(size));
      EXPECT_EQ(u128{walked}, splits.ways(0, 0, static_cast<u32>(size)));
      if (!imperfect) {
        EXPECT_EQ(BigCount(walked), mapspace_size(*space).splits[0]);
      }
    }
  }
}

// A table draws what the walk of Splits lists, each split as often as another.
TEST(SplitTable, DrawsEverySplitOfTheMapspaceEquallyOften) {
  Architecture constrained = unbounded(3);
  constrained.levels[1].fanout_x = 3;
  constrained.levels[1].constraints.temporal.factors = {{"M", Relation::AtMost, 4}};
  constrained.levels[2].constraints.spatial.allowed_x = {"M"};
  for (const Architecture& machine : {unbounded(3), constrained}) {
    const Workload w = gemm(24, 1, 1);
    const auto space = resolve(w, machine);
    ASSERT_TRUE(space.ok());
    const Splits splits(*space, false);
    const auto table = SplitTable::of(splits, 0);
    ASSERT_TRUE(table.has_value());
    std::map<std::vector<u32>, int> drawn;
    constexpr int kEach = 400;
    const auto ways = static_cast<int>(splits.ways(0, 0, 24));
    SplitMix random(1, 0);
    for (int k = 0; k < kEach * ways; ++k) {
      const std::size_t unrolling = table->draw_unrolling(random);
      const u32* const loops = table->draw_loops(random, unrolling);
      std::vector<u32> split;
      for (int i = 0; i < 3; ++i) {
        const PlaceFactor f = table->factors(unrolling)[i];
        for (const u32 factor : {f.x, f.y, loops[i]}) split.push_back(factor);
      }
      ++drawn[split];
    }
    EXPECT_EQ(static_cast<int>(drawn.size()), ways);
    for (const auto& [split, times] : drawn) {
      u32 left = 24;
      for (int p = 0; p < splits.place_count(); ++p) {
        const auto at_place = static_cast<std::size_t>(3 * place_level(p));
        const PlaceFactor f = is_spatial_place(p) ? PlaceFactor{split[at_place], split[at_place + 1]}
                                                  : PlaceFactor{split[at_place + 2], 1};
        const bool listed = !splits.for_each_run(0, p, left, [&](const FactorRun& run) {
          if (run.first != f.x || run.y != f.y) return true;
          left = run.left;
          return false;
        });
        EXPECT_TRUE(listed) << p;
      }
      EXPECT_NEAR(times, kEach, 6 * 20);  // six standard deviations
    }
  }
}

// Whether a sample fits does not depend on how early it was rejected.
TEST(Sampler, EarlyRejectionIsThatOfTheCostModel) {
  Architecture machine = unbounded(2);
  machine.levels[0].entries = 24;
  const Workload w = gemm(8, 4, 4);
  const auto space = resolve(w, machine);
  ASSERT_TRUE(space.ok());
  const CostModel model(w, machine);
  Architecture roomy = machine;
  roomy.levels[0].entries.reset();
  const CostModel unlimited(w, roomy);
  const Sampler sampler(*space, model, false, 5), all(*space, unlimited, false, 5);
  int fitting = 0, too_large = 0;
  for (u64 k = 0; k < 2000; ++k) {
    Mapping ours, theirs;
    const Evaluation e = sampler.evaluate(k, ours), any = all.evaluate(k, theirs);
    if (any.verdict != Verdict::Fits) {
      EXPECT_EQ(e.verdict, any.verdict);
      continue;
    }
    const Evaluation expected = model.evaluate(theirs);
    EXPECT_EQ(e.verdict, expected.verdict);
    EXPECT_EQ(e.cost, expected.cost);
    ++(e.verdict == Verdict::Fits ? fitting : too_large);
  }
  EXPECT_GT(fitting, 100);
  EXPECT_GT(too_large, 100);
}

}  // namespace
}  // namespace heliolite::baseline_strategies_test
