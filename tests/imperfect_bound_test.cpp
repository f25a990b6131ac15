// A bound above a real cost would be the worst bug: against random mappings with residual factors, and against all of
// them where there are few.
#include "engine/search/imperfect_bound.h"

#include <gtest/gtest.h>

#include "tests/random_problem.h"

namespace heliolite {
namespace {

constexpr std::array kObjectives{Objective::Energy, Objective::Delay, Objective::Edp, Objective::Ed2p};

void expect_below(u64 seed, const testing::RandomOptions& options) {
  const testing::RandomProblem p = testing::random_problem(seed, options);
  const CostModel model(p.workload, p.architecture);
  const auto space = resolve(p.workload, p.architecture);
  ASSERT_TRUE(space.ok());
  KeepRange keep;
  keep.must = keep.may = p.mapping.keep;
  const Evaluation e = model.evaluate(p.mapping);
  if (e.verdict != Verdict::Fits) return;
  for (const Objective objective : kObjectives)
    ASSERT_LE(imperfect_lower_bound(model, *space, keep, objective), objective_number(objective, e.cost))
        << "seed " << seed << ", " << name(objective);
}

TEST(ImperfectBound, NoMappingCostsLess) {
  for (u64 seed = 0; seed < 6000 && !::testing::Test::HasFailure(); ++seed) {
    testing::RandomOptions options;
    options.imperfect = seed % 8 != 0;
    options.sliding = seed % 2 == 0;
    options.max_fanout = 2 + seed % 5;
    if (seed % 3 == 0) options.max_dimensions = 2, options.max_size = 60;
    expect_below(seed, options);
  }
}

}  // namespace
}  // namespace heliolite
