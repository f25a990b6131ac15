#pragma once
// The witness: a mapping led through the exact search step by step, with what every bound says of it on the way. A
// bound above the mapping's own cost would cut it wrongly.
#include <string_view>
#include <vector>

#include "engine/search/exact/key.h"
#include "engine/search/exact/partial_bounds.h"

namespace heliolite {

// One bound that the search computes on the way to the mapping.
struct WitnessStep {
  int level = 0;
  std::string_view bound;  // "root", "unrolling", "unrolled", "candidate", "ordered", "tile", "sum"
  CostBound value;
};

// Every bound on the way of a perfect mapping of the problem's mapspace, in the order in which the search asks; at the
// end "sum": the energy and cycles that the flows add up to. Empty if the mapping is not one the search could meet
// (factors that do not divide, an unrolling that is not allowed).
std::vector<WitnessStep> trace_bounds(const LayerProblem& problem, const Mapping& mapping);

}  // namespace heliolite
