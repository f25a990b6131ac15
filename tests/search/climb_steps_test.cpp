// The larger steps of climbs on random small problems: they lead to legal plans of the same loops, and never to worse
// ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "engine/search/sunstone/refine.h"
#include "engine/search/sunstone/strategies.h"
#include "tests/support/search_problem.h"

namespace heliolite::climb_steps_test {
namespace {

// A problem with the plan that has every loop at the outermost level.
struct Start {
  LayerProblem problem;
  LevelProblem levels;
  std::unique_ptr<Ladder> ladder;
  Plan plan;

  explicit Start(LayerProblem p)
      : problem(std::move(p)), levels(problem), ladder(levels.make_ladder(SearchBudget(problem.options))) {
    plan.keep = ladder->keep();
    for (std::size_t d = 0; d < problem.space.dimension_count; ++d)
      plan.factor[loop_place_of(LoopKind::Temporal, ladder->levels() - 1)][d] = static_cast<u32>(problem.space.size[d]);
  }
};

template <class Check>
void for_each_start(u64 seeds, Check&& check) {
  for (u64 seed = 0; seed < seeds && !::testing::Test::HasFailure(); ++seed) {
    const testing::SearchProblem p = testing::random_search_problem(seed, {.max_mappings = 2'000});
    auto space = resolve(p.workload, p.architecture);
    ASSERT_TRUE(space.ok());
    SearchOptions options;
    Start start({p.workload, p.architecture, options, *std::move(space), CostModel(p.workload, p.architecture)});
    SCOPED_TRACE(seed);
    check(start);
  }
}

void expect_all_loops(const Start& start, const Plan& plan) {
  for (std::size_t d = 0; d < start.problem.space.dimension_count; ++d) {
    u64 product = 1;
    for (const Extents& f : plan.factor) product *= f[d];
    EXPECT_EQ(product, start.problem.space.size[d]);
  }
}

TEST(Reunrolling, ListsOtherUnrollingsOfTheSameLoops) {
  u64 listed = 0;
  for_each_start(100, [&](Start& start) {
    Fillings fillings(start.problem.space, start.problem.workload);
    Reunrolling step(*start.ladder, fillings);
    std::vector<Plan> seen;
    const std::vector<Plan> first = step.list(start.plan);
    for (const Plan& plan : first) {
      expect_all_loops(start, plan);
      EXPECT_NE(plan, start.plan);
      EXPECT_EQ(std::find(seen.begin(), seen.end(), plan), seen.end()) << "listed twice";
      seen.push_back(plan);
    }
    listed += first.size();
    if (!first.empty()) {
      for (const Plan& plan : step.list(first.back())) expect_all_loops(start, plan);
    }
  });
  EXPECT_GT(listed, 100u);
}

TEST(Reunrolling, DrawsFromItsList) {
  u64 drawn = 0;
  for_each_start(100, [&](Start& start) {
    Fillings fillings(start.problem.space, start.problem.workload);
    Reunrolling step(*start.ladder, fillings);
    const std::vector<Plan> all = step.list(start.plan);
    std::mt19937_64 random(7);
    for (int k = 0; k < 10; ++k) {
      Plan plan = start.plan;
      if (!step.draw(plan, random)) {
        EXPECT_EQ(plan, start.plan);
        continue;
      }
      EXPECT_NE(std::find(all.begin(), all.end(), plan), all.end());
      ++drawn;
    }
  });
  EXPECT_GT(drawn, 100u);
}

TEST(Scattering, PutsTheSameLoopsWhereTheyFit) {
  u64 other = 0;
  for_each_start(100, [&](Start& start) {
    Scattering step(start.problem.space);
    std::mt19937_64 random(7);
    Plan plan = start.plan;
    for (int k = 0; k < 5; ++k) {
      const Plan before = plan;
      if (!step.scatter(*start.ladder, plan, random)) return;
      expect_all_loops(start, plan);
      const Extents none = unit_extents();
      EXPECT_TRUE(start.ladder->score(plan, start.ladder->levels() - 1, none).fits);
      for (int p = 0; p < 3 * start.ladder->levels(); ++p) {
        const LevelSpace& level = start.problem.space.levels[level_of(p)];
        for (std::size_t d = 0; d < start.problem.space.dimension_count; ++d)
          if (kind_of(p) != LoopKind::Temporal || level.temporal.factor[d].fixed()) {
            EXPECT_EQ(plan.factor[p][d], before.factor[p][d]);
          }
      }
      other += plan != before ? 1 : 0;
    }
  });
  EXPECT_GT(other, 100u);
}

// Each level's order is the first of the cheapest when every one is priced by itself.
TEST(Ladder, ChoosesTheOrdersThatPricingEachOneFinds) {
  u64 changed = 0;
  for_each_start(100, [&](Start& start) {
    Scattering step(start.problem.space);
    std::mt19937_64 random(7);
    const int top = start.ladder->levels() - 1;
    const Extents none = unit_extents();
    Plan plan = start.plan;
    for (int k = 0; k < 5; ++k) {
      if (!step.scatter(*start.ladder, plan, random)) return;
      Candidate best{plan, start.ladder->score(plan, top, none)};
      for (int i = 1; i <= top; ++i) {
        Plan trial = best.plan;
        for (std::size_t o = 0; o < start.ladder->orders(i).size(); ++o) {
          trial.order[i] = static_cast<u16>(o);
          const Score s = start.ladder->score(trial, top, none);
          if (s.value < best.score.value) best = {trial, s};
        }
      }
      Plan chosen = plan;
      const Score s = start.ladder->choose_orders(chosen, 1, top, none);
      EXPECT_EQ(chosen, best.plan);
      EXPECT_EQ(s.cost, best.score.cost);
      EXPECT_EQ(s.cost, start.problem.model.evaluate(start.ladder->mapping(chosen)).cost);
      changed += chosen != plan ? 1 : 0;
    }
  });
  EXPECT_GT(changed, 100u);
}

TEST(PlanKey, FollowsMovesAndTellsPlansApart) {
  for_each_start(100, [&](Start& start) {
    const MoveSpace moves(start.problem.space, Ends::Dividing);
    std::vector<Move> list;
    moves.list(start.plan.factor, MoveReach::Far, list);
    VisitedPlans visited;
    const PlanKey key(start.plan);
    const OrderKey orders(start.plan.order);
    EXPECT_TRUE(visited.add(key.with(orders)));
    for (const Move& m : list) {
      Plan moved = start.plan;
      if (!moves.apply(moved.factor, m)) continue;
      const LoopColumn before = moves.column(start.plan.factor, m.dimension);
      const PlanKey after = key.after(before, moved.factor, m.dimension, moves.place_count());
      EXPECT_EQ(after.with_best_orders(), PlanKey(moved).with_best_orders());
      EXPECT_TRUE(visited.add(PlanKey(moved).with(orders)));
      EXPECT_FALSE(visited.add(after.with(orders)));
    }
    EXPECT_FALSE(visited.add(key.with(orders)));
  });
}

TEST(VisitedPlans, GrowsAndForgetsNothing) {
  VisitedPlans visited;
  std::mt19937_64 random(7);
  std::vector<u64> keys{0};
  for (int k = 0; k < 20'000; ++k) keys.push_back(random());
  for (u64 key : keys) EXPECT_TRUE(visited.add(key));
  for (u64 key : keys) EXPECT_FALSE(visited.add(key));
}

TEST(Retiling, NeverEndsWorseAndStaysLegal) {
  u64 improved = 0;
  for_each_start(100, [&](Start& start) {
    const Extents none = unit_extents();
    Candidate best{start.plan, start.ladder->score(start.plan, start.ladder->levels() - 1, none)};
    if (!best.score.fits || !MoveSpace(start.problem.space, Ends::Dividing).legal(best.plan.factor)) return;
    const Candidate before = best;
    VisitedPlans visited;
    if (!Retiling(start.problem.space).improve(*start.ladder, visited, best, ~u64{0})) {
      EXPECT_EQ(best.plan, before.plan);
      return;
    }
    ++improved;
    EXPECT_LT(best.score.value, before.score.value);
    expect_all_loops(start, best.plan);
    EXPECT_TRUE(MoveSpace(start.problem.space, Ends::Dividing).legal(best.plan.factor));
    const Evaluation e = start.problem.model.evaluate(start.ladder->mapping(best.plan));
    EXPECT_EQ(e.verdict, Verdict::Fits);
    EXPECT_EQ(e.cost, best.score.cost);
  });
  EXPECT_GT(improved, 20u);
}

}  // namespace
}  // namespace heliolite::climb_steps_test
