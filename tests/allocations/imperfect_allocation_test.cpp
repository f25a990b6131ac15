// Searches evaluate imperfect mappings by the million: with a warm workspace nothing is allocated.
#include <gtest/gtest.h>

#include <vector>

#include "engine/model/imperfect_cost.h"
#include "tests/support/allocations.h"
#include "tests/support/random_problem.h"

namespace heliolite::imperfect_allocation_test {
namespace {

TEST(ImperfectAllocation, RepeatedEvaluationsDoNotAllocate) {
  ImperfectWorkspace workspace;
  std::vector<NestTraffic> out(300);
  for (int pass = 0; pass < 2; ++pass)
    for (u64 seed = 0; seed < out.size(); ++seed) {
      const auto p = testing::random_problem(seed, {.imperfect = true});
      const Compiled compiled(p.workload, p.architecture);
      const std::size_t before = testing::allocations;
      imperfect_traffic(compiled, p.mapping, workspace, out[seed]);
      if (pass == 1) {
        EXPECT_EQ(testing::allocations, before) << seed;
      }
    }
}

}  // namespace
}  // namespace heliolite::imperfect_allocation_test
