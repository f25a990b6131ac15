// A bound above a real cost would be the worst bug: the compulsory cost against random mappings.
#include "engine/search/core/compulsory.h"

#include <gtest/gtest.h>

#include "tests/support/random_problem.h"

namespace heliolite::compulsory_test {
namespace {

void expect_below(u64 seed) {
  testing::RandomOptions options;
  options.interconnects = seed % 3 == 0;
  const testing::RandomProblem p = testing::random_problem(seed, options);
  const CostModel model(p.workload, p.architecture);
  KeepRange keep;
  keep.must = keep.may = p.mapping.keep;
  const CompulsoryCost bound = compulsory_cost(model, keep);
  const Cost cost = model.evaluate(p.mapping).cost;
  SCOPED_TRACE(seed);
  ASSERT_TRUE(bound.whole.energy <= cost.energy);
  ASSERT_TRUE(bound.whole.cycles <= cost.cycles);
  // Tensors that are open count less: kept or not, the bound holds.
  KeepRange open;
  open.may = p.mapping.keep;
  open.must[p.mapping.level_count - 1u] = keep.must[p.mapping.level_count - 1u];
  const Cost open_bound = compulsory_cost(model, open).whole;
  ASSERT_TRUE(open_bound.energy <= bound.whole.energy);
  ASSERT_TRUE(open_bound.cycles <= bound.whole.cycles);
}

TEST(Compulsory, NoMappingCostsLess) {
  for (u64 seed = 0; seed < 30'000 && !::testing::Test::HasFailure(); ++seed) expect_below(seed);
}

}  // namespace
}  // namespace heliolite::compulsory_test
