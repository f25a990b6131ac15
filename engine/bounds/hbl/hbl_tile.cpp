#include "engine/bounds/hbl/hbl_tile.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <span>
#include <utility>

#include "engine/base/integers.h"
#include "engine/base/mapped.h"
#include "engine/bounds/hbl/hbl_exponent.h"
#include "engine/bounds/lp.h"

namespace heliolite {
namespace {

// Enough for windows in every rank (2^kMaxRanks); of more choices the first ones are looked at.
constexpr std::size_t kMostChoices = 256;

// One row for each choice of one loop a rank: how often each loop is chosen. The product of the chosen extents is at
// most the array's footprint, and the largest of these products is the footprint up to a constant.
std::vector<std::vector<int>> footprint_rows(const Access& access, std::size_t loops) {
  std::vector<std::vector<int>> all(1, std::vector<int>(loops));
  for (const std::vector<i64>& rank : access.rows) {
    std::vector<std::vector<int>> next;
    for (const std::vector<int>& choice : all) {
      for (std::size_t l = 0; l < loops && next.size() < kMostChoices; ++l) {
        if (rank[l] == 0) continue;
        next.push_back(choice);
        ++next.back()[l];
      }
    }
    all = std::move(next);
  }
  return all;
}

Simplex<double> tile_program(const AccessNest& nest, double capacity) {
  std::vector<std::vector<double>> rows;
  std::vector<double> right;
  for (const Access& access : nest.accesses) {
    for (const std::vector<int>& row : footprint_rows(access, nest.loops.size())) {
      rows.emplace_back(row.begin(), row.end());
      right.push_back(1 - std::log(access.word_size) / std::log(capacity));
    }
  }
  for (std::size_t l = 0; l < nest.loops.size(); ++l) {
    rows.emplace_back(nest.loops.size());
    rows.back()[l] = 1;
    right.push_back(std::log(nest.loops[l].size) / std::log(capacity));
  }
  return {std::move(rows), std::move(right)};
}

RealTile tile_of(const std::vector<double>& lambda, double capacity) {
  RealTile tile;
  for (const double x : lambda) {
    tile.log_volume += x * std::log(capacity);
    tile.extent.push_back(std::pow(capacity, x));
  }
  return tile;
}

bool same(const RealTile& a, const RealTile& b) {
  return std::equal(a.extent.begin(), a.extent.end(), b.extent.begin(),
                    [](double x, double y) { return std::abs(x - y) <= 1e-6 * x; });
}

}  // namespace

RealTile largest_tile(const AccessNest& nest, double capacity) {
  Simplex<double> program = tile_program(nest, capacity);
  program.maximize(std::vector<double>(nest.loops.size(), 1));
  return tile_of(program.solution(), capacity);
}

std::vector<RealTile> largest_tiles(const AccessNest& nest, double capacity) {
  Simplex<double> program = tile_program(nest, capacity);
  program.maximize(std::vector<double>(nest.loops.size(), 1));
  program.stay_optimal();
  std::vector<RealTile> tiles;
  const auto add = [&] {
    const RealTile tile = tile_of(program.solution(), capacity);
    if (std::none_of(tiles.begin(), tiles.end(), [&](const RealTile& known) { return same(known, tile); }))
      tiles.push_back(tile);
  };
  add();
  for (std::size_t l = 0; l < nest.loops.size(); ++l) {
    for (const double sign : {1.0, -1.0}) {
      std::vector<double> objective(nest.loops.size());
      objective[l] = sign;
      program.maximize(objective);
      add();
    }
  }
  return tiles;
}

namespace {

bool is_zero(const LogForm& form) {
  return std::all_of(form.begin(), form.end(), [](const Rational& x) { return x == 0; });
}

}  // namespace

Rational value(const LogForm& form, const LogPoint& point) {
  Rational sum = 0;
  for (std::size_t i = 0; i < form.size(); ++i)
    if (form[i] != 0 && point[i] != 0) sum += form[i] * point[i];
  return sum;
}

LogPoint whole(const LogForm& form) {
  Rational scale = 1;
  for (const Rational& x : form) scale *= denominator(Rational(x * scale));
  LogPoint numbers;
  i64 divisor = 0;
  for (const Rational& x : form) {
    numbers.push_back(static_cast<i64>(numerator(Rational(x * scale))));
    divisor = std::gcd(divisor, numbers.back());
  }
  for (i64& x : numbers) x /= divisor;
  return numbers;
}

TileProgram::TileProgram(const AccessNest& nest) : loops_(nest.loops.size()) {
  for (const Access& access : nest.accesses)
    for (const std::vector<int>& row : footprint_rows(access, loops_)) add({row.begin(), row.end()}, 0);
  for (std::size_t l = 0; l < loops_; ++l) {
    std::vector<Rational> row(loops_);
    row[l] = 1;
    add(std::move(row), 1 + l);
  }
}

std::optional<std::vector<LogForm>> TileProgram::tile_around(const LogPoint& point) const {
  std::vector<Rational> right = mapped<Rational>(right_, [&](const std::size_t parameter) { return point[parameter]; });
  Simplex<Rational> program(rows_, std::move(right));
  program.maximize(std::vector<Rational>(loops_, 1));
  for (std::size_t l = 0; l < loops_; ++l) {
    program.stay_optimal();
    std::vector<Rational> extent(loops_);
    extent[l] = 1;
    program.maximize(extent);
  }
  std::vector<LogForm> tile;
  for (const std::vector<Rational>& gains : program.response()) {
    tile.emplace_back(1 + loops_);
    for (std::size_t r = 0; r < gains.size(); ++r) tile.back()[right_[r]] += gains[r];
  }
  for (const LogForm& form : limits(tile))
    if (value(form, point) == 0) return std::nullopt;
  return tile;
}

std::vector<LogForm> TileProgram::limits(const std::vector<LogForm>& tile) const {
  std::vector<LogForm> forms = tile;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    forms.emplace_back(1 + loops_);
    forms.back()[right_[r]] = 1;
    for (std::size_t l = 0; l < loops_; ++l)
      for (std::size_t i = 0; i <= loops_ && rows_[r][l] != 0; ++i) forms.back()[i] -= rows_[r][l] * tile[l][i];
  }
  std::erase_if(forms, is_zero);
  return forms;
}

