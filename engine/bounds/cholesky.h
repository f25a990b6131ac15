#pragma once
// Symmetric positive definite systems of linear equations.
#include <cmath>
#include <cstddef>

namespace heliolite {

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
