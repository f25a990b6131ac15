// Rule push-in of the exact search: a mapping with part of an innermost loop in the level inside costs no more, also
// where another level further inside holds a tensor that slides along the loop.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/search/exact/fanout.h"
#include "engine/search/exact/flow_costs.h"
#include "engine/search/exact/witness.h"
#include "engine/search/map.h"
#include "tests/support/exact_problem.h"
#include "tests/support/exhaustive_oracle.h"

namespace heliolite::push_in_test {
namespace {

// A buffer inside of what `middle` holds; the middle is beside the way of all else.
Architecture machine_of(const std::string& middle, int entries) {
  const std::string text = fmt::format(R"(architecture:
  name: middle
  levels:
  - {{name: DRAM, dram: true, energy: 100}}
  - {{name: Middle, entries: {}, energy: 6, keep: [{}]}}
  - {{name: Buffer, entries: 16, energy: 1}}
  compute: {{name: MAC, energy: 1}}
)",
                                       entries, middle);
  return *parse_architecture(text, "middle");
}

// Asks all mappings of the layer that have a loop to move, and says how many there are.
int moved_mappings(const std::string& layer, const Architecture& machine) {
  const Workload workload = load_network(layer)->layers.front().workload;
  const LayerProblem problem = testing::layer_problem(workload, machine, {});
  const Compiled& c = problem.model.compiled();
  const Lattice lattice(c.size, c.dimension_count);
  const auto fanouts = make_fanout_choices(problem, lattice);
  int moved = 0;
  const auto ask = [&](const Mapping& mapping) {
    const Evaluation whole = problem.model.evaluate(mapping);
    if (whole.verdict != Verdict::Fits) return whole;
    const FlowCosts model = make_flow_costs(problem, {mapping.keep, mapping.keep}, lattice, fanouts);
    for (int level = 1; level < model.levels(); ++level) {
      const Mapping inside = all_moved_in(model, mapping, level);
      if (inside == mapping) continue;
      ++moved;
      const Evaluation after = problem.model.evaluate(inside);
      EXPECT_EQ(after.verdict, Verdict::Fits) << layer;
      EXPECT_LE(after.cost.energy, whole.cost.energy * (1 + 1e-12)) << layer << ", level " << level;
      EXPECT_LE(after.cost.cycles, whole.cost.cycles) << layer << ", level " << level;
    }
    return whole;
  };
  EXPECT_TRUE(testing::enumerate_mapspace(workload, machine, {.limit = 20'000, .price = ask})) << layer;
  return moved;
}

TEST(PushIn, CostsNoMore) {
  int moved = 0;
  for (const char* held : {"outputs", "weights", "inputs", "inputs, outputs"})
    for (const int entries : {4, 12, 40})
      for (const char* layer : {"Z[q] += A[q+s]*B[s]; q=12,s=3", "Z[q] += A[2*q+s]*B[s]; q=9,s=3",
                                "Z[m,q] += A[m,q+s]*B[s]; m=3,q=8,s=2", "Z[m,n] += A[m,k]*B[k,n]; m=4,n=2,k=6"})
        moved += moved_mappings(layer, machine_of(held, entries));
  EXPECT_GT(moved, 1'000);
}

// Of uneven tiles each store is a level of its own, and an input that slides may be in one further in.
TEST(PushIn, CostsNoMoreAmongStores) {
  const std::string text = R"(architecture:
  name: stores
  levels:
  - {name: DRAM, dram: true, energy: 200}
  - {name: Outer, entries: 64, energy: 6.25, multiple_buffering: 2}
  - {name: Inner, entries: 16, energy: 1}
  compute: {name: MAC, energy: 1}
)";
  const Workload workload =
      load_network("O[g,p,q] += I[g,2*p+r,2*q+s]*W[g,r,s]; g=2,p=2,q=24,r=3,s=3")->layers.front().workload;
  SearchOptions search;
  search.objective = Objective::Energy;
  search.tiles = Tiles::Uneven;
  const Result<MappingResult> with = map_workload(workload, *parse_architecture(text, "stores"), search);
  search.rules.set(Rule::PushIn, false).set(Rule::StoreOrder, false);
  const Result<MappingResult> without = map_workload(workload, *parse_architecture(text, "stores"), search);
  ASSERT_TRUE(with.ok() && without.ok());
  EXPECT_EQ(with->value, without->value);
}

}  // namespace
}  // namespace heliolite::push_in_test
