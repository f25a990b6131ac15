#pragma once
// How many points a set has: as a number, or as a polynomial in its parameters.
#include <map>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/bounds/rational.h"
#include "engine/program/isl.h"

namespace heliolite {

using ParameterValues = std::map<std::string, i64>;  // N -> 1000

// sum of coefficient * product of variable^exponent; the zero polynomial has no terms.
struct CountPolynomial {
  std::vector<std::string> variables;
  std::map<std::vector<int>, Rational> terms;  // [exponent of each variable] -> coefficient, never 0

  Rational at(const ParameterValues& values) const;  // a value for each variable
  int degree() const;                                // the total one; 0 also of the zero polynomial
  std::string to_string() const;                     // "1/2*N^2 - 1/2*N"
};

// The number of points of `set` where its parameters have the given values. Exact for any size. Complains when a
// parameter has no value, or the set is unbounded or too complicated.
Result<Rational> count_at(const IslContext& context, const isl::set& set, const ParameterValues& values);

// The number of points for all parameter values that are at least `least`: found by interpolation between counts and
// verified at further points. Complains where it is no polynomial there (floors, cases), or unbounded.
Result<CountPolynomial> count_polynomial(const IslContext& context, const isl::set& set, i64 least = 8);

}  // namespace heliolite
