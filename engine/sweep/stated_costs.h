#pragma once
// What a sweep over capacities leaves as it is, although the user may expect it to follow.
#include "engine/sweep/sweep_spec.h"

namespace heliolite {

// Swept capacities whose level states its energy or area (or has them from an ERT or ART), so that they stay.
Diagnostics stated_cost_warnings(const SweepSpec& spec);

}  // namespace heliolite
