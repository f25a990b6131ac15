#pragma once
// A machine's constraints for one workload in the words that Timeloop's files have: names of tensors and dimensions,
// limits of factors, a permutation with a split.
#include "arch/architecture.h"
#include "arch/timeloop_form.h"
#include "engine/base/result.h"
#include "workloads/workload.h"

namespace heliolite {

// The machine in Timeloop's form (arch/timeloop_form.h) with constraints for this workload. What a level keeps is named
// tensor by tensor; dimensions that may have no loop get the factor 1; what two axes may take becomes a permutation
// with a split where they take different dimensions. Notes say where the mapspace becomes larger, or smaller by the
// order of the loops along an axis. Errors: those of timeloop_form(), and of resolve() (mapspace.h) for a machine that
// does not suit the workload.
Result<TimeloopForm> timeloop_form(const Architecture& architecture, const Workload& workload, TimeloopVersion version);

// Whether the constraints name classes of dimensions, dimensions of tensors or largest factors, which mean nothing
// without a workload.
bool names_classes(const Architecture& architecture);

}  // namespace heliolite
