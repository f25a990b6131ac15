#include "engine/search/imperfect/imperfect_plan.h"

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/space/splits.h"

namespace heliolite {

Mapping ImperfectPlanSpace::mapping(const ImperfectPlan& plan) const {
  Mapping out;
  out.keep = plan.keep;
  PlaceFactors tiling{};
  for (int i = 0; i < space_.level_count(); ++i)
    for (const int d : bits(space_.non_unit)) {
      tiling[at(place_of(i, true))][at(d)] = {plan.factor[at(loop_place_of(LoopKind::SpatialX, i))][at(d)],
                                              plan.factor[at(loop_place_of(LoopKind::SpatialY, i))][at(d)]};
      tiling[at(place_of(i, false))][at(d)].x = plan.temporal(i, d);
    }
  writer_.write(out, tiling, plan.order);
  return out;
}

// Each level's loops as they are, the dimensions without one outside them.
ImperfectPlan ImperfectPlanSpace::plan(const Mapping& mapping) const {
  ImperfectPlan out;
  out.keep = mapping.keep;
  std::array<DimensionMask, kMaxLevels> seen{};
  for (const Loop& loop : mapping.loops()) {
    out.factor[at(loop_place_of(loop.kind, loop.level))][loop.dimension] = loop.end;
    if (loop.is_spatial()) continue;
    out.order.loop[loop.level][out.order.count[loop.level]++] = loop.dimension;
    seen[loop.level] |= dimension_bit(loop.dimension);
  }
  ImperfectPlan canonical;
  canonical_orders(canonical);
  for (int i = 0; i < space_.level_count(); ++i) {
    const auto level = at(i);
    const auto prefix = space_.levels[level].temporal.order.dimensions();
    const auto ordered = [&](u8 d) { return std::find(prefix.begin(), prefix.end(), d) - prefix.begin(); };
    auto& loops = out.order.loop[level];
    u8& count = out.order.count[level];
    for (u8 k = 0; k < canonical.order.count[level]; ++k) {
      const u8 d = canonical.order.loop[level][k];
      if (!contains(seen[level], d)) loops[count++] = d;
    }
    std::stable_sort(loops.begin(), loops.begin() + count, [&](u8 a, u8 b) { return ordered(a) < ordered(b); });
  }
  return out;
}

void ImperfectPlanSpace::canonical_orders(ImperfectPlan& plan) const {
  for (int i = 0; i < space_.level_count(); ++i) {
    const TemporalSpace& level = space_.levels[at(i)].temporal;
    auto& loops = plan.order.loop[at(i)];
    u8& count = plan.order.count[at(i)];
    DimensionMask left = level.allowed & space_.non_unit;
    const auto add = [&](u8 d) {
      if (contains(left, d)) loops[count++] = d;
      left &= static_cast<DimensionMask>(~(1u << d));
    };
    for (u8 d : level.order.dimensions()) add(d);
    for (u8 d = 0; d < space_.dimension_count; ++d) add(d);
  }
}

bool ImperfectPlanSpace::smallest(ImperfectPlan& plan) const {
  plan = {};
  canonical_orders(plan);
  for (int i = 0; i < space_.level_count(); ++i) plan.keep[at(i)] = space_.levels[at(i)].keep;
  bool possible = true;
  for (int d = 0; d < space_.dimension_count; ++d) {
    if (!contains(space_.non_unit, d)) continue;
    for (int i = 0; i < space_.level_count(); ++i) {
      const LevelSpace& level = space_.levels[at(i)];
      const auto dim = at(d);
      const LoopKind axis = contains(level.spatial.allowed_x, d) ? LoopKind::SpatialX : LoopKind::SpatialY;
      plan.factor[at(loop_place_of(axis, i))][dim] = static_cast<u32>(level.spatial.factor[dim].min);
      plan.temporal(i, d) = static_cast<u32>(level.temporal.factor[dim].min);
    }
    bool done = false;
    const LoopColumn least = moves_.column(plan.factor, d);
    for (int p = moves_.place_count(); p-- > 0 && !done;) {
      if (!contains(moves_.allowed(p), d)) continue;
      moves_.restore(plan.factor, d, least);
      done = moves_.absorb(plan.factor, d, p);
    }
    possible &= done;
  }
  return possible;
}

}  // namespace heliolite
