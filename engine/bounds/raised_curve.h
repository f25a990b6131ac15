#pragma once
// A curve of the least accesses of any mapping, raised to the bounds of all schedules, which mappings are among: curves
// of mappings are low where tensors slide or have holes.
#include <optional>
#include <span>
#include <vector>

#include "engine/bounds/curve/orojenesis.h"
#include "engine/bounds/curve/provision.h"
#include "engine/bounds/lower_bounds.h"
#include "workloads/workload.h"

namespace heliolite {

// What any schedule moves that has room for `operands` units in addition to the buffer.
struct ScheduleBounds {
  LowerBounds bounds;
  u64 operands = 0;

  double inside(u64 buffer) const { return static_cast<double>(buffer) + static_cast<double>(operands); }
  LowerBound at(u64 buffer) const { return best(bounds.at(inside(buffer))); }
};

// The bounds for a workload whose words have the sizes that the options of its curve give them.
ScheduleBounds schedule_bounds(const Workload& workload, const OrojenesisOptions& options);

// A point of a raised curve, which holds up to the next one.
struct RaisedStep {
  CurveStep step;
  std::optional<BoundKind> by;  // the bound that says more there than the curve of mappings; none: that one
  std::size_t own = 0;          // the point of the curve of mappings that holds there
};

// The larger of the curve and of those bounds, buffer by buffer. Where a bound falls smoothly there are points at every
// sixteenth of a buffer, each as low as the bound is before the next one; from `largest` on nothing falls.
std::vector<RaisedStep> raised(std::span<const CurveStep> curve, const ScheduleBounds& schedules, u64 largest);

}  // namespace heliolite
