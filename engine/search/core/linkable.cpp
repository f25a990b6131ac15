#include "engine/search/core/linkable.h"

#include "engine/base/integers.h"

namespace heliolite {

TensorMask linkable_tensors(const Mapspace& space, const Compiled& c, int level) {
  const SpatialSpace& fanout = space.levels[at(level)].spatial;
  DimensionMask unrolled = 0;
  for (const int d : bits(static_cast<DimensionMask>((fanout.allowed_x | fanout.allowed_y) & space.non_unit)))
    if (fanout.factor[at(d)].max > 1) unrolled |= dimension_bit(d);
  TensorMask out = 0;
  for (const int v : bits(c.level[at(level)].linked))
    if ((level == 0 ? unrolled : unrolled & c.tensor[at(v)].sharing_any) != 0)
      out = static_cast<TensorMask>(out | 1u << v);
  return out;
}

bool links_matter(const Mapspace& space, const Compiled& c) {
  for (int i = 0; i < c.level_count; ++i)
    if (linkable_tensors(space, c, i) != 0) return true;
  return false;
}

bool links_searched(const Mapspace& space, const Compiled& c) {
  if (linkable_tensors(space, c, 0) != 0) return false;
  for (int i = 1; i < c.level_count; ++i)
    for (const int v : bits(linkable_tensors(space, c, i)))
      if (c.tensor[at(v)].is_output && !c.level[at(i)].reduces && c.level[at(i)].network_costs) return false;
  return true;
}

}  // namespace heliolite
