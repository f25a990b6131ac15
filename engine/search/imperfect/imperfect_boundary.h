#pragma once
// A lower bound of what the buffer below the outermost level fetches again because it cannot hold everything, over all
// tiles, dividing the sizes or not, and all loop orders at the outermost level. Proof: docs/rules/imperfect.md.
#include <functional>

#include "engine/model/cost_model.h"
#include "engine/search/core/compulsory.h"
#include "engine/space/mapspace.h"

namespace heliolite {

// Least energy units (2^-32 pJ) that the two outermost levels spend beyond moving every word once. 0 where there is a
// fan-out between the two levels or no capacity, where the tiles are too many to look at, or where `is_over`, which is
// asked now and then, says so before all have been.
double least_refetch_units(const CostModel& model, const Mapspace& space, const KeepRange& keep,
                           const std::function<bool()>& is_over = {});

}  // namespace heliolite
