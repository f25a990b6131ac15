#pragma once
// Takes sets apart into polytopes whose points are counted one by one.
#include <vector>

#include "engine/program/isl.h"

namespace heliolite {

// The set has as many points as the sum, over its pieces, of the products of the numbers of points of their factors:
// the pieces are disjoint, and the factors of one, such as the sides of a box, share no coordinate. Factors have no
// local variables: those of the set, each a floor of the others, have become coordinates, and coordinates that others
// determine are gone.
using PolytopeFactors = std::vector<isl::basic_set>;
std::vector<PolytopeFactors> polytope_pieces(const isl::set& set);

}  // namespace heliolite
