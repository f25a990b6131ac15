#include "engine/search/sunstone/refine.h"

#include <algorithm>
#include <random>

#include "engine/search/climb/climb.h"

namespace heliolite {
namespace {

// Unrollings that get their own orders, and those of them from which the climb goes on for a few steps.
constexpr std::size_t kUnrollingsWithOrders = 8, kUnrollingsTried = 3;

constexpr Kick kKick{.attempts = 8, .goes_to_the_end = 1.05};
constexpr u64 kKickSeed = 0x5eed'0f'5a17;

// The plans with perfect factors, which a ladder prices.
class DividingSpace {
 public:
  using Plan = heliolite::Plan;
  static constexpr bool kOrdersAnew = true;

  // Ends after `budget` evaluations.
  DividingSpace(Ladder& ladder, ClimbSteps& steps, u64 budget)
      : ladder_(ladder), steps_(steps), last_(ladder.evaluated() + budget), top_(ladder.levels() - 1) {}

  const MoveSpace& moves() const { return steps_.moves; }
  VisitedPlans& visited() { return steps_.visited; }
  bool spent() const { return ladder_.evaluated() >= last_ || ladder_.stopped(); }
  Score price(const Plan& plan) { return ladder_.score(plan, top_, none_); }
  Score choose_orders(Plan& plan) { return ladder_.choose_orders(plan, 1, top_, none_); }
  Score better_orders(Plan& plan, const Score&) { return choose_orders(plan); }

  // The tile of a level, chosen anew from what it and another level have together; another unrolling.
  bool larger_steps(Candidate& best) {
    return steps_.retiling.improve(ladder_, steps_.visited, best, last_) || unrollings(best);
  }

 private:
  // Alone an unrolling is rarely better, so the most promising are followed for a few steps.
  bool unrollings(Candidate& best) {
    std::vector<Candidate> list;
    for (const Plan& plan : steps_.reunrolling.list(best.plan)) {
      if (spent()) return false;
      if (!moves().legal(plan.factor) || !visited().add(PlanKey(plan).with(OrderKey(plan.order)))) continue;
      if (const Score s = price(plan); s.fits) list.push_back({plan, s});
    }
    keep_best(list, kUnrollingsWithOrders);
    for (Candidate& c : list) {
      if (spent()) return false;
      c.score = choose_orders(c.plan);
    }
    keep_best(list, kUnrollingsTried);
    for (const Candidate& c : list) {
      if (spent()) return false;
      Climb climb(*this, c);
      climb.first_steps();
      if (!(climb.best().score.value < best.score.value)) continue;
      best = climb.best();
      return true;
    }
    return false;
  }

  static void keep_best(std::vector<Candidate>& list, std::size_t count) {
    std::sort(list.begin(), list.end(), [](const Candidate& a, const Candidate& b) { return a.better_than(b); });
    if (list.size() > count) list.resize(count);
  }

  Ladder& ladder_;
  ClimbSteps& steps_;
  const u64 last_;
  const int top_;
  const Extents none_ = unit_extents();
};

}  // namespace

Candidate climb(Ladder& ladder, ClimbSteps& steps, const Candidate& start, u64 budget) {
  DividingSpace space(ladder, steps, budget);
  Climb out(space, start);
  out.to_the_end();
  return out.best();
}

Candidate first_steps(Ladder& ladder, ClimbSteps& steps, const Candidate& start, u64 budget) {
  DividingSpace space(ladder, steps, budget);
  Climb out(space, start);
  out.first_steps();
  return out.best();
}

Candidate kick_and_climb(Ladder& ladder, ClimbSteps& steps, Candidate best, int kicks, u64 budget) {
  DividingSpace space(ladder, steps, budget);
  std::mt19937_64 random(kKickSeed);
  for (int k = 0; k < kicks && !space.spent(); ++k) {
    const auto disturb = [&](Plan& plan) {
      if (k % 2 == 0) steps.reunrolling.draw(plan, random);
      return steps.scattering.scatter(ladder, plan, random) && steps.moves.legal(plan.factor);
    };
    const auto found = kick(space, best, best.score, ladder.objective(), kKick, disturb);
    if (found && found->score.value < best.score.value) best = *found;
  }
  return best;
}

}  // namespace heliolite
