#pragma once
// Linear subspaces of Q^d, in exact numbers: the subgroups that the HBL inequality has to be tested on, and the
// lattice they generate under sum and intersection.
#include <bitset>
#include <optional>
#include <vector>

#include "engine/base/types.h"

// gcc 12 suspects the small-number buffer of cpp_int once it is inlined.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <boost/multiprecision/cpp_int.hpp>
#pragma GCC diagnostic pop

namespace heliolite {

using Rational = boost::multiprecision::cpp_rational;
using RationalMatrix = std::vector<std::vector<Rational>>;  // rows

// Polyhedral cones by the double description method (Motzkin et al., 1953): constraints and extreme rays side by side.

// At most this many constraints, those of the orthant included.
inline constexpr std::size_t kMostConeConstraints = 192;

// An extreme ray of a cone, and the constraints it lies on.
struct ConeRay {
  std::vector<i64> x;  // without common divisor
  std::bitset<kMostConeConstraints> tight;
};

// The cone of all x >= 0, cut by one constraint after the other. Constraints are numbered as they come; the first ones
// are the coordinates themselves.
class Cone {
 public:
  static constexpr std::size_t kMostConstraints = kMostConeConstraints;

  explicit Cone(std::size_t dimension);

  const std::vector<ConeRay>& rays() const { return rays_; }
  const std::vector<std::vector<i64>>& constraints() const { return constraints_; }

  // Keeps a.x >= 0.
  void cut(const std::vector<i64>& a);

 private:
  bool adjacent(std::size_t p, std::size_t n) const;
  ConeRay between(const ConeRay& p, i64 above, const ConeRay& n, i64 below) const;

  std::vector<ConeRay> rays_;
  std::vector<std::vector<i64>> constraints_;
};

i64 dot(const std::vector<i64>& a, const std::vector<i64>& b);

// A subspace of Q^ambient.
class Subspace {
 public:
  explicit Subspace(int ambient) : ambient_(ambient) {}  // {0}
  static Subspace whole(int ambient);
  static Subspace span(int ambient, RationalMatrix vectors);
  static Subspace kernel(int ambient, RationalMatrix rows);  // {x : rows x = 0}

  int ambient() const { return ambient_; }
  int dimension() const { return static_cast<int>(basis_.size()); }
  const RationalMatrix& basis() const { return basis_; }  // reduced row echelon form
  Subspace complement() const;                            // the orthogonal complement
  // Dimension of this subspace's image under a linear map with the kernel `kernel`.
  int image_dimension(const Subspace& kernel) const;
  bool contains(const Subspace& other) const;

  friend Subspace operator+(const Subspace& a, const Subspace& b);  // sum
  friend Subspace operator&(const Subspace& a, const Subspace& b);  // intersection
  friend bool operator==(const Subspace& a, const Subspace& b) {
    return a.ambient_ == b.ambient_ && a.basis_ == b.basis_;
  }
  friend bool operator<(const Subspace& a, const Subspace& b) {
    return a.ambient_ != b.ambient_ ? a.ambient_ < b.ambient_ : a.basis_ < b.basis_;
  }

 private:
  int ambient_;
  RationalMatrix basis_;  // reduced row echelon form: equal subspaces have equal bases
};

// All subspaces that sums and intersections make of the generators and {0}, in no meaningful order. Such a lattice may
// be infinite: nothing when it has more than `most` elements.
std::optional<std::vector<Subspace>> lattice_of(int ambient, const std::vector<Subspace>& generators,
                                                std::size_t most = 32);

}  // namespace heliolite
