// All bounds together: below every mapping of every machine, below the curve of all mappings, consistent between rules
// of counting.
#include "engine/bounds/lower_bounds.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/bounds/curve/movement_distance.h"
#include "engine/bounds/curve/orojenesis.h"
#include "engine/bounds/hbl/hbl_exponent.h"
#include "engine/bounds/tiling/iotile_search.h"
#include "engine/model/cost_model.h"
#include "engine/search/map.h"
#include "tests/support/load.h"
#include "tests/support/random_convolution.h"

namespace heliolite::lower_bounds_test {
namespace {

u64 words_of(const LowerBounds& bounds, BoundKind kind, double capacity) {
  for (const LowerBound& b : bounds.at(capacity))
    if (b.kind == kind) return b.words;
  return 0;
}

TEST(LowerBounds, KindsThatApply) {
  const auto kinds = [](const std::string& text) {
    std::vector<std::string_view> names;
    for (const LowerBound& b : LowerBounds(testing::workload(text)).at(1024)) names.push_back(name(b.kind));
    return names;
  };
  EXPECT_EQ(kinds("gemm:64x64x64"), (std::vector<std::string_view>{"compulsory", "hbl", "conv", "iolb"}));
  EXPECT_EQ(kinds("mttkrp:8x8x8x8"), (std::vector<std::string_view>{"compulsory", "hbl", "iolb"}));
}

TEST(LowerBounds, TheWinnerChangesWithTheMemory) {
  const LowerBounds bounds(testing::workload("conv:n=16,k=64,c=64,p=56,r=3"));
  EXPECT_EQ(best(bounds.at(1 << 22)).kind, BoundKind::Compulsory);
  EXPECT_NE(best(bounds.at(1024)).kind, BoundKind::Compulsory);
  EXPECT_GT(bounds.words(1024), bounds.words(65536));
  EXPECT_FALSE(best(bounds.at(1024)).why.empty());
}

// Loads are at most loads and stores; outputs that are read cost their words on top.
TEST(LowerBounds, RulesOfCounting) {
  const Workload product = testing::workload("gemm:256x256x256");
  const auto words = [&](TrafficRule rule, double capacity) { return LowerBounds(product, rule).words(capacity); };
  for (const double capacity : {64.0, 1024.0, 1e9}) {
    const u64 all = words({true, false}, capacity);
    EXPECT_LE(words({false, false}, capacity), all);
    EXPECT_EQ(words({true, true}, capacity), all + 256 * 256);
    EXPECT_LE(words({false, false}, capacity), words({false, true}, capacity));
  }
  EXPECT_EQ(words({false, false}, 1e9), 2U * 256 * 256);
  EXPECT_EQ(words({false, true}, 1e9), 3U * 256 * 256);
}

TEST(LowerBounds, PublishedValues) {
  const auto words = [](const std::string& text, TrafficRule rule, double capacity) {
    return LowerBounds(testing::workload(text), rule).words(capacity);
  };
  // All of it fits: the asymptotic form would say 65536.
  EXPECT_EQ(words("gemm:100x100x100", {}, 65536), 30000U);
  // The printed form G / sqrt(2 M) holds, but is less than half of it.
  EXPECT_GE(words("gemm:512x512x512", {}, 1024), 8386560U);
  EXPECT_NEAR(std::pow(512, 3) / std::sqrt(2 * 1024), 2965820.8, 0.1);
  // Loads alone, sums from zero: above what IOLB prints for the layer, 7155840.
  EXPECT_GE(words("conv:k=64,c=32,p=272,r=3", {false, false}, 4096), 9412608U);
  // Matrices that each element is used of once: only compulsory words.
  EXPECT_EQ(words("y[i] += a[i,j]*x[j]; i=1000,j=2000", {false, true}, 1 << 22), 1000U * 2000 + 2000 + 1000);
}

TEST(LowerBounds, ConvexExponentsAreNoWorse) {
  for (const char* text : {"conv:n=16,k=64,c=3,p=112,r=7,stride=2", "gemm:1000x1000x8", "mttkrp:64x64x64x64",
                           "depthwise:c=64,p=56,r=3", "bmm:8x64x64x64"}) {
    const LowerBounds bounds(testing::workload(text));
    for (double capacity = 16; capacity < 1e7; capacity *= 4) {
      EXPECT_GE(words_of(bounds, BoundKind::Iolb, capacity), words_of(bounds, BoundKind::Hbl, capacity)) << text;
    }
  }
}

TEST(LowerBounds, OddCapacities) {
  for (const char* text : {"gemm:64x64x64", "gemm:1x1x1", "conv:k=4,c=4,p=7,r=3,stride=5", "o[i] += a[i]; i=7"}) {
    const LowerBounds bounds(testing::workload(text));
    for (const double capacity : {1e-3, 0.5, 1.0, 1.5, 2.0, 3.0, 1e18})
      for (const LowerBound& b : bounds.at(capacity)) EXPECT_LT(b.words, u64{1} << 62) << text << " in " << capacity;
  }
}

// What must move with more memory must move with less: every kind, at capacities however near each other.
RC_GTEST_PROP(LowerBounds, FallWithTheCapacity, (u64 seed)) {
  testing::Rng rng(seed);
  const Workload workload =
      testing::chance(rng, 50) ? testing::random_convolution(rng, 40) : testing::random_workload(rng, {.max_size = 60});
  const LowerBounds bounds(workload);
  double capacity = 1;
  std::vector<LowerBound> before = bounds.at(capacity);
  for (int i = 0; i < 20; ++i) {
    capacity += static_cast<double>(testing::pick(rng, 1, u64{1} << testing::pick(rng, 0, 10)));
    const std::vector<LowerBound> now = bounds.at(capacity);
    for (std::size_t k = 0; k < now.size(); ++k) RC_ASSERT(now[k].words <= before[k].words);
    before = now;
  }
}

// The random mappings of random machines: at every boundary the words inside and the words across are those of the cost
// model; no bound is above.
RC_GTEST_PROP(LowerBounds, NoMappingMovesLess, (u64 seed)) {
  testing::RandomOptions options;
  options.capacities = true;
  const testing::RandomProblem p = testing::random_problem(seed, options);
  const std::vector<Crossing> crossed = crossings(CostModel(p.workload, p.architecture).explain(p.mapping));
  const LowerBounds bounds(p.workload);
  for (const Crossing& crossing : crossed) {
    const double capacity = static_cast<double>(crossing.words + p.workload.tensors.size());
    RC_ASSERT(bounds.words(capacity) <= crossing.accesses);
  }
}

// The same with sizes of words: tensors that state some, levels of other words.
RC_GTEST_PROP(LowerBounds, NoMappingOfSizedWordsMovesLess, (u64 seed)) {
  testing::RandomOptions options;
  options.capacities = true;
  options.word_bits = true;
  const testing::RandomProblem p = testing::random_problem(seed, options);
  const WordUnit unit = boundary_unit(p.workload, p.architecture);
  const WordUnit::Sizes units = unit.sizes(p.workload);
  const std::vector<double> sizes(units.begin(), units.end());
  const LowerBounds bounds(p.workload, {}, sizes);
  for (const Crossing& crossing : crossings(CostModel(p.workload, p.architecture).explain(p.mapping), units)) {
    const double capacity = static_cast<double>(crossing.words + operand_units(p.workload, unit));
    RC_ASSERT(bounds.words(capacity) <= crossing.accesses);
  }
}

// A factor of all sizes is one of capacity and words.
RC_GTEST_PROP(LowerBounds, EqualSizesScale, (u64 seed)) {
  testing::Rng rng(seed);
  const Workload workload =
      testing::chance(rng, 50) ? testing::random_convolution(rng, 30) : testing::random_workload(rng, {.max_size = 30});
  const auto size = static_cast<double>(testing::pick(rng, 2, 32));
  const LowerBounds words(workload), units(workload, {}, std::vector<double>(workload.tensors.size(), size));
  for (double capacity = 4; capacity < 1e4; capacity *= 3) {
    const auto in_words = static_cast<double>(words.words(capacity));
    const auto in_units = static_cast<double>(units.words(size * capacity));
    // Exponents are tried at steps of the capacity in units, and results are rounded down.
    RC_ASSERT(in_units >= size * (in_words * 0.98 - 1) && in_units <= size * (in_words * 1.02 + 1));
  }
}

TEST(LowerBounds, NoMappingFoundMovesLess) {
  for (const char* machine : {"eyeriss", "simba", "edge_unified"}) {
    const Architecture architecture = testing::machine(machine);
    for (const char* text : {"gemm:64x128x32", "conv:k=16,c=16,p=14,r=3", "conv:k=8,c=3,p=16,r=5,stride=2"}) {
      const Workload workload = testing::workload(text);
      SearchOptions options;
      options.strategy = Strategy::Sunstone;
      options.free = true;
      const Result<MappingResult> mapped = map_workload(workload, architecture, options);
      ASSERT_TRUE(mapped.ok());
      const auto crossed = crossings(CostModel(workload, architecture).explain(mapped->mapping));
      const auto walls = boundaries(architecture, workload);
      for (std::size_t i = 0; i < walls.size(); ++i) {
        if (!walls[i].capacity_words) continue;
        EXPECT_LE(LowerBounds(workload).words(*words_inside(walls[i], architecture, workload)), crossed[i].accesses)
            << text << " on " << machine << " outside " << walls[i].level;
      }
    }
  }
}

// Every point of the curve that the mappings of one buffer reach lies on or above the bounds for all schedules.
TEST(LowerBounds, BelowTheCurveOfMappings) {
  for (const char* text : {"gemm:64x96x80", "conv:n=2,k=16,c=16,p=14,r=3", "conv:k=16,c=3,p=28,r=5,stride=2",
                           "mttkrp:32x32x16x16", "bmm:4x32x32x32"}) {
    const Workload workload = testing::workload(text);
    const LowerBounds bounds(workload);
    for (const bool imperfect : {false, true}) {
      const auto curve = one_buffer_curve(workload, {.words = WordCount::Timeloop, .imperfect = imperfect});
      ASSERT_TRUE(curve.ok());
      for (std::size_t i = 0; i < curve->points().size(); i += 1 + curve->points().size() / 40) {
        const auto& point = curve->points()[i];
        // What is not stored passes by the unit.
        const double capacity = static_cast<double>(point.buffer + workload.tensors.size());
        EXPECT_LE(bounds.words(capacity), point.accesses) << text << " with " << point.buffer;
      }
    }
  }
}

// The same for random Einsums and convolutions, words of several sizes, both ways to count partial sums.
RC_GTEST_PROP(LowerBounds, BelowTheCurveOfRandomMappings, (u64 seed)) {
  testing::Rng rng(seed);
  testing::RandomOptions sizes;
  sizes.max_size = testing::chance(rng, 50) ? 5 : 20;
  const Workload workload = testing::chance(rng, 50) ? testing::random_convolution(rng, sizes.max_size)
                                                     : testing::random_workload(rng, sizes);
  OrojenesisOptions options{.words = WordCount::Timeloop};
  options.imperfect = testing::chance(rng, 50);
  options.partial_sums = testing::chance(rng, 50) ? PartialSums::ReadBack : PartialSums::WriteOnly;
  std::vector<double> word_sizes(workload.tensors.size(), 1);
  double operands = 0;
  for (std::size_t v = 0; v < word_sizes.size(); ++v) {
    if (testing::chance(rng, 30)) options.word_size[v] = static_cast<u32>(testing::pick(rng, 2, 4));
    word_sizes[v] = options.word_size[v];
    operands += word_sizes[v];
  }
  const auto curve = one_buffer_curve(workload, options);
  RC_PRE(curve.ok());
  const LowerBounds bounds(workload, {}, word_sizes);
  const auto points = curve->points();
  for (std::size_t i = 0; i < points.size(); i += 1 + points.size() / 10)
    RC_ASSERT(bounds.words(static_cast<double>(points[i].buffer) + operands) <= points[i].accesses);
}

}  // namespace
}  // namespace heliolite::lower_bounds_test
