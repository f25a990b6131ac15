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

ImperfectClimb::ImperfectClimb(const LayerProblem& problem, const ImperfectPlanSpace& plans, const SearchBudget& budget)
    : problem_(problem), plans_(plans), budget_(budget), last_(budget.evaluations_left(0)), stopped_(budget.over()) {}

PricedPlan ImperfectClimb::price(const ImperfectPlan& plan) {
  PricedPlan out{plan, plans_.mapping(plan), {}, Value::worst(), false};
  if (++evaluated_ % kClockEvery == 0) stopped_ |= budget_.over();
  const Evaluation e = problem_.evaluate(out.mapping);
  if (e.verdict != Verdict::Fits) return out;
  out.cost = e.cost;
  out.value = Value::of(problem_.options.objective, e.cost);
  out.fits = true;
  return out;
}

bool ImperfectClimb::take(const ImperfectPlan& plan, PricedPlan& best) {
  if (spent()) return false;
  const PricedPlan trial = price(plan);
  if (!trial.fits || !(trial.value < best.value)) return false;
  best = trial;
  return true;
}

PricedPlan ImperfectClimb::climb(const PricedPlan& start, bool deep) {
  PricedPlan best = start;
  while (!spent()) {
    if (single_moves(best, true) || orders(best) || keeps(best) || single_moves(best, false)) continue;
    if (!deep || !(pairs(best) || moves_with_orders(best))) break;
  }
  return best;
}

PricedPlan ImperfectClimb::best_orders(const PricedPlan& start) {
  PricedPlan best = start;
  orders(best);
  return best;
}

// One pass: each loop that exists to each other place of its level. The innermost level's order changes no count.
bool ImperfectClimb::orders(PricedPlan& best) {
  const Mapspace& space = plans_.space();
  bool any = false;
  for (int i = 1; i < space.level_count(); ++i) {
    const auto level = at(i);
    const auto& factors = best.plan.tiling[at(place_of(i, false))];
    const int count = best.plan.orders.count[level];
    const auto prefix = space.levels[level].temporal.order.dimensions();
    const auto fixed = [&](u8 d) { return std::find(prefix.begin(), prefix.end(), d) != prefix.end(); };
    // Loops of one iteration are moved out of the way: only the present ones have places.
    ImperfectPlan start = best.plan;
    auto& loops = start.orders.loop[level];
    std::stable_sort(loops.begin(), loops.begin() + count,
                     [&](u8 a, u8 b) { return (factors[a].x > 1) > (factors[b].x > 1); });
    int present = 0, ordered = 0;
    for (int k = 0; k < count; ++k) {
      present += factors[loops[at(k)]].x > 1;
      ordered += factors[loops[at(k)]].x > 1 && fixed(loops[at(k)]);
    }
    for (int from = ordered; from < present; ++from)
      for (int to = ordered; to < present; ++to) {
        if (from == to || from == to + 1) continue;  // neighbours swap once
        ImperfectPlan trial = start;
        move_loop(trial.orders.loop[level], from, to);
        if (take(trial, best)) any = true, start = trial;
      }
  }
  return any;
}

bool ImperfectClimb::keeps(PricedPlan& best) {
  const Mapspace& space = plans_.space();
  bool any = false;
  for (int i = 0; i < space.level_count(); ++i)
    for (int v = 0; v < space.tensor_count; ++v) {
      if (!contains(space.levels[at(i)].open, v)) continue;
      ImperfectPlan trial = best.plan;
      trial.keep[at(i)] ^= static_cast<TensorMask>(1u << v);
      any |= take(trial, best);
    }
  return any;
}

void ImperfectClimb::list(const ImperfectPlan& plan, bool near) {
  moves_.clear();
  for (int d = 0; d < plans_.space().dimension_count; ++d)
    if (contains(plans_.space().non_unit, d)) plans_.list(plan, d, near, moves_);
}

bool ImperfectClimb::single_moves(PricedPlan& best, bool near) {
  list(best.plan, near);
  bool any = false;
  for (const EndMove& m : moves_) {
    if (spent()) break;
    ImperfectPlan trial = best.plan;
    if (plans_.apply(trial, m)) any |= take(trial, best);
  }
  return any;
}

// Two dimensions that meet at a place: one makes room for the other.
bool ImperfectClimb::pairs(PricedPlan& best) {
  list(best.plan, true);
  const std::vector<EndMove> first_moves = moves_;
  const ImperfectPlan start = best.plan;
  std::vector<EndMove> second_moves;
  for (const EndMove& a : first_moves) {
    ImperfectPlan first = start;
    if (!plans_.apply(first, a)) continue;
    second_moves.clear();
    for (int d = 0; d < plans_.space().dimension_count; ++d)
      if (d != a.dimension && contains(plans_.space().non_unit, d)) plans_.list(first, d, true, second_moves);
    for (const EndMove& b : second_moves) {
      if (b.loop_place != a.loop_place && b.absorber != a.loop_place && b.loop_place != a.absorber) continue;
      if (spent()) return false;
      ImperfectPlan trial = first;
      if (plans_.apply(trial, b) && take(trial, best)) return true;
    }
  }
  return false;
}

bool ImperfectClimb::moves_with_orders(PricedPlan& best) {
  list(best.plan, true);
  for (const EndMove& m : moves_) {
    if (spent()) return false;
    ImperfectPlan trial = best.plan;
    if (!plans_.apply(trial, m)) continue;
    const PricedPlan priced = price(trial);
    if (!priced.fits) continue;
    const PricedPlan ordered = best_orders(priced);
    if (!(ordered.value < best.value)) continue;
    best = ordered;
    return true;
  }
  return false;
}

}  // namespace heliolite
