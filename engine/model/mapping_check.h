#pragma once
// Whether a mapping is one the cost model can be asked about, in words a user can act on.
#include <string>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/model/mapping.h"
#include "workloads/workload.h"

namespace heliolite {

// The structure: levels of the architecture, loops in nest order, known dimensions, factors that multiply to every
// dimension's size (mixed radix with residuals), everything kept at the outermost level.
Diagnostics well_formed(const Mapping& mapping, const Workload& workload, const Architecture& architecture);

// The machine: spatial factors within each fan-out, tiles within each capacity. Of a well-formed mapping.
Diagnostics fits(const Mapping& mapping, const Workload& workload, const Architecture& architecture);

// Both; the second only when the first has nothing to say.
Diagnostics check(const Mapping& mapping, const Workload& workload, const Architecture& architecture);

// "P: 7 (GLB) x 8 (DRAM) = 56".
std::string factor_product(const Mapping& mapping, int dimension, const Workload& workload,
                           const Architecture& architecture);

}  // namespace heliolite
