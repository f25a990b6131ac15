#pragma once
// Smaller instances of equal best value, which a proof may speak of instead (docs/rules/proof.md, Reductions).
#include <vector>

#include "engine/proof/instance.h"

namespace heliolite::proof {

// Dimensions that index every tensor by themselves, and may have all their temporal loops at the outermost level,
// outside all others: no mapping is worse for it (docs/rules/exact.md, rule batch-outermost).
std::vector<int> batch_dimensions(const Instance& instance);

// The instance without these dimensions' loops inside the outermost level, where it may do without them.
Instance without_inner_loops(const Instance& instance, const std::vector<int>& batch);

}  // namespace heliolite::proof
