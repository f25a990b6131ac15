#include "engine/model/imperfect_nest.h"

#include "engine/base/integers.h"
#include "engine/model/compiled.h"

namespace heliolite {

ImperfectNest::ImperfectNest(const Compiled& c, const Mapping& m)
    : level_count(c.level_count), loop_count(0), residual(0), perfect(true) {
  ImperfectTile tile;
  tile.middle.fill(1);
  tile.last.fill(1);
  for (int i = 0; i < level_count; ++i) {
    inside[i] = tile;
    add_level(i, m, tile, residual);
  }
  first[level_count] = static_cast<u8>(loop_count);
  inside[level_count] = tile;
  perfect = residual == 0;
  count_instances();
}

void ImperfectNest::add_level(int i, const Mapping& m, ImperfectTile& tile, DimensionMask& imperfect_inside) {
  first[i] = first_temporal[i] = static_cast<u8>(loop_count);
  fanout[i] = columns[i] = 1;
  FanoutContexts& context = contexts[i];
  context.bits = 0;
  DimensionMask uneven = 0;
  master[i] = tile;
  for (; loop_count < m.loop_count && m.loop[loop_count].level == i; ++loop_count) {
    const Loop& from = m.loop[loop_count];
    const u8 d = from.dimension;
    ImperfectLoop& to = loop[loop_count];
    const bool shrinks = contains(imperfect_inside, d);
    to = {from.end, from.residual, tile.middle[d], d, static_cast<u8>(i), from.is_spatial(), shrinks};
    tile.last[d] += tile.middle[d] * (to.residual - 1);
    tile.middle[d] *= to.end;
    if (!to.perfect()) imperfect_inside |= to.bit();
    if (!to.spatial) continue;
    first_temporal[i] = static_cast<u8>(loop_count + 1);
    fanout[i] *= to.end;
    if (from.kind == LoopKind::SpatialX) columns[i] *= to.end;
    if (!to.perfect() && !(uneven & to.bit())) {
      uneven |= to.bit();
      context.dimension[context.bits++] = d;
    }
    master[i] = tile;
  }
}

// Timeloop's averages, multiplied in its order (rule 13).
void ImperfectNest::count_instances() {
  std::array<double, kMaxDimensions> outer;  // iterations of the loops outside, per dimension
  outer.fill(1);
  double average = 1;
  int l = loop_count - 1;
  for (int i = level_count - 1; i >= 0; --i) {
    used[i] = average;
    for (; l >= first[i]; --l) {
      const auto end = static_cast<double>(loop[l].end), rest = static_cast<double>(loop[l].residual);
      double& steps = outer[loop[l].dimension];
      if (loop[l].spatial) average *= end == rest ? end : (rest + end * (steps - 1)) / steps;
      steps = rest + end * (steps - 1);
    }
  }
}

ImperfectExtents ImperfectNest::largest(const ImperfectTile& tile, int outer) const {
  ImperfectExtents extent = tile.last;
  for (int l = outer; l < loop_count; ++l)
    if (loop[l].residual > 1) extent[loop[l].dimension] = tile.middle[loop[l].dimension];
  return extent;
}

u64 imperfect_box_words(const CompiledTensor& t, const ImperfectExtents& extent) {
  const auto box = box_along_ranks(t, [&](u8 d) { return extent[d]; });
  u64 words = 1;
  for (int r = 0; r < t.rank_count; ++r) words *= static_cast<u64>(box[r]);
  return words;
}

}  // namespace heliolite
