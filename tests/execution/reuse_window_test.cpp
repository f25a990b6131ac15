#include "engine/execution/simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/bounds/lower_bounds.h"
#include "engine/bounds/tiling/iotile_search.h"
#include "engine/execution/tiled_nest.h"
#include "engine/formats/load_network.h"
#include "tests/support/random_problem.h"

namespace heliolite::reuse_window_test {
namespace {

// The workload's loops as they stand in its text, one step each: output dimensions in the order of the output's ranks
// innermost, what is reduced outside.
LoopNestPart plain_part(const LoopNest& nest) {
  LoopNestPart part;
  std::vector<u32> extent;
  for (const LoopVariable& v : nest.variables) {
    const u64 size = nest.workload.dimensions[v.dimension].size;
    part.range.push_back({0, static_cast<u32>(size)});
    extent.push_back(static_cast<u32>(size));
  }
  add_point_loops(part, point_order(nest), extent);
  return part;
}

Workload layer(const std::string& text) { return load_network(text)->layers.front().workload; }

u64 lru(const LoopNest& nest, u64 words) {
  const std::array caches{SimulatedCache{{words, 1, 0}, CachePolicy::Lru, 1}};
  return simulate(nest, caches, true).front().all_loads();
}

TEST(ReuseWindow, OfSquareTiles) {
  const Workload gemm = layer("gemm:124x124x124");
  for (const u32 t : {7U, 15U, 31U}) {
    const CacheTiling tiles = priced(gemm, NamedTiling{{{{t, t, 1}, {0, 1, 2}}}, {}}, {});
    EXPECT_EQ(reuse_window(gemm, tiles.front()), t * t + 3 * t + 1);
  }
}

RC_GTEST_PROP(ReuseWindow, AllSizesAtOnceAreThoseOfCaches, (u64 seed)) {
  testing::Rng rng(seed);
  testing::RandomOptions options;
  options.max_size = 6;
  const Workload workload = testing::random_workload(rng, options);
  if (workload.macs() > 4'000) return;
  LoopNest nest = make_nest(workload);
  nest.parts.push_back(plain_part(nest));
  const std::vector<u64> loads = lru_loads(nest);
  for (const u64 words : {nest.accesses.size(), nest.accesses.size() + 3, nest.accesses.size() + 20})
    if (words < loads.size()) RC_ASSERT(loads[words] == lru(nest, words));
}

// bound <= opt <= lru with the window <= model.
RC_GTEST_PROP(ReuseWindow, IsRoomEnoughForTheWholeExecution, (u64 seed)) {
  testing::Rng rng(seed);
  testing::RandomOptions options;
  options.max_size = 9;
  options.plain_output = true;
  const Workload workload = testing::random_workload(rng, options);
  if (workload.macs() > 4'000) return;
  NamedTiling named;
  named.tiles.resize(1);
  for (const Dimension& d : workload.dimensions)
    named.tiles[0].extent.push_back(static_cast<u32>(testing::pick(rng, 1, (d.size + 2) / 2)));
  const TrafficRule rule{false, true};
  const TiledLevel tile = priced(workload, named, rule).front();
  const auto window = reuse_window(workload, tile);
  if (!window || *window < workload.tensors.size()) return;
  const LoopNest nest = tiled_nest(workload, tiling_problem(workload, rule), std::array{tile});
  const u64 moved = lru(nest, *window);
  const std::array caches{SimulatedCache{{*window, 1, 0}, CachePolicy::Opt, 1}};
  const u64 opt = simulate(nest, caches, true).front().all_loads();
  RC_ASSERT(LowerBounds(workload, rule).words(static_cast<double>(*window)) <= opt);
  RC_ASSERT(opt <= moved);
  RC_ASSERT(static_cast<double>(moved) <= tile.words);
}

// Where the tile fills the cache LRU moves twenty times as much; the one found for it keeps what it says.
TEST(ReuseWindow, TilesForLru) {
  const Workload gemm = layer("gemm:124x124x124");
  const TrafficRule loads{false, true};
  const TiledLevel tile = *best_lru_tile(gemm, 1024, loads);
  const TilingProblem problem = tiling_problem(gemm, loads);
  const LoopNest nest = tiled_nest(gemm, problem, std::array{tile});
  EXPECT_LE(lru(nest, 1024), tile.words);
  EXPECT_LE(tile.words, 169'136 * 1.01);  // 30 x 30
  EXPECT_GT(lru(tiled_nest(gemm, problem, std::array{*best_tile(problem, 1024)}), 1024), 4 * tile.words);
}

}  // namespace
}  // namespace heliolite::reuse_window_test
