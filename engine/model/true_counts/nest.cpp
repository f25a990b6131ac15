#include "engine/model/true_counts/nest.h"

#include <algorithm>

#include "engine/model/compiled.h"

namespace heliolite {
namespace {

// Steps of the units and instances in use, by one walk over all loops from the outside (rules 33 and 34).
void count_units(TrueNest& nest) {
  std::array<TrueCells, kMaxDimensions> step, unit;
  step.fill({});
  unit.fill({});
  const auto product = [&](const auto& cells) {
    u64 n = 1;
    for (int d = 0; d < nest.dimension_count; ++d) n *= cells[d].count();
    return n;
  };
  int l = nest.loop_count;
  for (int i = nest.level_count - 1; i >= 0; --i) {
    nest.used[i] = product(unit);
    while (l > nest.first[i]) {
      const TruePlace& p = nest.place[--l];
      const bool spatial = contains(nest.spatial, l);
      if (spatial) step[p.dimension].only(0, p), unit[p.dimension].all(p);
      else step[p.dimension].all(p), unit[p.dimension].only(0, p);
    }
  }
  nest.macs_used = product(unit);
  nest.steps = product(step);
}

}  // namespace

TrueNest::TrueNest(const Compiled& c, const Mapping& m)
    : loop_count(0), level_count(c.level_count), dimension_count(c.dimension_count), spatial(0), divides(true) {
  Extents reach;                          // nominal tile so far
  std::array<u32, kMaxDimensions> tiles;  // how many of these the dimension has
  for (int d = 0; d < dimension_count; ++d) reach[d] = 1, tiles[d] = c.size[d], of[d] = 0;
  int k = 0;
  for (int i = 0; i < level_count; ++i) {
    first[i] = static_cast<u8>(loop_count);
    fanout[i] = columns[i] = 0;
    product_x[i] = product_y[i] = 1;
    std::copy_n(reach.begin(), dimension_count, tile[i].begin());
    for (; k < m.loop_count && m.loop[k].level == i; ++k) {
      const Loop& loop = m.loop[k];
      const u8 d = loop.dimension;
      u32& left = tiles[d];
      const u32 end = std::min(loop.end, left);  // a larger factor means the same
      if (end <= 1) continue;
      const u32 last = (left - 1) % end + 1;
      const LoopMask bit = LoopMask{1} << loop_count;
      place[loop_count++] = {end, last, reach[d], d, static_cast<u8>(i)};
      left = (left - 1) / end + 1;
      reach[d] *= end;
      of[d] |= bit;
      divides &= last == end;
      if (!loop.is_spatial()) continue;
      spatial |= bit;
      fanout[i] |= bit;
      if (loop.kind == LoopKind::SpatialX) columns[i] |= bit;
      (loop.kind == LoopKind::SpatialX ? product_x : product_y)[i] *= end;
    }
  }
  first[level_count] = static_cast<u8>(loop_count);
  std::copy_n(reach.begin(), dimension_count, tile[level_count].begin());
  count_units(*this);
}

u64 true_box_words(const Compiled& c, const CompiledTensor& t, const Extents& tile) {
  const auto box = box_along_ranks(t, [&](u8 d) { return std::min(tile[d], c.size[d]); });
  u64 words = 1;
  for (int r = 0; r < t.rank_count; ++r) words *= static_cast<u64>(box[r]);
  return words;
}

}  // namespace heliolite
