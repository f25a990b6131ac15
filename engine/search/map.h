#pragma once
// The mapper's door: the best mapping of every layer of a network on a machine.
#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/search/core/answer.h"
#include "engine/search/core/options.h"
#include "workloads/network.h"

namespace heliolite {

// Maps every layer; layers of equal shape are searched once, different ones in parallel; the number of threads changes
// no answer. A layer that cannot obey the constraints is infeasible. Errors: no layer can.
Result<NetworkResult> map_network(const Network& network, const Architecture& architecture,
                                  const SearchOptions& options);

// One layer, on the calling thread.
Result<MappingResult> map_workload(const Workload& workload, const Architecture& architecture,
                                   const SearchOptions& options);

}  // namespace heliolite
