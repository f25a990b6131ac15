#pragma once
// What every mapping of a mapspace with imperfect factors costs at least, as the cost model counts. Proof:
// docs/rules/imperfect.md.
#include <functional>

#include "engine/model/cost_model.h"
#include "engine/search/core/compulsory.h"
#include "engine/search/core/objective.h"
#include "engine/space/mapspace.h"

namespace heliolite {

// Least cycles by the spatial factors alone: over all unrollings the fan-outs allow, the product over the dimensions of
// ceil(size / unrolled). At least MACs / units; just that where there are too many unrollings to look at.
u64 least_imperfect_steps(const Compiled& c, const Mapspace& space);

// A lower bound of all mappings with perfect or imperfect factors whose keep choices lie in `keep`, in units of
// objective_number(). `is_over`: asked now and then; once it says so, the bound is what is known by then.
double imperfect_lower_bound(const CostModel& model, const Mapspace& space, const KeepRange& keep, Objective objective,
                             const std::function<bool()>& is_over = {});

}  // namespace heliolite
