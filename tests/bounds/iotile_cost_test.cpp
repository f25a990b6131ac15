// The closed form of what a tiling moves against its execution box by box.
#include "engine/bounds/tiling/iotile_problem.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "engine/bounds/tiling/iotile_search.h"
#include "engine/space/footprint.h"
#include "tests/support/load.h"
#include "tests/support/random_convolution.h"
#include "tests/support/random_problem.h"
#include "tests/support/tiling_simulator.h"

namespace heliolite::iotile_cost_test {
namespace {

constexpr TrafficRule kLoads{.stores = false, .outputs_are_read = true};

// The least over all orders that hold no windows, for these extents by dimension.
TiledLevel priced(const TilingProblem& problem, const Workload& workload,
                  const std::vector<std::pair<std::string, u32>>& extents) {
  TiledLevel level{unit_extents(), {}};
  for (const auto& [name, extent] : extents)
    level.tile[static_cast<std::size_t>(*workload.find_dimension(name))] = extent;
  const TileGrid whole = whole_grid(problem);
  const LevelTraffic traffic(problem, whole, level.tile);
  level.words = 1e300;
  for (const TileOrder& order : tile_orders(problem, looping(problem, whole, level.tile))) {
    const bool holds =
        std::any_of(order.reuse.begin(), order.reuse.end(), [](const TileReuse& r) { return r.held != 0; });
    if (holds || traffic.words(order) >= level.words) continue;
    level.words = traffic.words(order);
    level.order = order;
    level.footprint = traffic.footprint(order);
  }
  return level;
}

TEST(TilingCost, PublishedTilings) {
  const Workload line = testing::workload("o[f,x] += i[c,x+w]*k[f,w,c]; f=64,x=100,c=64,w=3");
  const TiledLevel level = priced(tiling_problem(line, kLoads), line, {{"c", 8}, {"f", 16}, {"w", 3}});
  EXPECT_EQ(level.footprint, 424);
  EXPECT_EQ(level.words, 51200 + 26112 + 12288);

  const Workload product = testing::workload("gemm:1000x1000x1000");
  TilingProblem problem = tiling_problem(product, kLoads);
  problem.trips = Trips::Average;
  const TiledLevel square = priced(problem, product, {{"M", 31}, {"N", 31}});
  EXPECT_EQ(square.footprint, 1023);
  EXPECT_NEAR(square.words, 65516129.03, 0.01);
  const Workload larger = testing::workload("gemm:1500x1500x1500");
  problem = tiling_problem(larger, kLoads);
  problem.trips = Trips::Average;
  EXPECT_NEAR(priced(problem, larger, {{"M", 31}, {"N", 31}}).words, 219991935.48, 0.01);

  const Workload yolo2 = testing::workload("conv:k=64,c=32,p=272,r=3");
  problem = tiling_problem(yolo2, kLoads);
  problem.trips = Trips::Average;
  const TiledLevel tile = priced(problem, yolo2, {{"K", 25}, {"C", 15}, {"Q", 9}, {"R", 3}, {"S", 3}});
  EXPECT_NEAR(tile.words, 17581788.73, 0.01);
}

// A published tiling for two caches; its loops are given innermost first.
TEST(TilingCost, TwoLevels) {
  const Workload conv = testing::workload("o[f,x,y] += i[x+w,y+h,c]*k[f,h,w,c]; f=32,c=128,x=96,y=96,h=3,w=3");
  TilingProblem problem = tiling_problem(conv, kLoads);
  problem.trips = Trips::Average;
  const auto tile = [&](u32 x, u32 y) {
    Extents t = unit_extents();
    for (const auto& [name, extent] :
         {std::pair<const char*, u32>{"x", x}, {"y", y}, {"f", 32}, {"c", 23}, {"h", 3}, {"w", 3}})
      t[static_cast<std::size_t>(*conv.find_dimension(name))] = extent;
    return t;
  };
  const int x = *conv.find_dimension("x"), y = *conv.find_dimension("y"), c = *conv.find_dimension("c");
  CacheTiling tiling(2);
  tiling[0].tile = tile(1, 11);
  tiling[1].tile = tile(96, 46);
  const auto bit = [](int d) { return static_cast<DimensionMask>(1U << d); };
  // Inner: x, then y: the image slides along x, the filter stays. Outer: c innermost, the output stays.
  const auto reuse = [&](int level, const char* tensor) -> TileReuse& {
    return tiling[static_cast<std::size_t>(level)].order.reuse[static_cast<std::size_t>(*conv.find_tensor(tensor))];
  };
  reuse(0, "i").slides = x;
  reuse(0, "k").kept = static_cast<DimensionMask>(bit(x) | bit(y));
  reuse(1, "o").kept = bit(c);
  price(problem, tiling);
  EXPECT_EQ(tiling[0].footprint, 7873);
  EXPECT_EQ(tiling[1].footprint, 256128);
  EXPECT_NEAR(tiling[0].words, 3141356.77, 0.01);
  EXPECT_NEAR(tiling[1].words, 1628427.13, 0.01);
}

TEST(TilingOrders, OnePerStationaryTensor) {
  const auto count = [](const std::string& text, DimensionMask loops) {
    return tile_orders(tiling_problem(testing::workload(text)), loops).size();
  };
  EXPECT_EQ(count("gemm:64x64x64", 7), 3U);
  EXPECT_EQ(count("gemm:64x64x64", 0), 1U);
}

Workload random_workload(testing::Rng& rng) {
  testing::RandomOptions options;
  options.max_dimensions = 4;
  options.max_tensors = 3;
  options.max_size = 8;
  return testing::random_workload(rng, options);
}

Extents random_tile(testing::Rng& rng, const TilingProblem& problem) {
  Extents tile = unit_extents();
  for (int d = 0; d < problem.dimensions; ++d) tile[d] = static_cast<u32>(testing::pick(rng, 1, problem.size[d]));
  return tile;
}

// AlexNet's first layer: the taps r = 4 r' + r'' of one remainder read 3 + 8 - 1 pixels along each axis for 8
// positions.
TEST(LiftedTilingCost, PublishedTiling) {
  for (const auto& [text, words] :
       {std::pair<const char*, double>{"conv:n=1000,k=96,c=3,p=55,r=11,stride=4", 3734616000},
        {"conv:n=1,k=24,c=3,p=55,r=11,stride=4", 933654}}) {
    const auto problem = lifted_tiling_problem(testing::workload(text));
    ASSERT_TRUE(problem);
    TiledLevel level{unit_extents(), {}};
    for (std::size_t d = 0; d < problem->names.size(); ++d)
      for (const auto& [name, extent] :
           {std::pair<std::string, u32>{"K", 12}, {"P", 8}, {"Q", 8}, {"R'", 3}, {"S'", 3}})
        if (problem->names[d] == name) level.tile[d] = extent;
    const TileGrid whole = whole_grid(*problem);
    const LevelTraffic traffic(*problem, whole, level.tile);
    double least = 1e300;
    for (const TileOrder& order : tile_orders(*problem, looping(*problem, whole, level.tile)))
      if (traffic.footprint(order) <= 1024) least = std::min(least, traffic.words(order));
    EXPECT_EQ(least, words) << text;
    EXPECT_EQ(box_words(*problem, level.tile), 12 * 64 + 100 + 12 * 9);
  }
  EXPECT_FALSE(lifted_tiling_problem(testing::workload("conv:k=4,c=4,p=8,r=3")));
}

double executed(const TilingProblem& problem, const TiledLevel& level) {
  const testing::SimulatedTraffic simulated = testing::TilingSimulator(problem, level).run();
  return simulated.loads + (problem.rule.stores ? simulated.stores : 0);
}

// Whether some box has words that nothing touches: a window both strided and dilated is not always taken apart.
bool has_holes(const TilingProblem& problem) {
  Extents whole = unit_extents();
  for (int d = 0; d < problem.dimensions; ++d) whole[d] = problem.size[d];
  return LevelTraffic(problem, whole_grid(problem), whole).words({}) != executed(problem, {whole, {}});
}

// As CoversItsExecution below, with strided and dilated windows taken apart; exact where no box overlaps another one or
// has holes.
RC_GTEST_PROP(LiftedTilingCost, CoversItsExecution, (u64 seed)) {
  testing::Rng rng(seed);
  const auto problem =
      lifted_tiling_problem(testing::random_convolution(rng, 5), {testing::chance(rng, 50), testing::chance(rng, 50)});
  RC_PRE(problem.has_value());
  DimensionMask sliding = 0;
  for (const TiledTensor& tensor : problem->tensors) sliding |= tensor.sliding;
  Extents tile = unit_extents();
  const bool exact = testing::chance(rng, 50) && !has_holes(*problem);
  for (int d = 0; d < problem->dimensions; ++d)
    tile[d] =
        contains(sliding, d) && exact ? problem->size[d] : static_cast<u32>(testing::pick(rng, 1, problem->size[d]));
  const TileGrid whole = whole_grid(*problem);
  const LevelTraffic traffic(*problem, whole, tile);
  for (const TileOrder& order : tile_orders(*problem, looping(*problem, whole, tile))) {
    const TiledLevel level{tile, order};
    const testing::SimulatedTraffic simulated = testing::TilingSimulator(*problem, level).run();
    const double moved = simulated.loads + (problem->rule.stores ? simulated.stores : 0);
    RC_ASSERT(traffic.words(order) >= moved);
    RC_ASSERT(traffic.footprint(order) >= simulated.held);
    if (exact) RC_ASSERT(traffic.words(order) == moved);
  }
}

// What the closed form says suffices: execution never moves more nor holds more. Without sliding ranks it is exact.
RC_GTEST_PROP(TilingCost, CoversItsExecution, (u64 seed)) {
  testing::Rng rng(seed);
  const Workload workload = random_workload(rng);
  TilingProblem problem = tiling_problem(workload, {testing::chance(rng, 50), testing::chance(rng, 50)});
  const TileGrid whole = whole_grid(problem);
  const Extents tile = random_tile(rng, problem);
  const LevelTraffic traffic(problem, whole, tile);
  const bool exact = std::all_of(problem.tensors.begin(), problem.tensors.end(),
                                 [](const TiledTensor& t) { return t.sliding == 0 && !t.entangled; });
  for (const TileOrder& order : tile_orders(problem, looping(problem, whole, tile))) {
    const TiledLevel level{tile, order};
    const testing::SimulatedTraffic simulated = testing::TilingSimulator(problem, level).run();
    const double moved = simulated.loads + (problem.rule.stores ? simulated.stores : 0);
    RC_ASSERT(traffic.words(order) >= moved);
    RC_ASSERT(traffic.footprint(order) >= simulated.held);
    if (exact) RC_ASSERT(traffic.words(order) == moved);
  }
}

// No order of the loops is better than the best of tile_orders: all orders, executed.
RC_GTEST_PROP(TilingOrders, LoseNothing, (u64 seed)) {
  testing::Rng rng(seed);
  const Workload workload = random_workload(rng);
  const TilingProblem problem = tiling_problem(workload);
  const TileGrid whole = whole_grid(problem);
  const Extents tile = random_tile(rng, problem);
  const LevelTraffic traffic(problem, whole, tile);
  for (const TiledTensor& t : problem.tensors) RC_PRE(t.sliding == 0 && !t.entangled);
  double least = 1e300;
  for (const TileOrder& order : tile_orders(problem, looping(problem, whole, tile)))
    least = std::min(least, traffic.words(order));
  TiledLevel level{tile, {}};
  for (int d = 0; d < problem.dimensions; ++d) level.order.inner.push_back(static_cast<u8>(d));
  do {
    const testing::SimulatedTraffic simulated = testing::TilingSimulator(problem, level).run();
    RC_ASSERT(simulated.loads + simulated.stores >= least);
  } while (std::next_permutation(level.order.inner.begin(), level.order.inner.end()));
}

// Nested caches: the words of the outer boundary are those of the outer tile alone.
RC_GTEST_PROP(TilingCost, LevelsNest, (u64 seed)) {
  testing::Rng rng(seed);
  const TilingProblem problem = tiling_problem(random_workload(rng));
  CacheTiling tiling(2);
  tiling[1].tile = random_tile(rng, problem);
  for (int d = 0; d < problem.dimensions; ++d)
    tiling[0].tile[d] = static_cast<u32>(testing::pick(rng, 1, tiling[1].tile[d]));
  price(problem, tiling);
  CacheTiling outer{tiling[1]};
  price(problem, outer);
  RC_ASSERT(outer[0].words == tiling[1].words);
  RC_ASSERT(tiling[0].words >= tiling[1].words);
}

}  // namespace
}  // namespace heliolite::iotile_cost_test
