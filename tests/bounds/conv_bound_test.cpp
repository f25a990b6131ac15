// Lower bounds of convolutions in closed form, and the tilings that attain them.
#include "engine/bounds/conv/conv_bound.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/bounds/hbl/hbl_tile.h"
#include "engine/bounds/published/published.h"
#include "engine/bounds/tiling/iotile_search.h"
#include "tests/support/load.h"
#include "tests/support/random_problem.h"

namespace heliolite::conv_bound_test {
namespace {

// The lifted nest over B, C, K and w, r', r'' of each window, with real sizes: r' = taps / stride.
AccessNest lifted_nest(const Convolution& conv) {
  AccessNest nest;
  nest.iterations = conv.macs();
  nest.loops = {{"B", conv.batch}, {"C", conv.in_channels}, {"K", conv.out_channels}};
  for (std::size_t i = 0; i < conv.windows.size(); ++i) {
    const ConvWindow& w = conv.windows[i];
    nest.loops.push_back({fmt::format("W{}", i), w.outputs});
    nest.loops.push_back({fmt::format("R{}'", i), w.taps / w.stride});
    nest.loops.push_back({fmt::format("R{}''", i), w.stride});
  }
  const auto row = [&](std::initializer_list<std::size_t> loops) {
    std::vector<i64> r(nest.loops.size());
    for (const std::size_t l : loops) r[l] = 1;
    return r;
  };
  Access image{"Image", false, conv.image_word, {row({0}), row({1})}};
  Access filter{"Filter", false, conv.filter_word, {row({1}), row({2})}};
  Access out{"Out", true, conv.out_word, {row({0}), row({2})}};
  for (std::size_t l = 3; l < nest.loops.size(); l += 3) {
    image.rows.insert(image.rows.end(), {row({l, l + 1}), row({l + 2})});
    filter.rows.insert(filter.rows.end(), {row({l + 1}), row({l + 2})});
    out.rows.push_back(row({l}));
  }
  nest.accesses = {std::move(image), std::move(filter), std::move(out)};
  return nest;
}

Convolution convolution(double b, double c, double k, double size, double taps, double stride, double out_word = 1) {
  const ConvWindow window{size, taps, stride};
  return {b, c, k, {window, window}, 1, 1, out_word};
}

// Layers of ResNet-50 at batch 1000.
Convolution conv1(double out_word = 1) { return convolution(1000, 3, 64, 112, 7, 2, out_word); }
Convolution conv2(double out_word = 1) { return convolution(1000, 64, 64, 56, 3, 1, out_word); }

void expect_near(double value, double expected, double digits = 1e-8) {
  EXPECT_NEAR(value / expected, 1, digits) << value << " instead of " << expected;
}

TEST(ConvBound, RecognisesConvolutions) {
  const auto conv = as_convolution(testing::workload("conv:k=64,c=3,p=112,r=7,stride=2,n=1000"));
  ASSERT_TRUE(conv);
  EXPECT_EQ(conv->macs(), conv1().macs());
  EXPECT_EQ(conv->image(), conv1().image());
  EXPECT_EQ(conv->quotients(), 16);
  const auto product = as_convolution(testing::workload("gemm:8x9x10"));
  ASSERT_TRUE(product);
  EXPECT_EQ(product->macs(), 720);
  EXPECT_EQ(product->image() + product->filter() + product->out(), 8 * 9 + 9 * 10 + 8 * 10);
  EXPECT_FALSE(as_convolution(testing::workload("depthwise:c=8,p=8,r=3")));
  EXPECT_FALSE(as_convolution(testing::workload("conv:k=8,c=8,p=8,r=3,dilation=2")));
  EXPECT_FALSE(as_convolution(testing::workload("mttkrp:8x8x8x8")));
}

TEST(ConvBound, ResNet50) {
  const double m = 65536;
  const ConvolutionBound first = convolution_bound(conv1(), m), first2 = convolution_bound(conv1(2), m);
  EXPECT_EQ(first.arrays, 960148408);
  EXPECT_EQ(first2.arrays, 1762964408);
  expect_near(first.large, 3986151.5);
  expect_near(first2.large, 7137464);
  expect_near(first.small, 230364928);
  expect_near(first2.small, 325839497);
  expect_near(small_filter_words(conv1(), m, 49.0 / 4), 263292928);  // as printed: too large
  expect_near(small_filter_words(conv1(2), m, 49.0 / 4), 372406721);

  const ConvolutionBound second = convolution_bound(conv2(), m), second2 = convolution_bound(conv2(2), m);
  EXPECT_EQ(second.arrays, 416036864);
  EXPECT_EQ(second2.arrays, 616740864);
  expect_near(second.large, 3903464);
  expect_near(second2.large, 6990464);
  expect_near(second.small, 300924928);
  expect_near(second2.small, 425626406);

  const ConvolutionBound third = convolution_bound(convolution(1000, 128, 128, 28, 3, 1), m);
  EXPECT_EQ(third.arrays, 215699456);
  expect_near(third.words(), 300924928);
  expect_near(convolution_bound(convolution(1000, 128, 128, 28, 3, 1, 2), m).words(), 425626406);
  EXPECT_EQ(convolution_bound(convolution(1000, 256, 256, 14, 3, 1), m).arrays, 116301824);
  EXPECT_EQ(convolution_bound(convolution(1000, 256, 256, 14, 3, 1, 2), m).arrays, 166477824);
  EXPECT_EQ(convolution_bound(convolution(1000, 512, 512, 7, 3, 1), m).arrays, 68919296);
  EXPECT_EQ(convolution_bound(convolution(1000, 512, 512, 7, 3, 1, 2), m).arrays, 94007296);
}

TEST(ConvBound, ByCapacity) {
  for (const auto& [m, large, small] : {std::tuple{256.0, 1.80634e9, 6.81212e9},
                                        {1024.0, 4.51583e8, 3.40606e9},
                                        {4096.0, 1.12892e8, 1.70302e9},
                                        {16384.0, 0.0, 8.51482e8},
                                        {262144.0, 0.0, 2.12354e8}}) {
    if (large > 0) expect_near(convolution_bound(conv2(2), m).large, large, 1e-5);
    expect_near(convolution_bound(conv2(2), m).small, small, 1e-5);
  }
  EXPECT_EQ(convolution_bound(conv2(2), 65536).words(), 616740864);

  const ConvolutionBound alexnet = convolution_bound(convolution(1000, 3, 96, 55, 11, 4), 1024);
  EXPECT_EQ(alexnet.arrays, 445021848);
  expect_near(alexnet.large, 231624171);
  expect_near(alexnet.small, 2196147950);
  expect_near(small_filter_words(convolution(1000, 3, 96, 55, 11, 4), 1024, 121.0 / 16), 2395797950);

  const ConvolutionBound big = convolution_bound(convolution(16, 32, 32, 256, 64, 1), 1024);
  expect_near(big.large, 9663675392);
  expect_near(big.small, 4294965248);
  EXPECT_EQ(big.arrays, 89850368);
}

// The printed form for a window that skips pixels is above what a tile moves; the stride is that of compacted pixels.
TEST(ConvBound, StridesBeyondTheWindow) {
  const Workload workload = testing::workload("conv:k=512,c=256,p=28,r=1,stride=2,n=1000");
  const auto conv = as_convolution(workload);
  ASSERT_TRUE(conv);
  const ConvolutionBound bound = convolution_bound(*conv, 65536);
  expect_near(bound.small, 802684928);
  EXPECT_EQ(bound.arrays, 602243072);
  const double printed = small_filter_words(*conv, 65536, 1.0 / 4);
  expect_near(printed, 1605500928);
  // 255 positions x 255 channels of outputs that stay, one input channel at a time.
  EXPECT_LT(conv->macs() * (255 + 255) / (255 * 255) + conv->out(), printed);
  EXPECT_LE(best_tile(tiling_problem(workload), 65536)->words, 1.2075e9);
}

TEST(ConvBound, ConstantsOfMixedWords) {
  EXPECT_EQ(large_filter_constant(1, 1, 1), 2.25);
  EXPECT_EQ(large_filter_constant(1, 1, 2), 4);
  EXPECT_EQ(large_filter_constant(1, 1, 3), 6);
  EXPECT_EQ(large_filter_constant(1, 1, 4), 8);
  EXPECT_EQ(large_filter_constant(2, 1, 4), 12);
  EXPECT_EQ(large_filter_constant(.25, .25, 1), .5);
}

TEST(ConvBound, MatrixProducts) {
  const auto words = [](double n, double m) { return small_filter_words({1, n, n, {{n, 1, 1}}}, m, 1); };
  EXPECT_EQ(words(512, 1024), 8386560);
  EXPECT_EQ(words(4096, 65536), 536739840);
  const auto bound = convolution_bound(*as_convolution(testing::workload("gemm:512x512x512")), 1024);
  EXPECT_EQ(bound.arrays, 786432);
  EXPECT_EQ(bound.small, 8386560);
}

TEST(ConvBound, FiveTerms) {
  const Convolution alexnet = convolution(1000, 3, 96, 55, 11, 4);
  const auto order = [&](double m) {
    const auto terms = convolution_order(alexnet, m);
    return *std::max_element(terms.begin(), terms.end());
  };
  EXPECT_EQ(convolution_order(alexnet, 1024)[0], 290400000);
  EXPECT_EQ(convolution_order(alexnet, 1024)[1], 145200000);
  EXPECT_EQ(convolution_order(alexnet, 1024)[2], 34848);
  expect_near(order(1024), 1197900000);
  expect_near(alexnet.macs() / std::sqrt(1024), 3294225000);  // what a matrix product would move
  expect_near(order(17424), 290400000);
  expect_near(order(65536), 290400000);

  const RealTile tile = largest_tile(lifted_nest(alexnet), 1024);
  expect_near(alexnet.macs() * 1024 / std::exp(tile.log_volume), 1197900000);
}

// The published tiles, of b = k outputs with all input channels and w = h = r' = s' = 11 / 4: they fit and are largest.
TEST(ConvTile, PublishedTilesAreLargest) {
  const Convolution alexnet = convolution(1000, 3, 96, 55, 11, 4);
  const double quotient = 11.0 / 4;
  for (const auto& [m, b, remainders] : {std::tuple{1024.0, 11.636, 3.879}, {17424.0, 48.0, 16.0}}) {
    EXPECT_NEAR(b * b * quotient * quotient, m, 0.1);
    EXPECT_NEAR(3 * b * quotient * quotient * remainders, m, 0.5);  // of image and of filter
    const double volume = b * b * 3 * std::pow(quotient, 4) * remainders;
    expect_near(volume, largest_conv_tile(alexnet, m), 1e-3);
  }
}

TEST(ConvBound, Poolings) {
  const Convolution pool = convolution(32, 64, 64, 56, 3, 2);
  EXPECT_EQ(pooling_order(pool, 64), (std::array{6422528.0, 25690112.0, 57802752.0}));
  EXPECT_EQ(pooling_order(pool, 1024)[2], 3612672);
}

TEST(ConvBound, Parallel) {
  const auto expect = [](const Convolution& conv, u64 p, double words, std::vector<double> split) {
    const ParallelOrder best = parallel_convolution_order(conv, 65536, p);
    EXPECT_EQ(best.words, words);
    EXPECT_EQ(best.split[1], split[1]);  // the others tie
  };
  expect(convolution(16, 512, 512, 7, 3, 1), 16, 4718592, {1, 8, 1, 2});
  expect(convolution(8, 256, 256, 14, 3, 1), 64, 4718592, {1, 8, 1, 8});
  expect(convolution(16, 64, 64, 56, 3, 1), 256, 6422528, {1, 2, 4, 32});
  expect(convolution(1, 512, 512, 7, 3, 1), 64, 2359296, {1, 64, 1, 1});
}

double log_between(testing::Rng& rng, double low, double high) {
  const double x = static_cast<double>(testing::pick(rng, 0, 1 << 20)) / (1 << 20);
  return low * std::pow(high / low, x);
}

// Any sizes with stride <= taps <= stride * outputs.
Convolution random_convolution(testing::Rng& rng, double most_stride) {
  Convolution conv{log_between(rng, 1, 1e3), log_between(rng, 1, 1e3), log_between(rng, 1, 1e3), {}};
  for (int i = 0; i < 2; ++i) {
    const double outputs = log_between(rng, 1, 300), stride = log_between(rng, 1, most_stride);
    conv.windows.push_back({outputs, log_between(rng, stride, stride * outputs), stride});
  }
  return conv;
}

// The lifted program, its closed form, and the five terms say the same.
RC_GTEST_PROP(ConvTile, LinearProgramIsTheClosedForm, (u64 seed)) {
  testing::Rng rng(seed);
  const Convolution conv = random_convolution(rng, 6);
  const double capacity = log_between(rng, 4, 1e6);
  const double volume = largest_conv_tile(conv, capacity);
  RC_ASSERT(std::abs(largest_tile(lifted_nest(conv), capacity).log_volume - std::log(volume)) < 1e-6);
  const auto order = convolution_order(conv, capacity);
  const double most = *std::max_element(order.begin(), order.end());
  if (most >= capacity) RC_ASSERT(std::abs(conv.macs() * capacity / volume / most - 1) < 1e-6);
}

RC_GTEST_PROP(ConvTile, PoolingsAttainTheirBound, (u64 seed)) {
  testing::Rng rng(seed);
  const Convolution conv = random_convolution(rng, 6);
  const double capacity = log_between(rng, 4, 1e6);
  AccessNest nest = lifted_nest(conv);
  nest.accesses.erase(nest.accesses.begin() + 1);
  nest.accesses[0].rows.erase(nest.accesses[0].rows.begin() + 1);  // channels of the image are those of the output
  nest.accesses[0].rows.push_back(nest.accesses[1].rows[1]);
  nest.loops[1].size = 1;
  const double volume = std::exp(largest_tile(nest, capacity).log_volume), macs = conv.macs() / conv.in_channels;
  const double most = std::max({conv.out(), conv.stride() * conv.out(), macs / capacity});
  if (most >= capacity) RC_ASSERT(std::abs(macs * capacity / volume / most - 1) < 1e-6);
}

// The decision tree's tiles fit, and are the largest.
RC_GTEST_PROP(ConvTile, DecisionTreeIsOptimal, (u64 seed)) {
  testing::Rng rng(seed);
  const Convolution conv = random_convolution(rng, 1);
  const double capacity = log_between(rng, 4, 1e6);
  const ConvTile tile = stride_one_tile(conv, capacity);
  const double slack = 1 + 1e-9;
  double image = tile.batch * tile.in_channels, filter = tile.in_channels * tile.out_channels,
         out = tile.batch * tile.out_channels;
  for (std::size_t i = 0; i < 2; ++i) {
    RC_ASSERT(tile.outputs[i] <= conv.windows[i].outputs * slack && tile.outputs[i] >= 1 / slack);
    RC_ASSERT(tile.taps[i] <= conv.windows[i].taps * slack && tile.taps[i] >= 1 / slack);
    image *= std::max(tile.outputs[i], tile.taps[i]);
    filter *= tile.taps[i];
    out *= tile.outputs[i];
  }
  RC_ASSERT(tile.batch >= 1 / slack && tile.in_channels >= 1 / slack && tile.out_channels >= 1 / slack);
  RC_ASSERT(tile.batch <= conv.batch * slack && tile.in_channels <= conv.in_channels * slack);
  RC_ASSERT(tile.out_channels <= conv.out_channels * slack);
  RC_ASSERT(std::max({image, filter, out}) <= capacity * slack);
  RC_ASSERT(std::abs(tile.volume() / largest_conv_tile(conv, capacity) - 1) < 1e-6);
}

TEST(Sketch, BoundAndAlgorithm) {
  const auto check = [](double h, double bound, double cost) {
    const Sketch sketch{1000, 10000, 2000, h};
    expect_near(std::max(bound, 305176.0) - 2 * 65536, sketch_bound(sketch, 65536), 1e-5);
    expect_near(sketch_tiling(sketch, 65536).cost, cost, 1e-6);
    EXPECT_GE(sketch_tiling(sketch, 65536).cost + sketch_tiling(sketch, 65536).stores, sketch_bound(sketch, 65536));
  };
  check(1, 156250000, 156556373);
  check(.25, 78125000, 78201443);
  check(.01, 15625000, 15628053);
  check(1e-6, 156250, 325180.403);
  EXPECT_EQ(sketch_tiling({1000, 10000, 2000, 1e-6}, 65536).rows, 65535);
  EXPECT_EQ(sketch_tiling({1000, 10000, 2000, 7}, 65536).stores, 1000 * 2000 + 1000 * 10000);
}

}  // namespace
}  // namespace heliolite::conv_bound_test
