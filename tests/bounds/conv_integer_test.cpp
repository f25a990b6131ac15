// Integer tiles for a scratchpad and an accumulator: published optima, brute force on small machines.
#include "engine/bounds/published/published.h"

#include <gtest/gtest.h>

#include "tests/support/random_problem.h"

namespace heliolite::conv_integer_test {
namespace {

Convolution layer(double c, double k, double size, double taps, double stride, double b = 1) {
  const ConvWindow window{size, taps, stride};
  return {b, c, k, {window, window}};
}

void expect_fits(const IntegerConvTile& t, const ScratchpadMachine& machine) {
  EXPECT_LE(t.image_words() + t.filter_words(), machine.scratchpad);
  EXPECT_LE(t.out_words(), machine.accumulator);
}

TEST(ConvInteger, LargestTilesOnGemmini) {
  const ScratchpadMachine gemmini;
  const auto expect = [&](const Convolution& conv, u64 volume) {
    const auto tile = largest_integer_tile(conv, gemmini);
    ASSERT_TRUE(tile);
    EXPECT_EQ(tile->volume(), volume);
    expect_fits(*tile, gemmini);
  };
  expect(layer(3, 64, 112, 7, 2), 1204224);
  expect(layer(64, 64, 56, 3, 1), 4718592);
  expect(layer(128, 128, 28, 3, 1), 9437184);
  expect(layer(256, 256, 14, 3, 1), 14392476);
  expect(layer(512, 512, 7, 3, 1), 6002892);
  expect(layer(512, 512, 7, 3, 1, 4), 12295080);
}

TEST(ConvInteger, LeastLoadsWithOutputsInPlace) {
  const auto expect = [](const Convolution& conv, u64 loads) {
    const auto best = least_loads_tile(conv, {});
    ASSERT_TRUE(best);
    EXPECT_EQ(best->loads, loads);
    expect_fits(best->tile, {});
  };
  expect(layer(3, 64, 112, 7, 2), 931392);
  expect(layer(64, 64, 56, 3, 1), 1127168);
  expect(layer(128, 128, 28, 3, 1), 1181696);
  expect(layer(256, 256, 14, 3, 1), 1114624);
  expect(layer(512, 512, 7, 3, 1), 2564096);
}

// Extents of given proportions, scaled until they fill the scratchpad and rounded down.
TEST(ConvInteger, FootprintOfAScaledTile) {
  const IntegerConvTile tile{18, 36, 36, {9, 9}, {3, 3}, {1, 1}, {3, 3}};
  EXPECT_EQ(tile.image_words() + tile.filter_words(), 104976U);
}

TEST(ConvInteger, NothingFits) {
  EXPECT_FALSE(largest_integer_tile(layer(4, 4, 4, 3, 1), {.scratchpad = 4, .accumulator = 8}));
  EXPECT_FALSE(least_loads_tile(layer(4, 4, 4, 3, 1), {.scratchpad = 24, .accumulator = 8}));
}

u64 volume_by_enumeration(const Convolution& conv, const ScratchpadMachine& machine) {
  u64 most = 0;
  const auto n = [](double x) { return static_cast<u64>(x); };
  IntegerConvTile t;
  auto& [w, h] = t.outputs;
  auto& [r, s] = t.quotients;
  for (t.batch = 1; t.batch <= n(conv.batch); ++t.batch)
    for (t.in_channels = 1; t.in_channels <= n(conv.in_channels); ++t.in_channels)
      for (t.out_channels = 1; t.out_channels <= n(conv.out_channels); ++t.out_channels)
        for (w = 1; w <= n(conv.windows[0].outputs); ++w)
          for (h = 1; h <= n(conv.windows[1].outputs); ++h)
            for (r = 1; r <= n(conv.windows[0].taps); ++r)
              for (s = 1; s <= n(conv.windows[1].taps); ++s) {
                t.taps = t.quotients;
                if (t.out_words() <= machine.accumulator && t.image_words() + t.filter_words() <= machine.scratchpad)
                  most = std::max(most, t.volume());
              }
  return most;
}

TEST(ConvInteger, AgreesWithEnumeration) {
  testing::Rng rng(7);
  for (int i = 0; i < 40; ++i) {
    const auto pick = [&](u64 most) { return static_cast<double>(testing::pick(rng, 1, most)); };
    const Convolution conv{pick(2), pick(5), pick(5), {{pick(6), pick(3), 1}, {pick(6), pick(3), 1}}};
    const ScratchpadMachine machine{testing::pick(rng, 4, 120), testing::pick(rng, 1, 40)};
    const auto tile = largest_integer_tile(conv, machine);
    EXPECT_EQ(tile ? tile->volume() : 0, volume_by_enumeration(conv, machine)) << i;
  }
}

}  // namespace
}  // namespace heliolite::conv_integer_test
