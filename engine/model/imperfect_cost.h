#pragma once
// Legality and cost of a mapping with imperfect factors: the totals of CostModel::explain, without the table of counts.
#include "engine/model/compiled.h"
#include "engine/model/cost_model.h"
#include "engine/model/imperfect.h"
#include "engine/model/mapping.h"

namespace heliolite {

// Whether the mapping fits, and its cost if it does; it must be well formed (mapping_check.h). The cost is equal to the
// totals of explain() to the last unit. With a workspace that has been used before nothing is allocated.
Evaluation imperfect_cost_of(const Compiled& compiled, const Mapping& mapping, ImperfectWorkspace& workspace);

}  // namespace heliolite
