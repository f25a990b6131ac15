#include "engine/execution/simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/bounds/lower_bounds.h"
#include "engine/bounds/tiling/iotile_search.h"
#include "engine/execution/loop_nest.h"
#include "engine/execution/tiled_nest.h"
#include "engine/formats/load_network.h"
#include "tests/support/random_convolution.h"
#include "tests/support/random_problem.h"

namespace heliolite::simulate_test {
namespace {

using ::testing::IsEmpty;
using testing::Rng;

Workload layer(const std::string& text) { return load_network(text)->layers.front().workload; }

CacheTraffic traffic(const LoopNest& nest, u64 words, CachePolicy policy, bool outputs_read = true) {
  const std::array caches{SimulatedCache{{words, 1, 0}, policy, 1}};
  EXPECT_THAT(check_simulation(nest, caches), IsEmpty());
  return simulate(nest, caches, outputs_read).front();
}

u64 loads(const LoopNest& nest, u64 words, CachePolicy policy) { return traffic(nest, words, policy).all_loads(); }

// A product of n x n matrices in square tiles, the loop over K inside.
LoopNest square_tiles(u32 n, u32 tile) {
  const Workload gemm = layer(fmt::format("gemm:{0}x{0}x{0}", n));
  return tiled_nest(gemm, NamedTiling{{{{tile, tile, 1}, {0, 1, 2}}}, {0, 1}});
}

// Figures of a fully associative cache by words, counted with two other simulators and with valgrind's.
TEST(Simulate, LruNeedsMoreRoomThanTheFootprint) {
  const LoopNest nest = square_tiles(124, 31);
  EXPECT_EQ(loads(nest, 1024, CachePolicy::Lru), 2'027'664);
  EXPECT_EQ(loads(nest, 1054, CachePolicy::Lru), 1'850'544);
  EXPECT_EQ(loads(nest, 1055, CachePolicy::Lru), 138'384);
  EXPECT_EQ(loads(nest, 2048, CachePolicy::Lru), 138'384);
  EXPECT_EQ(loads(square_tiles(124, 30), 1024, CachePolicy::Lru), 169'135);
  EXPECT_EQ(loads(square_tiles(128, 32), 1024, CachePolicy::Lru), 2'228'224);
  EXPECT_EQ(loads(square_tiles(128, 32), 2048, CachePolicy::Lru), 147'456);
}

TEST(Simulate, OptFitsTheFootprint) {
  const LoopNest nest = square_tiles(124, 31);
  EXPECT_EQ(loads(nest, 1023, CachePolicy::Scratchpad), 138'384);
  EXPECT_EQ(loads(nest, 1024, CachePolicy::Opt), 137'888);
  EXPECT_EQ(loads(nest, 1055, CachePolicy::Opt), 137'504);
  EXPECT_EQ(loads(nest, 2048, CachePolicy::Opt), 125'588);
}

// A window of 3 over 100 pixels, 64 channels on both sides, tiles of 8 input and 16 output channels: 424 words.
TEST(Simulate, SlidingWindow) {
  const Workload conv = layer("O[k,x] += F[k,c,w] * I[c,x+w]; k=64,x=100,c=64,w=3");
  const LoopNest nest = tiled_nest(conv, NamedTiling{{{{16, 1, 8, 3}, {0, 2, 1}}}, {}});
  EXPECT_EQ(loads(nest, 440, CachePolicy::Lru), 89'600);
  EXPECT_EQ(loads(nest, 424, CachePolicy::Opt), 89'344);
  EXPECT_EQ(loads(nest, 424, CachePolicy::Scratchpad), 89'600);
}

// The box is 19 pixels long; tiles at even b touch the even ones of it, those at odd b the odd ones. What one passes
// over stays for the next but one: each of the 23 pixels comes once, as the model says.
TEST(Simulate, AnIntervalKeepsWhatATilePassesOver) {
  const Workload sum = layer("O[c] += I[b+2*c+2*a]; a=7,b=5,c=4");
  const NamedTiling tiling = *parse_named_tiling("b=1", "b", "", sum);
  EXPECT_EQ(priced(sum, tiling, {}).front().footprint, 4 + 19);
  EXPECT_EQ(priced(sum, tiling, {}).front().words, 4 + 23);
  EXPECT_EQ(loads(tiled_nest(sum, tiling), 23, CachePolicy::Scratchpad), 4 + 23);
}

TEST(Simulate, LinesAndWays) {
  const LoopNest nest = square_tiles(32, 8);
  const auto with = [&](CacheShape shape) {
    const std::array caches{SimulatedCache{shape, CachePolicy::Lru, 1}};
    EXPECT_THAT(check_simulation(nest, caches), IsEmpty());
    return simulate(nest, caches, false).front();
  };
  // Everything fits: each line comes and goes once, however it is cut and placed.
  for (const CacheShape shape : {CacheShape{4096, 1, 0}, CacheShape{4096, 8, 0}, CacheShape{4096, 8, 512}}) {
    EXPECT_EQ(with(shape).all_loads(), 2 * 1024);
    EXPECT_EQ(with(shape).all_stores(), 1024);
  }
  // One line a set: neighbours in memory drive each other out.
  EXPECT_GT(with({512, 8, 1}).all_loads(), with({512, 8, 0}).all_loads());
}

TEST(Simulate, SaysWhatItCannotDo) {
  const LoopNest nest = square_tiles(8, 4);
  const auto complaint = [&](SimulatedCache cache, SimulationLimits limits = {}) {
    return to_string(check_simulation(nest, std::array{cache}, limits));
  };
  EXPECT_EQ(complaint({{2, 1, 0}, CachePolicy::Lru, 1}),
            "cache of 2 words: holds 2 lines of 1 words; one iteration needs 3");
  EXPECT_EQ(complaint({{64, 1, 4}, CachePolicy::Opt, 1}),
            "cache of 64 words: opt is fully associative: it has no ways");
  EXPECT_EQ(complaint({{64, 1, 5}, CachePolicy::Lru, 1}), "cache of 64 words: 64 lines do not make sets of 5 ways");
  EXPECT_THAT(complaint({{64, 1, 0}, CachePolicy::Opt, 1}, {1000, 100, 1000}),
              ::testing::HasSubstr("touches of words are too many to be executed"));
}

// A random tiling of a random workload, as a user would write it.
NamedTiling random_tiling(Rng& rng, const Workload& workload) {
  NamedTiling tiling;
  tiling.tiles.resize(1);
  for (std::size_t d = 0; d < workload.dimensions.size(); ++d) {
    tiling.tiles[0].extent.push_back(static_cast<u32>(testing::pick(rng, 1, workload.dimensions[d].size)));
    tiling.tiles[0].loops.push_back(static_cast<u8>(d));
  }
  for (std::size_t i = tiling.tiles[0].loops.size(); i > 1; --i)
    std::swap(tiling.tiles[0].loops[i - 1], tiling.tiles[0].loops[testing::pick(rng, 0, i - 1)]);
  return tiling;
}

bool slides(const Workload& workload) {
  const TilingProblem problem = tiling_problem(workload);
  return std::ranges::any_of(problem.tensors, [](const TiledTensor& t) { return t.sliding != 0 || t.entangled; });
}

RC_GTEST_PROP(Simulate, BoundIsNotAboveOptNorOptAboveTheOthersNorTheTilingBelowItsExecution, (u64 seed)) {
  Rng rng(seed);
  testing::RandomOptions options;
  options.max_size = 7;
  options.plain_output = true;
  const Workload workload =
      testing::chance(rng, 50) ? testing::random_convolution(rng, 4) : testing::random_workload(rng, options);
  const TrafficRule rule{testing::chance(rng, 50), testing::chance(rng, 50)};
  const NamedTiling named = random_tiling(rng, workload);
  const LoopNest nest = tiled_nest(workload, named);
  if (nest.workload.macs() > 20'000) return;
  const TiledLevel model = priced(workload, named, rule).front();
  const u64 capacity = std::max<u64>(static_cast<u64>(model.footprint), nest.accesses.size());
  const auto words = [&](CachePolicy policy) {
    return traffic(nest, capacity, policy, rule.outputs_are_read).words(rule);
  };
  const u64 scratchpad = words(CachePolicy::Scratchpad), opt = words(CachePolicy::Opt);
  RC_ASSERT(LowerBounds(workload, rule).words(static_cast<double>(capacity)) <= opt);
  RC_ASSERT(static_cast<double>(scratchpad) <= model.words);
  if (!slides(workload)) RC_ASSERT(static_cast<double>(scratchpad) == model.words);
  // Belady's rule is about loads alone.
  const u64 opt_loads = traffic(nest, capacity, CachePolicy::Opt, rule.outputs_are_read).all_loads();
  for (const CachePolicy other : {CachePolicy::Lru, CachePolicy::Fifo, CachePolicy::Scratchpad})
    RC_ASSERT(opt_loads <= traffic(nest, capacity, other, rule.outputs_are_read).all_loads());
}

RC_GTEST_PROP(Simulate, TheBestTilingMovesWhatItSays, (u64 seed)) {
  Rng rng(seed);
  const Workload workload = testing::random_convolution(rng, 4);
  if (workload.macs() > 20'000) return;
  const TrafficRule rule{testing::chance(rng, 50), testing::chance(rng, 50)};
  const u64 capacity = testing::pick(rng, 8, 200);
  const auto tiling = best_parts(workload, static_cast<double>(capacity), rule);
  if (!tiling) return;
  const LoopNest nest = tiled_nest(workload, *tiling);
  u64 iterations = 0;
  struct Count {
    u64& n;
    void visit(const TouchedWords&) { ++n; }
  } counter{iterations};
  walk(nest, counter);
  RC_ASSERT(iterations == workload.macs());
  const u64 words = traffic(nest, capacity, CachePolicy::Scratchpad, rule.outputs_are_read).words(rule);
  RC_ASSERT(static_cast<double>(words) <= tiling->words());
}

}  // namespace
}  // namespace heliolite::simulate_test
