// The segment bound: published values, never above what any schedule or tiling moves.
#include "engine/bounds/segment/iolb_segment.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/bounds/conv/conv_bound.h"
#include "engine/bounds/hbl/hbl_exponent.h"
#include "engine/bounds/lower_bounds.h"
#include "engine/bounds/tiling/iotile_search.h"
#include "tests/support/load.h"
#include "tests/support/pebble_game.h"
#include "tests/support/random_convolution.h"

namespace heliolite::iolb_segment_test {
namespace {

SegmentBound bound_of(const Workload& workload, double capacity) {
  const AccessNest nest = lifted(access_nest(workload));
  return segment_bound(nest, rank_rows(nest), capacity);
}
u64 words_of(const std::string& workload, double capacity) {
  return bound_of(testing::workload(workload), capacity).words;
}

TEST(SegmentBound, PublishedValues) {
  // 2 N^3 / sqrt(S) less what the last piece may lack.
  EXPECT_GE(words_of("gemm:1000x1000x1000", 1024), 62498816U);
  EXPECT_LE(words_of("gemm:1000x1000x1000", 1024), 62500000U + 1024);
  EXPECT_GE(words_of("gemm:512x512x512", 1024), 8386560U);
  EXPECT_GE(words_of("gemm:4096x4096x4096", 65536), 536739840U);
  // Between small memories and those that hold all: the first piece loads all it touches.
  EXPECT_GE(words_of("gemm:512x512x512", 65536), 1114111U);
  EXPECT_GE(words_of("gemm:512x512x512", 786431), 786431U);
  // Two vectors, outputs among the inputs.
  EXPECT_GE(words_of("a[i] += c[t]; i=10000,t=10000", 64), 1542496U + 20000);
  // One dimension much smaller than the others.
  EXPECT_GE(words_of("gemm:1000x1000x8", 1024), 1061888U);
  EXPECT_GE(words_of("z[i,r] += t[i,j,k]*b[j,r]*c[k,r]; i=1000,j=1000,k=1000,r=64", 4096), 1062489600U);
  // Windows: with sums from zero the loads are |Out| fewer.
  EXPECT_GE(words_of("conv:k=64,c=32,p=272,r=3", 4096), 14147584U);
  EXPECT_GE(words_of("conv:k=1024,c=512,p=17,r=3", 4096), 13900800U);
}

// U(K) of the convex program is the largest real tile whose boxes together take K words.
TEST(SegmentBound, LimitIsTheLargestTile) {
  const auto most = [](const std::string& text, double budget) {
    const AccessNest nest = access_nest(testing::workload(text));
    IterationLimiter limiter(nest, rank_rows(nest));
    return std::exp(limiter(budget).log_most);
  };
  EXPECT_NEAR(most("gemm:1000x1000x8", 3 * 1024), 18432, 0.1);  // 8 a^2, a = sqrt(64 + 3 S) - 8
  EXPECT_NEAR(most("gemm:1000x1000x1000", 3 * 1024), 32768, 0.1);
  const std::string mttkrp = "z[i,r] += t[i,j,k]*b[j,r]*c[k,r]; i=1000,j=1000,k=1000,r=";
  EXPECT_NEAR(most(mttkrp + "64", 2.5 * 4096), 424485.71, 1);
  EXPECT_NEAR(most(mttkrp + "100000", 2.5 * 4096), 524288, 1);
}

// The real cube of a matrix product, and the best whole tile next to it.
TEST(SegmentBound, LimitOfACubeIsAboveWholeTiles) {
  const AccessNest nest = access_nest(testing::workload("gemm:100000x100000x100000"));
  IterationLimiter limiter(nest, rank_rows(nest));
  for (const auto& [capacity, whole, real] : {std::tuple{1024U, 6156U, 6306.20}, {65536U, 3219888U, 3228776.72}}) {
    EXPECT_NEAR(std::exp(limiter(capacity).log_most), real, real * 1e-6);
    u32 most = 0;
    for (u32 a = 1; a * a <= capacity; ++a)
      for (u32 b = a; a * b + a + b <= capacity; ++b) most = std::max(most, a * b * ((capacity - a * b) / (a + b)));
    EXPECT_EQ(most, whole);
  }
}

// With given exponents the published form comes out: 3 I J K R / S^(2/3) for 2/3 of the tensor and 1/3 of the matrices.
TEST(SegmentBound, TensorTimesMatrices) {
  const AccessNest nest = access_nest(testing::workload("z[i,r] += t[i,j,k]*b[j,r]*c[k,r]; i=1000,j=1000,k=1000,r=64"));
  std::vector<double> exponents;
  for (const Access& access : nest.accesses) exponents.push_back(access.array == "t" ? 2.0 / 3 : 1.0 / 3);
  const SegmentBound bound = segment_bound(nest, rank_rows(nest), 4096, exponents, std::vector<double>(4));
  EXPECT_NEAR(static_cast<double>(bound.words), 7.5e8, 1e5);
}

// Windows small beside the memory are paid for by their sizes, others by arrays.
TEST(SegmentBound, ExponentsOfWindows) {
  const auto exponents = [](const std::string& taps, double budget) {
    const AccessNest nest =
        access_nest(testing::workload("o[b,f,x,y] += i[b,c,x+h,y+w]*k[f,c,h,w]; "
                                      "b=100,c=100,f=100,x=100,y=100,h=" +
                                      taps + ",w=" + taps));
    IterationLimiter limiter(nest, rank_rows(nest));
    limiter(budget);
    return std::vector<double>(limiter.s().begin(), limiter.s().end());
  };
  for (const double s : exponents("100", 16)) EXPECT_NEAR(s, 2.0 / 3, 1e-3);
  for (const double s : exponents("2", 120)) EXPECT_NEAR(s, 1.0 / 2, 1e-3);
}

// Leading terms of IOLB's table where all dimensions are far larger than the square root of the memory.
TEST(SegmentBound, LeadingTermsOfProducts) {
  for (const auto& [text, macs] : {std::pair<std::string, double>{"gemm:8000x7000x6000", 8e3 * 7e3 * 6e3},
                                   {"a[r,q,p] += x[r,q,s]*c[s,p]; r=90,q=80,p=7000,s=6000", 90. * 80 * 7e3 * 6e3}})
    for (const double capacity : {256.0, 1024.0, 4096.0})
      EXPECT_NEAR(static_cast<double>(words_of(text, capacity)) * std::sqrt(capacity) / (2 * macs), 1, 1e-4) << text;
}

TEST(SegmentBound, NothingToSayWhenAllFits) {
  EXPECT_EQ(words_of("gemm:16x16x16", 768), 0U);
  EXPECT_LE(words_of("gemm:1x1x1", 1), 3U);
  EXPECT_EQ(words_of("gemm:1x1x1", 3), 0U);
}

// With an infinite lattice of kernels the conditions are stronger ones; the bound still holds.
TEST(SegmentBound, OddRanks) {
  const Workload odd = testing::workload("o[x+2*y+3*z] += a[x,y]*b[3*x+y+z]*c[y,z]*d[x+y+5*z]*e[x,z]; x=6,y=6,z=6");
  for (const double capacity : {8.0, 20.0, 50.0})
    EXPECT_LE(static_cast<double>(bound_of(odd, capacity).words), best_parts(odd, capacity)->words());
}

// Every schedule of the smallest workloads.
TEST(SegmentBound, NoScheduleMovesLess) {
  for (const char* text :
       {"gemm:2x2x2", "o[i] += a[i,k]*x[k]; i=2,k=2", "f[i] += p[i]*q[j]; i=3,j=2", "o[p] += i[p+r]*w[r]; p=4,r=2",
        "o[p] += i[2*p+r]*w[r]; p=2,r=3", "o[d,n] += a[m,n]; d=2,n=2,m=2", "o[i] += a[i]*b[i]; i=4",
        "c[i,j] += a[i,k]*a[j,k]; i=2,j=2,k=2", "c[i,j] += a[i,k]*a[j,k]; i=3,j=2,k=1", "o[i] += a[i+j]*a[j]; i=2,j=3",
        "o[i] += a[i]*a[j]*a[k]; i=2,j=2,k=2", "a[j,k] += b[i,k]*c[i,j]; i=2,j=1,k=2",
        "o[p] += i[p+2*r]*w[r]; p=3,r=2"}) {
    const AccessNest nest = access_nest(testing::workload(text)), apart = lifted(nest);
    const testing::PebbleGame game(nest);
    ASSERT_LE(game.operations() + game.elements(), 20U) << text;
    double touched = 0;
    bool twice = false;
    for (const Access& access : nest.accesses) {
      touched += static_cast<double>(touched_words(nest, access));
      twice = twice || access.same_array >= 0;
    }
    if (!twice) {
      EXPECT_EQ(touched, static_cast<double>(game.elements())) << text;
    }
    const LowerBounds bounds(testing::workload(text));
    for (int capacity = 3; capacity <= 6; ++capacity) {
      const int least = game.least_traffic(capacity);
      ASSERT_GE(least, 0) << text;
      EXPECT_LE(segment_bound(apart, rank_rows(apart), capacity).words, static_cast<u64>(least))
          << text << " with " << capacity;
      EXPECT_LE(bounds.words(capacity), static_cast<u64>(least)) << text << " with " << capacity;
      const auto tiling = best_parts(testing::workload(text), capacity);
      if (tiling) {
        EXPECT_GE(tiling->words(), least) << text << " with " << capacity;
      }
    }
  }
}

Workload random_workload(testing::Rng& rng, u64 most_size) {
  testing::RandomOptions options;
  options.max_dimensions = 5;
  options.max_tensors = 4;
  options.max_size = most_size;
  return testing::random_workload(rng, options);
}

std::vector<double> random_word_sizes(testing::Rng& rng) {
  std::vector<double> sizes(kMaxTensors);
  for (double& size : sizes) size = std::array{0.5, 1.0, 2.0, 4.0}[testing::pick(rng, 0, 3)];
  return sizes;
}

void expect_below_best_tile(testing::Rng& rng, const Workload& workload) {
  const std::vector<double> sizes = random_word_sizes(rng);
  const AccessNest nest = access_nest(workload, sizes), apart = lifted(nest);
  double touched = 0;
  for (const Access& access : nest.accesses) touched += static_cast<double>(touched_words(nest, access));
  // From next to nothing to all of it, every order of magnitude as often.
  const double capacity = 2 * std::pow(touched, static_cast<double>(testing::pick(rng, 0, 100)) / 100);
  const auto tiling = best_parts(workload, capacity, {}, sizes);
  RC_PRE(tiling.has_value());
  RC_ASSERT(static_cast<double>(segment_bound(apart, rank_rows(apart), capacity).words) <= tiling->words());
  RC_ASSERT(static_cast<double>(segment_bound(nest, rank_rows(nest), capacity).words) <= tiling->words());
  RC_ASSERT(touched <= tiling->words());
  if (const auto conv = as_convolution(workload, sizes))
    RC_ASSERT(convolution_bound(*conv, capacity).words() <= tiling->words());
}

// Lower bounds against the best tiling found, with words of several sizes.
RC_GTEST_PROP(SegmentBound, BelowEveryTiling, (u64 seed)) {
  testing::Rng rng(seed);
  expect_below_best_tile(rng, random_workload(rng, testing::chance(rng, 50) ? 8 : 60));
}

RC_GTEST_PROP(SegmentBound, BelowEveryTilingOfConvolutions, (u64 seed)) {
  testing::Rng rng(seed);
  expect_below_best_tile(rng, testing::random_convolution(rng, testing::chance(rng, 50) ? 6 : 40));
}

// The best exponents are at least as good as any others: those of the linear program, those of the convolution's proof.
bool is_not_below_given(u64 seed) {
  testing::Rng rng(seed);
  const AccessNest nest = lifted(access_nest(random_workload(rng, 200)));
  if (nest.loops.empty()) return true;
  const double capacity = static_cast<double>(testing::pick(rng, 16, 4000));
  const std::vector<RankRow> rows = rank_rows(nest);
  const SizedExponent sized = hbl_exponent(nest, rows, capacity);
  const SegmentBound best = segment_bound(nest, rows, capacity);
  const SegmentBound given = segment_bound(nest, rows, capacity, sized.s, sized.t);
  return static_cast<double>(given.words) <= static_cast<double>(best.words) * 1.02 + 16;
}

RC_GTEST_PROP(SegmentBound, NotBelowGivenExponents, (u64 seed)) { RC_ASSERT(is_not_below_given(seed)); }

// A memory in which one piece of a sixteenth more would do everything.
TEST(SegmentBound, NotBelowGivenExponentsWhereAlmostAllFits) { EXPECT_TRUE(is_not_below_given(22433)); }

TEST(SegmentBound, DominatesTheConvolutionBounds) {
  for (const char* text : {"conv:n=16,k=64,c=64,p=56,r=3", "conv:n=16,k=64,c=3,p=112,r=7,stride=2", "gemm:512x512x512",
                           "conv:n=16,k=32,c=32,p=128,r=32", "conv:k=512,c=256,p=28,r=1,stride=2,n=16"}) {
    const Convolution conv = *as_convolution(testing::workload(text));
    for (double capacity = 64; capacity < 1e6; capacity *= 4) {
      const ConvolutionBound closed = convolution_bound(conv, capacity);
      EXPECT_GE(static_cast<double>(words_of(text, capacity)) * 1.0001 + 1, std::max(closed.large, closed.small))
          << text << " in " << capacity;
    }
  }
}

TEST(SegmentBound, FallsWithTheCapacity) {
  u64 before = ~u64{0};
  for (double capacity = 64; capacity < 4e6; capacity *= 1.5) {
    const u64 words = words_of("conv:n=4,k=64,c=64,p=28,r=3", capacity);
    EXPECT_LE(static_cast<double>(words), static_cast<double>(before) * 1.01);  // whole pieces
    before = words;
  }
}

}  // namespace
}  // namespace heliolite::iolb_segment_test
