#include "engine/search/any/first_instance.h"

namespace heliolite {

bool is_asked_by_units(const Flow& flow) {
  return flow.to_compute && !flow.sliding && !flow.by_network && !flow.enters && !flow.carried;
}

std::array<TrailCells, kMaxDimensions> asked_of_first_instance(const Flow& flow, const Trail& trail) {
  std::array<TrailCells, kMaxDimensions> cells;
  cells.fill(kOneCell);
  for (int l = 0; l < trail.size(); ++l) {
    const TrailLoop& loop = trail[l];
    const bool one = loop.is_spatial() && (loop.level > flow.outer || !contains(flow.indexing, loop.dimension));
    one ? cells[loop.dimension].first(loop) : cells[loop.dimension].all(loop);
  }
  return cells;
}

u64 words_of_first_instance(const KeptFlows& costs, const Flow& flow, const Trail& trail, const Reach& reach) {
  const Compiled& c = costs.compiled();
  const std::array<TrailCells, kMaxDimensions> cells = asked_of_first_instance(flow, trail);
  u128 words = 1;
  for (int d = 0; d < c.dimension_count; ++d) words *= cells[at(d)].if_all(trail.of(d).tiles);
  return static_cast<u64>((words - 1) / costs.units_to_come(trail, reach, c.level_count - 1, kAllDimensions) + 1);
}

}  // namespace heliolite
