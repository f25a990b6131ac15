// The fast price of imperfect mappings against the table of all counts, and that it allocates nothing.
#include "engine/model/imperfect_cost.h"

#include <gtest/gtest.h>

#include "engine/model/cost_model.h"
#include "tests/support/allocations.h"
#include "tests/support/random_problem.h"

namespace heliolite::imperfect_cost_test {
namespace {

// By seed: deep or wide nests, with and without sliding ranks, with and without capacities.
testing::RandomProblem problem(u64 seed) {
  testing::RandomOptions options;
  options.imperfect = true;
  options.max_fanout = seed % 3 == 0 ? 7 : 4;
  options.sliding = seed % 2 == 0;
  options.capacities = seed % 5 == 0;
  if (seed % 4 == 0) options.max_dimensions = 2, options.max_size = 60;
  return testing::random_problem(seed, options);
}

TEST(ImperfectCost, EqualsTheTotalOfExplain) {
  for (u64 seed = 0; seed < 40'000; ++seed) {
    const testing::RandomProblem p = problem(seed);
    const CostModel model(p.workload, p.architecture);
    const Breakdown b = model.explain(p.mapping);
    ImperfectWorkspace workspace;
    const Evaluation e = imperfect_cost_of(model.compiled(), p.mapping, workspace);
    bool fits = true;
    for (std::size_t i = 0; i < b.level.size(); ++i)
      fits &= b.level[i].used_words <= model.compiled().level[i].room;  // a part is a word
    ASSERT_EQ(e.verdict == Verdict::Fits, fits) << seed;
    if (!fits || p.mapping.is_perfect()) continue;
    ASSERT_TRUE(e.cost.energy == b.energy) << seed;
    ASSERT_EQ(e.cost.cycles, b.cycles) << seed;
    ASSERT_EQ(model.evaluate(p.mapping).cost, e.cost) << seed;
  }
}

TEST(ImperfectCost, RepeatedEvaluationsDoNotAllocate) {
  ImperfectWorkspace workspace;
  for (int pass = 0; pass < 2; ++pass)
    for (u64 seed = 0; seed < 300; ++seed) {
      const testing::RandomProblem p = problem(seed);
      const Compiled compiled(p.workload, p.architecture);
      const std::size_t before = testing::allocations;
      imperfect_cost_of(compiled, p.mapping, workspace);
      if (pass == 1) {
        EXPECT_EQ(testing::allocations, before) << seed;
      }
    }
}

}  // namespace
}  // namespace heliolite::imperfect_cost_test
