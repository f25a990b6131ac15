#include "engine/program/count.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <sstream>

namespace heliolite {

// Polynomials in parameters with exact coefficients, and how they are found from values.

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

// Points of a set.

namespace {

constexpr u64 kFewSteps = 1'000'000;     // steps of a walk where a polynomial may do it
constexpr u64 kMostSteps = 300'000'000;  // steps of a walk where none does: seconds
constexpr std::size_t kMostPlaces = 20'000;
constexpr int kChecks = 5;  // counts that a polynomial is held against although it is proven

std::vector<std::string> parameter_names(const isl::set& set) {
  std::vector<std::string> names;
  for (int k = 0; k < isl_set_dim(set.get(), isl_dim_param); ++k)
    names.emplace_back(isl_set_get_dim_name(set.get(), isl_dim_param, static_cast<unsigned>(k)));
  return names;
}

const std::string kCases = "it is no polynomial there: it has cases such as a min or max";

// Integer points of parameters, near ones first.
class Places {
 public:
  // Only parameters with used[k] vary.
  Places(const isl::basic_set& region, const std::vector<bool>& used) : inside_(region), used_(used) {
    const auto count = static_cast<unsigned>(isl_basic_set_dim(region.get(), isl_dim_param));
    const isl::set as_points =
        isl::manage(isl_set_move_dims(isl_set_from_basic_set(region.copy()), isl_dim_set, 0, isl_dim_param, 0, count));
    for (unsigned k = 0; k < count; ++k) {
      const isl::val least = isl::manage(isl_set_dim_min_val(as_points.copy(), static_cast<int>(k)));
      base_.push_back(least.is_int() ? least.num_si() : 0);
    }
  }

  // Visits the points with the given sum of offsets from the least values, until `visit` returns false.
  bool at_distance(int distance, const std::function<bool(const std::vector<i64>&)>& visit) {
    std::vector<i64> point = base_;
    return spread(0, distance, point, visit);
  }

 private:
  bool spread(std::size_t k, int left, std::vector<i64>& point,
              const std::function<bool(const std::vector<i64>&)>& visit) {
    if (k == point.size()) {
      if (left > 0) return true;
      if (++looked_ > kMostPlaces) return false;
      return inside_.at(point, 1) != 1 || visit(point);
    }
    const int most = used_[k] ? left : 0;
    const int least = used_[k] && is_last(k) ? left : 0;
    for (int own = least; own <= most; ++own) {
      point[k] = base_[k] + own;
      if (!spread(k + 1, left - own, point, visit)) return false;
    }
    return true;
  }

  // Whether no parameter behind k varies.
  bool is_last(std::size_t k) const { return std::find(used_.begin() + k + 1, used_.end(), true) == used_.end(); }

  PolytopeCount inside_;
  std::vector<bool> used_;
  std::vector<i64> base_;
  std::size_t looked_ = 0;
};

// One polytope and its polynomials.
class PolytopePolynomial {
 public:
  explicit PolytopePolynomial(const isl::basic_set& polytope)
      : polytope_(polytope),
        names_(parameter_names(polytope)),
        count_(polytope),
        cells_(parameter_cells(polytope)),
        degree_(static_cast<int>(count_.dimensions())) {
    for (unsigned k = 0; k < names_.size(); ++k)
      used_.push_back(isl_basic_set_involves_dims(polytope.get(), isl_dim_param, k, 1) == isl_bool_true);
  }

  // The polytope's polynomial for all of `assumed`.
  CountPolynomial over(const isl::set& assumed) const {
    std::optional<CountPolynomial> found;
    isl::set left = assumed;  // where no polynomial was fitted: borders of cells, and where the polytope is empty
    for (const ParameterCell& cell : cells_)
      cell.parameters.intersect(assumed).foreach_basic_set([&](const isl::basic_set& region) {
        const std::optional<CountPolynomial> p = region.is_empty() ? std::nullopt : fit(cell, region);
        if (!p) return;
        if (found && !(*found == *p)) throw CountRefused{kCases};
        found = p;
        left = left.subtract(region);
      });
    if (!found) found = CountPolynomial{names_, {}};
    left.foreach_basic_set([&](const isl::basic_set& region) { expect(*found, region); });
    return *found;
  }

  Rational at(const std::vector<i64>& values) const {
    if (const std::optional<u64> direct = count_.at(values, kFewSteps)) return *direct;
    ParameterValues named;
    for (std::size_t k = 0; k < names_.size(); ++k) named[names_[k]] = values[k];
    for (const ParameterCell& cell : cells_) {
      if (!cell.has_whole_steps) continue;
      std::optional<CountPolynomial> p;
      cell.parameters.foreach_basic_set([&](const isl::basic_set& region) {
        if (PolytopeCount(region).at(values, 1) == 1 && !p) p = fit(cell, region);
      });
      if (p) return p->at(named);
    }
    const std::optional<u64> walked = count_.at(values, kMostSteps);
    if (!walked) throw CountRefused{"infinite, or too many to be walked"};
    return *walked;
  }

