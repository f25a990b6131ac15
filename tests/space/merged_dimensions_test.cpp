// Dimensions that are one to every tensor and constraint: which are, and that a merged mapping costs what its split one
// does. That no optimum is lost by it, exact_rules_test asks.
#include "engine/space/symmetry.h"

#include <gtest/gtest.h>

#include "engine/formats/load_architecture.h"
#include "engine/model/cost_model.h"
#include "engine/model/perfect.h"
#include "engine/search/map.h"
#include "workloads/compact_text.h"

namespace heliolite::merged_dimensions_test {
namespace {

struct Layer {
  Workload workload;
  Architecture architecture;
  Mapspace space;
  CostModel model;
};

Layer layer(const std::string& text, const std::string& machine) {
  const Workload workload = *parse_compact_text(text);
  const Architecture architecture = *load_architecture(machine);
  return {workload, architecture, *resolve(workload, architecture), CostModel(workload, architecture)};
}

std::vector<u64> merged_sizes(const std::string& text, const std::string& machine) {
  const Layer l = layer(text, machine);
  std::vector<u64> out;
  for (const Dimension& d : MergedDimensions(l.space, l.model.compiled()).merge(l.workload).dimensions)
    out.push_back(d.size);
  return out;
}

using Sizes = std::vector<u64>;

TEST(MergedDimensions, AreThoseThatIndexTheSameTensors) {
  EXPECT_EQ(merged_sizes("Z[m,n,b] += A[m,k]*B[k,n,b]; m=4,n=6,b=10,k=8", "eyeriss"), (Sizes{4, 60, 1, 8}));
  EXPECT_EQ(merged_sizes("Z[m,n] += A[m,k]*B[k,n]; m=4,n=6,k=8", "eyeriss"), (Sizes{4, 6, 8}));
  EXPECT_EQ(merged_sizes("Z[p] += I[d,e,p+r]*W[d,e,r]; p=8,r=3,d=4,e=6", "eyeriss"), (Sizes{8, 24, 1, 3}));
  EXPECT_EQ(merged_sizes("Z[p] += I[p+r]*W[d,e,r]; p=8,r=3,d=4,e=6", "eyeriss"), (Sizes{8, 3, 4, 6}));
}

TEST(MergedDimensions, SlideNowhere) {
  EXPECT_EQ(merged_sizes("O[k,p,q] += I[c,p+r,q+s]*W[k,c,r,s]; k=4,p=6,q=6,c=2,r=3,s=3", "eyeriss"),
            (Sizes{4, 6, 6, 2, 3, 3}));
  EXPECT_EQ(merged_sizes("O[k,p,q] += I[c,p+r,q+s]*W[k,c,r,s]; k=4,p=6,q=6,c=2,r=1,s=1", "eyeriss"),
            (Sizes{4, 36, 1, 2, 1, 1}));
  EXPECT_EQ(merged_sizes("O[k,p,q] += I[c,2*p,q]*W[k,c]; k=4,p=6,q=6,c=2", "eyeriss"), (Sizes{4, 6, 6, 2}))
      << "a tile of strided pixels has holes";
}

TEST(MergedDimensions, AreNeighboursWhereTheWayThroughAFanOutCosts) {
  EXPECT_EQ(merged_sizes("Z[n,m,b] += A[m,k]*B[k,n,b]; n=6,m=4,b=10,k=8", "simba"), (Sizes{6, 4, 10, 8}));
  EXPECT_EQ(merged_sizes("Z[m,n,b] += A[m,k]*B[k,n,b]; m=4,n=6,b=10,k=8", "simba"), (Sizes{4, 60, 1, 8}));
}

TEST(MergedDimensions, ShareTheirConstraints) {
  Layer l = layer("Z[m,n,b] += A[m,k]*B[k,n,b]; m=4,n=6,b=10,k=8", "eyeriss");
  l.space.levels[0].temporal.factor[2].max = 5;
  EXPECT_FALSE(MergedDimensions(l.space, l.model.compiled()).any());
}

TEST(MergedDimensions, SplitIntoAMappingOfTheSameCost) {
  const Layer l = layer("Z[m,a,n,b] += A[m,a,k,c]*B[k,c,n,b]; m=6,a=10,n=12,b=9,k=15,c=8", "simba");
  const MergedDimensions merged(l.space, l.model.compiled());
  EXPECT_EQ(merged.absorbed(), 3);
  const Workload workload = merged.merge(l.workload);
  const auto best = map_workload(workload, l.architecture, {});
  ASSERT_TRUE(best.ok());
  const Mapping split = merged.split(best->mapping, l.space);
  EXPECT_TRUE(violations(l.space, split).empty());
  const Evaluation e = l.model.evaluate(split);
  ASSERT_EQ(e.verdict, Verdict::Fits);
  EXPECT_TRUE(e.cost.energy == best->cost.energy);
  EXPECT_EQ(e.cost.cycles, best->cost.cycles);
}

}  // namespace
}  // namespace heliolite::merged_dimensions_test
