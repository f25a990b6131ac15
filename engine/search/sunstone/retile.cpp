#include "engine/search/sunstone/retile.h"

#include "engine/base/integers.h"
#include "engine/search/sunstone/fillings.h"
#include "engine/search/sunstone/partial_plan.h"
#include "engine/space/factor_tree.h"

namespace heliolite {

Retiling::Retiling(const Mapspace& space) : space_(space), divisors_(divisor_tables(space)) {
  for (int i = 0; i < space.level_count(); ++i)
    if (space.levels[at(i)].temporal.allowed != 0) levels_.push_back(i);
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
  const auto& limit = space_.levels[at(outer)].temporal.factor;
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
  const TileSpace all = make_tile_space(divisors_, below, left, space_.levels[at(inner)].temporal.factor);
  for_each_tile(all, {true}, fits, visit);
  return any;
}

}  // namespace heliolite