 private:
  static std::vector<std::string> parameter_names(const isl::basic_set& set) {
    return heliolite::parameter_names(isl::set(set));
  }
  // Nothing where the region has too few points: it is a border.
  std::optional<CountPolynomial> fit(const ParameterCell& cell, const isl::basic_set& region) const {
    PolynomialFit fit(names_, used_, degree_);
    Places places(region, used_);
    const int farthest = 4 * degree_ + 8;
    for (int distance = 0; distance <= farthest && !fit.done(); ++distance)
      if (!places.at_distance(distance, [&](const std::vector<i64>& point) {
            if (!fit.done() && fit.is_new(point)) fit.add(point, walked(point));
            return !fit.done();
          }))
        break;
    if (!fit.done()) return std::nullopt;
    if (!cell.has_whole_steps)
      throw CountRefused{"it is no polynomial there: its corners do not move by whole numbers"};
    CountPolynomial p = fit.polynomial();
    verify(p, places, farthest);
    return p;
  }

  bool holds(const CountPolynomial& p, const std::vector<i64>& point) const {
    ParameterValues values;
    for (std::size_t k = 0; k < names_.size(); ++k) values[names_[k]] = point[k];
    return p.at(values) == walked(point);
  }

  // Another polynomial of that degree would differ at one of the first places of a region.
  void expect(const CountPolynomial& p, const isl::basic_set& region) const {
    Places places(region, std::vector<bool>(names_.size(), true));
    for (int distance = 0; distance <= degree_ + 2; ++distance)
      places.at_distance(distance, [&](const std::vector<i64>& point) {
        if (!holds(p, point)) throw CountRefused{kCases};
        return true;
      });
  }

  void verify(const CountPolynomial& p, Places& places, int farthest) const {
    int checks = 0;
    for (int distance = degree_ + 1; distance <= farthest && checks < kChecks; distance += 2)
      places.at_distance(distance, [&](const std::vector<i64>& point) {
        if (!holds(p, point)) throw CountRefused{"its count is not the polynomial " + p.to_string()};
        ++checks;
        return false;
      });
  }

  Rational walked(const std::vector<i64>& point) const {
    const std::optional<u64> count = count_.at(point, kFewSteps);
    if (!count) throw CountRefused{"infinite, or too many to be walked"};
    return *count;
  }

  isl::basic_set polytope_;
  std::vector<std::string> names_;
  PolytopeCount count_;
  std::vector<ParameterCell> cells_;
  int degree_;
  std::vector<bool> used_;  // [parameter]: whether the polytope depends on it
};

// What is wrong with a set as a complaint.
template <class Work>
auto counted(const IslContext& context, const isl::set& set, Work work) -> decltype(work()) {
  return guarded(context, "", "count", [&]() -> decltype(work()) {
    try {
      return work();
    } catch (const CountRefused& refused) {
      std::ostringstream text;
      text << set;
      return Diagnostic{"", 0, "count", "the number of points of " + text.str() + ": " + refused.reason};
    }
  });
}

isl::basic_set aligned(const isl::basic_set& set, const isl::set& parameters) {
  return isl::manage(isl_basic_set_align_params(set.copy(), isl_set_get_space(parameters.get())));
}

}  // namespace

Result<Rational> count_at(const IslContext& context, const isl::set& set, const ParameterValues& values) {
  return counted(context, set, [&]() -> Result<Rational> {
    std::vector<i64> point;
    for (const std::string& name : parameter_names(set)) {
      const auto given = values.find(name);
      if (given == values.end()) throw CountRefused{"the parameter '" + name + "' has no value"};
      point.push_back(given->second);
    }
    Rational sum = 0;
    for (const PolytopeFactors& factors : polytope_pieces(set)) {
      Rational product = 1;
      for (const isl::basic_set& factor : factors) product *= PolytopePolynomial(factor).at(point);
      sum += product;
    }
    return sum;
  });
}

Result<CountPolynomial> count_polynomial(const IslContext& context, const isl::set& set, const isl::set& assumed) {
  return counted(context, set, [&]() -> Result<CountPolynomial> {
    const isl::set here = isl::manage(isl_set_align_params(assumed.copy(), isl_set_get_space(set.get())));
    CountPolynomial sum{parameter_names(here), {}};
    for (const PolytopeFactors& factors : polytope_pieces(set.intersect_params(here).gist_params(here))) {
      CountPolynomial product{sum.variables, {{std::vector<int>(sum.variables.size()), 1}}};
      for (const isl::basic_set& factor : factors) product *= PolytopePolynomial(aligned(factor, here)).over(here);
      sum += product;
    }
    return sum;
  });
}

Result<CountPolynomial> count_polynomial(const IslContext& context, const isl::set& set, i64 least) {
  std::string text, conditions;
  for (const std::string& name : parameter_names(set)) {
    text += (text.empty() ? "" : ", ") + name;
    conditions += (conditions.empty() ? "" : " and ") + name + " >= " + std::to_string(least);
  }
  return count_polynomial(
      context, set,
      isl::set(context.get(), "[" + text + "] -> { : " + (conditions.empty() ? "true" : conditions) + " }"));
}

}  // namespace heliolite
