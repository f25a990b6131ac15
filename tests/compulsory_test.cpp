// A bound above a real cost would be the worst bug: the compulsory cost against random mappings.
#include "engine/search/compulsory.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/random_problem.h"

namespace heliolite {
namespace {

RC_GTEST_PROP(Compulsory, NoMappingCostsLess, ()) {
  const testing::RandomProblem p = testing::random_problem(*rc::gen::arbitrary<u64>());
  const CostModel model(p.workload, p.architecture);
  KeepRange keep;
  keep.must = keep.may = p.mapping.keep;
  const CompulsoryCost bound = compulsory_cost(model, keep);
  const Cost cost = model.evaluate(p.mapping).cost;
  RC_ASSERT(bound.whole.energy <= cost.energy);
  RC_ASSERT(bound.whole.cycles <= cost.cycles);
  // Tensors that are open count less: kept or not, the bound holds.
  KeepRange open;
  open.may = p.mapping.keep;
  open.must[p.mapping.level_count - 1u] = keep.must[p.mapping.level_count - 1u];
  const Cost open_bound = compulsory_cost(model, open).whole;
  RC_ASSERT(open_bound.energy <= bound.whole.energy);
  RC_ASSERT(open_bound.cycles <= bound.whole.cycles);
}

}  // namespace
}  // namespace heliolite
