// Rule push-in (docs/rules/exact.md): where part of a level's innermost loop may move into the level inside.
#include "engine/search/exact/expand.h"

#include <algorithm>

#include "engine/base/integers.h"

namespace heliolite {

namespace {

// Whether the level has room for the larger tile, whatever levels outside need that share it.
bool fits_grown(const FlowCosts& m, int level, TensorMask kept, const PlacedLevel& placed, const Extents& grown) {
  if (m.level[level].shares_outside) return m.used(level, kept, grown) == m.used(level, kept, placed.tile.extent);
  return m.has_room(level, kept, placed.room, grown);
}

}  // namespace

std::vector<DimensionMask> room_inside(const FlowCosts& m, u32 machine, int level, const PlacedLevel& inside) {
  std::vector<DimensionMask> out(m.lattice.axes().size(), 0);
  const TemporalSpace& inner = m.problem->space.levels[level - 1].temporal;
  const TemporalSpace& outer = m.problem->space.levels[level].temporal;
  const TensorMask kept = m.servers.kept(level - 1, inside.servers);
  const DimensionMask standalone = m.standalone(level - 1, inside.moving);
  DimensionMask loops = 0, outermost = 0;
  for (u64 order = inside.order; order != 0; order >>= 4)
    loops |= outermost = dimension_bit(static_cast<int>(order & 15) - 1);
  for (const u8 d : inner.order.dimensions()) loops |= dimension_bit(d);  // has its place already
  for (std::size_t a = 0; a < out.size(); ++a) {
    const LatticeAxis& axis = m.lattice.axes()[a];
    const int d = axis.dimension;
    if (!contains(inner.allowed & standalone, d) || outer.factor[d].min > 1) continue;
    if (contains(loops, d) && !contains(outermost, d)) continue;
    LatticePoint grown = inside.tile;
    grown.packed += axis.step;
    if (!m.lattice.divides(grown.packed, m.lattice.full().packed)) continue;
    grown.extent[d] *= axis.prime;
    if (!inner.factor[d].allows(grown.extent[d] / inside.unrolled.extent[d])) continue;
    if (fits_grown(m, level - 1, kept, inside, grown.extent) &&
        m.holds(machine, level - 1, inside.servers, grown.extent))
      out[a] = dimension_bit(d);
  }
  return out;
}

PlacedLevel placed_level(const FlowCosts& model, const Mapping& mapping, int level) {
  Extents unrolled, tile;
  unrolled.fill(1), tile.fill(1);
  PlacedLevel out;
  int depth = 0;
  for (const Loop& loop : mapping.loops()) {
    if (loop.level > level) break;
    tile[loop.dimension] *= loop.end;
    if (loop.level < level || loop.is_spatial()) unrolled[loop.dimension] *= loop.end;
    else out.order |= static_cast<u64>(loop.dimension + 1) << (4 * depth++);
  }
  out.unrolled = model.lattice.point(unrolled);
  out.tile = model.lattice.point(tile);
  out.servers = model.servers.find(level - 1, mapping.keep);
  for (int i = 0; i <= level; ++i) out.moving |= model.starting(i, mapping.keep[i]);
  return out;
}

std::optional<Mapping> moved_in(const Mapping& mapping, int level, const LatticeAxis& axis) {
  Mapping out;
  out.level_count = mapping.level_count;
  out.keep = mapping.keep;
  const auto mine = [&](const Loop& loop, int its_level) {
    return loop.level == its_level && !loop.is_spatial() && loop.dimension == axis.dimension;
  };
  const auto has_the_factor = [&](const Loop& loop) { return mine(loop, level) && loop.end % axis.prime == 0; };
  if (std::ranges::none_of(mapping.loops(), has_the_factor)) return std::nullopt;
  u64 inside = axis.prime;
  for (const Loop& loop : mapping.loops())
    if (mine(loop, level - 1)) inside *= loop.end;
  bool placed = false;
  for (const Loop& loop : mapping.loops()) {
    if (loop.level >= level && !placed) {
      out.add(LoopKind::Temporal, level - 1, axis.dimension, inside);
      placed = true;
    }
    if (mine(loop, level - 1)) continue;
    out.add(loop.kind, loop.level, loop.dimension, mine(loop, level) ? loop.end / axis.prime : loop.end);
  }
  return out;
}

}  // namespace heliolite
