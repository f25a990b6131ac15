#include "engine/search/exact/nest_of.h"

#include "engine/base/integers.h"

namespace heliolite {

Mapping nest_of(const FlowCosts& model, const std::vector<Frontier>& layers, int level, const FrontierNode& last) {
  std::vector<const FrontierNode*> path(at(level) + 1);
  path.back() = &last;
  for (int i = level; i-- > 0;) path[at(i)] = &layers[at(i) + 1].node(path[at(i) + 1]->parent);
  // Whether the dimensions of a node have changed places when `last` is reached.
  std::vector<bool> swapped(path.size(), false);
  for (int i = level; i-- > 0;) swapped[at(i)] = swapped[at(i) + 1] != path[at(i) + 1]->swapped;
  const auto placed = [&](const Extents& extents, bool swap) {
    return swap ? model.symmetry->swapped(extents) : extents;
  };
  const Mapspace& space = model.problem->space;
  Mapping mapping;
  mapping.level_count = static_cast<u8>(model.levels());
  Extents tile;
  tile.fill(1);
  for (int i = 0; i <= level; ++i) {
    mapping.keep[at(i)] = model.servers.kept(i, layers[at(i)].node(path[at(i)]->parent).servers);
    const bool swap = swapped[at(i)];
    Extents factor = placed(path[at(i)]->tile.extent, swap);
    for (int d = 0; d < kMaxDimensions; ++d) factor[at(d)] /= tile[at(d)];
    if (model.fanout[at(i)].exists) {
      const SpatialChoice& spatial = model.fanout[at(i)].choices[path[at(i)]->choice];
      const bool swap_choice = swap != path[at(i)]->swapped;
      const Extents x = placed(spatial.x, swap_choice), y = placed(spatial.y, swap_choice);
      const Extents unrolled = placed(spatial.factor.extent, swap_choice);
      for (LoopKind axis : {LoopKind::SpatialX, LoopKind::SpatialY})
        for (u8 d : canonical_order(space, space.levels[at(i)].spatial.order))
          mapping.add(axis, i, d, (axis == LoopKind::SpatialX ? x : y)[d]);
      for (int d = 0; d < kMaxDimensions; ++d) {
        factor[at(d)] /= unrolled[at(d)];
        tile[at(d)] *= unrolled[at(d)];
      }
    }
    for (u64 order = swap ? model.symmetry->swapped(path[at(i)]->order) : path[at(i)]->order; order != 0; order >>= 4) {
      const int d = static_cast<int>(order & 15) - 1;
      mapping.add(LoopKind::Temporal, i, d, factor[at(d)]);
      tile[at(d)] *= factor[at(d)];
    }
  }
  return mapping;
}

}  // namespace heliolite
