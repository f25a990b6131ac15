#pragma once
// Convex curves that proofs claim no mapping to be below: through mappings, or under lines that searches have proven.
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

#include "engine/proof/instance.h"

namespace heliolite::proof {

// The corners of the lower left hull of points, from the fewest cycles to the least energy.
std::vector<ExactCost> lower_hull(std::vector<ExactCost> points);

// No mapping has energy + lambda x cycles below `value`, in the instance's unit.
struct ExactLine {
  boost::multiprecision::cpp_rational lambda, value;
};

// Points on or under the lines and right of the least cycles, such that every mapping's cost, of whole cycles and
// units, is on or above their hull: those next to each crossing of two lines, rounded down.
std::vector<ExactCost> points_under(const std::vector<ExactLine>& lines, u64 least_cycles);

}  // namespace heliolite::proof
