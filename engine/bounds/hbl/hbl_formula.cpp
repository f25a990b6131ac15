#include "engine/bounds/hbl/hbl_formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <cmath>
#include <numeric>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

constexpr std::size_t kMostRays = 300;
constexpr std::size_t kMostConstraints = 192;

// A ray of the cone over the polyhedron, and the constraints it lies on.
struct Ray {
  std::vector<i64> x;  // without common divisor
  std::bitset<kMostConstraints> tight;
};

i64 product(const std::vector<i64>& a, const std::vector<i64>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), i64{0});
}

// The double description method: the cone of all x >= 0, cut by one constraint after the other.
class Cone {
 public:
  explicit Cone(std::size_t dimension) : constraints_(dimension) {
    for (std::size_t i = 0; i < dimension; ++i) {
      Ray ray{std::vector<i64>(dimension), {}};
      ray.x[i] = 1;
      for (std::size_t k = 0; k < dimension; ++k) ray.tight.set(k, k != i);
      rays_.push_back(std::move(ray));
    }
  }

  const std::vector<Ray>& rays() const { return rays_; }

  // Keeps a.x >= 0. False when the rays became too many.
  bool cut(const std::vector<i64>& a) {
    std::vector<Ray> kept;
    std::vector<std::size_t> above, below;
    std::vector<i64> value(rays_.size());
    for (std::size_t r = 0; r < rays_.size(); ++r) {
      value[r] = product(a, rays_[r].x);
      if (value[r] > 0) above.push_back(r);
      if (value[r] < 0) below.push_back(r);
      if (value[r] >= 0) {
        kept.push_back(rays_[r]);
        kept.back().tight.set(constraints_, value[r] == 0);
      }
    }
    for (const std::size_t p : above)
      for (const std::size_t n : below)
        if (adjacent(p, n)) kept.push_back(between(rays_[p], value[p], rays_[n], value[n]));
    rays_ = std::move(kept);
    ++constraints_;
    return rays_.size() <= kMostRays;
  }

 private:
  // Whether the two span a face: no third ray lies on all the constraints that both lie on.
  bool adjacent(std::size_t p, std::size_t n) const {
    const auto common = rays_[p].tight & rays_[n].tight;
    for (std::size_t r = 0; r < rays_.size(); ++r)
      if (r != p && r != n && (common & ~rays_[r].tight).none()) return false;
    return true;
  }
  Ray between(const Ray& p, i64 above, const Ray& n, i64 below) const {
    Ray ray{std::vector<i64>(p.x.size()), p.tight & n.tight};
    i64 divisor = 0;
    for (std::size_t i = 0; i < p.x.size(); ++i) {
      ray.x[i] = above * n.x[i] - below * p.x[i];
      divisor = std::gcd(divisor, ray.x[i]);
    }
    for (i64& x : ray.x) x /= divisor;
    ray.tight.set(constraints_);
    return ray;
  }

  std::vector<Ray> rays_;
  std::size_t constraints_;
};

// Loops that stand in the same rows have the same exponent: class of each loop.
std::vector<std::size_t> loop_classes(std::span<const RankRow> rows, std::size_t loops, std::size_t& count) {
  std::vector<std::vector<bool>> known;
  std::vector<std::size_t> of(loops);
  for (std::size_t l = 0; l < loops; ++l) {
    std::vector<bool> in;
    for (const RankRow& row : rows) in.push_back(contains(row.loops, l));
    const auto at = std::find(known.begin(), known.end(), in);
    of[l] = static_cast<std::size_t>(at - known.begin());
    if (at == known.end()) known.push_back(std::move(in));
  }
  count = known.size();
  return of;
}

bool at_most(const HblTerm& a, const HblTerm& b) {
  if (a.k > b.k) return false;
  for (std::size_t l = 0; l < a.t.size(); ++l)
    if (a.t[l] > b.t[l]) return false;
  return true;
}

