// The most instances of a statement that K words admit, from families of walks.
#include "engine/program/bound/program_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/integers.h"
#include "engine/bounds/lp.h"

namespace heliolite {
namespace {

using BudgetVector = std::vector<double>;  // s, t, weights

// Weights of the barrier, and Newton steps for one of them; a handful is usual.
constexpr double kFirstBarrier = 1;
constexpr double kLastBarrier = 1e-9;
constexpr double kBarrierStep = 0.2;
constexpr int kMostNewtonSteps = 40;

// Rounding of the few dozen operations that make log U, and of the rows' sums.
constexpr double kBudgetRounding = 1e-11;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

class BudgetBarrier {
 public:
  BudgetBarrier(const BudgetShape& shape, double log_budget)
      : shape_(shape), log_budget_(log_budget), m_(shape.families()), l_(shape.extents.size()) {
    n_ = m_ + l_ + shape.cliques.size();
    for (const RankRow& row : shape.rows) {
      BudgetVector a(n_);
      for (std::size_t j = 0; j < m_; ++j) a[j] = row.image[j];
      for (std::size_t l = 0; l < l_; ++l) a[m_ + l] = contains(row.loops, l) ? 1 : 0;
      add_limit(std::move(a), -row.rank);
    }
    for (std::size_t i = 0; i < n_; ++i) {
      BudgetVector unit(n_);
      unit[i] = 1;
      add_limit(std::move(unit), 0);
    }
    BudgetVector all(n_);
    for (std::size_t c = m_ + l_; c < n_; ++c) all[c] = -1;
    add_limit(std::move(all), 1);
    x_.assign(n_, 1.5);
    for (std::size_t c = m_ + l_; c < n_; ++c) x_[c] = 0.9 / static_cast<double>(shape.cliques.size());
  }

  BudgetPoint solve() {
    for (double barrier = kFirstBarrier; barrier > kLastBarrier; barrier *= kBarrierStep)
      for (int i = 0; i < kMostNewtonSteps && newton_step(barrier); ++i) {
      }
    BudgetPoint point;
    point.s.assign(x_.begin(), x_.begin() + m_);
    point.t.assign(x_.begin() + m_, x_.begin() + (m_ + l_));
    point.weight.assign(x_.begin() + (m_ + l_), x_.end());
    return point;
  }

 private:
  void add_limit(BudgetVector row, double constant) {
    limits_.push_back(std::move(row));
    constants_.push_back(constant);
  }

  double slack(std::size_t i, const BudgetVector& x) const {
    double sum = constants_[i];
    for (std::size_t k = 0; k < n_; ++k) sum += limits_[i][k] * x[k];
    return sum;
  }

  BudgetVector share_of(const BudgetVector& x) const { return shares(shape_, {x.begin() + (m_ + l_), x.end()}); }

  double merit(const BudgetVector& x, double barrier) const {
    double value = 0;
    for (std::size_t i = 0; i < limits_.size(); ++i) {
      const double free = slack(i, x);
      if (!(free > 0)) return kInfinite;
      value -= barrier * std::log(free);
    }
    const BudgetVector share = share_of(x);
    double sum = 0;
    for (std::size_t j = 0; j < m_; ++j) {
      value += x[j] * (log_budget_ + std::log(x[j] * shape_.multiplicity[j] / share[j]));
      sum += x[j];
    }
    for (std::size_t l = 0; l < l_; ++l) value += x[m_ + l] * std::log(shape_.extents[l]);
    return value - sum * std::log(sum);
  }

