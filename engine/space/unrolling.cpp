#include "engine/space/unrolling.h"

namespace heliolite {

bool can_fill(const UnrollingSpace& space, DimensionMask group) {
  return !detail::walk_unrollings(space, group, true, [](const Unrolling&) { return false; });
}

bool cannot_grow(const UnrollingSpace& space, const Unrolling& unrolling) {
  u64 used_x = 1, used_y = 1;
  for (int d = 0; d < space.dimension_count; ++d) used_x *= unrolling.x[d], used_y *= unrolling.y[d];
  const SpatialSpace& f = space.fanout;
  // Is there a factor above `mine` on one axis, with `other` on the second and `rest` used by other dimensions?
  const auto grows = [&](int d, u32 mine, u32 other, u64 rest, u64 fanout) {
    if (space.one_axis_per_dimension && other > 1) return false;
    for (u32 next : space.divisors[d]->of(space.left[d] / other))
      if (next > mine) return rest * next <= fanout && u64{next} * other <= f.factor[d].max;
    return false;
  };
  for (int d = 0; d < space.dimension_count; ++d) {
    const unsigned bit = 1u << d;
    const u32 x = unrolling.x[d], y = unrolling.y[d];
    if ((f.allowed_x & bit) != 0 && grows(d, x, y, used_x / x, f.fanout_x)) return false;
    if ((f.allowed_y & bit) != 0 && grows(d, y, x, used_y / y, f.fanout_y)) return false;
  }
  return true;
}

UnrollingGroups unrolling_groups(const UnrollingSpace& space, UnrollingRules rules) {
  UnrollingGroups out;
  const auto add = [&](DimensionMask group) {
    for (int g = 0; g < out.count; ++g)
      if (out.group[g] == group) return;
    out.fills[out.count] = rules.full && can_fill(space, group);
    out.group[out.count++] = group;
  };
  if (!rules.indexing) {
    add(all_dimensions(space));
    return out;
  }
  unsigned forced = 0, open = 0;
  for (int d = 0; d < space.dimension_count; ++d) {
    if (space.fanout.factor[d].min > 1) forced |= 1u << d;
    if (space.left[d] > 1) open |= (1u << d) & (space.fanout.allowed_x | space.fanout.allowed_y);
  }
  for (int v = 0; v < space.tensor_count; ++v) add(static_cast<DimensionMask>((space.indexing[v] | forced) & open));
  return out;
}

}  // namespace heliolite