std::vector<HblTerm> without_dominated(const std::vector<HblTerm>& all) {
  std::vector<HblTerm> terms;
  for (std::size_t i = 0; i < all.size(); ++i) {
    bool needed = true;
    for (std::size_t k = 0; k < all.size() && needed; ++k)
      if (k != i && at_most(all[k], all[i]) && (k < i || !(all[i] == all[k]))) needed = false;
    if (needed) terms.push_back(all[i]);
  }
  std::sort(terms.begin(), terms.end(), [](const HblTerm& a, const HblTerm& b) {
    return a.k != b.k ? a.k > b.k : std::lexicographical_compare(b.t.begin(), b.t.end(), a.t.begin(), a.t.end());
  });
  return terms;
}

// name^power, power > 0.
std::string power_text(const std::string& name, const Rational& power) {
  if (power == 1) return name;
  return denominator(power) == 1 ? fmt::format("{}^{}", name, power.str()) : fmt::format("{}^({})", name, power.str());
}

std::string term_text(const HblTerm& term, const AccessNest& nest) {
  std::vector<std::string> over, under;
  const auto factor = [&](const std::string& name, const Rational& power) {
    if (power > 0) over.push_back(power_text(name, power));
    if (power < 0) under.push_back(power_text(name, -power));
  };
  for (std::size_t l = 0; l < nest.loops.size(); ++l) {
    const std::string& name = nest.loops[l].name;
    // R' R'' is R, up to the rounding of R'.
    const bool whole = l + 1 < nest.loops.size() && nest.loops[l + 1].name == name + "'" && term.t[l + 1] == term.t[l];
    factor(whole ? name.substr(0, name.size() - 1) : name, 1 - term.t[l]);
    if (whole) ++l;
  }
  factor("capacity", 1 - term.k);
  std::string text = over.empty() ? "1" : fmt::format("{}", fmt::join(over, "*"));
  for (const std::string& u : under) text += "/" + u;
  return text;
}

}  // namespace

std::optional<std::vector<HblTerm>> hbl_terms(const AccessNest& nest, std::span<const RankRow> rows) {
  const std::size_t arrays = nest.accesses.size();
  std::size_t classes = 0;
  const std::vector<std::size_t> class_of = loop_classes(rows, nest.loops.size(), classes);
  const std::size_t unknowns = arrays + classes;
  if (unknowns + 1 + rows.size() > kMostConstraints) return std::nullopt;
  Cone cone(unknowns + 1);  // the last coordinate makes the rows homogeneous
  for (const RankRow& row : rows) {
    std::vector<i64> a(unknowns + 1);
    for (std::size_t j = 0; j < arrays; ++j) a[j] = row.image[j];
    for (std::size_t l = 0; l < class_of.size(); ++l)
      if (contains(row.loops, l)) a[arrays + class_of[l]] = 1;
    a.back() = -row.rank;
    if (!cone.cut(a)) return std::nullopt;
  }
  std::vector<HblTerm> terms;
  for (const Ray& ray : cone.rays()) {
    const i64 scale = ray.x.back();
    if (scale == 0) continue;
    HblTerm term;
    for (std::size_t j = 0; j < arrays; ++j) term.k += Rational(ray.x[j], scale);
    for (const std::size_t c : class_of) term.t.emplace_back(ray.x[arrays + c], scale);
    terms.push_back(std::move(term));
  }
  return without_dominated(terms);
}

double exponent_at(std::span<const HblTerm> terms, const AccessNest& nest, double capacity) {
  double least = std::numeric_limits<double>::infinity();
  for (const HblTerm& term : terms) {
    double k = static_cast<double>(term.k);
    for (std::size_t l = 0; l < term.t.size(); ++l)
      k += static_cast<double>(term.t[l]) * std::log(nest.loops[l].size) / std::log(capacity);
    least = std::min(least, k);
  }
  return least;
}

std::string traffic_formula(std::span<const HblTerm> terms, const AccessNest& nest) {
  std::vector<std::string> texts;
  for (const HblTerm& term : terms)
    if (term.k > 0) texts.push_back(term_text(term, nest));
  if (texts.empty()) return "1";  // no loops
  if (texts.size() == 1) return texts.front();
  return fmt::format("max({})", fmt::join(texts, ", "));
}

}  // namespace heliolite
