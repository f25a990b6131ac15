#pragma once
// Whether the cost model can be asked about a mapping; if not, errors that a user can act on.
#include <string>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/model/mapping.h"
#include "workloads/workload.h"

namespace heliolite {

// What is wrong with the mapping's structure; empty if nothing. The levels must be those of the architecture, loops in
// nest order, dimensions known, factors multiply to every dimension's size (mixed radix with residuals), and the
// outermost level keep everything.
Diagnostics well_formed(const Mapping& mapping, const Workload& workload, const Architecture& architecture);

// Where a well-formed mapping exceeds the machine: spatial factors a fan-out, tiles a capacity; or what can be counted
// (countable.h). Empty: it fits.
Diagnostics fits(const Mapping& mapping, const Workload& workload, const Architecture& architecture);

// The errors of well_formed(), or, if there are none, those of fits().
Diagnostics check(const Mapping& mapping, const Workload& workload, const Architecture& architecture);

// The factors of a dimension as text: "P: 7 (GLB) x 8 (DRAM) = 56".
std::string factor_product(const Mapping& mapping, int dimension, const Workload& workload,
                           const Architecture& architecture);

}  // namespace heliolite
