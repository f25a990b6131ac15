#pragma once
// Whether the cost model can be asked about a mapping; if not, errors that a user can act on.
#include <string>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/model/cost.h"
#include "engine/model/cost_model.h"
#include "engine/model/mapping.h"
#include "workloads/workload.h"

namespace heliolite {

// What is wrong with the mapping's structure; empty if nothing. The levels must be those of the architecture, loops in
// nest order, dimensions known, factors multiply to every dimension's size (mixed radix with residuals), and the
// outermost level keep everything.
Diagnostics well_formed(const Mapping& mapping, const Workload& workload, const Architecture& architecture);

// Where a well-formed mapping exceeds the machine: spatial factors a fan-out, tiles a capacity; or what can be counted.
// Empty: it fits.
Diagnostics fits(const Mapping& mapping, const Workload& workload, const Architecture& architecture);

// The errors of well_formed(), or, if there are none, those of fits().
Diagnostics check(const Mapping& mapping, const Workload& workload, const Architecture& architecture);

// Whether the numbers of the cost model have room for what a workload can cost on a machine: energies have 128 bits,
// cycles 64. What does not fit is refused with a reason, never cut.

// Prices that no mapping's energy has room for together: what a word or a cycle costs, times the words and cycles that
// mappings of `steps` steps (MACs, or more where factors do not divide) can have. Both must have passed their
// check(). Empty: every energy can be counted.
Diagnostics uncountable_energies(const Workload& workload, const Architecture& architecture, double steps);

// The levels that need more cycles than can be counted. Empty: there are none.
Diagnostics uncountable_cycles(const Breakdown& breakdown, const Architecture& architecture);

// The way of counting that a user calls `name`, for a mapping of the model's pair. Errors: there is no such way, or the
// workload has no true counts where factors do not divide.
Result<Counts> counts_named(const std::string& name, const CostModel& model, const Mapping& mapping);

// The cost of a well-formed mapping, or why it has none: where it does not fit, or cannot be counted.
Result<Cost> cost_or_reasons(const CostModel& model, const Mapping& mapping, Counts counts);

}  // namespace heliolite
