#pragma once
// What the inner levels of a mapping move at least, whatever loops follow outside (docs/rules/true_counts.md).
#include "engine/model/compiled.h"
#include "engine/model/mapping.h"
#include "engine/model/perfect.h"
#include "engine/model/storage_cost.h"

namespace heliolite {

// For a level whose loops, and those inside it, are known.
struct TrueFloor {
  u64 steps = 1;                                   // of the compute units
  std::array<Accesses<u64>, kMaxTensors> words{};  // of kept tensors, all instances of the level together
};

// `inner`: the loops of levels 0 .. level, and which of these levels keep what. No legal mapping that begins with them,
// with any loops outside, has fewer steps or moves fewer words at the level. The workload must have true counts.
TrueFloor true_floor(const Compiled& c, const Mapping& inner, int level);

}  // namespace heliolite
