#include "engine/search/sunstone/partial_plan.h"

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/model/cost_of_counts.h"

namespace heliolite {
namespace {

// What is unrolled outside a level, against the size of its fan-outs.
struct Outside {
  Extents loops = unit_extents();
  u64 used = 1, instances = 1;
};

Outside unrolled_outside(const Mapspace& space, const Plan& plan, int level) {
  Outside out;
  for (int i = level + 1; i < space.level_count(); ++i) {
    const SpatialSpace& s = space.levels[i].spatial;
    if (!s.exists()) continue;
    out.instances *= s.fanout_x * s.fanout_y;
    for (int d = 0; d < space.dimension_count; ++d) {
      const u32 f =
          plan.factor[loop_place_of(LoopKind::SpatialX, i)][d] * plan.factor[loop_place_of(LoopKind::SpatialY, i)][d];
      out.loops[d] *= f;
      out.used *= f;
    }
  }
  return out;
}

template <class Price>
void judge_by(Ladder& ladder, PartialPlan& p, int outer, Price&& price) {
  const Outside outside = unrolled_outside(ladder.space(), p.plan, outer);
  Extents rest = p.rest;
  for (int d = 0; d < ladder.space().dimension_count; ++d) rest[d] *= outside.loops[d];
  p.score = price(rest);
  if (!p.score.fits || outside.used == outside.instances) return;
  u64& cycles = p.score.cost.cycles;
  const u128 idle = static_cast<u128>(cycles) * outside.instances;
  cycles = static_cast<u64>(std::min<u128>((idle + outside.used - 1) / outside.used, kTooManyCycles));
  p.score.value = Value::of(ladder.objective(), p.score.cost);
}

}  // namespace

Extents unrolled_through(const Mapspace& space, const Plan& plan, int level) {
  Extents out = unit_extents();
  for (int i = 0; i <= level; ++i) {
    if (!space.levels[i].spatial.exists()) continue;
    for (int d = 0; d < space.dimension_count; ++d)
      out[d] *=
          plan.factor[loop_place_of(LoopKind::SpatialX, i)][d] * plan.factor[loop_place_of(LoopKind::SpatialY, i)][d];
  }
  return out;
}

Extents tile_through(const Mapspace& space, const Plan& plan, int level) {
  Extents out = unrolled_through(space, plan, level);
  for (int i = 0; i <= level; ++i)
    for (int d = 0; d < space.dimension_count; ++d) out[d] *= plan.factor[loop_place_of(LoopKind::Temporal, i)][d];
  return out;
}

bool rest_can_be_placed(const Mapspace& space, const Extents& rest, int first, int unrolled) {
  for (int d = 0; d < space.dimension_count; ++d) {
    u64 least = 1, most = 1;
    const auto place = [&](const FactorLimit& limit) {
      least *= limit.min;
      most = std::min<u64>(most * limit.max, rest[d]);
    };
    for (int i = first; i < space.level_count(); ++i) {
      const LevelSpace& level = space.levels[i];
      place(level.temporal.factor[d]);
      if (i > unrolled) place(level.spatial.factor[d]);
    }
    if (rest[d] % least != 0 || most < rest[d]) return false;
  }
  return true;
}

void judge(Ladder& ladder, PartialPlan& p, int outer) {
  judge_by(ladder, p, outer, [&](const Extents& rest) { return ladder.score(p.plan, outer, rest); });
}

void judge_with_orders(Ladder& ladder, PartialPlan& p, int first, int outer) {
  judge_by(ladder, p, outer, [&](const Extents& rest) { return ladder.choose_orders(p.plan, first, outer, rest); });
}

}  // namespace heliolite
