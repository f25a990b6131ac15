#pragma once
// Questions to sets and relations of isl that it has no single answer to.
#include <vector>

#include "engine/bounds/hbl/hbl_subspace.h"
#include "engine/program/isl.h"

namespace heliolite {

// How many dimensions the points fill where the parameters are large: those of the set without independent equalities;
// the largest of its alternatives counts. -1: no points.
int dimension_of(const isl::set& points);

// The smallest subspace of Q^d (d: the set's dimensions) that has all points, for whatever parameters.
Subspace linear_span(const isl::set& points);

// The alternatives of a relation, each a conjunction.
std::vector<isl::map> conjunctions(const isl::union_map& relation);

// The set in the union of that tuple: "[N] -> { S0[i, j] : .. }" of the space of `like`; maybe empty.
isl::set part_like(const isl::union_set& points, const isl::set& like);

}  // namespace heliolite
