// Algorithms of papers that serve as yardsticks: what they move in hand-counted cases and against executions and
// bounds.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "engine/bounds/lower_bounds.h"
#include "engine/bounds/published/published.h"
#include "tests/support/load.h"
#include "tests/support/random_problem.h"

namespace heliolite::published_test {
namespace {

Convolution layer(double c, double k, double size, double taps, double stride, double b = 1) {
  const ConvWindow window{size, taps, stride};
  return {b, c, k, {window, window}};
}

TEST(ConvAlgorithms, HandCounted) {
  const Convolution tiny = layer(1, 1, 4, 3, 1);  // image 36, filter 9, output 16 words
  EXPECT_EQ(naive_words(tiny), 2 * 144 + 16);
  EXPECT_EQ(im2col_words(tiny, 1e6), 36 + 144 + 144 + 9 + 16);
  // One block of 4 x 4 outputs has 36 points; each is a product of 1 x 1 matrices.
  EXPECT_EQ(winograd_words(tiny, 1e6), 36 + 36 + 9 + 36 + 36 * 3 + 36 + 16);
  // 36 points, 18 complex products, one pass.
  EXPECT_EQ(fft_words(tiny, 1e6), 36 + 36 + 9 + 36 + 18 * 2 * 3 + 36 + 16);
  // Stride 2: four images of stride 1 with windows of 2 x 2; four blocks of 2 x 2 outputs have 9 points each, and each
  // point is a product of 4 x 4 by 4 x 1.
  EXPECT_EQ(winograd_words(layer(1, 1, 4, 3, 2), 1e6), 81 + 9 * 16 + 9 + 9 * 4 + 9 * (16 + 4 + 4) + 9 * 4 + 16);
}

TEST(ConvAlgorithms, ProductsAreTiled) {
  EXPECT_EQ(product_words({512, 512, 512}, 1024), 9175040);
  EXPECT_EQ(product_words({8, 8, 8}, 2), INFINITY);
  EXPECT_EQ(product_words({8, 8, 8}, 3), 8 * 64 * 2 + 64);
  EXPECT_EQ(product_words({1000, 1, 1000}, 2001), 1e6 + 1000 + 1000);  // the vector stays
}

// No algorithm of products beats the bound of products, and none beats the bound of a convolution that it computes MAC
// by MAC.
RC_GTEST_PROP(ConvAlgorithms, AboveTheBound, (u64 seed)) {
  testing::Rng rng(seed);
  const auto size = [&] { return testing::pick(rng, 1, 60); };
  const u64 m = size(), n = size(), k = size();
  const double capacity = static_cast<double>(testing::pick(rng, 3, 3000));
  const LowerBounds bounds(testing::workload(fmt::format("gemm:{}x{}x{}", m, n, k)));
  const double words =
      product_words({static_cast<double>(m), static_cast<double>(n), static_cast<double>(k)}, capacity);
  RC_ASSERT(words >= static_cast<double>(bounds.words(capacity)));
}

TEST(VendorTile, FitsAndCannotGrow) {
  const ScratchpadMachine gemmini;
  for (const Convolution& conv : {layer(3, 64, 112, 7, 2), layer(64, 64, 56, 3, 1), layer(512, 512, 7, 3, 1)}) {
    const auto tile = vendor_tile(conv, gemmini);
    ASSERT_TRUE(tile);
    const auto fits = [&](const IntegerConvTile& t) {
      const TileRows rows = tile_rows(conv, t);
      return rows.scratchpad <= gemmini.scratchpad / kArraySide && rows.accumulator <= gemmini.accumulator / kArraySide;
    };
    EXPECT_TRUE(fits(*tile));
    for (u64 IntegerConvTile::*channels : {&IntegerConvTile::in_channels, &IntegerConvTile::out_channels}) {
      IntegerConvTile larger = *tile;
      const double most = channels == &IntegerConvTile::in_channels ? conv.in_channels : conv.out_channels;
      if (static_cast<double>(larger.*channels) == most) continue;
      ++(larger.*channels);
      EXPECT_FALSE(fits(larger));
    }
  }
  EXPECT_FALSE(vendor_tile(layer(4, 4, 4, 3, 1), {.scratchpad = 16, .accumulator = 16}));
}

// The algorithm computes the product, with the counts that are claimed and in the room that there is; the bound holds.
RC_GTEST_PROP(SketchRun, ExecutesAsCounted, (u64 seed)) {
  testing::Rng rng(seed);
  const auto size = [&] { return static_cast<double>(testing::pick(rng, 1, 12)); };
  const double costs[] = {0, 1e-3, 0.1, 0.5, 1, 3};
  const Sketch sketch{size(), size(), size(), costs[testing::pick(rng, 0, 5)]};
  const u64 capacity = testing::pick(rng, 3, 100);
  const auto d = static_cast<u64>(sketch.d), m = static_cast<u64>(sketch.m), n = static_cast<u64>(sketch.n);
  std::vector<double> a(m * n);
  for (double& x : a) x = static_cast<double>(testing::pick(rng, 0, 9));
  const auto element = [](u64 i, u64 j) { return static_cast<double>((i * 7 + j * 3) % 5) - 2; };
  const SketchTile tile = sketch_tile(sketch, capacity);
  const SketchProduct run = execute_sketch(sketch, tile, a, element);
  const SketchCounts counts = sketch_counts(sketch, tile);
  RC_ASSERT(run.counts.loads == counts.loads);
  RC_ASSERT(run.counts.generated == counts.generated);
  RC_ASSERT(run.counts.stores == counts.stores);
  RC_ASSERT(run.counts.held <= capacity && run.counts.held == counts.held);
  for (u64 i = 0; i < d; ++i)
    for (u64 j = 0; j < n; ++j) {
      double sum = 0;
      for (u64 x = 0; x < m; ++x) sum += element(i, x) * a[x * n + j];
      RC_ASSERT(run.ahat[i * n + j] == sum);
    }
  const double moved = counts.cost(sketch) + static_cast<double>(counts.stores);
  RC_ASSERT(moved >= sketch_bound(sketch, static_cast<double>(capacity)));
}

}  // namespace
}  // namespace heliolite::published_test
