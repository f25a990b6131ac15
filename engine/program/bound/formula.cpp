// The bound of a plan as a formula in the program's parameters and the capacity S, for all parameters of at least
// kLeastParameter and all S.
#include "engine/base/mapped.h"
#include "engine/program/bound/program_answer.h"

#include <ginac/ginac.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "engine/program/bound/part_bound.h"
#include "engine/program/isl.h"

namespace heliolite {
namespace {

constexpr int kMostDenominator = 24;
constexpr double kNearRational = 1e-4;

GiNaC::numeric as_numeric(const Rational& x) { return GiNaC::numeric(x.str().c_str()); }

std::optional<Rational> near_rational(double x) {
  for (int q = 1; q <= kMostDenominator; ++q) {
    const double p = std::round(x * q);
    if (std::abs(x - p / q) < kNearRational) return Rational(static_cast<long long>(p), q);
  }
  return std::nullopt;
}

// A product of prime powers with rational exponents: what constants of U are.
class PowerProduct {
 public:
  // Times base^exponent, base > 0.
  void multiply(const Rational& base, const Rational& exponent) {
    factors(numerator(base), exponent);
    factors(denominator(base), -exponent);
  }

  // Whole powers as a number, roots of primes apart.
  GiNaC::ex value() const {
    GiNaC::ex product = 1;
    for (const auto& [prime, exponent] : powers_) {
      using boost::multiprecision::cpp_int;
      cpp_int whole = numerator(exponent) / denominator(exponent);
      if (Rational(whole) > exponent) --whole;
      const Rational rest = exponent - Rational(whole);
      product *= GiNaC::pow(GiNaC::ex(prime), GiNaC::ex(whole.convert_to<long>()));
      // As expressions: powers of bare numbers would be rounded.
      if (rest != 0) product *= GiNaC::pow(GiNaC::ex(prime), GiNaC::ex(as_numeric(rest)));
    }
    return product;
  }

 private:
  void factors(boost::multiprecision::cpp_int n, const Rational& exponent) {
    for (long p = 2; n > 1; ++p)
      for (; n % p == 0; n /= p) powers_[p] += exponent;
  }
  std::map<long, Rational> powers_;
};

// coefficient * parameters * S^power.
struct FormulaTerm {
  GiNaC::ex coefficient;  // without symbols: GiNaC sorts those differently from run to run
  std::map<std::string, int> parameters;
  Rational power;

  // Where parameters grow like t and S like t^(1/2).
  Rational order() const {
    Rational sum = power / 2;
    for (const auto& [name, exponent] : parameters) sum += exponent;
    return sum;
  }
  bool positive() const { return coefficient.evalf() > 0; }
};

// "2*N^3", "S^(1/2)", or in LaTeX "2 N^{3}", "S^{1/2}".
std::string power_text(const std::string& base, const Rational& exponent, bool latex) {
  if (exponent == 1) return base;
  const std::string e = exponent.str();
  if (latex) return base + "^{" + e + "}";
  return base + "^" + (denominator(exponent) == 1 ? e : "(" + e + ")");
}

// The absolute value of a term.
std::string term_text(const FormulaTerm& term, bool latex) {
  const GiNaC::ex size = term.positive() ? term.coefficient : -term.coefficient;
  std::ostringstream out;
  if (latex) out << GiNaC::latex;
  out << size;
  std::vector<std::string> factors;
  if (!(size == 1)) factors.push_back(out.str());
  for (const auto& [name, exponent] : term.parameters) factors.push_back(power_text(name, exponent, latex));
  if (term.power > 0) factors.push_back(power_text("S", term.power, latex));
  std::string text;
  for (const std::string& factor : factors) text += (text.empty() ? "" : latex ? " " : "*") + factor;
  if (text.empty()) text = "1";
  if (term.power < 0)
    text += latex ? " " + power_text("S", term.power, latex) : "/" + power_text("S", -term.power, latex);
  return text;
}

// The terms added up, those that grow fastest first.
FormulaText sum_text(const std::vector<FormulaTerm>& terms) {
  std::map<std::pair<std::map<std::string, int>, Rational>, GiNaC::ex> merged;
  for (const FormulaTerm& term : terms) merged[{term.parameters, term.power}] += term.coefficient;
  std::vector<FormulaTerm> sum;
  for (const auto& [key, coefficient] : merged)
    if (!coefficient.expand().is_zero()) sum.push_back({coefficient.expand(), key.first, key.second});
  std::ranges::stable_sort(sum, [](const FormulaTerm& a, const FormulaTerm& b) { return a.order() > b.order(); });
  FormulaText text;
  for (const FormulaTerm& term : sum) {
    const std::string sign = term.positive() ? (text.text.empty() ? "" : " + ") : text.text.empty() ? "-" : " - ";
    text.text += sign + term_text(term, false);
    text.latex += sign + term_text(term, true);
  }
  if (text.text.empty()) text = {"0", "0"};
  return text;
}

class FormulaBuilder {
 public:
  explicit FormulaBuilder(const ProgramPlan& plan) : plan_(plan) {}

