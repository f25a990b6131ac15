#pragma once
// In what two workloads or networks differ, field by field.
#include "engine/base/result.h"
#include "workloads/network.h"
#include "workloads/workload.h"

namespace heliolite {

// Dimensions and tensors are matched by name; their order counts, names of workloads do not.
FieldDifferences differences(const Workload& a, const Workload& b);

// Layers are matched by name. Two networks of one layer each are compared as workloads.
FieldDifferences differences(const Network& a, const Network& b);

}  // namespace heliolite
