// Dimensions that may change places: which are found, and that a mapping with them swapped costs the same. That no
// optimum is lost by looking at one of two, exact_rules_test asks.
#include "engine/space/symmetry.h"

#include <gtest/gtest.h>

#include "engine/formats/load_architecture.h"
#include "engine/model/cost_model.h"
#include "tests/support/search_problem.h"
#include "workloads/compact_text.h"

namespace heliolite::symmetry_test {
namespace {

// The dimensions that change places, as names; empty: none do.
std::string swapped_names(const std::string& text, const std::string& machine) {
  const Workload workload = *parse_compact_text(text);
  const Architecture architecture = *load_architecture(machine);
  const auto symmetry = find_symmetry(*resolve(workload, architecture), CostModel(workload, architecture).compiled());
  std::string out;
  if (!symmetry) return out;
  for (std::size_t d = 0; d < workload.dimensions.size(); ++d)
    if (symmetry->image(static_cast<int>(d)) > d)
      out += workload.dimensions[d].name + workload.dimensions[symmetry->image(static_cast<int>(d))].name + " ";
  return out;
}

TEST(Symmetry, IsThatOfSquareLayersAndKernels) {
  EXPECT_EQ(swapped_names("conv:k=4,c=2,p=8,r=3", "eyeriss"), "RS PQ ");
  EXPECT_EQ(swapped_names("conv:k=4,c=2,p=8,r=1", "eyeriss"), "PQ ");
  EXPECT_EQ(swapped_names("conv:k=4,c=2,p=8,q=4,r=3", "eyeriss"), "");
  EXPECT_EQ(swapped_names("conv:k=4,c=2,p=8,r=3,s=5", "eyeriss"), "");
  EXPECT_EQ(swapped_names("gemm:8x8x8", "eyeriss"), "");
}

// Of the inputs' ranks, N, C, rows and columns, the last two change places, and what no rank is stays as it is.
TEST(Symmetry, SwapsTheRanksOfATensor) {
  const Workload conv = *parse_compact_text("conv:n=2,k=4,c=2,p=8,r=3");
  const Architecture eyeriss = *load_architecture("eyeriss");
  const auto symmetry = find_symmetry(*resolve(conv, eyeriss), CostModel(conv, eyeriss).compiled());
  ASSERT_TRUE(symmetry);
  const std::array<i64, kMaxRanks> moves{7, 5, 3, 1, 11, 13, 17, 19}, swapped{7, 5, 1, 3, 11, 13, 17, 19};
  EXPECT_EQ(symmetry->swapped(*conv.find_tensor("Inputs"), moves), swapped);
}

// Where words pay for their way and rows and columns share an axis, their order would change.
TEST(Symmetry, EndsWhereTheMachineTellsRowsFromColumns) {
  EXPECT_EQ(swapped_names("conv:k=4,c=2,p=8,r=3", "simba"), "RS PQ ");
  EXPECT_EQ(swapped_names("depthwise:c=4,p=8,r=3", "simba"), "");
}

TEST(Symmetry, LeavesTheCostOfAMappingAsItIs) {
  int found = 0;
  for (u64 seed = 0; seed < 300; ++seed) {
    const auto p = testing::square_search_problem(seed + 400, {.max_mappings = 800});
    const CostModel model(p.workload, p.architecture);
    const Mapspace space = *resolve(p.workload, p.architecture);
    const auto symmetry = find_symmetry(space, model.compiled());
    if (!symmetry) continue;
    ++found;
    for (const auto& best : p.answer.best) {
      const Mapping swapped = symmetry->swapped(best.mapping, space);
      EXPECT_TRUE(violations(space, swapped).empty()) << seed;
      EXPECT_EQ(symmetry->swapped(swapped, space), best.mapping) << seed;
      const Evaluation e = model.evaluate(swapped);
      EXPECT_EQ(e.verdict, Verdict::Fits) << seed;
      EXPECT_TRUE(e.cost == best.cost) << seed;
    }
  }
  EXPECT_GT(found, 100);
}

}  // namespace
}  // namespace heliolite::symmetry_test
