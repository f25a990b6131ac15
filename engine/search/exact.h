#pragma once
// The strategy `exact`: the optimum of the mapspace with its certificate, or under a budget the best so far with a
// proven gap. Specification: sunstone.md section 8; proofs: docs/rules/exact.md.
#include "engine/search/layer_problem.h"

namespace heliolite {

// `incumbent`: what another strategy found, to start from. Perfect factors.
LayerAnswer exact_search(const LayerProblem& problem, const LayerAnswer& incumbent);

}  // namespace heliolite
