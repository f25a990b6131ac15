#pragma once
// Warnings about energies and areas that do not follow a swept capacity although the user may expect it.
#include "engine/sweep/sweep_spec.h"

namespace heliolite {

// A warning for each swept capacity whose level states its energy or area (or has them from an ERT or ART), so that
// they stay the same at every capacity.
Diagnostics stated_cost_warnings(const SweepSpec& spec);

}  // namespace heliolite
