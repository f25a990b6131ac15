#include "engine/search/sunstone/reunroll.h"

#include <numeric>

#include "engine/base/integers.h"

namespace heliolite {
Reunrolling::Reunrolling(const Ladder& ladder, Fillings& fillings) : space_(ladder.space()), fillings_(fillings) {
  for (int i = 0; i < space_.level_count(); ++i)
    if (space_.levels[at(i)].spatial.exists()) fanouts_.push_back(i);
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
        rest[d] /= plan.factor[at(loop_place_of(LoopKind::SpatialX, other))][d] *
                   plan.factor[at(loop_place_of(LoopKind::SpatialY, other))][d];
  RuleCounts uncounted;  // these candidates are refine's
  return fillings_.list(level, rest, {}, uncounted);
}

// False: it is there already, or a dimension's loops do not divide that way.
bool Reunrolling::put(Plan& plan, int level, const Unrolling& u) const {
  Extents &x = plan.factor[at(loop_place_of(LoopKind::SpatialX, level))],
          &y = plan.factor[at(loop_place_of(LoopKind::SpatialY, level))];
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
      if (!space_.levels[at(i)].temporal.factor[d].allows(u64{factor} * surplus)) continue;
      factor *= surplus;
      surplus = 1;
    }
    if (surplus > 1 || missing > 1) return false;
  }
  x = u.x;
  y = u.y;
  return true;
}

}  // namespace heliolite
