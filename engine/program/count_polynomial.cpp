// Polynomials in parameters with exact coefficients, and how they are found from values.
#include "engine/program/count.h"

#include <algorithm>
#include <numeric>

namespace heliolite {
namespace {

Rational power(i64 base, int exponent) {
  Rational out = 1;
  for (int k = 0; k < exponent; ++k) out *= base;
  return out;
}

// All exponents of the used variables with a sum of at most `degree`.
void list_monomials(const std::vector<bool>& used, int degree, std::vector<int>& exponents,
                    std::vector<std::vector<int>>& out) {
  if (exponents.size() == used.size()) {
    out.push_back(exponents);
    return;
  }
  const int most = used[exponents.size()] ? degree : 0;
  for (int e = 0; e <= most; ++e) {
    exponents.push_back(e);
    list_monomials(used, degree - e, exponents, out);
    exponents.pop_back();
  }
}

int total(const std::vector<int>& exponents) { return std::accumulate(exponents.begin(), exponents.end(), 0); }

}  // namespace

Rational CountPolynomial::at(const ParameterValues& values) const {
  Rational sum = 0;
  for (const auto& [exponents, coefficient] : terms) {
    Rational product = coefficient;
    for (std::size_t v = 0; v < variables.size(); ++v) product *= power(values.at(variables[v]), exponents[v]);
    sum += product;
  }
  return sum;
}

int CountPolynomial::degree() const {
  int most = 0;
  for (const auto& [exponents, coefficient] : terms) most = std::max(most, total(exponents));
  return most;
}

std::string CountPolynomial::to_string() const {
  std::vector<std::pair<std::vector<int>, Rational>> sorted(terms.begin(), terms.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return total(a.first) != total(b.first) ? total(a.first) > total(b.first) : a.first > b.first;
  });
  std::string text;
  for (const auto& [exponents, coefficient] : sorted) {
    std::string product = coefficient < 0 ? Rational(-coefficient).str() : coefficient.str();
    if (product == "1" && total(exponents) > 0) product.clear();
    for (std::size_t v = 0; v < variables.size(); ++v) {
      if (exponents[v] == 0) continue;
      if (!product.empty()) product += "*";
      product += variables[v];
      if (exponents[v] > 1) product.append("^").append(std::to_string(exponents[v]));
    }
    const bool negative = coefficient < 0;
    text += text.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    text += product;
  }
  return text.empty() ? "0" : text;
}

CountPolynomial& CountPolynomial::operator+=(const CountPolynomial& other) {
  for (const auto& [exponents, coefficient] : other.terms) {
    Rational& mine = terms[exponents];
    mine += coefficient;
    if (mine == 0) terms.erase(exponents);
  }
  return *this;
}

CountPolynomial& CountPolynomial::operator*=(const CountPolynomial& other) {
  CountPolynomial product{variables, {}};
  for (const auto& [mine, coefficient] : terms)
    for (const auto& [theirs, factor] : other.terms) {
      std::vector<int> exponents = mine;
      for (std::size_t v = 0; v < exponents.size(); ++v) exponents[v] += theirs[v];
      product += {variables, {{exponents, coefficient * factor}}};
    }
  return *this = std::move(product);
}

PolynomialFit::PolynomialFit(std::vector<std::string> variables, const std::vector<bool>& used, int degree)
    : variables_(std::move(variables)) {
  std::vector<int> exponents;
  list_monomials(used, degree, exponents, monomials_);
}

PolynomialFit::Row PolynomialFit::reduced(const std::vector<i64>& point, const Rational& value) const {
  Row row{{}, value, 0};
  for (const std::vector<int>& m : monomials_) {
    row.factors.emplace_back(1);
    for (std::size_t v = 0; v < m.size(); ++v) row.factors.back() *= power(point[v], m[v]);
  }
  for (const Row& known : rows_) {
    const Rational factor = row.factors[known.pivot];
    if (factor == 0) continue;
    for (std::size_t k = 0; k < monomials_.size(); ++k)
      if (known.factors[k] != 0) row.factors[k] -= factor * known.factors[k];
    row.value -= factor * known.value;
  }
  const auto pivot = std::find_if(row.factors.begin(), row.factors.end(), [](const Rational& f) { return f != 0; });
  row.pivot = static_cast<std::size_t>(pivot - row.factors.begin());
  return row;
}

bool PolynomialFit::is_new(const std::vector<i64>& point) const { return reduced(point, 0).pivot < monomials_.size(); }

void PolynomialFit::add(const std::vector<i64>& point, const Rational& value) {
  Row row = reduced(point, value);
  if (row.pivot == monomials_.size()) return;
  const Rational lead = row.factors[row.pivot];
  for (Rational& f : row.factors) f /= lead;
  row.value /= lead;
  rows_.push_back(std::move(row));
}

CountPolynomial PolynomialFit::polynomial() const {
  std::vector<Rational> solved(monomials_.size());
  for (auto row = rows_.rbegin(); row != rows_.rend(); ++row) {
    Rational value = row->value;
    for (std::size_t k = 0; k < monomials_.size(); ++k)
      if (k != row->pivot && row->factors[k] != 0) value -= row->factors[k] * solved[k];
    solved[row->pivot] = value;
  }
  CountPolynomial out{variables_, {}};
  for (std::size_t k = 0; k < monomials_.size(); ++k)
    if (solved[k] != 0) out.terms[monomials_[k]] = solved[k];
  return out;
}

}  // namespace heliolite
