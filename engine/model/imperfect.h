#pragma once
// Traffic of nests with residual ("Ruby") factors, by the rules of Timeloop: closed forms where they exist, elsewhere
// a walk of the nest that remembers equal states. Perfect factors are a special case.
#include <memory>

#include "arch/architecture.h"
#include "engine/model/mapping.h"
#include "engine/model/nest_traffic.h"
#include "workloads/workload.h"

namespace heliolite {

// The mapping must be well formed (mapping_check.h): bounds reached, residuals legal, loops in nest order.
NestTraffic imperfect_traffic(const Workload& workload, const Architecture& architecture, const Mapping& mapping);

}  // namespace heliolite
