#pragma once
// A lower bound of what the buffer below the outermost level fetches again because it cannot hold everything, over all
// tiles, dividing the sizes or not, and all loop orders at the outermost level. Proof: docs/rules/imperfect.md.
#include "engine/model/cost_model.h"
#include "engine/search/core/compulsory.h"
#include "engine/space/mapspace.h"

namespace heliolite {

// Least energy units (2^-32 pJ) that the two outermost levels spend beyond moving every word once. 0 where there is a
// fan-out between the two levels or no capacity, or where the tiles are too many to look at.
double least_refetch_units(const CostModel& model, const Mapspace& space, const KeepRange& keep);

}  // namespace heliolite