  Result<ProgramFormula> build() {
    add(count(plan_.operands.inputs), 1, 0, all_);
    FormulaText full = sum_text(all_);
    for (const PartBound& part : plan_.parts) {
      std::vector<FormulaTerm> terms;
      if (!(part.method == PartMethod::partition ? partition(part, terms) : wavefront(part, terms))) continue;
      const FormulaText sum = sum_text(terms);
      full.text += " + max(0, " + sum.text + ")";
      full.latex += " + \\max\\left(0, " + sum.latex + "\\right)";
      all_.insert(all_.end(), terms.begin(), terms.end());
    }
    if (!errors_.empty()) return errors_;
    std::vector<FormulaTerm> leading = leading_terms();
    const FormulaText asymptotic = sum_text(leading);
    for (FormulaTerm& term : leading) {
      const int degree = sum_of<int>(term.parameters, [](const auto& power) { return power.second; });
      term.parameters.clear();
      if (degree > 0) term.parameters["N"] = degree;
    }
    return ProgramFormula{full, asymptotic, sum_text(leading)};
  }

 private:
  CountPolynomial count(const isl::set& set) {
    const auto polynomial = count_polynomial(plan_.program->context, set, kLeastParameter);
    if (polynomial) return *polynomial;
    errors_.insert(errors_.end(), polynomial.errors().begin(), polynomial.errors().end());
    return {};
  }

  std::vector<CountPolynomial> count(const isl::union_set& sets) {
    std::vector<CountPolynomial> list;
    sets.foreach_set([&](const isl::set& set) { list.push_back(count(set)); });
    return list;
  }

  // Adds polynomial * factor * S^power.
  void add(const std::vector<CountPolynomial>& polynomials, const GiNaC::ex& factor, const Rational& power,
           std::vector<FormulaTerm>& terms) {
    std::map<std::map<std::string, int>, Rational> merged;
    for (const CountPolynomial& polynomial : polynomials)
      for (const auto& [exponents, coefficient] : polynomial.terms) {
        std::map<std::string, int> monomial;
        for (std::size_t v = 0; v < exponents.size(); ++v)
          if (exponents[v] > 0) monomial[polynomial.variables[v]] = exponents[v];
        merged[monomial] += coefficient;
      }
    for (const auto& [monomial, coefficient] : merged)
      if (coefficient != 0) terms.push_back({as_numeric(coefficient) * factor, monomial, power});
  }

  // Exponents and weights as rational numbers that meet every row.
  bool rational_point(const BudgetShape& shape, std::vector<Rational>& s, std::vector<Rational>& share) const {
    const BudgetPoint point = best_budget_point(shape, kLargeLogBudget);
    for (const double x : point.s) {
      const auto near = near_rational(x);
      if (!near) return false;
      s.push_back(*near);
    }
    for (const RankRow& row : shape.rows) {
      Rational met = 0;
      for (std::size_t j = 0; j < s.size(); ++j) met += row.image[j] * s[j];
      if (met < row.rank) return false;
    }
    Rational all = 0;
    share.assign(s.size(), 0);
    for (std::size_t c = 0; c < shape.cliques.size(); ++c) {
      const auto weight = near_rational(point.weight[c]);
      if (!weight) return false;
      all += *weight;
      for (const std::size_t j : shape.cliques[c]) share[j] += *weight;
    }
    if (all == 0) return false;
    for (Rational& b : share) b /= all;
    return true;
  }

  // T (|D| / U - 1) - |ends| with T = S / (exponent - 1).
  bool partition(const PartBound& part, std::vector<FormulaTerm>& terms) {
    std::vector<Rational> s, share;
    if (!rational_point(*part.shape, s, share)) return false;
    const Rational exponent = sum_of<Rational>(s);
    if (exponent <= 1) return false;
    PowerProduct constant;
    constant.multiply(exponent - 1, exponent - 1);
    for (std::size_t j = 0; j < s.size(); ++j) {
      if (s[j] == 0) continue;
      if (share[j] == 0) return false;
      constant.multiply(share[j] / (s[j] * Rational(std::llround(part.shape->multiplicity[j]))), s[j]);
    }
    add({count(part.part.domain)}, constant.value(), 1 - exponent, terms);
    terms.push_back({-1 / as_numeric(exponent - 1), {}, 1});
    add(count(ends(part.part)), -1, 0, terms);
    return true;
  }

  // The sum over all slices of |W| - S.
  bool wavefront(const PartBound& part, std::vector<FormulaTerm>& terms) {
    const isl::set slices =
        isl::manage(isl_set_project_out(part.part.domain.copy(), isl_dim_set, static_cast<unsigned>(part.outer),
                                        static_cast<unsigned>(part.part.dimensions() - part.outer)));
    add({count(part.part.domain)}, 1, 0, terms);
    add({count(slices)}, -1, 1, terms);
    return true;
  }

  std::vector<FormulaTerm> leading_terms() const {
    std::optional<Rational> most;
    for (const FormulaTerm& term : all_)
      if (term.positive() && (!most || term.order() > *most)) most = term.order();
    std::vector<FormulaTerm> leading;
    for (const FormulaTerm& term : all_)
      if (most && term.order() == *most) leading.push_back(term);
    return leading;
  }

  const ProgramPlan& plan_;
  std::vector<FormulaTerm> all_;
  Diagnostics errors_;
};

}  // namespace

Result<ProgramFormula> program_formula(const ProgramPlan& plan) {
  return guarded(plan.program->context, plan.program->file, "--symbolic",
                 [&]() -> Result<ProgramFormula> { return FormulaBuilder(plan).build(); });
}

}  // namespace heliolite
