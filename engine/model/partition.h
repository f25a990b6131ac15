#pragma once
// The share of the output that belongs to one instance of each level (timeloop_model rule 14): what is never read
// before it is first written.
#include <array>

#include "engine/model/compiled.h"
#include "engine/model/nest.h"

namespace heliolite {

// Words per instance of levels 0 .. level_count - 1, with Timeloop's integer divisions.
inline std::array<u64, kMaxLevels> partitions(const Compiled& c, const CompiledTensor& t, const Nest& nest) {
  std::array<u64, kMaxLevels> part;
  const int top = c.level_count - 1;
  part[top] = t.words;
  for (int i = top; i > 0; --i) {
    part[i - 1] = part[i];
    if (!nest.has_spatial(i)) continue;
    if (t.term_count == 0) {  // without strides the division is exact, factor by factor
      for (int j = nest.first_spatial[i]; j < nest.first_spatial[i + 1]; ++j)
        if (t.indexing >> nest.spatial[j].dimension & 1) part[i - 1] /= nest.spatial[j].end;
    } else {
      const u128 inside = static_cast<u128>(part[i]) * box_words(t, nest.tile[i - 1]);
      part[i - 1] = static_cast<u64>(inside / box_words(t, nest.master_tile[i]));
    }
  }
  return part;
}

}  // namespace heliolite
