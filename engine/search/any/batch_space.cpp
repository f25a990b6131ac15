#include "engine/search/any/batch_space.h"

#include "engine/model/storage_cost.h"
#include "engine/space/merge.h"

namespace heliolite {
namespace {

// Whether a word costs the same whichever instance of a level it comes to, and whatever else comes there.
bool costs_by_words_alone(const CompiledLevel& level, u64 instances) {
  if (level.is_interconnect || level.network_costs) return false;
  return instances == 1 || (level.block_words == 1 && level.clusters >= instances && !leaks(level));
}

}  // namespace

DimensionMask keep_batches_outermost(Mapspace& space, const Compiled& c) {
  u64 instances = 1;
  for (int i = c.level_count - 1; i >= 0; --i) {
    if (!costs_by_words_alone(c.level[at(i)], instances)) return 0;
    instances *= c.level[at(i)].fanout_x * c.level[at(i)].fanout_y;
  }
  return keep_batch_outermost(space, c);
}

}  // namespace heliolite
