#include "engine/search/sunstone/refine.h"

#include <algorithm>
#include <random>

namespace heliolite {
namespace {

// Unrollings that get their own orders, and those of them from which the climb goes on for a few steps.
constexpr std::size_t kUnrollingsWithOrders = 8, kUnrollingsTried = 3;

class Climb {
 public:
  Climb(Ladder& ladder, ClimbSteps& steps, const Candidate& start, u64 budget)
      : ladder_(ladder),
        steps_(steps),
        moves_(steps.moves),
        best_(start),
        last_(ladder.evaluated() + budget),
        top_(ladder.levels() - 1) {
    none_.fill(1);
  }

  // Cheapest kind of step first; a success starts over.
  void first_steps() {
    while (!spent() && (orders() || keeps() || single_moves())) {
    }
  }
  void to_the_end() {
    while (!spent() &&
           (orders() || keeps() || single_moves() || pairs() || moves_with_orders() || tiles() || unrollings())) {
    }
  }
  const Candidate& best() const { return best_; }

 private:
  bool spent() const { return ladder_.evaluated() >= last_ || ladder_.stopped(); }

  // Step 1. Loop orders, level by level.
  bool orders() {
    if (!steps_.visited.add(PlanKey(best_.plan).with_best_orders())) return false;
    const Plan before = best_.plan;
    const Score s = ladder_.choose_orders(best_.plan, 1, top_, none_);
    return take(s, before);
  }

  // best_.plan has been changed: it stays so if that is better.
  bool take(const Score& score, const Plan& before) {
    if (!score.fits || !(score.value < best_.score.value)) {
      best_.plan = before;
      return false;
    }
    best_.score = score;
    return true;
  }

  // Step 2. A tensor that the machine leaves open is kept or bypassed instead.
  bool keeps() {
    bool any = false;
    for (const auto& [level, tensor] : moves_.open_keeps()) {
      if (spent()) break;
      const Plan before = best_.plan;
      best_.plan.keep[level] ^= static_cast<TensorMask>(1u << tensor);
      if (!steps_.visited.add(PlanKey(best_.plan).with_best_orders())) {
        best_.plan = before;
        continue;
      }
      any |= take(ladder_.choose_orders(best_.plan, 1, top_, none_), before);
    }
    return any;
  }

  // Step 3. One factor to another place, orders as they are.
  bool single_moves() {
    moves_.list(best_.plan, list_);
    bool any = false;
    const OrderKey orders(best_.plan.order);
    PlanKey key(best_.plan);
    for (const Move& m : list_) {
      if (spent()) break;
      if (best_.plan.factor[m.from][m.dimension] % m.factor != 0) continue;  // an earlier success took it
      const PlanKey moved = key.after(best_.plan, m);
      if (!steps_.visited.add(moved.with(orders))) continue;
      apply(best_.plan, m);
      if (any && !moves_.legal(best_.plan, m)) {
        undo(best_.plan, m);
        continue;
      }
      const Score s = ladder_.score(best_.plan, top_, none_);
      if (s.value < best_.score.value) {
        best_.score = s;
        key = moved;
        any = true;
      } else {
        undo(best_.plan, m);
      }
    }
    return any;
  }

  // Step 4. Two factors of different dimensions change places, or one makes room for the other.
  bool pairs() {
    moves_.list(best_.plan, list_);
    const OrderKey orders(best_.plan.order);
    const PlanKey key(best_.plan);
    for (const Move& a : list_) {
      const PlanKey moved = key.after(best_.plan, a);
      apply(best_.plan, a);
      for (const Move& b : list_) {
        if (b.dimension <= a.dimension || (a.to != b.from && a.from != b.to)) continue;
        if (spent()) break;
        if (!steps_.visited.add(moved.after(best_.plan, b).with(orders))) continue;
        apply(best_.plan, b);
        const Score s = ladder_.score(best_.plan, top_, none_);
        if (s.value < best_.score.value) {
          best_.score = s;
          return true;
        }
        undo(best_.plan, b);
      }
      undo(best_.plan, a);
    }
    return false;
  }

  // Step 5. One factor to another place, all orders chosen anew.
  bool moves_with_orders() {
    moves_.list(best_.plan, list_);
    const auto orders = best_.plan.order;
    const PlanKey key(best_.plan);
    for (const Move& m : list_) {
      if (spent()) return false;
      if (!steps_.visited.add(key.after(best_.plan, m).with_best_orders())) continue;
      apply(best_.plan, m);
      const Score s = ladder_.choose_orders(best_.plan, 1, top_, none_);
      if (s.value < best_.score.value) {
        best_.score = s;
        return true;
      }
      undo(best_.plan, m);
      best_.plan.order = orders;
    }
    return false;
  }

