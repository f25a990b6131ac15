// Operations a byte at each level and what limits a layer: no run is above its roofs, and it waits for what it is said
// to wait for.
#include "engine/model/roofline.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/model/cost_model.h"
#include "engine/search/map.h"
#include "tests/support/load.h"
#include "tests/support/search_problem.h"

namespace heliolite::roofline_test {
namespace {

using namespace testing;

void expect_under_its_roofs(const Roofline& r) {
  u64 slowest = r.compute_cycles;
  for (const RooflineLevel& level : r.levels) slowest = std::max(slowest, level.cycles);
  EXPECT_EQ(r.cycles, slowest);
  EXPECT_LE(r.reached(), r.operations_per_cycle * (1 + 1e-12));
  for (const RooflineLevel& level : r.levels) {
    EXPECT_LE(r.reached(), r.roof(level).value_or(r.operations_per_cycle) * (1 + 1e-12)) << level.name;
    const double least = level.bytes_per_cycle ? level.bytes / *level.bytes_per_cycle : 0;
    EXPECT_GE(static_cast<double>(level.cycles) + 1, least) << level.name;
    EXPECT_TRUE(level.name != r.limit() || level.cycles == r.cycles);
  }
  EXPECT_TRUE(!r.limit().empty() || r.compute_cycles == r.cycles);
}

TEST(Roofline, IsAboveEveryMapping) {
  int priced = 0;
  for (u64 seed = 0; seed < 60; ++seed) {
    const SearchProblem problem = random_search_problem(seed);
    const CostModel model(problem.workload, problem.architecture);
    if (problem.answer.legal == 0) continue;
    const Breakdown breakdown = model.explain(problem.answer.best[0].mapping);
    expect_under_its_roofs(roofline(problem.architecture, breakdown));
    ++priced;
  }
  EXPECT_GT(priced, 20);
}

// A matrix and a vector: every weight is used once, so DRAM is what such a layer waits for.
TEST(Roofline, SaysThatAVectorWaitsForMemory) {
  Network network;
  network.layers.push_back({workload("gemm:1x512x512"), 1});
  const Architecture architecture = machine("eyeriss");
  const auto found = map_network(network, architecture, {});
  ASSERT_TRUE(found.ok());
  const Breakdown breakdown =
      CostModel(network.layers[0].workload, architecture).explain(found->layers[0].result.mapping);
  const Roofline r = roofline(architecture, breakdown);
  EXPECT_EQ(r.operations, 512.0 * 512);
  EXPECT_EQ(r.operations_per_cycle, static_cast<double>(architecture.compute.instances));
  EXPECT_EQ(r.levels.front().name, "DRAM");
  EXPECT_LT(*r.intensity(r.levels.front()), 0.5) << "two bytes of each weight";
  EXPECT_EQ(r.limit(), "DRAM");
  EXPECT_EQ(r.limit_text(), "DRAM");
  expect_under_its_roofs(r);
}

}  // namespace
}  // namespace heliolite::roofline_test
