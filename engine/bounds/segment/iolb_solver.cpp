// The most iterations that arrays of K words together admit, by a barrier method.
#include "engine/bounds/segment/iolb_segment.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/integers.h"
#include "engine/bounds/lp.h"

namespace heliolite {
namespace {

// Weights of the barrier: where solves for other budgets start, and where they end.
constexpr double kCentralWeight = 1e-1;
constexpr double kLastWeight = 1e-8;
constexpr double kWeightStep = 0.1;
constexpr int kMostSteps = 30;  // for one weight; a handful is usual

// Rounding of the few dozen operations that make log U, and of the rows' sums.
constexpr double kRoundUp = 1e-11;

// Sum of logarithms of positive numbers that are neither tiny nor huge; minus infinity once one is not positive.
class LogSum {
 public:
  void add(double x) {
    if (x <= 0) sum_ = -std::numeric_limits<double>::infinity();
    product_ *= x;
    if (++count_ % 8 == 0) flush();
  }
  double value() {
    flush();
    return sum_;
  }

 private:
  void flush() {
    if (std::isfinite(sum_)) sum_ += std::log(product_);
    product_ = 1;
  }
  double sum_ = 0, product_ = 1;
  int count_ = 0;
};

}  // namespace

IterationLimiter::IterationLimiter(const AccessNest& nest, std::span<const RankRow> rows)
    : arrays_(nest.accesses.size()), loops_(nest.loops.size()), unknowns_(arrays_ + loops_) {
  for (const Access& access : nest.accesses) log_word_size_.push_back(std::log(access.word_size));
  for (std::size_t j = 0; j < arrays_; ++j) {
    const int same = nest.accesses[j].same_array;
    std::size_t first = 0;
    while (first < j && (same < 0 || nest.accesses[first].same_array != same)) ++first;
    array_.push_back(first);
  }
  for (const AccessLoop& loop : nest.loops) log_size_.push_back(std::log(loop.size));
  for (const RankRow& row : rows) {
    Row out{static_cast<double>(row.rank), {}, {}};
    for (std::size_t j = 0; j < arrays_; ++j) out.coefficient[j] = row.image[j];
    for (std::size_t l = 0; l < loops_; ++l) out.coefficient[arrays_ + l] = static_cast<double>(contains(row.loops, l));
    for (std::size_t i = 0; i < unknowns_; ++i)
      if (out.coefficient[i] != 0) out.support.push_back(i);
    rows_.push_back(std::move(out));
  }
  // Projections to single loops satisfy every row, with something to spare.
  for (std::size_t i = 0; i < unknowns_; ++i) x_[i] = i < arrays_ ? 0.5 : 1.5;
  central_ = x_;
}

IterationLimit IterationLimiter::operator()(double budget) {
  const double log_budget = std::log(budget);
  x_ = central_;
  minimize(log_budget, kCentralWeight);
  central_ = x_;
  for (double weight = kCentralWeight * kWeightStep; weight > kLastWeight * 0.99; weight *= kWeightStep)
    minimize(log_budget, weight);
  return with_exponents(s(), t(), budget);
}

IterationLimit IterationLimiter::with_exponents(std::span<const double> s, std::span<const double> t,
                                                double budget) const {
  Vector x{};
  std::copy(s.begin(), s.end(), x.begin());
  std::copy(t.begin(), t.end(), x.begin() + static_cast<std::ptrdiff_t>(arrays_));
  double missing = 1;
  for (const Row& row : rows_) missing = std::max(missing, row.rank / (slack(row, x) + row.rank));
  double exponent = 0;
  for (std::size_t i = 0; i < unknowns_; ++i) {
    x[i] *= missing * (1 + kRoundUp);
    if (i < arrays_) exponent += x[i];
  }
  const double log_most = objective(x, std::log(budget));
  // One iteration is always possible.
  return {budget, std::max(0.0, log_most + kRoundUp * (1 + std::abs(log_most))), exponent};
}

IterationLimiter::Vector IterationLimiter::by_array(const Vector& x) const {
  Vector sums{};
  for (std::size_t j = 0; j < arrays_; ++j) sums[array_[j]] += x[j];
  for (std::size_t j = 0; j < arrays_; ++j) sums[j] = sums[array_[j]];
  return sums;
}

double IterationLimiter::objective(const Vector& x, double log_budget) const {
  const Vector array = by_array(x);
  double value = 0, sum = 0;
  for (std::size_t j = 0; j < arrays_; ++j) {
    sum += x[j];
    if (x[j] > 0) value += x[j] * (log_budget + std::log(array[j]) - log_word_size_[j]);
  }
  if (sum > 0) value -= sum * std::log(sum);
  for (std::size_t l = 0; l < loops_; ++l) value += x[arrays_ + l] * log_size_[l];
  return value;
}

double IterationLimiter::slack(const Row& row, const Vector& x) const {
  double sum = -row.rank;
  for (const std::size_t i : row.support) sum += row.coefficient[i] * x[i];
  return sum;
}

// Derivatives of objective - weight * (sum of the logarithms of all slacks and unknowns). The gradient's sign is
// turned; the lower triangle of the Hessian is filled.
void IterationLimiter::newton_system(double log_budget, double weight, Vector& gradient, Matrix& hessian) const {
  const Vector array = by_array(x_);
  double sum = 0;
  for (std::size_t j = 0; j < arrays_; ++j) sum += x_[j];
  for (std::size_t i = 0; i < unknowns_; ++i) {
    std::fill_n(hessian[i].begin(), i + 1, 0.0);
    const double slope =
        i < arrays_ ? log_budget + std::log(array[i] / sum) - log_word_size_[i] : log_size_[i - arrays_];
    gradient[i] = weight / x_[i] - slope;
    hessian[i][i] = weight / (x_[i] * x_[i]);
    if (i >= arrays_) continue;
    for (std::size_t k = 0; k <= i; ++k) hessian[i][k] += (array_[k] == array_[i] ? 1 / array[i] : 0) - 1 / sum;
  }
  for (const Row& row : rows_) {
    const double room = slack(row, x_), pull = weight / (room * room);
    for (const std::size_t i : row.support) {
      gradient[i] += weight / room * row.coefficient[i];
      for (const std::size_t k : row.support) {
        if (k > i) break;
        hessian[i][k] += pull * row.coefficient[i] * row.coefficient[k];
      }
    }
  }
}

// What is minimised for one weight of the barrier; infinite outside.
double IterationLimiter::merit(const Vector& x, double log_budget, double weight) const {
  LogSum walls;
  for (std::size_t i = 0; i < unknowns_; ++i) walls.add(x[i]);
  for (const Row& row : rows_) walls.add(slack(row, x));
  const double room = walls.value();
  return std::isfinite(room) ? objective(x, log_budget) - weight * room : std::numeric_limits<double>::infinity();
}

// False when the minimum for this weight is reached.
bool IterationLimiter::newton_step(double log_budget, double weight) {
  Vector gradient;
  Matrix hessian;
  newton_system(log_budget, weight, gradient, hessian);
  Vector step = gradient;
  if (!solve_positive(hessian, step, unknowns_)) return false;
  double decrement = 0;
  for (std::size_t i = 0; i < unknowns_; ++i) decrement += gradient[i] * step[i];
  if (decrement < 1e-3 * weight) return false;
  const double before = merit(x_, log_budget, weight);
  for (double length = 1; length > 1e-6; length /= 2) {
    Vector next = x_;
    for (std::size_t i = 0; i < unknowns_; ++i) next[i] += length * step[i];
    if (merit(next, log_budget, weight) > before - 0.1 * length * decrement) continue;
    x_ = next;
    return true;
  }
  return false;
}

void IterationLimiter::minimize(double log_budget, double weight) {
  for (int i = 0; i < kMostSteps && newton_step(log_budget, weight); ++i) {
  }
}

}  // namespace heliolite
