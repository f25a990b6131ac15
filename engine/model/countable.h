#pragma once
// Whether the numbers of the cost model have room for what a workload can cost on a machine: energies have 128 bits,
// cycles 64. What does not fit is refused with a reason, never cut.
#include <string>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/model/cost.h"
#include "engine/model/cost_model.h"
#include "engine/model/mapping.h"
#include "workloads/workload.h"

namespace heliolite {

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
