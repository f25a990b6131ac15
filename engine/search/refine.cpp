#include "engine/search/refine.h"

#include <random>

namespace heliolite {
namespace {

class Climb {
 public:
  Climb(Ladder& ladder, const MoveSpace& moves, const Candidate& start, u64 budget)
      : ladder_(ladder), moves_(moves), best_(start), last_(ladder.evaluated() + budget), top_(ladder.levels() - 1) {
    none_.fill(1);
  }

  Candidate run() {
    // Cheapest kind of step first; a success starts over.
    while (!spent() && (orders() || keeps() || single_moves() || pairs() || moves_with_orders())) {
    }
    return best_;
  }

 private:
  bool spent() const { return ladder_.evaluated() >= last_ || ladder_.stopped(); }

  bool take(const Plan& plan, const Score& score) {
    if (!score.fits || !(score.value < best_.score.value)) return false;
    best_ = {plan, score};
    return true;
  }

  // Step 1. Loop orders, level by level.
  bool orders() {
    Plan trial = best_.plan;
    const Score s = ladder_.choose_orders(trial, 1, top_, none_);
    return take(trial, s);
  }

  // Step 2. A tensor that the machine leaves open is kept or bypassed instead.
  bool keeps() {
    bool any = false;
    for (const auto& [level, tensor] : moves_.open_keeps()) {
      Plan trial = best_.plan;
      trial.keep[level] ^= static_cast<TensorMask>(1u << tensor);
      any |= take(trial, ladder_.choose_orders(trial, 1, top_, none_));
    }
    return any;
  }

  // Step 3. One factor to another slot, orders as they are.
  bool single_moves() {
    moves_.list(best_.plan, list_);
    bool any = false;
    for (const Move& m : list_) {
      if (spent()) break;
      if (best_.plan.factor[m.from][m.dimension] % m.factor != 0) continue;  // an earlier success took it
      Plan trial = best_.plan;
      apply(trial, m);
      if (!moves_.legal(trial, m.dimension)) continue;
      any |= take(trial, ladder_.score(trial, top_, none_));
    }
    return any;
  }

  // Step 4. Two factors of different dimensions change places, or one makes room for the other.
  bool pairs() {
    moves_.list(best_.plan, list_);
    const Plan start = best_.plan;
    for (const Move& a : list_) {
      Plan first = start;
      apply(first, a);
      for (const Move& b : list_) {
        if (b.dimension <= a.dimension || (a.to != b.from && a.from != b.to)) continue;
        if (spent()) return false;
        Plan trial = first;
        apply(trial, b);
        if (take(trial, ladder_.score(trial, top_, none_))) return true;
      }
    }
    return false;
  }

  // Step 5. One factor to another slot, all orders chosen anew.
  bool moves_with_orders() {
    moves_.list(best_.plan, list_);
    for (const Move& m : list_) {
      if (spent()) return false;
      Plan trial = best_.plan;
      apply(trial, m);
      const Score s = ladder_.choose_orders(trial, 1, top_, none_);
      if (take(trial, s)) return true;
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

}  // namespace

Candidate climb(Ladder& ladder, const MoveSpace& moves, const Candidate& start, u64 budget) {
  return Climb(ladder, moves, start, budget).run();
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
    trial = climb(ladder, moves, trial, last - ladder.evaluated());
    if (trial.score.value < best.score.value) best = trial;
  }
  return best;
}

}  // namespace heliolite