  // Step 6. The tile of a level, chosen anew from what it and another level have together.
  bool tiles() { return steps_.retiling.improve(ladder_, steps_.visited, best_, last_); }

  // Step 7. Another unrolling: alone it is rarely better, so the most promising are followed for a few steps.
  bool unrollings() {
    std::vector<Candidate> list;
    for (const Plan& plan : steps_.reunrolling.list(best_.plan)) {
      if (spent()) return false;
      if (!moves_.legal(plan) || !steps_.visited.add(PlanKey(plan).with(OrderKey(plan.order)))) continue;
      if (const Score s = ladder_.score(plan, top_, none_); s.fits) list.push_back({plan, s});
    }
    keep_best(list, kUnrollingsWithOrders);
    for (Candidate& c : list) {
      if (spent()) return false;
      c.score = ladder_.choose_orders(c.plan, 1, top_, none_);
    }
    keep_best(list, kUnrollingsTried);
    for (const Candidate& c : list) {
      if (spent()) return false;
      Climb climb(ladder_, steps_, c, last_ - ladder_.evaluated());
      climb.first_steps();
      if (!(climb.best().score.value < best_.score.value)) continue;
      best_ = climb.best();
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
  const MoveSpace& moves_;
  Candidate best_;
  u64 last_;
  int top_;
  Extents none_;
  std::vector<Move> list_;
};

// How close a climb's first steps must come to the best.
bool close_to(const Score& score, const Score& best, Objective objective) {
  constexpr double kClose = 1.05;
  return objective_number(objective, score.cost) <= kClose * objective_number(objective, best.cost);
}

// Disturbances of complete plans.
class Kicks {
 public:
  explicit Kicks(ClimbSteps& steps) : steps_(steps) {}

  // Draws all temporal loops of the plan anew; after another(), every second time, also the unrolling of a fan-out.
  // False: what was drawn is not legal.
  bool disturb(Ladder& ladder, Plan& plan) {
    if (unrolls_) steps_.reunrolling.draw(plan, random_);
    return steps_.scattering.scatter(ladder, plan, random_) && steps_.moves.legal(plan);
  }
  void another() { unrolls_ = !unrolls_; }

 private:
  static constexpr u64 kSeed = 0x5eed'0f'5a17;

  ClimbSteps& steps_;
  std::mt19937_64 random_{kSeed};
  bool unrolls_ = true;
};

}  // namespace

Candidate climb(Ladder& ladder, ClimbSteps& steps, const Candidate& start, u64 budget) {
  Climb out(ladder, steps, start, budget);
  out.to_the_end();
  return out.best();
}

Candidate first_steps(Ladder& ladder, ClimbSteps& steps, const Candidate& start, u64 budget) {
  Climb out(ladder, steps, start, budget);
  out.first_steps();
  return out.best();
}

Candidate kick_and_climb(Ladder& ladder, ClimbSteps& steps, Candidate best, int kicks, u64 budget) {
  constexpr int kTries = 8;
  const u64 last = ladder.evaluated() + budget;
  const int top = ladder.levels() - 1;
  const Extents none = unit_extents();
  Kicks disturbances(steps);
  for (int kick = 0; kick < kicks; ++kick, disturbances.another()) {
    Candidate trial = best;
    trial.score.fits = false;
    for (int attempt = 0; attempt < kTries && ladder.evaluated() < last && !ladder.stopped(); ++attempt) {
      trial.plan = best.plan;
      if (!disturbances.disturb(ladder, trial.plan) || !steps.visited.add(PlanKey(trial.plan).with_best_orders()))
        continue;
      trial.score = ladder.choose_orders(trial.plan, 1, top, none);
      if (trial.score.fits) break;
    }
    if (ladder.evaluated() >= last || ladder.stopped()) break;
    if (!trial.score.fits) continue;
    Climb climb(ladder, steps, trial, last - ladder.evaluated());
    climb.first_steps();
    const Score& score = climb.best().score;
    if (score.value != best.score.value && close_to(score, best.score, ladder.objective())) climb.to_the_end();
    if (score.value < best.score.value) best = climb.best();
  }
  return best;
}

}  // namespace heliolite
