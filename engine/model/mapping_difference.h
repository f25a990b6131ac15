#pragma once
// In what two mappings of one workload on one machine differ, level by level, and what that costs where.
#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/model/mapping.h"
#include "workloads/workload.h"

namespace heliolite {

// What every level keeps, its loops over time and those of its fan-out, as texts; outermost level first.
FieldDifferences differences(const Mapping& a, const Mapping& b, const Workload& workload,
                             const Architecture& architecture);

}  // namespace heliolite
