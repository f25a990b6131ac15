#include "engine/search/sunstone/refine.h"

#include <algorithm>
#include <numeric>

#include "engine/base/integers.h"
#include "engine/search/sunstone/partial_plan.h"
#include "engine/space/factor_tree.h"

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
  bool is_exhausted() const { return ladder_.evaluated() >= last_ || ladder_.stopped(); }
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
      if (is_exhausted()) return false;
      if (!moves().legal(plan.factor) || !visited().add(PlanKey(plan).with(OrderKey(plan.order)))) continue;
      if (const Score s = price(plan); s.fits) list.push_back({plan, s});
    }
    keep_best(list, kUnrollingsWithOrders);
    for (Candidate& c : list) {
      if (is_exhausted()) return false;
      c.score = choose_orders(c.plan);
    }
    keep_best(list, kUnrollingsTried);
    for (const Candidate& c : list) {
      if (is_exhausted()) return false;
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
  for (int k = 0; k < kicks && !space.is_exhausted(); ++k) {
    const auto disturb = [&](Plan& plan) {
      if (k % 2 == 0) steps.reunrolling.draw(plan, random);
      return steps.scattering.scatter(ladder, plan, random) && steps.moves.legal(plan.factor);
    };
    const auto found = kick(space, best, best.score, ladder.objective(), kKick, disturb);
    if (found && found->score.value < best.score.value) best = *found;
  }
  return best;
}

// Steps of climbs from one complete plan to another: two levels' factors shared anew, another unrolling,
// disturbances.

Retiling::Retiling(const Mapspace& space) : space_(space), divisors_(divisor_tables(space)) {
  for (int i = 0; i < space.level_count(); ++i)
    if (space.levels[i].temporal.allowed != 0) levels_.push_back(i);
}

bool Retiling::improve(Ladder& ladder, VisitedPlans& visited, Candidate& best, u64 last) const {
  bool any = false;
  for (std::size_t a = 0; a < levels_.size(); ++a)
    for (std::size_t b = a + 1; b < levels_.size() && ladder.evaluated() < last && !ladder.stopped(); ++b)
      any |= improve(ladder, visited, best, levels_[a], levels_[b], last);
  return any;
}

bool Retiling::improve(Ladder& ladder, VisitedPlans& visited, Candidate& best, int inner, int outer, u64 last) const {
  const auto in = at(loop_place_of(LoopKind::Temporal, inner)), out = at(loop_place_of(LoopKind::Temporal, outer));
  Plan plan = best.plan;
  const Extents whole = tile_through(space_, plan, inner);
  Extents below = whole, left = unit_extents();
  for (int d = 0; d < space_.dimension_count; ++d) {
    below[d] /= plan.factor[in][d];
    left[d] = plan.factor[in][d] * plan.factor[out][d];
  }
  std::vector<std::pair<int, Extents>> between;  // what the levels up to `outer` add to the tile
  for (int i = inner + 1; i < outer; ++i) {
    between.emplace_back(i, tile_through(space_, plan, i));
    for (int d = 0; d < space_.dimension_count; ++d) between.back().second[d] /= whole[d];
  }
  ladder.set_keep(plan.keep);
  const auto fits = [&](const Extents& tile) -> bool {
    if (!ladder.tile_fits(tile, inner)) return false;
    for (const auto& [i, scale] : between) {
      Extents larger = tile;
      for (int d = 0; d < space_.dimension_count; ++d) larger[d] *= scale[d];
      if (!ladder.tile_fits(larger, i)) return false;
    }
    return true;
  };
  const Extents none = unit_extents();
  const auto orders = plan.order;
  bool any = false;
  const auto& limit = space_.levels[outer].temporal.factor;
  const auto visit = [&](const Extents& tile) -> bool {
    for (int d = 0; d < space_.dimension_count; ++d) {
      plan.factor[in][d] = tile[d] / below[d];
      plan.factor[out][d] = left[d] / plan.factor[in][d];
      if (!limit[d].allows(plan.factor[out][d])) return true;
    }
    if (!visited.add(PlanKey(plan).with_best_orders())) return true;
    plan.order = orders;
    const Score s = ladder.choose_orders(plan, 1, ladder.levels() - 1, none);
    if (s.fits && s.value < best.score.value) {
      best = {plan, s};
      any = true;
    }
    return ladder.evaluated() < last && !ladder.stopped();
  };
  const TileSpace all = make_tile_space(divisors_, below, left, space_.levels[inner].temporal.factor);
  for_each_tile(all, {true}, fits, visit);
  return any;
}

Reunrolling::Reunrolling(const Ladder& ladder, Fillings& fillings) : space_(ladder.space()), fillings_(fillings) {
  for (int i = 0; i < space_.level_count(); ++i)
    if (space_.levels[i].spatial.exists()) fanouts_.push_back(i);
}

const std::vector<Plan>& Reunrolling::list(const Plan& plan) {
  list_.clear();
  for (const int level : fanouts_)
    for (const Unrolling& u : unrollings(plan, level)) {
      list_.push_back(plan);
      if (!put(list_.back(), level, u)) list_.pop_back();
    }
  return list_;
}

