#pragma once
// How many points a set has: as a number, or as a polynomial in its parameters. Both are exact.
#include "engine/base/result.h"
#include "engine/program/count_polynomial.h"
#include "engine/program/isl.h"

namespace heliolite {

// The number of points of `set` where its parameters have the given values. Complains when a parameter that the set
// depends on has no value, when the set is infinite, or would have to be walked for too long.
Result<Rational> count_at(const IslContext& context, const isl::set& set, const ParameterValues& values);

// The number of points of `set` for all parameter values in `assumed`, a set of parameters; its variables are the
// parameters of `set`, in their order, then further ones of `assumed`. Where the corners of a polytope move by integers
// when a parameter grows by one, the number of its points is a polynomial of at most its dimension in each cell of
// parameters that leaves its corners the same (Ehrhart): so counts at enough points of a cell determine it. Complains
// where corners do otherwise (floors), where two cells of `assumed` have different polynomials (min, max), or where the
// set is infinite.
Result<CountPolynomial> count_polynomial(const IslContext& context, const isl::set& set, const isl::set& assumed);

// The same where every parameter is at least `least`.
Result<CountPolynomial> count_polynomial(const IslContext& context, const isl::set& set, i64 least = 8);

}  // namespace heliolite
