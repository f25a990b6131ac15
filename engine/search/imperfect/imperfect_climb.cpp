#include "engine/search/imperfect/imperfect_climb.h"

#include <algorithm>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

constexpr u64 kClockEvery = 256;  // evaluations between two looks at the clock

// Moves loop `from` of a level to place `to`, the others close up.
void move_loop(std::array<u8, kMaxDimensions>& loops, int from, int to) {
  const auto first = loops.begin();
  if (from < to) std::rotate(first + from, first + from + 1, first + to + 1);
  else std::rotate(first + to, first + from, first + from + 1);
}

}  // namespace

Score ImperfectClimbs::price(const ImperfectPlan& plan) {
  if (++evaluated_ % kClockEvery == 0) stopped_ |= budget_.over();
  const Evaluation e = problem_.evaluate(plans_.mapping(plan));
  if (e.verdict != Verdict::Fits) return {};
  return {true, e.cost, Value::of(problem_.options.objective, e.cost)};
}

Score ImperfectClimbs::choose_orders(ImperfectPlan& plan) {
  const Score score = price(plan);
  return score.fits ? better_orders(plan, score) : score;
}

Score ImperfectClimbs::better_orders(ImperfectPlan& plan, Score score) {
  const Mapspace& space = plans_.space();
  const PlanKey key(plan);
  for (int i = 1; i < space.level_count(); ++i) {
    const auto prefix = space.levels[at(i)].temporal.order.dimensions();
    // Loops of one iteration are moved out of the way: only the present ones have places.
    const LevelOrders before = plan.order;
    auto& loops = plan.order.loop[at(i)];
    const auto end = loops.begin() + plan.order.count[at(i)];
    const auto is_loop = [&](u8 d) { return plan.temporal(i, d) > 1; };
    const auto present = static_cast<int>(std::stable_partition(loops.begin(), end, is_loop) - loops.begin());
    const auto ordered = static_cast<int>(std::count_if(loops.begin(), loops.begin() + present, [&](u8 d) {
      return std::find(prefix.begin(), prefix.end(), d) != prefix.end();
    }));
    bool any = false;
    for (int from = ordered; from < present; ++from)
      for (int to = ordered; to < present; ++to) {
        if (from == to || from == to + 1 || spent()) continue;  // neighbours swap once
        const auto now = loops;
        move_loop(loops, from, to);
        const Score trial = visited_.add(key.with(OrderKey(plan.order))) ? price(plan) : Score{};
        if (trial.value < score.value) score = trial, any = true;
        else loops = now;
      }
    if (!any) plan.order = before;
  }
  return score;
}

}  // namespace heliolite
