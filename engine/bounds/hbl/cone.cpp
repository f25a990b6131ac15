#include "engine/bounds/hbl/cone.h"

#include <numeric>

namespace heliolite {

i64 dot(const std::vector<i64>& a, const std::vector<i64>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), i64{0});
}

Cone::Cone(std::size_t dimension) {
  for (std::size_t i = 0; i < dimension; ++i) {
    ConeRay ray{std::vector<i64>(dimension), {}};
    ray.x[i] = 1;
    constraints_.push_back(ray.x);
    for (std::size_t k = 0; k < dimension; ++k) ray.tight.set(k, k != i);
    rays_.push_back(std::move(ray));
  }
}

void Cone::cut(const std::vector<i64>& a) {
  std::vector<ConeRay> kept;
  std::vector<std::size_t> above, below;
  std::vector<i64> value(rays_.size());
  for (std::size_t r = 0; r < rays_.size(); ++r) {
    value[r] = dot(a, rays_[r].x);
    if (value[r] > 0) above.push_back(r);
    if (value[r] < 0) below.push_back(r);
    if (value[r] >= 0) {
      kept.push_back(rays_[r]);
      kept.back().tight.set(constraints_.size(), value[r] == 0);
    }
  }
  for (const std::size_t p : above)
    for (const std::size_t n : below)
      if (adjacent(p, n)) kept.push_back(between(rays_[p], value[p], rays_[n], value[n]));
  rays_ = std::move(kept);
  constraints_.push_back(a);
}

// Whether the two span a face: no third ray lies on all the constraints that both lie on. Those are at least as many
// as the dimension without 2.
bool Cone::adjacent(std::size_t p, std::size_t n) const {
  const auto common = rays_[p].tight & rays_[n].tight;
  if (common.count() + 2 < rays_[p].x.size()) return false;
  for (std::size_t r = 0; r < rays_.size(); ++r)
    if (r != p && r != n && (common & ~rays_[r].tight).none()) return false;
  return true;
}

ConeRay Cone::between(const ConeRay& p, i64 above, const ConeRay& n, i64 below) const {
  ConeRay ray{std::vector<i64>(p.x.size()), p.tight & n.tight};
  i64 divisor = 0;
  for (std::size_t i = 0; i < p.x.size(); ++i) {
    ray.x[i] = above * n.x[i] - below * p.x[i];
    divisor = std::gcd(divisor, ray.x[i]);
  }
  for (i64& x : ray.x) x /= divisor;
  ray.tight.set(constraints_.size());
  return ray;
}

}  // namespace heliolite
