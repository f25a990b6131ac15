#pragma once
// An uneven mapping as an even one: a stack of levels, one for each part of a level, in the level's place. Its
// capacity, bandwidths and leakage are those of all parts together, which the stacked machine does not know.
#include <vector>

#include "arch/architecture.h"
#include "engine/base/integers.h"
#include "engine/model/mapping.h"
#include "workloads/workload.h"

namespace heliolite {

// [level]: the tensors of each of its parts, innermost first. A level with one part stays as it is.
using StackedParts = std::vector<std::vector<TensorMask>>;

struct StoreStack {
  Architecture machine;      // the levels of `stacked` are parts of its levels
  Architecture stacked;      // at most kMaxLevels levels
  std::vector<u8> level_of;  // [level of `stacked`]: its level of `machine`

  // Whether a level of `stacked` shares the room of the level inside it.
  bool shares_inside(int i) const { return i > 0 && level_of[i] == level_of[i - 1]; }
};

// The machine with a level for each part. Parts of a level that is split have no fan-out between them; the network and
// the fan-out below the level are below its innermost part, which also leaks for all.
StoreStack stack_stores(const Architecture& machine, const StackedParts& parts, const Workload& workload);

// The parts of each level of a mapping.
StackedParts stacked_parts(const Mapping& mapping);

// A mapping of the machine, whose parts are those of the stack, as one of the stacked machine, and the way back.
Mapping stacked(const Mapping& mapping, const StoreStack& stack);
Mapping unstacked(const Mapping& mapping, const StoreStack& stack);

}  // namespace heliolite
