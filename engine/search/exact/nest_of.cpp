#include "engine/search/exact/nest_of.h"

#include "engine/base/integers.h"

namespace heliolite {

Mapping nest_of(const FlowCosts& model, const std::vector<Frontier>& layers, int level, const FrontierNode& last) {
  std::vector<const FrontierNode*> path(at(level) + 1);
  path.back() = &last;
  for (int i = level; i-- > 0;) path[at(i)] = &layers[at(i) + 1].node(path[at(i) + 1]->parent);
  const Mapspace& space = model.problem->space;
  Mapping mapping;
  mapping.level_count = static_cast<u8>(model.levels());
  Extents tile;
  tile.fill(1);
  for (int i = 0; i <= level; ++i) {
    mapping.keep[at(i)] = model.keep[at(i)];
    Extents factor = path[at(i)]->tile.extent;
    for (int d = 0; d < kMaxDimensions; ++d) factor[at(d)] /= tile[at(d)];
    if (model.fanout[at(i)].exists) {
      const SpatialChoice& spatial = model.fanout[at(i)].choices[path[at(i)]->choice];
      for (LoopKind axis : {LoopKind::SpatialX, LoopKind::SpatialY})
        for (u8 d : canonical_order(space, space.levels[at(i)].spatial.order))
          mapping.add(axis, i, d, (axis == LoopKind::SpatialX ? spatial.x : spatial.y)[d]);
      for (int d = 0; d < kMaxDimensions; ++d) {
        factor[at(d)] /= spatial.factor.extent[at(d)];
        tile[at(d)] *= spatial.factor.extent[at(d)];
      }
    }
    for (u64 order = path[at(i)]->order; order != 0; order >>= 4) {
      const int d = static_cast<int>(order & 15) - 1;
      mapping.add(LoopKind::Temporal, i, d, factor[at(d)]);
      tile[at(d)] *= factor[at(d)];
    }
  }
  return mapping;
}

}  // namespace heliolite