  void derivatives(double barrier, BudgetVector& gradient, std::vector<BudgetVector>& hessian) const {
    const BudgetVector share = share_of(x_);
    double sum = 0;
    for (std::size_t j = 0; j < m_; ++j) sum += x_[j];
    for (std::size_t j = 0; j < m_; ++j) {
      gradient[j] = log_budget_ + std::log(x_[j] * shape_.multiplicity[j] / share[j] / sum);
      hessian[j][j] += 1 / x_[j];
      for (std::size_t k = 0; k < m_; ++k) hessian[j][k] -= 1 / sum;
    }
    for (std::size_t l = 0; l < l_; ++l) gradient[m_ + l] = std::log(shape_.extents[l]);
    for (std::size_t c = 0; c < shape_.cliques.size(); ++c)
      for (const std::size_t j : shape_.cliques[c]) {
        const std::size_t at = m_ + l_ + c;
        gradient[at] -= x_[j] / share[j];
        hessian[at][j] -= 1 / share[j];
        hessian[j][at] -= 1 / share[j];
        for (std::size_t d = 0; d < shape_.cliques.size(); ++d)
          if (std::ranges::count(shape_.cliques[d], j) > 0) hessian[at][m_ + l_ + d] += x_[j] / (share[j] * share[j]);
      }
    for (std::size_t i = 0; i < limits_.size(); ++i) {
      const double scale = 1 / slack(i, x_);
      for (std::size_t k = 0; k < n_; ++k) {
        if (limits_[i][k] == 0) continue;
        gradient[k] -= barrier * scale * limits_[i][k];
        for (std::size_t r = 0; r < n_; ++r) hessian[k][r] += barrier * scale * scale * limits_[i][k] * limits_[i][r];
      }
    }
  }

  // False when it is done, or as far as roundings let it.
  bool newton_step(double barrier) {
    BudgetVector gradient(n_);
    std::vector<BudgetVector> hessian(n_, BudgetVector(n_));
    derivatives(barrier, gradient, hessian);
    BudgetVector step = gradient;
    if (!solve_positive(hessian, step, n_)) return false;
    double decrement = 0;
    for (std::size_t k = 0; k < n_; ++k) decrement += gradient[k] * step[k];
    if (decrement < 1e-4 * barrier) return false;
    const double before = merit(x_, barrier);
    for (double length = 1; length > 1e-8; length /= 2) {
      BudgetVector next = x_;
      for (std::size_t k = 0; k < n_; ++k) next[k] -= length * step[k];
      if (!(merit(next, barrier) <= before - 0.1 * length * decrement)) continue;
      x_ = std::move(next);
      return true;
    }
    return false;
  }

  const BudgetShape& shape_;
  double log_budget_;
  std::size_t m_, l_, n_ = 0;
  std::vector<BudgetVector> limits_;  // limit * x + constant > 0
  std::vector<double> constants_;
  BudgetVector x_;
};

}  // namespace

std::vector<double> shares(const BudgetShape& shape, const std::vector<double>& weight) {
  std::vector<double> share(shape.families());
  for (std::size_t c = 0; c < shape.cliques.size(); ++c)
    for (const std::size_t j : shape.cliques[c]) share[j] += weight[c];
  return share;
}

BudgetPoint best_budget_point(const BudgetShape& shape, double log_budget) {
  return BudgetBarrier(shape, log_budget).solve();
}

BudgetGrowth budget_growth(const BudgetShape& shape, const BudgetPoint& point) {
  double missing = 1;
  for (const RankRow& row : shape.rows) {
    double met = 0;
    for (std::size_t j = 0; j < point.s.size(); ++j) met += row.image[j] * point.s[j];
    for (std::size_t l = 0; l < point.t.size(); ++l)
      if (contains(row.loops, l)) met += point.t[l];
    missing = std::max(missing, met > 0 ? row.rank / met : kInfinite);
  }
  if (!std::isfinite(missing)) return {kInfinite, 1};
  const double up = missing * (1 + kBudgetRounding);
  double all = 0;
  for (const double w : point.weight) all += w;
  const std::vector<double> share = shares(shape, point.weight);
  BudgetGrowth growth;
  for (std::size_t j = 0; j < point.s.size(); ++j) {
    const double s = point.s[j] * up;
    if (s <= 0) continue;
    growth.scale += s * std::log(s * shape.multiplicity[j] * all / share[j]);
    growth.exponent += s;
  }
  if (growth.exponent > 0) growth.scale -= growth.exponent * std::log(growth.exponent);
  for (std::size_t l = 0; l < point.t.size(); ++l) growth.scale += point.t[l] * up * std::log(shape.extents[l]);
  growth.scale += kBudgetRounding * (1 + std::abs(growth.scale));
  return growth;
}

}  // namespace heliolite
