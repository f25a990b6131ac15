// Mappings executed level by level against the cost model.
#include "engine/execution/tiled_nest.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/execution/loop_nest.h"
#include "engine/model/cost_model.h"
#include "engine/model/true_counts/cost.h"
#include "tests/support/random_problem.h"

namespace heliolite::mapped_nest_test {
namespace {

using testing::Rng;

RC_GTEST_PROP(MappedNest, FillsAreTheModelsWhereTilesHaveNeitherOverlapsNorHoles, (u64 seed)) {
  Rng rng(seed);
  testing::RandomOptions options;
  options.max_size = 8;
  options.plain_output = true;
  options.imperfect = testing::chance(rng, 50);
  const Workload workload = testing::random_workload(rng, options);
  const Architecture architecture = testing::random_architecture(rng, options);
  const Mapping mapping = testing::random_mapping(rng, workload, architecture, options);
  if (workload.macs() > 4'000) return;
  const CostModel model(workload, architecture);
  if (!has_true_counts(model.compiled())) return;
  const Breakdown breakdown = model.explain(mapping, Counts::True);
  u64 iterations = 0;
  struct Counter {
    u64& n;
    void visit(const TouchedWords&) { ++n; }
  } counter{iterations};
  walk(mapped_nest(workload, architecture, mapping), counter);
  RC_ASSERT(iterations == workload.macs());
  for (const ExecutedTensor& t : execute_mapping(workload, architecture, mapping)) {
    const u64 fills = breakdown.level[t.level].tensor[t.tensor].all.fills;
    const CompiledTensor& tensor = model.compiled().tensor[t.tensor];
    if (tensor.plain_count == tensor.rank_count && !tensor.entangled) RC_ASSERT(t.fills == fills);
  }
}

}  // namespace
}  // namespace heliolite::mapped_nest_test
