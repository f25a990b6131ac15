#pragma once
// Which dimensions Timeloop's `split` sends to which axis of a fan-out.
#include <functional>
#include <span>
#include <string>

#include "arch/architecture.h"
#include "workloads/workload.h"

namespace heliolite {

struct SplitAxes {
  DimensionMask x = 0;
  DimensionMask y = 0;
};

// `order`: the dimensions that the constraint orders, innermost first; `meant_by`: those that one of its words means.
// The first constraint.split of the order go to X, all others to Y. With `unit_loops_first` the dimensions that the
// constraint holds at one iteration (factors of 1, or left out where it lists what may be unrolled) and those of size 1
// stand before the order, if it does not name them; that is what Timeloop's front end makes of v0.4 files. Error: a
// split beyond the order, which leaves open which of the other dimensions go to X.
Result<SplitAxes> split_axes(const SpatialConstraints& constraint, std::span<const u8> order, bool unit_loops_first,
                             const Workload& workload,
                             const std::function<DimensionMask(const std::string&)>& meant_by);

}  // namespace heliolite