bool Reunrolling::draw(Plan& plan, std::mt19937_64& random) {
  if (fanouts_.empty()) return false;
  const int level = fanouts_[random() % fanouts_.size()];
  const std::vector<Unrolling>& all = unrollings(plan, level);
  if (all.empty()) return false;
  Plan other = plan;
  if (!put(other, level, all[random() % all.size()])) return false;
  plan = other;
  return true;
}

const std::vector<Unrolling>& Reunrolling::unrollings(const Plan& plan, int level) {
  Extents rest;
  for (std::size_t d = 0; d < kMaxDimensions; ++d)
    rest[d] = d < space_.dimension_count ? static_cast<u32>(space_.size[d]) : 1;
  for (const int other : fanouts_)
    if (other != level)
      for (int d = 0; d < space_.dimension_count; ++d)
        rest[d] /= plan.factor[loop_place_of(LoopKind::SpatialX, other)][d] *
                   plan.factor[loop_place_of(LoopKind::SpatialY, other)][d];
  RuleCounts uncounted;  // these candidates are refine's
  return fillings_.list(level, rest, {}, uncounted);
}

// False: it is there already, or a dimension's loops do not divide that way.
bool Reunrolling::put(Plan& plan, int level, const Unrolling& u) const {
  Extents &x = plan.factor[loop_place_of(LoopKind::SpatialX, level)],
          &y = plan.factor[loop_place_of(LoopKind::SpatialY, level)];
  if (x == u.x && y == u.y) return false;
  for (int d = 0; d < space_.dimension_count; ++d) {
    const u32 old = x[d] * y[d], common = std::gcd(old, u.factor(d));
    u32 surplus = old / common, missing = u.factor(d) / common;
    const auto take = [&](int i) {
      u32& factor = plan.temporal(i, d);
      const u32 part = std::gcd(factor, missing);
      factor /= part;
      missing /= part;
    };
    for (int i = level; i < space_.level_count(); ++i) take(i);
    for (int i = level; i-- > 0;) take(i);
    for (int i = level; i < space_.level_count() && surplus > 1; ++i) {
      u32& factor = plan.temporal(i, d);
      if (!space_.levels[i].temporal.factor[d].allows(u64{factor} * surplus)) continue;
      factor *= surplus;
      surplus = 1;
    }
    if (surplus > 1 || missing > 1) return false;
  }
  x = u.x;
  y = u.y;
  return true;
}

Scattering::Scattering(const Mapspace& space) : space_(space), top_(space.level_count() - 1) {
  for (std::size_t d = 0; d < space.dimension_count; ++d) {
    for (int i = 0; i <= top_; ++i) {
      const TemporalSpace& temporal = space.levels[i].temporal;
      if (contains(temporal.allowed, static_cast<int>(d)) && !temporal.factor[d].fixed())
        levels_[d].push_back(static_cast<u8>(i));
    }
    for (const PrimePower& p : factorize(space.size[d])) primes_[d].push_back(static_cast<u32>(p.prime));
  }
}

bool Scattering::scatter(Ladder& ladder, Plan& plan, std::mt19937_64& random) {
  if (ladder.keep() != plan.keep) ladder.set_keep(plan.keep);
  factors_.clear();
  for (std::size_t d = 0; d < space_.dimension_count; ++d) {
    if (levels_[d].size() < 2) continue;
    u32 left = 1;
    for (u8 i : levels_[d]) left *= std::exchange(plan.factor[loop_place_of(LoopKind::Temporal, i)][d], 1);
    for (u32 prime : primes_[d])
      for (; left % prime == 0; left /= prime) factors_.emplace_back(static_cast<u8>(d), prime);
  }
  for (int i = 0; i <= top_; ++i) tile_[i] = tile_through(space_, plan, i);
  if (!fits(ladder, 0)) return false;
  for (std::size_t left = factors_.size(); left > 1; --left) std::swap(factors_[left - 1], factors_[random() % left]);
  // Factors that cannot go to the outermost level choose while there is room.
  std::stable_partition(factors_.begin(), factors_.end(),
                        [&](const auto& f) { return levels_[f.first].back() < top_; });
  for (const auto& [d, prime] : factors_)
    if (!place(ladder, plan, d, prime, random() % levels_[d].size())) return false;
  return true;
}

bool Scattering::place(const Ladder& ladder, Plan& plan, int d, u32 prime, std::size_t first) {
  for (std::size_t k = first; k < levels_[d].size(); ++k) {
    const int level = levels_[d][k];
    u32& factor = plan.factor[loop_place_of(LoopKind::Temporal, level)][d];
    if (u64{factor} * prime > space_.levels[level].temporal.factor[d].max) continue;
    for (int i = level; i <= top_; ++i) tile_[i][d] *= prime;
    if (fits(ladder, level)) {
      factor *= prime;
      return true;
    }
    for (int i = level; i <= top_; ++i) tile_[i][d] /= prime;
  }
  return false;
}

// The outermost level holds everything.
bool Scattering::fits(const Ladder& ladder, int from) const {
  for (int i = from; i < top_; ++i)
    if (!ladder.tile_fits(tile_[i], i)) return false;
  return true;
}

}  // namespace heliolite
