// The exact search answers the same whatever the number of threads, and again: mapping, bound, gap and every count.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>

#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/search/map.h"

namespace heliolite::exact_threads_test {
namespace {

Workload workload(const std::string& text) { return load_network(text)->layers.front().workload; }

struct ThreadedRun {
  std::optional<u64> budget;
  int threads = 1;
};

NetworkResult run(const Network& network, const Architecture& a, Objective objective, const ThreadedRun& how) {
  SearchOptions options;
  options.objective = objective;
  options.threads = how.threads;
  options.budget_evaluations = how.budget;
  return *map_network(network, a, options);
}

void expect_same(const NetworkResult& one, const NetworkResult& other) {
  ASSERT_EQ(one.layers.size(), other.layers.size());
  EXPECT_EQ(one.total, other.total);
  for (std::size_t k = 0; k < one.layers.size(); ++k) {
    const MappingResult &x = one.layers[k].result, &y = other.layers[k].result;
    EXPECT_EQ(x.status, y.status);
    EXPECT_EQ(x.mapping, y.mapping);
    EXPECT_EQ(x.cost, y.cost);
    EXPECT_EQ(x.lower_bound, y.lower_bound);
    EXPECT_EQ(x.gap, y.gap);
    EXPECT_EQ(x.statistics, y.statistics);
  }
}

TEST(ExactThreads, TheSameForAnyNumberOfThreadsAndAgain) {
  const Network network{"n",
                        {{workload("gemm:24x36x20"), 1},
                         {workload("conv:k=8,c=4,p=4,q=4,r=3,s=3"), 2},
                         {workload("mttkrp:8x12x10x6"), 1}}};
  for (const char* machine : {"eyeriss", "gemmini"}) {
    const auto a = load_architecture(machine);
    ASSERT_TRUE(a.ok());
    const Objective objective = std::string_view(machine) == "eyeriss" ? Objective::Edp : Objective::Delay;
    for (const std::optional<u64> budget : {std::optional<u64>(500), std::optional<u64>()}) {
      SCOPED_TRACE(fmt::format("{}, {}, budget {}", machine, name(objective), budget.value_or(0)));
      const NetworkResult one = run(network, *a, objective, {budget, 1});
      for (const int threads : {1, 2, 8}) expect_same(one, run(network, *a, objective, {budget, threads}));
    }
  }
}

}  // namespace
}  // namespace heliolite::exact_threads_test
