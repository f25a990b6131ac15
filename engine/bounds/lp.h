#pragma once
// Small dense linear programs whose origin is feasible: maximise c.x subject to rows x <= right, x >= 0, right >= 0.
// Number is Rational (exact) or double. Bland's rule: no cycling, and the same vertex everywhere. Minima with c >= 0
// are read from the dual of such a program.
#include <cmath>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace heliolite {

template <class Number>
class Simplex {
 public:
  using Vector = std::vector<Number>;

  // rows[i] x <= right[i] for all i; every row has one coefficient for each variable, and right[i] >= 0.
  Simplex(std::vector<Vector> rows, Vector right) : table_(std::move(rows)) {
    variables_ = table_.empty() ? 0 : table_.front().size();
    const std::size_t m = table_.size();
    for (std::size_t i = 0; i < m; ++i) {
      table_[i].resize(variables_ + m + 1);
      table_[i][variables_ + i] = 1;  // slack
      table_[i].back() = std::move(right[i]);
      basis_.push_back(variables_ + i);
    }
    allowed_.assign(variables_ + m, true);
  }

  // Maximises objective * x, starting at the vertex where the last call ended. Returns false if there is no finite
  // maximum.
  bool maximize(const Vector& objective) {
    reduced_.assign(allowed_.size() + 1, Number(0));
    for (std::size_t j = 0; j < objective.size(); ++j) reduced_[j] = objective[j];
    for (std::size_t i = 0; i < table_.size(); ++i)
      if (basis_[i] < objective.size()) subtract(reduced_, table_[i], objective[basis_[i]]);
    while (const auto entering = improving()) {
      const auto leaving = tightest(*entering);
      if (!leaving) return false;
      pivot(*leaving, *entering);
    }
    return true;
  }

  // From now on maximize() maximises among the optima of the last call only.
  void stay_optimal() {
    for (std::size_t j = 0; j < allowed_.size(); ++j)
      if (below_zero(reduced_[j])) allowed_[j] = false;
  }

  // The last maximum, and where it is reached: one number for each variable.
  Number value() const { return -reduced_.back(); }

  Vector solution() const {
    Vector x(variables_);
    for (std::size_t i = 0; i < basis_.size(); ++i)
      if (basis_[i] < variables_) x[basis_[i]] = table_[i].back();
    return x;
  }

  // [variable][row]: what the variable gains with a unit of the row's right-hand side while the basis stays.
  std::vector<Vector> response() const {
    std::vector<Vector> gain(variables_, Vector(table_.size()));
    for (std::size_t i = 0; i < basis_.size(); ++i)
      if (basis_[i] < variables_)
        for (std::size_t r = 0; r < table_.size(); ++r) gain[basis_[i]][r] = table_[i][variables_ + r];
    return gain;
  }

  // The dual solution: one multiplier >= 0 for each row; their product with `right` is value().
  Vector dual() const {
    Vector y;
    for (std::size_t i = 0; i < table_.size(); ++i) y.push_back(-reduced_[variables_ + i]);
    return y;
  }

 private:
  // What doubles may be off by after a few pivots on numbers of this size.
  static bool above_zero(const Number& x) {
    if constexpr (std::is_floating_point_v<Number>) return x > 1e-11;
    return x > 0;
  }
  static bool below_zero(const Number& x) { return above_zero(-x); }

  static void subtract(Vector& row, const Vector& other, Number factor) {
    for (std::size_t k = 0; k < row.size(); ++k)
      if (other[k] != 0) row[k] -= factor * other[k];
  }

  std::optional<std::size_t> improving() const {
    for (std::size_t j = 0; j < allowed_.size(); ++j)
      if (allowed_[j] && above_zero(reduced_[j])) return j;
    return std::nullopt;
  }

  // The row that limits the entering variable most; of several, that of the first variable.
  std::optional<std::size_t> tightest(std::size_t column) const {
    std::optional<std::size_t> best;
    Number least = 0;
    for (std::size_t i = 0; i < table_.size(); ++i) {
      if (!above_zero(table_[i][column])) continue;
      const Number ratio = table_[i].back() / table_[i][column];
      if (!best || ratio < least || (ratio == least && basis_[i] < basis_[*best])) {
        best = i;
        least = ratio;
      }
    }
    return best;
  }

  void pivot(std::size_t row, std::size_t column) {
    const Number scale = table_[row][column];
    for (Number& x : table_[row]) x /= scale;
    for (std::size_t i = 0; i < table_.size(); ++i)
      if (i != row && table_[i][column] != 0) subtract(table_[i], table_[row], table_[i][column]);
    subtract(reduced_, table_[row], reduced_[column]);
    basis_[row] = column;
  }

  std::vector<Vector> table_;  // variables, slacks, right-hand side
  Vector reduced_;             // reduced costs, minus the value
  std::vector<std::size_t> basis_;
  std::vector<bool> allowed_;  // to enter
  std::size_t variables_ = 0;
};

// Symmetric positive definite systems of linear equations.

// x = matrix^-1 x for the first n unknowns, by Cholesky. Only the lower triangle is read, and overwritten. False if the
// matrix is not positive definite.
template <class Matrix, class Vector>
bool solve_positive(Matrix& m, Vector& x, std::size_t n) {
  Vector inverse = x;  // of the diagonal
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = m[i][j];
      for (std::size_t k = 0; k < j; ++k) sum -= m[i][k] * m[j][k];
      if (i != j) {
        m[i][j] = sum * inverse[j];
      } else if (sum > 0) {
        inverse[i] = 1 / std::sqrt(sum);
      } else {
        return false;
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= m[i][k] * x[k];
    x[i] *= inverse[i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) x[i] -= m[k][i] * x[k];
    x[i] *= inverse[i];
  }
  return true;
}

}  // namespace heliolite
