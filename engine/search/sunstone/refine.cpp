#include "engine/search/sunstone/refine.h"

#include <random>

namespace heliolite {
namespace {

class Climb {
 public:
  Climb(Ladder& ladder, const MoveSpace& moves, const Candidate& start, u64 budget)
      : ladder_(ladder), moves_(moves), best_(start), last_(ladder.evaluated() + budget), top_(ladder.levels() - 1) {
    none_.fill(1);
  }

  // Cheapest kind of step first; a success starts over.
  void first_steps() {
    while (!spent() && (orders() || keeps() || single_moves())) {
    }
  }
  void to_the_end() {
    while (!spent() && (orders() || keeps() || single_moves() || pairs() || moves_with_orders())) {
    }
  }
  const Candidate& best() const { return best_; }

 private:
  bool spent() const { return ladder_.evaluated() >= last_ || ladder_.stopped(); }

  // Step 1. Loop orders, level by level.
  bool orders() {
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
      any |= take(ladder_.choose_orders(best_.plan, 1, top_, none_), before);
    }
    return any;
  }

  // Step 3. One factor to another place, orders as they are.
  bool single_moves() {
    moves_.list(best_.plan, list_);
    bool any = false;
    for (const Move& m : list_) {
      if (spent()) break;
      if (best_.plan.factor[m.from][m.dimension] % m.factor != 0) continue;  // an earlier success took it
      apply(best_.plan, m);
      if (any && !moves_.legal(best_.plan, m)) {
        undo(best_.plan, m);
        continue;
      }
      const Score s = ladder_.score(best_.plan, top_, none_);
      if (s.value < best_.score.value) {
        best_.score = s;
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
    for (const Move& a : list_) {
      apply(best_.plan, a);
      for (const Move& b : list_) {
        if (b.dimension <= a.dimension || (a.to != b.from && a.from != b.to)) continue;
        if (spent()) break;
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
    for (const Move& m : list_) {
      if (spent()) return false;
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

  Ladder& ladder_;
  const MoveSpace& moves_;
  Candidate best_;
  u64 last_;
  int top_;
  Extents none_;
  std::vector<Move> list_;
};

// How close a climb's first steps must come to the best.
bool close_to(const Score& score, const Score& best, Objective objective) {
  constexpr double kClose = 1.04;
  return objective_number(objective, score.cost) <= kClose * objective_number(objective, best.cost);
}

}  // namespace

Candidate climb(Ladder& ladder, const MoveSpace& moves, const Candidate& start, u64 budget) {
  Climb out(ladder, moves, start, budget);
  out.to_the_end();
  return out.best();
}

Candidate kick_and_climb(Ladder& ladder, const MoveSpace& moves, Candidate best, int kicks, u64 budget) {
  constexpr u64 kSeed = 0x5eed'0f'5a17;
  constexpr int kMovesOfAKick = 4, kTries = 8;
  const u64 last = ladder.evaluated() + budget;
  const int top = ladder.levels() - 1;
  const Extents none = unit_extents();
  std::mt19937_64 random(kSeed);
  std::vector<Move> list;
  for (int kick = 0; kick < kicks; ++kick) {
    Candidate trial = best;
    for (int attempt = 0; attempt < kTries && ladder.evaluated() < last && !ladder.stopped(); ++attempt) {
      trial.plan = best.plan;
      for (int k = 0; k < kMovesOfAKick; ++k) {
        moves.list(trial.plan, list);
        if (list.empty()) return best;
        apply(trial.plan, list[random() % list.size()]);
      }
      trial.score = ladder.choose_orders(trial.plan, 1, top, none);
      if (trial.score.fits) break;
    }
    if (ladder.evaluated() >= last || ladder.stopped()) break;
    if (!trial.score.fits) continue;
    Climb climb(ladder, moves, trial, last - ladder.evaluated());
    climb.first_steps();
    const Score& score = climb.best().score;
    if (score.value != best.score.value && close_to(score, best.score, ladder.objective())) climb.to_the_end();
    if (score.value < best.score.value) best = climb.best();
  }
  return best;
}

}  // namespace heliolite
