#pragma once
// Polynomials in parameters with exact coefficients, and how they are found from values.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/types.h"
#include "engine/bounds/rational.h"

namespace heliolite {

using ParameterValues = std::map<std::string, i64>;  // N -> 1000

// sum of coefficient * product of variable^exponent; the zero polynomial has no terms.
struct CountPolynomial {
  std::vector<std::string> variables;
  std::map<std::vector<int>, Rational> terms;  // [exponent of each variable] -> coefficient, never 0

  Rational at(const ParameterValues& values) const;  // a value for each variable
  int degree() const;                                // the total one; 0 also of the zero polynomial
  std::string to_string() const;                     // "1/2*N^2 - 1/2*N", the highest terms first

  // Of the same variables in the same order.
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

}  // namespace heliolite
