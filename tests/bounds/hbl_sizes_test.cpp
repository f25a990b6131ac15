// HBL bounds with sizes: linear program, its dual, the closed form, and the tiles that attain them.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/bounds/hbl/hbl_exponent.h"
#include "engine/bounds/hbl/hbl_tile.h"
#include "engine/bounds/lp.h"
#include "tests/support/load.h"
#include "tests/support/random_problem.h"

namespace heliolite::hbl_sizes_test {
namespace {

// k(beta): the least of the terms at the nest's sizes for M = `capacity` words.
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

struct Sized {
  AccessNest nest;
  std::vector<RankRow> rows;
  double capacity;

  explicit Sized(const std::string& einsum, double words = 65536)
      : nest(access_nest(testing::workload(einsum))), rows(rank_rows(nest)), capacity(words) {}

  double k() const { return hbl_exponent(nest, rows, capacity).k; }
  double traffic() const { return nest.iterations * std::pow(capacity, 1 - k()); }
  std::string formula() const { return traffic_formula(*hbl_terms(nest, rows), nest); }
};

void expect_traffic(const std::string& einsum, double capacity, double words) {
  const Sized sized(einsum, capacity);
  EXPECT_NEAR(sized.traffic() / words, 1, 1e-9) << einsum;
  EXPECT_NEAR(exponent_at(*hbl_terms(sized.nest, sized.rows), sized.nest, capacity), sized.k(), 1e-9) << einsum;
}

TEST(HblSizes, MatrixProducts) {
  EXPECT_NEAR(Sized("gemm:4096x4096x4096").k(), 1.5, 1e-12);
  expect_traffic("gemm:4096x4096x4096", 65536, 268435456);
  EXPECT_NEAR(Sized("gemm:4096x4096x64").k(), 1.375, 1e-12);
  expect_traffic("gemm:4096x4096x64", 65536, 16777216);
  EXPECT_NEAR(Sized("gemm:4096x4096x1").k(), 1, 1e-12);
  expect_traffic("gemm:4096x4096x1", 65536, 16777216);
  EXPECT_NEAR(Sized("gemm:1048576x32x16").k(), 1.25, 1e-12);
  expect_traffic("gemm:1048576x32x16", 65536, 33554432);
  // All of it fits: the asymptotic formula says M.
  EXPECT_NEAR(Sized("gemm:100x100x100").k(), 1.245723, 1e-6);
  expect_traffic("gemm:100x100x100", 65536, 65536);
}

TEST(HblSizes, WordSizes) {
  AccessNest nest = access_nest(testing::workload("gemm:1000000x1000000x1000"), std::vector<double>{1, 1, 4});
  const double k = hbl_exponent(nest, rank_rows(nest), 65536).k;
  EXPECT_NEAR(std::pow(65536, k), std::pow(65536, 1.5) / 2, 1);
}

TEST(HblSizes, OtherPatterns) {
  const auto bodies = [](const std::string& sizes) { return "f[i] += p[i]*q[j]; " + sizes; };
  expect_traffic(bodies("i=1000000,j=1000000"), 65536, 15258789.0625);
  expect_traffic(bodies("i=1000000,j=1000"), 65536, 1e6);
  expect_traffic(bodies("i=100,j=1000000"), 65536, 1e6);
  expect_traffic("o[a,b,e,f] += x[a,b,c,d]*y[c,d,e,f]; a=8,b=8,c=16,d=16,e=32,f=32", 4096, 262144);
  const std::string pointwise = "o[k,h,w,b] += i[w,h,c,b]*f[k,c]; b=1000,c=64,k=256,w=56,h=56";
  expect_traffic(pointwise, 1024, 1605632000);
  expect_traffic(pointwise, 65536, 802816000);
  for (const auto& [batch, words] : {std::pair{1, 4096000.0}, {16, 4096000.0}, {256, 4096000.0}, {4096, 65536000.0}})
    expect_traffic("o[b,k] += i[b,c]*f[k,c]; c=4096,k=1000,b=" + std::to_string(batch), 65536, words);
}

TEST(HblSizes, ClosedForms) {
  EXPECT_EQ(Sized("gemm:8x9x10").formula(), "max(M*N*K/capacity^(1/2), N*K, M*K, M*N)");
  EXPECT_EQ(Sized("gemm:1x1x1").formula(), "1");
  EXPECT_EQ(Sized("o[i] += a[i,k]*x[k]; i=8,k=9").formula(), "i*k");
  EXPECT_EQ(Sized("f[i] += p[i]*q[j]; i=8,j=9").formula(), "max(i*j/capacity, j, i)");
  EXPECT_EQ(Sized("o[k,h,w,b] += i[w,h,c,b]*f[k,c]; b=9,c=9,k=9,w=9,h=9").formula(),
            "max(k*h*w*b*c/capacity^(1/2), h*w*b*c, k*c, k*h*w*b)");
}

TEST(HblSizes, TilesThatAttain) {
  const RealTile cube = largest_tile(Sized("gemm:4096x4096x4096").nest, 65536);
  for (const double extent : cube.extent) EXPECT_NEAR(extent, 256, 1e-6);

  // A family: from 1024 x 64 x 64 over 512 x 128 x 64 to 256 x 256 x 64 and beyond.
  const std::vector<RealTile> family = largest_tiles(Sized("gemm:4096x4096x64").nest, 65536);
  ASSERT_EQ(family.size(), 2U);
  std::vector<double> rows;
  for (const RealTile& tile : family) {
    rows.push_back(tile.extent[0]);
    EXPECT_NEAR(tile.extent[0] * tile.extent[1], 65536, 1e-3);
    EXPECT_NEAR(tile.extent[2], 64, 1e-9);
  }
  std::sort(rows.begin(), rows.end());
  EXPECT_NEAR(rows[0], 64, 1e-6);
  EXPECT_NEAR(rows[1], 1024, 1e-6);

  EXPECT_NEAR(largest_tile(Sized("f[i] += p[i]*q[j]; i=1000000,j=1000000").nest, 65536).log_volume, 32 * std::log(2),
              1e-9);
}

// A program with a known optimum face, exactly.
TEST(Simplex, StaysAmongTheOptima) {
  Simplex<Rational> program({{1, 1, 0}, {0, 1, 1}}, {2, 3});
  ASSERT_TRUE(program.maximize({1, 1, 0}));
  EXPECT_EQ(program.value(), 2);
  EXPECT_EQ(program.dual(), (std::vector<Rational>{1, 0}));
  program.stay_optimal();
  ASSERT_TRUE(program.maximize({0, 1, 0}));
  EXPECT_EQ(program.solution()[1], 2);
  ASSERT_TRUE(program.maximize({0, -1, 0}));
  EXPECT_EQ(program.solution()[0], 2);
  EXPECT_FALSE(Simplex<Rational>({{1, -1}}, {1}).maximize({0, 1}));
}

// Random projective nests; loop l is in array j by chance, but in at least one.
AccessNest random_nest(testing::Rng& rng) {
  const std::size_t loops = testing::pick(rng, 1, 6), arrays = testing::pick(rng, 1, 4);
  AccessNest nest;
  for (std::size_t l = 0; l < loops; ++l) {
    nest.loops.push_back({"l" + std::to_string(l), std::exp2(static_cast<double>(testing::pick(rng, 1, 14)))});
    nest.iterations *= nest.loops.back().size;
  }
  for (std::size_t j = 0; j < arrays; ++j) {
    nest.accesses.push_back({"a" + std::to_string(j), j == 0, 1, {}});
    for (std::size_t l = 0; l < loops; ++l) {
      if (!testing::chance(rng, 50) && l % arrays != j) continue;
      nest.accesses.back().rows.emplace_back(loops);
      nest.accesses.back().rows.back()[l] = 1;
    }
  }
  return nest;
}

// sum_j s^Q_j + sum over deleted loops of beta (1 - cover), least over all subsets Q of deleted rows.
double least_over_subsets(const AccessNest& nest, std::span<const RankRow> rows, double capacity) {
  double least = std::numeric_limits<double>::infinity();
  for (LoopBits deleted = 0; deleted < LoopBits{1} << nest.loops.size(); ++deleted) {
    std::vector<RankRow> kept;
    for (const RankRow& row : rows)
      if ((row.loops & deleted) == 0) kept.push_back(row);
    const HblExponent e = hbl_exponent(kept, nest.accesses.size());
    double k = static_cast<double>(e.k);
    for (std::size_t l = 0; l < nest.loops.size(); ++l) {
      Rational cover = 0;
      for (std::size_t j = 0; j < e.s.size(); ++j)
        if ((moving(nest.accesses[j]) >> l & 1) != 0) cover += e.s[j];
      if ((deleted >> l & 1) != 0 && cover <= 1)
        k += static_cast<double>(1 - cover) * std::log(nest.loops[l].size) / std::log(capacity);
    }
    least = std::min(least, k);
  }
  return least;
}

// The value of the linear program, of its dual, of the closed form, of the largest tile: all the same; the least over
// subsets of loops depends on which of several edge covers a subset gets, and is no less.
RC_GTEST_PROP(HblSizes, AllFormsAgree, (u64 seed)) {
  testing::Rng rng(seed);
  const AccessNest nest = random_nest(rng);
  const double capacity = std::exp2(static_cast<double>(testing::pick(rng, 2, 20)));
  std::vector<RankRow> rows = rank_rows(nest);
  const SizedExponent sized = hbl_exponent(nest, rows, capacity);
  const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-9 * (1 + std::abs(a)); };
  double dual = 0;
  for (const double s : sized.s) dual += s;
  for (std::size_t l = 0; l < sized.t.size(); ++l)
    dual += sized.t[l] * std::log(nest.loops[l].size) / std::log(capacity);
  RC_ASSERT(near(sized.k, dual));
  const auto terms = hbl_terms(nest, rows);
  RC_ASSERT(terms.has_value());
  RC_ASSERT(near(sized.k, exponent_at(*terms, nest, capacity)));
  RC_ASSERT(near(sized.k, largest_tile(nest, capacity).log_volume / std::log(capacity)));
  for (const RealTile& tile : largest_tiles(nest, capacity))
    RC_ASSERT(near(sized.k, tile.log_volume / std::log(capacity)));
  rows.clear();
  for (std::size_t l = 0; l < nest.loops.size(); ++l) {
    rows.push_back({1, {}, LoopBits{1} << l});
    for (const Access& access : nest.accesses) rows.back().image.push_back((moving(access) >> l & 1) != 0 ? 1 : 0);
  }
  RC_ASSERT(least_over_subsets(nest, rows, capacity) >= sized.k - 1e-9);
}

// For products and pointwise convolutions the least over subsets is the program's value.
RC_GTEST_PROP(HblSizes, SubsetsOfProductsAgree, (u64 seed)) {
  testing::Rng rng(seed);
  const auto size = [&] { return std::to_string(u64{1} << testing::pick(rng, 1, 10)); };
  const std::string einsum = testing::chance(rng, 50)
                                 ? "gemm:" + size() + "x" + size() + "x" + size()
                                 : "o[k,h,w,b] += i[w,h,c,b]*f[k,c]; b=" + size() + ",c=" + size() + ",k=" + size() +
                                       ",w=" + size() + ",h=" + size();
  const Sized sized(einsum, std::exp2(static_cast<double>(testing::pick(rng, 2, 20))));
  RC_ASSERT(std::abs(least_over_subsets(sized.nest, sized.rows, sized.capacity) - sized.k()) < 1e-9);
}

// Any exponents of the arrays bound the largest tile, each loop paying for what they leave uncovered.
RC_GTEST_PROP(HblSizes, AnyExponentsAreABound, (u64 seed)) {
  testing::Rng rng(seed);
  const AccessNest nest = random_nest(rng);
  const double capacity = std::exp2(static_cast<double>(testing::pick(rng, 2, 20)));
  std::vector<double> cover(nest.loops.size());
  double k = 0;
  for (const Access& access : nest.accesses) {
    const double s = static_cast<double>(testing::pick(rng, 0, 12)) / 8;
    k += s;
    for (std::size_t l = 0; l < cover.size(); ++l)
      if ((moving(access) >> l & 1) != 0) cover[l] += s;
  }
  for (std::size_t l = 0; l < cover.size(); ++l)
    k += std::log(nest.loops[l].size) / std::log(capacity) * std::max(0.0, 1 - cover[l]);
  RC_ASSERT(k >= hbl_exponent(nest, rank_rows(nest), capacity).k - 1e-9);
}

const AccessNest& regions_nest(std::size_t which) {
  static const std::vector<AccessNest> kNests = [] {
    std::vector<AccessNest> nests;
    for (const char* einsum : {"gemm:9x9x9", "conv:n=9,k=9,c=9,p=9,r=4,stride=2", "f[i] += p[i]*q[j]; i=9,j=9",
                               "a[i,r] += x[i,j,k]*b[j,r]*c[k,r]; i=9,j=9,k=9,r=9"})
      nests.push_back(lifted(access_nest(testing::workload(einsum))));
    return nests;
  }();
  return kNests.at(which);
}

TEST(TileRegions, Counts) {
  const auto gemm = tile_regions(regions_nest(0), true);
  EXPECT_EQ(gemm->regions.size(), 8);
  EXPECT_EQ(gemm->costs.size(), 5);
  EXPECT_EQ(form_text(gemm->costs.front(), regions_nest(0)), "M*N*K/capacity^(1/2)");
  EXPECT_GE(published_pieces(regions_nest(0), true, 1), 8);
  // The five terms of Demmel and Dinh's theorem 1, and the nest that fits.
  const auto conv = tile_regions(regions_nest(1), true);
  EXPECT_EQ(conv->regions.size(), 34);
  EXPECT_EQ(conv->costs.size(), 6);
}

// Every point lies in one region, or on the border of some; their tile is feasible and the largest.
RC_GTEST_PROP(TileRegions, CoverAndAreOptimal, ()) {
  const auto which = *rc::gen::inRange<std::size_t>(0, 4);
  static const std::vector<TileRegions> kRegions = [] {
    std::vector<TileRegions> all;
    for (std::size_t w = 0; w < 4; ++w) all.push_back(*tile_regions(regions_nest(w), true));
    return all;
  }();
  AccessNest nest = regions_nest(which);
  const TileRegions& found = kRegions[which];
  LogPoint point{*rc::gen::inRange<i64>(1, 25)};
  for (AccessLoop& loop : nest.loops) {
    point.push_back(*rc::gen::inRange<i64>(0, 20));
    loop.size = std::exp2(static_cast<double>(point.back()));
  }
  const auto asked = log_points(nest, true).constraints();
  RC_PRE(std::ranges::all_of(asked, [&](const LogPoint& a) { return dot(a, point) >= 0; }));
  const double best = largest_tile(nest, std::exp2(static_cast<double>(point.front()))).log_volume / std::log(2);
  std::size_t containing = 0;
  bool on_border = false;
  for (const TileRegion& region : found.regions) {
    if (!std::ranges::all_of(region.facets, [&](const LogPoint& a) { return dot(a, point) >= 0; })) continue;
    ++containing;
    on_border |= std::ranges::any_of(region.facets, [&](const LogPoint& a) { return dot(a, point) == 0; });
    Rational volume = 0, moved = point.front();
    for (const LogForm& extent : region.tile) volume += value(extent, point);
    for (std::size_t i = 1; i < point.size(); ++i) moved += point[i];
    RC_ASSERT(std::abs(static_cast<double>(volume) - best) < 1e-6);
    RC_ASSERT(value(found.costs[region.cost], point) == moved - volume);
    for (const LogForm& limit : TileProgram(nest).limits(region.tile)) RC_ASSERT(value(limit, point) >= 0);
  }
  RC_ASSERT(containing == 1 || (containing > 1 && on_border));
}

}  // namespace
}  // namespace heliolite::hbl_sizes_test
