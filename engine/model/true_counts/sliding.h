#pragma once
// The traffic of tensors with sliding ranks (docs/cost_model.md, rules 35, 37 and 38): no product over dimensions, but
// a sum over few kinds of steps. Of each dimension the tiles that a step brings are alike, but for those at its end.
#include "engine/model/true_counts/fetches.h"

namespace heliolite {

// As count_fetches.
void sliding_fetches(const Compiled& c, const CompiledTensor& t, const TrueNest& nest, int boundary,
                     const UnitDigits& unit, Fetches& out);

// Whether units of one of the fan-outs low .. high can ask for the same words without standing at the same tiles: two
// dimensions of a sliding rank are spread over it.
bool units_meet(const CompiledTensor& t, const TrueNest& nest, int low, int high);

}  // namespace heliolite
