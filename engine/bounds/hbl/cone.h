#pragma once
// Polyhedral cones by the double description method (Motzkin et al., 1953): constraints and extreme rays side by side.
#include <bitset>
#include <vector>

#include "engine/base/types.h"

namespace heliolite {

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

}  // namespace heliolite
