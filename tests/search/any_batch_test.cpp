// Temporal loops over dimensions that index every tensor, outermost (rule batch-outermost) with tiles that do not
// divide.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/search/all_tiles/any_search.h"
#include "engine/search/map.h"
#include "tests/support/fitting_mapping.h"
#include "tests/support/part_of_cases.h"

namespace heliolite::any_batch_test {
namespace {

using testing::FittingMapping;
using testing::kRandomMappings;

// Words cost the same in all instances.
void simplify(Architecture& machine) {
  for (StorageLevel& level : machine.levels) {
    level.network = {};
    level.leak_pj_per_cycle = 0;
    level.cluster_size = 1;
    if (level.instances > 1) level.block_words = 1;
  }
}

DimensionMask batches_of(const Compiled& c) {
  DimensionMask out = standalone_dimensions(c);
  for (int v = 0; v < c.tensor_count; ++v) out &= c.tensor[v].indexing;
  return out;
}

// The temporal loops over these dimensions become one each, around all others.
Mapping moved_out(const Compiled& c, const Mapping& m, DimensionMask dimensions) {
  Mapping out;
  out.level_count = m.level_count, out.keep = m.keep;
  std::array<u64, kMaxDimensions> units;
  units.fill(1);
  for (const Loop& loop : m.loops()) {
    if (loop.is_spatial()) units[loop.dimension] *= loop.end;
    if (loop.is_spatial() || !contains(dimensions, loop.dimension))
      out.add(loop.kind, loop.level, loop.dimension, loop.end);
  }
  for (const int d : bits(dimensions))
    out.add(LoopKind::Temporal, m.level_count - 1, d, ceil_div(u64{c.size[d]}, units[d]));
  return without_idle_loops(TrueNest(c, out), out);
}

TEST(AnyBatch, LoopsOverBatchesAreNoWorseOutermost) {
  int moved = 0, cheaper = 0;
  for (u64 seed = 0; seed < 10 * kRandomMappings && !HasFailure(); ++seed) {
    FittingMapping m(seed, seed % 3 != 0);
    const DimensionMask batches = batches_of(m.c);
    if (batches == 0) continue;
    SCOPED_TRACE(seed);
    simplify(m.problem.architecture);
    const Compiled c(m.problem.workload, m.problem.architecture);
    const Mapping other = moved_out(c, m.mapping, batches);
    if (other == m.mapping) continue;
    const Evaluation before = true_cost_of(c, m.mapping), after = true_cost_of(c, other);
    if (before.verdict != Verdict::Fits) continue;
    ASSERT_EQ(after.verdict, Verdict::Fits);
    EXPECT_LE(after.cost.energy.picojoules(), before.cost.energy.picojoules() * (1 + 1e-12));
    EXPECT_LE(after.cost.cycles, before.cost.cycles + 1);  // a word less, or the same, may be rounded up (rule 28)
    ++moved;
    cheaper += after.cost.energy < before.cost.energy;
  }
  EXPECT_GT(moved, 100);
  EXPECT_GT(cheaper, 20);
}

// Depthwise layers; every other memory is so slow that cycles are rounded.
TEST(AnyBatch, TheRuleChangesNoAnswer) {
  const std::string folder = HELIOLITE_TEST_DATA "/data/true_counts/arch/";
  u64 compared = 0, optimal = 0;
  u64 evaluated_on = 0, evaluated_off = 0;
  const u64 step = testing::one_case_in(2);
  for (const std::string machine : {"r1_flat2", "r2_arr4", "r3_arr6", "r5_arr4g", "edge_unified"})
    for (const std::string layer :
         {"depthwise:c=7,p=3,r=2", "depthwise:c=11,p=4,r=1", "depthwise:c=6,p=3,r=3,stride=2"})
      for (const Objective objective : {Objective::Energy, Objective::Edp}) {
        if (++compared / 2 % step != 0) continue;
        auto arch = load_architecture(folder + machine + ".yaml");
        const auto network = load_network(layer);
        ASSERT_TRUE(arch.ok() && network.ok());
        simplify(*arch);
        if (compared % 2 == 0) arch->levels.back().bandwidth.shared = 0.1;
        SCOPED_TRACE(machine + " " + layer);
        SearchOptions options;
        options.factors = Factors::Any;
        options.strategy = Strategy::Exact;
        options.objective = objective;
        options.budget_evaluations = 60'000;
        const auto on = map_workload(network->layers[0].workload, *arch, options);
        options.rules.set(Rule::BatchOutermost, false);
        const auto off = map_workload(network->layers[0].workload, *arch, options);
        ASSERT_TRUE(on.ok() && off.ok());
        EXPECT_LE(on->lower_bound, off->value * (1 + 1e-12));
        EXPECT_LE(off->lower_bound, on->value * (1 + 1e-12));
        if (on->status != Status::Optimal || off->status != Status::Optimal) continue;
        EXPECT_DOUBLE_EQ(on->value, off->value);
        ++optimal;
        evaluated_on += on->statistics.evaluated;
        evaluated_off += off->statistics.evaluated;
      }
  EXPECT_GT(optimal, 10 / step);
  EXPECT_LT(evaluated_on, evaluated_off);
}

}  // namespace
}  // namespace heliolite::any_batch_test
