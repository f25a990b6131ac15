#pragma once
// What the engine relies on, whoever made the architecture.
#include <functional>

#include "arch/architecture.h"
#include "engine/base/result.h"

namespace heliolite {

// Where a complaint about level `level` (or, for kWholeMachine and kComputeUnits, those) is to be reported:
// a diagnostic with file, line and field filled in.
using PlaceOf = std::function<Diagnostic(int level)>;
inline constexpr int kWholeMachine = -1;
inline constexpr int kComputeUnits = -2;

// 1..kMaxLevels levels with unique names; sizes within limits.h; instances and meshes that follow from the
// fan-outs; clusters that divide the instances; energies from 0 to kMaxAccessPicojoules; an outermost level that
// refuses no tensor; constraints that something can satisfy. Empty when all is well.
Diagnostics check(const Architecture& architecture);
Diagnostics check(const Architecture& architecture, const PlaceOf& place_of);

}  // namespace heliolite
