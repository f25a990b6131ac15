#include "engine/bounds/hbl/hbl_subspace.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "engine/base/integers.h"

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

namespace {

// Gauss-Jordan; rows that vanish are dropped.
RationalMatrix reduced_echelon(int columns, RationalMatrix rows) {
  std::size_t rank = 0;
  for (int c = 0; c < columns && rank < rows.size(); ++c) {
    const auto column = at(c);
    const auto pivot = std::find_if(rows.begin() + rank, rows.end(), [&](const auto& row) { return row[column] != 0; });
    if (pivot == rows.end()) continue;
    std::iter_swap(rows.begin() + rank, pivot);
    const Rational scale = rows[rank][column];
    for (Rational& x : rows[rank]) x /= scale;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (r == rank || rows[r][column] == 0) continue;
      const Rational factor = rows[r][column];
      for (std::size_t k = 0; k < rows[r].size(); ++k) rows[r][k] -= factor * rows[rank][k];
    }
    ++rank;
  }
  rows.resize(rank);
  return rows;
}

}  // namespace

Subspace Subspace::whole(int ambient) { return Subspace(ambient).complement(); }

Subspace Subspace::span(int ambient, RationalMatrix vectors) {
  Subspace s(ambient);
  s.basis_ = reduced_echelon(ambient, std::move(vectors));
  return s;
}

Subspace Subspace::kernel(int ambient, RationalMatrix rows) { return span(ambient, std::move(rows)).complement(); }

Subspace Subspace::complement() const {
  // The basis is [I P] up to the order of columns; the complement's is [-P' I].
  const auto n = at(ambient_);
  std::vector<std::size_t> pivots;
  for (const auto& row : basis_)
    pivots.push_back(at(std::find_if(row.begin(), row.end(), [](const Rational& x) { return x != 0; }) - row.begin()));
  RationalMatrix rows;
  for (std::size_t free = 0; free < n; ++free) {
    if (std::find(pivots.begin(), pivots.end(), free) != pivots.end()) continue;
    std::vector<Rational> row(n);
    row[free] = 1;
    for (std::size_t r = 0; r < basis_.size(); ++r) row[pivots[r]] = -basis_[r][free];
    rows.push_back(std::move(row));
  }
  return span(ambient_, std::move(rows));
}

int Subspace::image_dimension(const Subspace& kernel) const { return dimension() - (*this & kernel).dimension(); }

bool Subspace::contains(const Subspace& other) const { return (*this + other).dimension() == dimension(); }

Subspace operator+(const Subspace& a, const Subspace& b) {
  RationalMatrix rows = a.basis_;
  rows.insert(rows.end(), b.basis_.begin(), b.basis_.end());
  return Subspace::span(a.ambient_, std::move(rows));
}

Subspace operator&(const Subspace& a, const Subspace& b) { return (a.complement() + b.complement()).complement(); }

std::optional<std::vector<Subspace>> lattice_of(int ambient, const std::vector<Subspace>& generators,
                                                std::size_t most) {
  std::vector<Subspace> elements;
  std::set<Subspace> known;
  const auto add = [&](const Subspace& s) {
    if (known.insert(s).second) elements.push_back(s);
  };
  add(Subspace(ambient));
  for (const Subspace& g : generators) add(g);
  const auto trivial = [&](const Subspace& s) { return s.dimension() == 0 || s.dimension() == ambient; };
  for (std::size_t i = 1; i < elements.size(); ++i) {
    for (std::size_t j = 1; j < i; ++j) {
      if (trivial(elements[i]) || trivial(elements[j])) continue;
      // Copies: add() may move the elements.
      const Subspace a = elements[i], b = elements[j];
      add(a + b);
      add(a & b);
      if (elements.size() > most) return std::nullopt;
    }
  }
  return elements;
}

}  // namespace heliolite
