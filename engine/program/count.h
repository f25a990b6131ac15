#pragma once
// How many points a set has: as a number, or as a polynomial in its parameters. Both are exact.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/bounds/hbl/hbl_subspace.h"
#include "engine/program/isl.h"

namespace heliolite {

using ParameterValues = std::map<std::string, i64>;  // N -> 1000

// sum of coefficient * product of variable^exponent; the zero polynomial has no terms.
struct CountPolynomial {
  std::vector<std::string> variables;
  std::map<std::vector<int>, Rational> terms;  // [exponent of each variable] -> coefficient, never 0

  Rational at(const ParameterValues& values) const;  // a value for each variable
  int degree() const;                                // the total one; 0 also of the zero polynomial
  std::string to_string() const;                     // "1/2*N^2 - 1/2*N", the highest terms first

  // Both polynomials have the same variables in the same order.
  CountPolynomial& operator+=(const CountPolynomial& other);
  CountPolynomial& operator*=(const CountPolynomial& other);
  friend bool operator==(const CountPolynomial&, const CountPolynomial&) = default;
};

// Collects values of an unknown polynomial of at most the given total degree until they determine it.
class PolynomialFit {
 public:
  // used[v]: whether the polynomial may depend on variable v.
  PolynomialFit(std::vector<std::string> variables, const std::vector<bool>& used, int degree);

  bool done() const { return rows_.size() == monomials_.size(); }
  // Whether the value at this point is something that those so far do not tell.
  bool is_new(const std::vector<i64>& point) const;
  void add(const std::vector<i64>& point, const Rational& value);  // done() must not hold
  CountPolynomial polynomial() const;                              // done() must hold

 private:
  struct Row {
    std::vector<Rational> factors;  // of the monomials; reduced by the rows before
    Rational value;
    std::size_t pivot = 0;
  };
  Row reduced(const std::vector<i64>& point, const Rational& value) const;

  std::vector<std::string> variables_;
  std::vector<std::vector<int>> monomials_;
  std::vector<Row> rows_;
};

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

// The number of points of `set` where every parameter is at least `least`.
Result<CountPolynomial> count_polynomial(const IslContext& context, const isl::set& set, i64 least = 8);

// Walks the integer points of one polytope with parameters.

// Thrown: why the points of a set cannot be counted.
struct CountRefused {
  std::string reason;
};

class PolytopeCount {
 public:
  // `polytope` has no local variables (divisions); CountRefused if it has, or coefficients beyond 2^31.
  explicit PolytopeCount(const isl::basic_set& polytope);

  std::size_t dimensions() const { return levels_.size(); }

  // The number of its points for these parameters, in the order of its space: without dimensions 1 or 0. Walks over all
  // coordinates but the last; nothing when that takes more than `limit` steps, when a number does not fit into 64 bits,
  // or when it is infinite.
  std::optional<u64> at(const std::vector<i64>& parameters, u64 limit) const;

 private:
  // constant + parameters + coordinates >= 0.
  struct Row {
    i64 constant = 0;
    std::vector<i64> parameters, coordinates;
  };
  struct Walk;
  void add_rows(isl_mat* matrix, int sign, std::vector<Row>& rows) const;
  std::vector<Row> rows_of(const isl::basic_set& polytope) const;

  std::size_t parameters_ = 0;
  std::vector<std::vector<Row>> levels_;  // [d]: conditions on coordinates 0..d that mention d
  std::vector<Row> conditions_;           // on parameters alone
};

// Takes sets apart into polytopes whose points are counted one by one.

// The set has as many points as the sum, over its pieces, of the products of the numbers of points of their factors:
// the pieces are disjoint, and the factors of one, such as the sides of a box, share no coordinate. Factors have no
// local variables: those of the set, each a floor of the others, have become coordinates, and coordinates that others
// determine are gone.
using PolytopeFactors = std::vector<isl::basic_set>;
std::vector<PolytopeFactors> polytope_pieces(const isl::set& set);

// Where the corners of a polytope with parameters stay the same.

struct ParameterCell {
  isl::set parameters;   // closed: neighbours share their borders
  bool has_whole_steps;  // each corner moves by integers when a parameter grows by one
};

// Outside of all cells the polytope is empty. It must have no local variables.
std::vector<ParameterCell> parameter_cells(const isl::basic_set& polytope);

}  // namespace heliolite
