#pragma once
// What a search decides level by level, one step after the other from the inside out. Neighbouring levels without a
// fan-out between them that keep different tensors are one split level: buffers side by side, with the same tile.
#include <vector>

#include "engine/space/mapspace.h"

namespace heliolite {

// One step: the temporal loops of a level, then the fan-out between it and the next level with loops.
struct ChainStep {
  int level = -1;   // -1: no level with loops stands inside the fan-out since the last one
  int fanout = -1;  // the level whose fan-out it is; -1: none
  int outer = -1;   // the level at which what the step leaves is priced; -1: the last step, which leaves nothing
};

// The steps, innermost first. The last one is that of the outermost level, whether or not it may have loops: what is
// left of every dimension stands there.
std::vector<ChainStep> level_chain(const Mapspace& space);

}  // namespace heliolite