void TileProgram::add(std::vector<Rational> row, std::size_t parameter) {
  rows_.push_back(std::move(row));
  right_.push_back(parameter);
}

Cone log_points(const AccessNest& nest, bool taps_within_outputs) {
  Cone cone(1 + nest.loops.size());
  if (!taps_within_outputs) return cone;
  LoopBits outputs = 0;
  for (const Access& access : nest.accesses)
    if (access.is_output) outputs |= moving(access);
  for (const Access& access : nest.accesses) {
    for (const std::vector<i64>& rank : access.rows) {
      for (std::size_t p = 0; p < rank.size(); ++p) {
        for (std::size_t r = 0; r < rank.size(); ++r) {
          if (rank[p] == 0 || rank[r] == 0 || !contains(outputs, p) || contains(outputs, r)) continue;
          LogPoint taps(1 + rank.size());
          taps[1 + p] = 1;
          taps[1 + r] = -1;
          if (std::ranges::find(cone.constraints(), taps) == cone.constraints().end()) cone.cut(taps);
        }
      }
    }
  }
  return cone;
}

LogPoint inside(const std::vector<LogPoint>& rays, u64 attempt) {
  constexpr u64 kMostWeight = 97;  // keeps points far from overflow
  std::mt19937_64 random(attempt);
  LogPoint point(rays.front().size());
  for (const LogPoint& ray : rays) {
    const auto weight = static_cast<i64>(1 + random() % kMostWeight);
    for (std::size_t i = 0; i < point.size(); ++i) point[i] += weight * ray[i];
  }
  return point;
}

// The tile of most iterations for all sizes and capacities at once: the multiparametric linear program of
// largest_tile() with log M and the logarithms of the sizes as parameters.

namespace {

constexpr std::size_t kMostRegions = 2000, kMostRegionRays = 3000, kMostPieces = 2000;
constexpr u64 kMostAttempts = 64;  // points of which all lie on borders: never seen

// A facet of a region: the rays that span it, and the inner normal.
struct Facet {
  std::vector<LogPoint> rays;  // sorted: neighbours have the same
  LogPoint normal;
  bool of_domain = false;  // nothing asked for is beyond
};

std::vector<Facet> facets_of(const Cone& cone, std::size_t domain_constraints) {
  using Rays = std::vector<bool>;
  std::vector<Rays> tight;
  for (std::size_t c = 0; c < cone.constraints().size(); ++c) {
    tight.emplace_back();
    for (const ConeRay& ray : cone.rays()) tight.back().push_back(ray.tight[c]);
  }
  const auto within = [](const Rays& a, const Rays& b) {
    for (std::size_t r = 0; r < a.size(); ++r)
      if (a[r] && !b[r]) return false;
    return true;
  };
  // Facets are the largest faces; of equal constraints the first one counts, so that of the domain if there is one.
  std::vector<Facet> facets;
  for (std::size_t c = 0; c < tight.size(); ++c) {
    bool largest = true;
    for (std::size_t o = 0; o < tight.size() && largest; ++o)
      if (o != c && within(tight[c], tight[o]) && (o < c || tight[o] != tight[c])) largest = false;
    if (!largest) continue;
    Facet facet{{}, cone.constraints()[c], c < domain_constraints};
    for (std::size_t r = 0; r < cone.rays().size(); ++r)
      if (tight[c][r]) facet.rays.push_back(cone.rays()[r].x);
    std::sort(facet.rays.begin(), facet.rays.end());
    facets.push_back(std::move(facet));
  }
  return facets;
}

// Walks from region to region through their facets until no facet is left whose other side is unknown.
class Walk {
 public:
  Walk(const AccessNest& nest, bool taps_within_outputs)
      : nest_(nest), program_(nest), domain_(log_points(nest, taps_within_outputs)) {}

  std::optional<TileRegions> run() {
    if (!add(around(domain_, 0))) return std::nullopt;
    while (!open_.empty())
      if (found_.regions.size() == kMostRegions || !add(beyond(open_.begin()->second))) return std::nullopt;
    return std::move(found_);
  }

