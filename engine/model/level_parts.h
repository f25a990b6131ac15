#pragma once
// The parts of a level in an uneven mapping: the tensors whose tiles end at the same place, and the loops from there to
// the next place inside. In an even mapping every level has one part.
#include <vector>

#include "engine/model/mapping.h"

namespace heliolite {

// Tensors that a level keeps with tiles of the same loops, and its temporal loops [first, last) of Mapping::loop which
// are inside these tiles but not inside those of the next part.
struct LevelPart {
  TensorMask keep = 0;
  int first = 0, last = 0;
};

// The parts of a level of a well-formed mapping, outermost first; at least one.
std::vector<LevelPart> parts_of(const Mapping& mapping, int level);

// Index in Mapping::loop of the level's innermost loop, spatial ones included; that of the next level out if it has
// none.
int first_loop(const Mapping& mapping, int level);

}  // namespace heliolite
