// parallel_for: every index once, whatever the number of threads, and what bodies write is seen afterwards.
#include "engine/search/core/parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <vector>

namespace heliolite::parallel_test {
namespace {

TEST(ParallelFor, RunsEveryIndexOnce) {
  for (const int threads : {0, 1, 2, 8}) {
    for (const std::size_t count : {0, 1, 2, 1000}) {
      std::vector<int> runs(count, 0);
      parallel_for(count, threads, [&](std::size_t k) { ++runs[k]; });
      EXPECT_EQ(std::count(runs.begin(), runs.end(), 1), static_cast<std::ptrdiff_t>(count)) << threads << " threads";
    }
  }
}

TEST(ParallelFor, OrdersTheLoopWithWhatIsAroundIt) {
  std::vector<std::vector<int>> input(64), output(64);
  for (int round = 0; round < 50; ++round) {
    for (auto& values : input) values.assign(100, round);
    parallel_for(input.size(), 4, [&](std::size_t k) { output[k] = input[k]; });
    for (const auto& values : output) ASSERT_EQ(std::accumulate(values.begin(), values.end(), 0), 100 * round);
  }
}

TEST(ParallelFor, Nests) {
  std::atomic<int> runs = 0;
  parallel_for(8, 2, [&](std::size_t) { parallel_for(8, 2, [&](std::size_t) { ++runs; }); });
  EXPECT_EQ(runs, 64);
}

}  // namespace
}  // namespace heliolite::parallel_test
