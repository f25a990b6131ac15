#pragma once
// The part of a sliding layer whose windows touch no border.
#include <optional>

#include "workloads/workload.h"

namespace heliolite {

// The workload with fewer pixels, so many that surely as many windows of the operand lie within an array of `words`
// words around which the rest of the operand is border, wherever it lies. None when there may be no such window; the
// same workload when there is no border.
std::optional<Workload> interior_workload(const Workload& workload, int operand, u64 words);

}  // namespace heliolite
