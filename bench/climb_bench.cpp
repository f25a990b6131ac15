// Steps of climbs on one core: the orders of all levels chosen anew, and single factors moved and moved back. Items are
// the plans that are priced.
#include <benchmark/benchmark.h>

#include <memory>
#include <random>
#include <vector>

#include "bench/presets.h"
#include "engine/search/climb/plan.h"
#include "engine/search/sunstone/refine.h"
#include "engine/search/sunstone/strategies.h"

namespace heliolite {
namespace {

// A layer with plans drawn at random that fit.
struct ClimbToy {
  LayerProblem problem;
  LevelProblem levels;
  std::unique_ptr<Ladder> ladder;
  std::vector<Plan> plans;

  explicit ClimbToy(const BenchPair& pair)
      : problem{pair.workload,
                pair.architecture,
                {},
                require(resolve(pair.workload, pair.architecture)),
                CostModel(pair.workload, pair.architecture)},
        levels(problem),
        ladder(levels.make_ladder(SearchBudget(problem.options))) {
    constexpr std::size_t kPlans = 64;
    Plan all;
    all.keep = ladder->keep();
    for (std::size_t d = 0; d < problem.space.dimension_count; ++d)
      all.factor[loop_place_of(LoopKind::Temporal, top())][d] = static_cast<u32>(problem.space.size[d]);
    Scattering scattering(problem.space);
    std::mt19937_64 random(1);
    for (int k = 0; k < 10'000 && plans.size() < kPlans; ++k) {
      Plan plan = all;
      if (scattering.scatter(*ladder, plan, random) && ladder->score(plan, top(), none()).fits) plans.push_back(plan);
    }
  }

  int top() const { return ladder->levels() - 1; }
  static const Extents& none() {
    static const Extents out = unit_extents();
    return out;
  }
};

template <class Step>
void climb_steps(benchmark::State& state, const BenchPair& pair, Step step) {
  ClimbToy toy(pair);
  if (toy.plans.empty()) return state.SkipWithError("no plan fits");
  const u64 before = toy.ladder->evaluated();
  std::size_t next = 0;
  for (auto _ : state) {
    step(toy, toy.plans[next]);
    next = next + 1 < toy.plans.size() ? next + 1 : 0;
  }
  state.SetItemsProcessed(static_cast<i64>(toy.ladder->evaluated() - before));
}

void orders(benchmark::State& state, const BenchPair& pair) {
  climb_steps(state, pair, [](ClimbToy& toy, Plan plan) {
    benchmark::DoNotOptimize(toy.ladder->choose_orders(plan, 1, toy.top(), ClimbToy::none()));
  });
}

void moves(benchmark::State& state, const BenchPair& pair) {
  std::vector<Move> list;
  std::unique_ptr<MoveSpace> space;
  climb_steps(state, pair, [&](ClimbToy& toy, Plan plan) {
    if (!space) space = std::make_unique<MoveSpace>(toy.problem.space, Ends::Dividing);
    space->list(plan.factor, MoveReach::Far, list);
    for (const Move& m : list) {
      const LoopColumn before = space->column(plan.factor, m.dimension);
      if (space->apply(plan.factor, m)) benchmark::DoNotOptimize(toy.ladder->score(plan, toy.top(), ClimbToy::none()));
      space->restore(plan.factor, m.dimension, before);
    }
  });
}

const int registered = [] {
  const std::vector<std::string> layers{"resnet18/conv2_x", "gemm:512x512x512"};
  on_every_machine("orders", layers, orders);
  on_every_machine("moves", layers, moves);
  return 0;
}();

}  // namespace
}  // namespace heliolite
