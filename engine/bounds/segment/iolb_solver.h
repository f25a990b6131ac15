#pragma once
// The most iterations that arrays of K words together admit, from the HBL inequality with the best exponents:
//   U(K) = min over valid (s, t) of (K / S)^S * prod_j (s_j / word_size_j)^s_j * prod_l size_l^t_l,   S = sum of s,
// where s_j in the parentheses is the sum over all accesses of j's array.
// Its logarithm is convex in (s, t); a barrier method finds the minimum. Any valid (s, t) bounds the iterations, so how
// near the minimum it ends is a matter of sharpness only. Proof: docs/rules/bounds_iolb.md.
#include <array>
#include <span>
#include <vector>

#include "engine/bounds/hbl/hbl_exponent.h"

namespace heliolite {

// log U = `log_most` at `budget`; U at another budget K' is at most U * (K' / budget)^exponent with the same (s, t).
struct IterationLimit {
  double budget = 0;
  double log_most = 0;  // rounded up
  double exponent = 0;  // S
};

// Computes U(K) for one nest and its rank rows.
class IterationLimiter {
 public:
  IterationLimiter(const AccessNest& nest, std::span<const RankRow> rows);

  // `budget` > 0 words. Successive calls should ask for budgets near each other: each starts where the last one was.
  IterationLimit operator()(double budget);
  // The limit with the exponents s and t of arrays and loops. They need not be valid: they are scaled up until they
  // are.
  IterationLimit with_exponents(std::span<const double> s, std::span<const double> t, double budget) const;

  std::span<const double> s() const { return std::span(x_).first(arrays_); }
  std::span<const double> t() const { return std::span(x_).subspan(arrays_, loops_); }

 private:
  static constexpr std::size_t kMostUnknowns = kMaxTensors + kMaxAccessLoops;
  using Vector = std::array<double, kMostUnknowns>;
  using Matrix = std::array<Vector, kMostUnknowns>;

  struct Row {
    double rank;
    Vector coefficient;
    std::vector<std::size_t> support;
  };

  double objective(const Vector& x, double log_budget) const;
  double slack(const Row& row, const Vector& x) const;
  void newton_system(double log_budget, double weight, Vector& gradient, Matrix& hessian) const;
  double merit(const Vector& x, double log_budget, double weight) const;
  bool newton_step(double log_budget, double weight);
  void minimize(double log_budget, double weight);

  std::size_t arrays_, loops_, unknowns_;
  Vector by_array(const Vector& x) const;  // by access: the sum over all accesses of its array

  std::vector<double> log_word_size_, log_size_;
  std::vector<std::size_t> array_;  // by access: the first access of its array
  std::vector<Row> rows_;
  Vector x_{};        // (s, t), strictly inside
  Vector central_{};  // where the barrier is heavy: a good start for another budget
};

}  // namespace heliolite
