#pragma once
// The share of the output that belongs to one instance of each level (docs/cost_model.md, rule 14): what is never read
// before it is first written.
#include <algorithm>
#include <array>

#include "engine/model/compiled.h"
#include "engine/model/nest.h"
#include "engine/model/storage_cost.h"
#include "engine/model/tile_box.h"

namespace heliolite {

// Writes the words per instance of levels 0 .. level_count - 1.
inline void partitions(const Compiled& c, const CompiledTensor& t, const Nest& nest,
                       std::array<u64, kMaxLevels>& part) {
  const int top = c.level_count - 1;
  if (t.term_count == 0) {
    // Without strides Timeloop's divisions by the fan-outs are exact, and can be done dimension by dimension.
    part[top] = 1;
    for (const int d : bits(t.indexing)) part[top] *= nest.dimension[d].whole;
    for (int i = top; i > 0; --i) part[i - 1] = nest.has_spatial(i) ? part[i] / nest.moves_in_space(t, i) : part[i];
    return;
  }
  part[top] = t.words;
  for (int i = top; i > 0; --i) {
    part[i - 1] = part[i];
    if (!nest.has_spatial(i)) continue;
    const u128 inside = static_cast<u128>(part[i]) * box_words(t, nest.tile(nest.through[i - 1]));
    part[i - 1] = static_cast<u64>(inside / box_words(t, nest.tile(nest.through[i - 1] | nest.fanout[i])));
  }
}

// Words of one instance at a level that keeps the tensor (rule 18), from those that go out of its tile to the inside
// and those that cross into it from outside. `part`: of an output, the share of the instance.
inline Accesses<u64> kept_words(bool is_output, u64 accesses, u64 crossing, u64 part) {
  if (!is_output) return {accesses, crossing, 0};
  return {std::max(accesses, part) - part, std::max(crossing, part) - part, accesses};
}

// Words of one instance of an interconnect (rule 43), from those that the inside asks it for: on their way in (reads),
// and out (updates).
inline Accesses<u64> carried_words(bool is_output, u64 accesses, u64 part) {
  return kept_words(is_output, accesses, 0, part);
}

}  // namespace heliolite
