// The best tilings found: at or below published ones, admissible, above every lower bound, the same every time.
#include "engine/bounds/tiling/iotile_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/bounds/conv/conv_bound.h"
#include "engine/bounds/lower_bounds.h"
#include "engine/bounds/published/published.h"
#include "engine/bounds/segment/iolb_segment.h"
#include "engine/space/footprint.h"
#include "tests/support/load.h"
#include "tests/support/random_problem.h"
#include "tests/support/tiling_simulator.h"

namespace heliolite::iotile_search_test {
namespace {

constexpr TrafficRule kLoads{.stores = false, .outputs_are_read = true};

double least_loads(const std::string& workload, double capacity) {
  TilingProblem problem = tiling_problem(testing::workload(workload), kLoads);
  problem.trips = Trips::Average;
  return best_tile(problem, capacity)->words;
}

// Layer, IOLB's bound and the best tiling known at 4096, 8192, 65536 and 262144 words. Loads, outputs among the
// inputs, trip counts not rounded.
struct YoloRow {
  std::string layer;
  std::array<double, 4> bound, tiling;
};
const std::vector<YoloRow> kYolo{
    {"conv:k=32,c=3,p=544,r=3", {10365164, 10365164, 10365164, 10365164}, {10384736, 10371900, 10365164, 10365164}},
    {"conv:k=64,c=32,p=272,r=3", {7155840, 7155840, 7155840, 7155840}, {17581789, 11987589, 7155840, 7155840}},
    {"conv:k=128,c=64,p=136,r=3", {9479033, 5321633, 3660032, 3660032}, {17691552, 12086012, 4091035, 3660032}},
    {"conv:k=64,c=128,p=136,r=1", {3559424, 3559424, 3559424, 3559424}, {4818326, 3587834, 3559424, 3559424}},
    {"conv:k=256,c=128,p=68,r=3", {11831547, 7670536, 2105856, 2105856}, {17728307, 12313386, 4286009, 2266943}},
    {"conv:k=128,c=256,p=68,r=1", {3538790, 2153269, 1808384, 1808384}, {4842902, 3418778, 1808384, 1808384}},
    {"conv:k=512,c=256,p=34,r=3", {13015605, 8852787, 2305093, 2103296}, {17331405, 11959121, 4182424, 2265251}},
    {"conv:k=256,c=512,p=34,r=1", {4133674, 2745444, 1018880, 1018880}, {4941206, 3517082, 1319458, 1018880}},
    {"conv:k=1024,c=512,p=17,r=3", {13611095, 9447375, 5199360, 5199360}, {17132954, 11746383, 5745198, 5199360}},
    {"conv:k=512,c=1024,p=17,r=1", {4434002, 3044418, 968192, 968192}, {4959315, 3533978, 1336354, 968192}},
    {"conv:k=28272,c=1024,p=17,r=1",
     {244973534, 168464522, 49009001, 37417072},
     {265972480, 187267192, 65917133, 38522187}}};

TEST(TilingSearch, Yolo9000) {
  for (const YoloRow& row : kYolo) {
    const Workload workload = testing::workload(row.layer);
    const Convolution conv = *as_convolution(workload);
    const AccessNest nest = lifted(access_nest(workload));
    const std::vector<RankRow> rows = rank_rows(nest);
    for (std::size_t i = 0; i < 4; ++i) {
      const double capacity = std::array{4096.0, 8192.0, 65536.0, 262144.0}[i];
      const auto forms = convolution_forms(conv, capacity);
      EXPECT_NEAR(*std::max_element(forms.begin(), forms.end()), row.bound[i], 0.51) << row.layer;
      const double words = least_loads(row.layer, capacity);
      EXPECT_LE(words, row.tiling[i] * 1.005) << row.layer << " in " << capacity;
      EXPECT_GE(words, std::max(row.bound[i] - 0.51, static_cast<double>(segment_bound(nest, rows, capacity).words)));
    }
  }
}

// More memory: the tilings move no more, the bounds ask for no more but for the rounding to whole pieces.
TEST(TilingSearch, FallsWithTheCapacity) {
  for (const YoloRow& row : {kYolo[1], kYolo[5], kYolo[8]}) {
    const Workload workload = testing::workload(row.layer);
    const LowerBounds bounds(workload, kLoads);
    double tiling = 1e300, bound = 1e300;
    for (const double capacity : {4096.0, 8192.0, 65536.0, 262144.0, 1048576.0}) {
      const double words = best_tile(tiling_problem(workload, kLoads), capacity)->words;
      const auto least = static_cast<double>(bounds.words(capacity));
      EXPECT_LE(words, tiling) << row.layer << " in " << capacity;
      EXPECT_LE(least, bound * 1.01) << row.layer << " in " << capacity;
      EXPECT_LE(least, words) << row.layer << " in " << capacity;
      EXPECT_GE(least, as_convolution(workload)->image() + as_convolution(workload)->filter()) << row.layer;
      tiling = words;
      bound = least;
    }
  }
}

TEST(TilingSearch, Contractions) {
  // Published tilings merge loops that the same arrays share.
  EXPECT_LE(least_loads("gemm:97344x296x312", 8192), 200990535 + 1.0);    // abc-bda-dc
  EXPECT_LE(least_loads("gemm:5136x5136x5120", 8192), 3044444137 + 1.0);  // ab-ac-cb
  EXPECT_LE(least_loads("gemm:5184x5184x5184", 8192), 3140134585 + 1.0);  // abcd-aebf-fdec
  EXPECT_LE(least_loads("gemm:2359296x24x32", 8192), 132121344);          // abcde-efbad-cf
  EXPECT_LE(least_loads("gemm:5184x72x5184", 8192), 44678794 + 1.0);      // abc-adec-ebd
}

TEST(TilingSearch, TwoCaches) {
  TilingProblem problem = tiling_problem(testing::workload("conv:k=32,c=128,p=96,r=3"), kLoads);
  problem.trips = Trips::Average;
  const std::array<CacheLevel, 2> caches{{{8192, 1}, {262144, 1}}};
  const auto tiling = best_tiling(problem, caches);
  ASSERT_TRUE(tiling);
  EXPECT_LE((*tiling)[0].words + (*tiling)[1].words, 4769783);
  for (int d = 0; d < problem.dimensions; ++d) EXPECT_LE((*tiling)[0].tile[d], (*tiling)[1].tile[d]);
}

// ResNet-50 at batch 1000 against tiles with the output pinned: words of outputs, capacity, words moved.
TEST(TilingSearch, AtOrBelowPinnedOutputs) {
  struct Goal {
    std::string layer;
    double words1, words2, small;  // 65536 words with outputs of one word, of two, 16384 with outputs of one
  };
  for (const auto& [layer, words1, words2, small] :
       {Goal{"conv:n=1000,k=64,c=3,p=112,r=7,stride=2", 1116346000, 2058644000, 1490368000},
        {"conv:n=1000,k=64,c=64,p=56,r=3", 578560000, 919296000, 978432000},
        {"conv:n=1000,k=128,c=128,p=28,r=3", 478208000, 731545600, 886784000},
        {"conv:n=1000,k=256,c=256,p=14,r=3", 430284800, 628766720, 807296000},
        {"conv:n=1000,k=512,c=512,p=7,r=3", 426905600, 617881600, 840796160}}) {
    const Workload workload = testing::workload(layer);
    const auto words = [&](double out_word, double capacity) {
      std::vector<double> word_sizes(3, 1);
      word_sizes[static_cast<std::size_t>(workload.output())] = out_word;
      const double least = best_tile(tiling_problem(workload, {}, word_sizes), capacity)->words;
      EXPECT_GE(least, convolution_bound(*as_convolution(workload, word_sizes), capacity).words());
      return least;
    };
    EXPECT_LE(words(1, 65536), words1) << layer;
    EXPECT_LE(words(2, 65536), words2) << layer;
    EXPECT_LE(words(1, 16384), small) << layer;
  }
}

TEST(TilingSearch, NothingFits) {
  EXPECT_FALSE(best_tile(tiling_problem(testing::workload("gemm:8x8x8")), 2));
  EXPECT_TRUE(best_tile(tiling_problem(testing::workload("gemm:8x8x8")), 3));
}

// Tiles that are not alike: where the last block of M is cut by itself it can be wider along N.
TEST(TilingParts, LastBlocksOfTheirOwn) {
  const auto gemm = best_parts(testing::workload("gemm:512x512x512"), 65536);
  ASSERT_TRUE(gemm);
  EXPECT_LE(gemm->words(), 1442816);  // 1572864 with tiles that are alike
  EXPECT_LE(gemm->footprint(), 65536);
  ASSERT_GE(gemm->parts.size(), 2U);
}

// Strided windows taken apart: 2.24 times the bound with tiles of neighbouring taps, 1.70 with the published tile.
TEST(TilingParts, StridedWindows) {
  const Workload conv1 = testing::workload("conv:n=1000,k=96,c=3,p=55,r=11,stride=4");
  EXPECT_LE(best_parts(conv1, 1024)->words(), 3734616000);
  EXPECT_LE(best_parts(conv1, 4096)->words(), 1800156000);
  EXPECT_LE(best_parts(conv1, 17424)->words(), 768496848);
}

// The parts make up the whole, and executing them one after the other moves no more than they say.
TEST(TilingParts, CoverTheirExecution) {
  testing::Rng rng(5);
  testing::RandomOptions options;
  options.max_dimensions = 4;
  options.max_tensors = 4;
  options.max_size = 11;
  int cut = 0;
  for (int i = 0; i < 250; ++i) {
    const Workload workload = testing::random_workload(rng, options);
    const TrafficRule rule{testing::chance(rng, 70), testing::chance(rng, 30)};
    const double capacity = static_cast<double>(testing::pick(rng, 4, 150));
    const auto tiling = best_parts(workload, capacity, rule);
    if (!tiling) continue;
    cut += tiling->parts.size() > 1 ? 1 : 0;
    double moved = 0, iterations = 0;
    for (const TilingPart& part : tiling->parts) {
      double volume = 1;
      for (int d = 0; d < part.problem.dimensions; ++d) volume *= part.problem.size[d];
      iterations += volume;
      const testing::SimulatedTraffic simulated = testing::TilingSimulator(part.problem, part.level).run();
      moved += simulated.loads + (rule.stores ? simulated.stores : 0);
      EXPECT_LE(simulated.held, capacity);
    }
    // Lifted problems have pairs of quotient and remainder that do not exist.
    EXPECT_GE(iterations, static_cast<double>(workload.macs()));
    EXPECT_GE(tiling->words(), moved) << i;
    EXPECT_GE(tiling->words(), static_cast<double>(LowerBounds(workload, rule).words(capacity))) << i;
  }
  EXPECT_GE(cut, 5);
}

// All tiles and orders of small workloads, with the closed form.
double least_by_enumeration(const TilingProblem& problem, double capacity) {
  double least = 1e300;
  const TileGrid whole = whole_grid(problem);
  Extents tile = unit_extents();
  for (int d = 0; d < problem.dimensions;) {
    if (box_words(problem, tile) <= capacity) {
      const LevelTraffic traffic(problem, whole, tile);
      for (const TileOrder& order : tile_orders(problem, looping(problem, whole, tile)))
        if (traffic.footprint(order) <= capacity) least = std::min(least, traffic.words(order));
    }
    for (d = 0; d < problem.dimensions && tile[d] == problem.size[d]; ++d) tile[d] = 1;
    if (d < problem.dimensions) ++tile[d];
  }
  return least;
}

TEST(TilingSearch, FindsTheBestOfSmallSpaces) {
  testing::Rng rng(11);
  testing::RandomOptions options;
  options.max_dimensions = 4;
  options.max_tensors = 4;
  options.max_size = 9;
  int best = 0, all = 0;
  for (int i = 0; i < 150; ++i) {
    const TilingProblem problem = tiling_problem(testing::random_workload(rng, options));
    const double capacity = static_cast<double>(testing::pick(rng, 4, 200));
    const auto tile = best_tile(problem, capacity);
    const double least = least_by_enumeration(problem, capacity);
    if (!tile) {
      EXPECT_EQ(least, 1e300);
      continue;
    }
    ++all;
    best += tile->words == least ? 1 : 0;
    EXPECT_LE(tile->words, least * 1.1) << i;
    EXPECT_LE(tile->footprint, capacity);
    const testing::SimulatedTraffic simulated = testing::TilingSimulator(problem, *tile).run();
    EXPECT_GE(tile->words, simulated.loads + simulated.stores);
  }
  EXPECT_GE(best, all * 9 / 10);
}

}  // namespace
}  // namespace heliolite::iotile_search_test
