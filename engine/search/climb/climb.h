#pragma once
// Hill-climbing from a complete plan, for perfect factors and for all tile sizes alike. A climb tries one kind of step
// after the other, the cheapest first, and starts over whenever one has made the plan cheaper:
//  1. loop orders, level by level;
//  2. a tensor that the machine leaves open is kept or bypassed instead;
//  3. one loop gets other iterations, another one makes up for it (plan.h);
//  4. two such moves at once, of different dimensions that meet at a place: one makes room for the other;
//  5. one such move, with the orders chosen anew;
//  6. larger steps, which the space has of its own.
// The first three are the first steps; a climb to the end takes all. Plans visited before are passed over.
//
// A space says what climbs may change and what plans cost:
//   using Plan                            a PlanWith (plan.h)
//   kOrdersAnew                           whether orders are chosen anew so cheaply that each change of what is kept
//                                         gets its own, and depend on nothing but the rest of the plan
//   moves(), visited(), is_exhausted()           the moves; the plans visited; whether the budget is used up
//   price(plan)                           the plan's score
//   choose_orders(plan)                   puts good loop orders into the plan, and says its score
//   better_orders(plan, score)            the same of a plan with this score
//   larger_steps(candidate)               step 6: makes the candidate cheaper, or returns false
// Deterministic: a climb depends on its start, on what was visited and on the budget alone.
#include <optional>
#include <vector>

#include "engine/base/split_mix.h"
#include "engine/search/climb/plan.h"

namespace heliolite {

// Which complete plans climbs have been at already. Climbs meet the same plans again and again: moves commute, and
// climbs from different starts run together. A plan met before was passed by or led to a better one then; pricing it
// again wins nothing.

// A number for the loop orders of a plan.
struct OrderKey {
  u64 value = 0;

  explicit OrderKey(const std::array<u16, kMaxLevels>& orders) {
    HashOfNumbers hash;
    for (const u16 o : orders) hash.add(o);
    value = hash.value();
  }
  explicit OrderKey(const LevelOrders& orders) {
    static_assert(kMaxDimensions < 16);
    HashOfNumbers hash;
    for (std::size_t i = 0; i < kMaxLevels; ++i) {
      u64 level = 1;
      for (u8 k = 0; k < orders.count[i]; ++k) level = level << 4 | orders.loop[i][k];
      hash.add(level);
    }
    value = hash.value();
  }
};

// A number for each plan. Two plans have the same one by chance only (2^-64), and then one is taken for the other.
class PlanKey {
 public:
  // By its factors and by what is kept; loop orders are left out.
  template <class Orders>
  explicit PlanKey(const PlanWith<Orders>& plan) {
    for (int p = 0; p < kMaxLoopPlaces; ++p)
      for (int d = 0; d < kMaxDimensions; ++d)
        if (const u32 f = plan.factor[p][d]; f > 1) value_ += part(p, d, f);
    for (int i = 0; i < kMaxLevels; ++i) value_ += part(kMaxLoopPlaces + i, 0, plan.keep[i]);
  }

  // The key when the loops of dimension d, which were `before` at the first `places` places, are as in `now`.
  PlanKey after(const LoopColumn& before, const LoopEnds& now, int d, int places) const {
    PlanKey out = *this;
    for (int p = 0; p < places; ++p)
      if (const u32 f = now[p][d]; f != before[p]) out.value_ += part(p, d, f) - part(p, d, before[p]);
    return out;
  }

  // The key with these loop orders, and with loop orders chosen anew.
  u64 with(const OrderKey& orders) const { return value_ ^ orders.value; }
  u64 with_best_orders() const { return value_; }

 private:
  static u64 part(int place, int dimension, u32 factor) {
    if (factor == 1) return 0;
    return split_mix(u64{factor} << 16 | static_cast<u64>(place) << 8 | static_cast<u64>(dimension));
  }

  u64 value_ = 0;
};

// A growing set of keys.
class VisitedPlans {
 public:
  VisitedPlans() : slots_(1 << 12) {}

  // Puts the key in. False: it was there already.
  bool add(u64 key) {
    key |= key == 0;
    std::size_t k = key & (slots_.size() - 1);
    for (; slots_[k] != 0; k = (k + 1) & (slots_.size() - 1))
      if (slots_[k] == key) return false;
    slots_[k] = key;
    if (++count_ * 2 > slots_.size()) grow();
    return true;
  }

 private:
  void grow() {
    std::vector<u64> old(slots_.size() * 2);
    old.swap(slots_);
    count_ = 0;
    for (u64 key : old)
      if (key != 0) add(key);
  }

  std::vector<u64> slots_;  // 0: empty; hashed openly
  std::size_t count_ = 0;
};

// Whether orders have not been chosen yet from these on, with the rest of the plan as its key says.
template <class Space, class Orders>
bool chooses_anew(Space& space, const PlanKey& key, const Orders& orders) {
  if constexpr (Space::kOrdersAnew) return space.visited().add(key.with_best_orders());
  else return space.visited().add(split_mix(key.with(OrderKey(orders))));
}

// One climb.
template <class Space>
class Climb {
 public:
  using Plan = typename Space::Plan;

  Climb(Space& space, const Scored<Plan>& start) : space_(space), moves_(space.moves()), best_(start) {}

  void first_steps() {
    while (!space_.is_exhausted() && first()) {
    }
  }
  void to_the_end() {
    while (!space_.is_exhausted() && (first() || pairs() || moves_with_orders() || space_.larger_steps(best_))) {
    }
  }
  const Scored<Plan>& best() const { return best_; }

 private:
  using Orders = decltype(Plan::order);