  // How many pieces the publication's algorithm ends with: it finds the tile at a random point, keeps the part of the
  // polyhedron where it is feasible, and goes on with the rest, which one limit after the other cuts off.
  std::optional<std::size_t> pieces(u64 seed) {
    std::size_t count = 0;
    std::vector<Cone> left{domain_};
    while (!left.empty()) {
      Cone cone = std::move(left.back());
      left.pop_back();
      if (!is_full(cone)) continue;
      const auto tile = around(cone, seed);
      if (!tile || ++count > kMostPieces) return std::nullopt;
      for (const LogForm& limit : program_.limits(*tile)) {
        LogPoint inward = whole(limit), outward = inward;
        for (i64& x : outward) x = -x;
        if (std::ranges::find(cone.constraints(), inward) != cone.constraints().end()) continue;
        if (cone.constraints().size() == Cone::kMostConstraints) return std::nullopt;
        left.push_back(cone);
        left.back().cut(outward);
        cone.cut(inward);
      }
    }
    return count;
  }

 private:
  static std::vector<LogPoint> rays_of(const Cone& cone) { return mapped(cone.rays(), &ConeRay::x); }

  static bool is_full(const Cone& cone) {
    if (cone.rays().empty()) return false;
    const LogPoint point = inside(rays_of(cone), 0);
    return std::ranges::all_of(cone.constraints(), [&](const LogPoint& a) { return dot(a, point) > 0; });
  }

  // The tile somewhere in the cone.
  std::optional<std::vector<LogForm>> around(const Cone& cone, u64 seed) const {
    const std::vector<LogPoint> rays = rays_of(cone);
    for (u64 attempt = 0; attempt < kMostAttempts; ++attempt)
      if (auto tile = program_.tile_around(inside(rays, seed * kMostAttempts + attempt))) return tile;
    return std::nullopt;
  }

  // The tile of the region on the other side: of a point so near that its region has the facet's point too.
  std::optional<std::vector<LogForm>> beyond(const Facet& facet) const {
    for (u64 attempt = 0; attempt < kMostAttempts; ++attempt) {
      const LogPoint on = inside(facet.rays, attempt);
      for (i64 nearness = 8; nearness < i64{1} << 24; nearness *= 8) {
        LogPoint point;
        for (std::size_t i = 0; i < on.size(); ++i) point.push_back(on[i] * nearness - facet.normal[i]);
        const auto asked = [&](const LogPoint& a) { return dot(a, point) >= 0; };
        if (!std::ranges::all_of(domain_.constraints(), asked)) continue;
        auto tile = program_.tile_around(point);
        if (!tile) continue;
        if (std::ranges::all_of(program_.limits(*tile), [&](const LogForm& f) { return value(f, on) >= 0; }))
          return tile;
      }
    }
    return std::nullopt;
  }

  // False when there is no tile or its region is too complicated.
  bool add(std::optional<std::vector<LogForm>> tile) {
    if (!tile) return false;
    Cone cone = domain_;
    for (const LogForm& limit : program_.limits(*tile)) {
      const LogPoint a = whole(limit);
      if (std::ranges::find(cone.constraints(), a) != cone.constraints().end()) continue;
      if (cone.constraints().size() == Cone::kMostConstraints) return false;
      cone.cut(a);
      if (cone.rays().size() > kMostRegionRays) return false;
    }
    TileRegion region{*std::move(tile), {}, 0};
    for (Facet& facet : facets_of(cone, domain_.constraints().size())) {
      region.facets.push_back(facet.normal);
      if (facet.of_domain) continue;
      if (open_.erase(facet.rays) == 0) open_.emplace(facet.rays, std::move(facet));
    }
    region.cost = cost_of(region.tile);
    found_.regions.push_back(std::move(region));
    return true;
  }

  std::size_t cost_of(const std::vector<LogForm>& tile) {
    LogForm cost(1 + nest_.loops.size(), Rational(1));
    for (const LogForm& extent : tile)
      for (std::size_t i = 0; i < cost.size(); ++i) cost[i] -= extent[i];
    const auto known = std::ranges::find(found_.costs, cost);
    const auto index = static_cast<std::size_t>(known - found_.costs.begin());
    if (known == found_.costs.end()) found_.costs.push_back(std::move(cost));
    return index;
  }

  const AccessNest& nest_;
  TileProgram program_;
  Cone domain_;
  TileRegions found_;
  std::map<std::vector<LogPoint>, Facet> open_;  // by Facet::rays
};

}  // namespace

std::optional<TileRegions> tile_regions(const AccessNest& nest, bool taps_within_outputs) {
  return Walk(nest, taps_within_outputs).run();
}

std::optional<std::size_t> published_pieces(const AccessNest& nest, bool taps_within_outputs, u64 seed) {
  return Walk(nest, taps_within_outputs).pieces(seed);
}

std::string form_text(const LogForm& form, const AccessNest& nest) {
  return powers_text(form.front(), std::span(form).subspan(1), nest);
}

}  // namespace heliolite
