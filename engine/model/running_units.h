#pragma once
// Which of a machine's compute units run a layer, the unit that the layer names, else all that can; and which of them a
// mapping is for.
#include <optional>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/model/mapping.h"
#include "workloads/workload.h"

namespace heliolite {

// A mapping, and the machine's chain that it is on, as a number of Architecture::chain().
struct UnitMapping {
  Mapping mapping;
  std::size_t unit = 0;
};

// Numbers of Architecture::chain(), in increasing order, at least one. Errors: the layer names no unit of the machine,
// or one that does not run its operation; no unit does.
Result<std::vector<std::size_t>> units_that_run(const Workload& workload, const Architecture& architecture);

// The only one of them. Errors: likewise, or there are several, of which the layer must name one.
Result<std::size_t> unit_that_runs(const Workload& workload, const Architecture& architecture);

// Its chain, for who asks about one chain of levels; of a machine without further units the machine itself.
Result<const Architecture*> chain_that_runs(const Workload& workload, const Architecture& architecture);

// The chain of the first unit that can run a layer, which says nothing of errors; the machine's own if it is the only
// chain.
const Architecture& running_chain(const Workload& workload, const Architecture& architecture);

// What level `level` of the machine is in the chain of one of its units; none: it does not lead there.
std::optional<int> level_in_chain(const Architecture& architecture, int level, const Architecture& chain);

// Whether the chain's compute units do not run everything, so that answers name them.
inline bool is_one_of_several_units(const Architecture& chain) { return chain.compute.runs != kAllOperations; }

// An error if the compute units of this chain do not run the workload's operation.
Diagnostics operation_complaints(const Workload& workload, const Architecture& chain);

}  // namespace heliolite