  bool first() {
    if constexpr (Space::kOrdersAnew) return orders() || keeps() || single_moves(MoveReach::Far);
    else return single_moves(MoveReach::Near) || orders() || keeps() || single_moves(MoveReach::Far);
  }

  // Whether the plan has not been priced yet with these orders.
  bool is_new(const PlanKey& key, const OrderKey& orders) { return space_.visited().add(key.with(orders)); }

  bool take(const Score& score) {
    if (!(score.value < best_.score.value)) return false;
    best_.score = score;
    return true;
  }

  // Step 1.
  bool orders() {
    if (!chooses_anew(space_, PlanKey(best_.plan), best_.plan.order)) return false;
    const Orders before = best_.plan.order;
    if (take(space_.better_orders(best_.plan, best_.score))) return true;
    best_.plan.order = before;
    return false;
  }

  // Step 2.
  bool keeps() {
    bool any = false;
    const auto changed = [&]() -> Score {
      const PlanKey key(best_.plan);
      if constexpr (Space::kOrdersAnew)
        return chooses_anew(space_, key, best_.plan.order) ? space_.choose_orders(best_.plan) : Score{};
      else return is_new(key, OrderKey(best_.plan.order)) ? space_.price(best_.plan) : Score{};
    };
    for (const auto& [level, tensor] : moves_.open_keeps()) {
      if (space_.is_exhausted()) break;
      const Orders before = best_.plan.order;
      const auto bit = static_cast<TensorMask>(1u << tensor);
      best_.plan.keep[level] ^= bit;
      if (take(changed())) {
        any = true;
      } else {
        best_.plan.keep[level] ^= bit;
        best_.plan.order = before;
      }
    }
    return any;
  }

  // Step 3, orders as they are.
  bool single_moves(MoveReach reach) {
    moves_.list(best_.plan.factor, reach, list_);
    bool any = false;
    const OrderKey orders(best_.plan.order);
    PlanKey key(best_.plan);
    for (const Move& m : list_) {
      if (space_.is_exhausted()) break;
      const LoopColumn before = moves_.column(best_.plan.factor, m.dimension);
      if (moves_.apply(best_.plan.factor, m)) {
        const PlanKey moved = key.after(before, best_.plan.factor, m.dimension, moves_.place_count());
        if (is_new(moved, orders) && take(space_.price(best_.plan))) {
          key = moved;
          any = true;
          continue;
        }
      }
      moves_.restore(best_.plan.factor, m.dimension, before);
    }
    return any;
  }

  // Step 4.
  bool pairs() {
    moves_.list(best_.plan.factor, MoveReach::Near, list_);
    const OrderKey orders(best_.plan.order);
    return first_that(list_, PlanKey(best_.plan), [&](const Move& a, const PlanKey& after_one) {
      moves_.list(best_.plan.factor, MoveReach::Near, second_list_, a.dimension);
      std::erase_if(second_list_, [&](const Move& b) { return !moves_.meet(a, b); });
      return first_that(second_list_, after_one, [&](const Move&, const PlanKey& after_both) {
        return is_new(after_both, orders) && take(space_.price(best_.plan));
      });
    });
  }

  // Step 5.
  bool moves_with_orders() {
    moves_.list(best_.plan.factor, MoveReach::Near, list_);
    const Orders orders = best_.plan.order;
    return first_that(list_, PlanKey(best_.plan), [&](const Move&, const PlanKey& after) {
      if (chooses_anew(space_, after, orders) && take(space_.choose_orders(best_.plan))) return true;
      best_.plan.order = orders;
      return false;
    });
  }

  // Makes the moves one by one, the plan being that of the key, until `takes` says yes to one; others are taken back.
  template <class Takes>
  bool first_that(const std::vector<Move>& list, const PlanKey& key, Takes takes) {
    for (const Move& m : list) {
      if (space_.is_exhausted()) return false;
      const LoopColumn before = moves_.column(best_.plan.factor, m.dimension);
      if (moves_.apply(best_.plan.factor, m) &&
          takes(m, key.after(before, best_.plan.factor, m.dimension, moves_.place_count())))
        return true;
      moves_.restore(best_.plan.factor, m.dimension, before);
    }
    return false;
  }

  Space& space_;
  const MoveSpace& moves_;
  Scored<Plan> best_;
  std::vector<Move> list_, second_list_;
};

// Restarts: a climb from a disturbance of a plan.
struct Kick {
  int attempts;            // at a disturbance that is legal and fits
  double goes_to_the_end;  // a climb does if its first steps reach at most this many times the best value
};

// Disturbs `from` by disturb(plan), which returns whether the result is legal, and climbs from there. None: no
// disturbance was new and fitted.
template <class Space, class Disturb>
std::optional<Scored<typename Space::Plan>> kick(Space& space, const Scored<typename Space::Plan>& from,
                                                 const Score& best, Objective objective, const Kick& how,
                                                 Disturb&& disturb) {
  for (int attempt = 0; attempt < how.attempts && !space.is_exhausted(); ++attempt) {
    Scored<typename Space::Plan> trial = from;
    if (!disturb(trial.plan)) continue;
    if (!chooses_anew(space, PlanKey(trial.plan), trial.plan.order)) continue;
    trial.score = space.choose_orders(trial.plan);
    if (!trial.score.fits) continue;
    Climb<Space> climb(space, trial);
    climb.first_steps();
    const Score& score = climb.best().score;
    if (score.value != best.value &&
        objective_number(objective, score.cost) <= how.goes_to_the_end * objective_number(objective, best.cost))
      climb.to_the_end();
    return climb.best();
  }
  return std::nullopt;
}

}  // namespace heliolite
