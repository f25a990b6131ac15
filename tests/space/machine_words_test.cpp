// Constraints that were written for one kind of layer, met by others: words by role, words that mean nothing, factors
// above the sizes, and what is said of it.
#include "engine/space/machine_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/space/constraint_notes.h"
#include "engine/space/mapspace.h"
#include "tests/support/load.h"

namespace heliolite::machine_words_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Reg - 4x4 - Buf - DRAM.
Architecture machine() {
  Architecture a;
  a.name = "machine";
  a.levels.resize(3);
  a.levels[0].name = "Reg";
  a.levels[1].name = "Buf";
  a.levels[2].name = "DRAM";
  a.levels[1].fanout_x = a.levels[1].fanout_y = 4;
  a.compute.instances = 16;
  return a;
}

Architecture with_factors(std::vector<FactorConstraint> spatial, std::vector<FactorConstraint> temporal = {}) {
  Architecture a = machine();
  a.levels[1].constraints.spatial.factors = std::move(spatial);
  a.levels[0].constraints.temporal.factors = std::move(temporal);
  return a;
}

FactorConstraint equal(std::string name, u64 value) { return {std::move(name), Relation::Equal, value}; }

Mapspace resolved(const Workload& w, const Architecture& a) {
  const auto space = resolve(w, a);
  EXPECT_TRUE(space.ok()) << to_string(space.errors());
  return space.ok() ? *space : Mapspace{};
}

std::string errors(const Workload& w, const Architecture& a) {
  const auto space = resolve(w, a);
  return space.ok() ? "" : to_string(space.errors());
}

std::vector<std::string> notes(const Workload& w, const Architecture& a, MapspaceOptions options = {}) {
  return constraint_notes({"net", {{w, 1}}}, a, options);
}

FactorLimit spatial(const Mapspace& space, const Workload& w, const std::string& name) {
  return space.levels[1].spatial.factor[static_cast<std::size_t>(*w.find_dimension(name))];
}

FactorLimit temporal(const Mapspace& space, std::size_t level, const Workload& w, const std::string& name) {
  return space.levels[level].temporal.factor[static_cast<std::size_t>(*w.find_dimension(name))];
}

std::string names(const Workload& w) {
  std::string out;
  for (const Dimension& d : w.dimensions) out += d.name;
  return out;
}

TEST(MachineWords, AProductIsAConvolutionOfOnePixel) {
  const Workload product = testing::workload("gemm:32x1x16");
  const MachineWords words = in_machine_words(product, with_factors({equal("C", 4), equal("K", 2), equal("R", 1)}));
  EXPECT_EQ(names(words.workload), "KNCR") << "M, N, K, and R of size 1";
  EXPECT_EQ(words.workload.dimensions[3].size, 1U);
  EXPECT_THAT(words.lacking, ElementsAre("R"));
  EXPECT_THAT(words.by_name, IsEmpty());
  // Eyeriss' words, too.
  EXPECT_EQ(names(in_machine_words(product, with_factors({equal("C", 4), equal("M", 2)})).workload), "MNC");
  // A head of attention.
  const Workload heads = testing::workload("bmm:h=8,m=16,n=16,k=32");
  EXPECT_EQ(names(in_machine_words(heads, with_factors({equal("C", 4), equal("K", 2)})).workload), "GKNC");
}

TEST(MachineWords, AProductGetsWhatTheSameConvolutionGets) {
  Architecture a = with_factors({equal("N", 1), equal("R", 1), equal("S", 1), equal("P", 1), equal("Q", 1)},
                                {equal("R", 1), equal("S", 1), equal("K", 2)});
  a.levels[1].constraints.spatial.order = {"N", "P", "Q", "R", "S", "C", "K"};
  for (const bool units_first : {false, true}) {
    a.unit_loops_first = units_first;
    for (const u64 split : {0, 1, 5, 6, 7}) {
      a.levels[1].constraints.spatial.split = split;
      const Workload product = testing::workload("gemm:32x1x16"), conv = testing::workload("fc:c=16,k=32");
      const Mapspace p = resolved(product, a), c = resolved(conv, a);
      for (const auto& [mine, other] : {std::pair{"M", "K"}, std::pair{"K", "C"}, std::pair{"N", "N"}}) {
        const int d = *product.find_dimension(mine), e = *conv.find_dimension(other);
        for (std::size_t l = 0; l < 3; ++l) {
          const LevelSpace &x = p.levels[l], &y = c.levels[l];
          EXPECT_EQ(x.temporal.factor[static_cast<std::size_t>(d)].min,
                    y.temporal.factor[static_cast<std::size_t>(e)].min);
          EXPECT_EQ(x.temporal.factor[static_cast<std::size_t>(d)].max,
                    y.temporal.factor[static_cast<std::size_t>(e)].max);
          EXPECT_EQ(x.spatial.allowed_x >> d & 1, y.spatial.allowed_x >> e & 1) << mine << " " << split;
          EXPECT_EQ(x.spatial.allowed_y >> d & 1, y.spatial.allowed_y >> e & 1) << mine << " " << split;
        }
      }
    }
  }
}

TEST(MachineWords, ADepthwiseLayerHasNoOutputChannels) {
  const Workload depthwise = testing::workload("depthwise:p=8,c=8,r=3");
  const Architecture a = with_factors({equal("K", 4), equal("C", 2)}, {equal("R", 3)});
  EXPECT_EQ(spatial(resolved(depthwise, a), depthwise, "C").min, 2U);
  EXPECT_THAT(notes(depthwise, a), ElementsAre(HasSubstr("K in depthwise")));
}

TEST(MachineWords, WhatIsNoConvolutionIsNotGuessed) {
  EXPECT_THAT(errors(testing::workload("mttkrp:8x4x16x32"), with_factors({equal("C", 2), equal("K", 2)})),
              HasSubstr("'C' is not a dimension of workload 'mttkrp'"));
  EXPECT_THAT(errors(testing::workload("gemm:8x8x8"), with_factors({equal("X", 2)})),
              HasSubstr("'X' is not a dimension"));
  // F alone may be anybody's word for filters; M and K together are both somebody's.
  const Workload conv = testing::workload("conv:p=8,c=4,k=8,r=3");
  EXPECT_THAT(errors(conv, with_factors({equal("F", 2)})), HasSubstr("'F' is not a dimension"));
  EXPECT_THAT(errors(conv, with_factors({equal("M", 2), equal("K", 2)})), HasSubstr("'M' is not a dimension"));
  // Rows that slide with the other axis of the kernel are no rows of this convention.
  const Workload crossed = testing::workload("o[k,P,Q] += w[k,c,R,S]*i[c,P+S,Q+R]; k=4,c=4,P=4,Q=4,R=3,S=3");
  EXPECT_THAT(errors(crossed, with_factors({equal("E", 2), equal("F", 2)})), HasSubstr("'E' is not a dimension"));
}

TEST(MachineWords, SaysWhichOfTwoThingsANameWasTakenFor) {
  const Workload product = testing::workload("gemm:32x4x16");
  const Architecture a = with_factors({equal("K", 4)});
  EXPECT_EQ(spatial(resolved(product, a), product, "K").min, 4U);
  EXPECT_THAT(notes(product, a), ElementsAre(HasSubstr("the dimension that is called K in gemm")));
  EXPECT_THAT(notes(product, a, {.free = true}), IsEmpty());
  EXPECT_THAT(notes(product, with_factors({equal("K", 4), equal("M", 2)})), IsEmpty()) << "a product is meant";
  EXPECT_THAT(notes(testing::workload("conv:p=8,c=4,k=8,r=3"), a), IsEmpty());
}

TEST(MachineWords, FactorsAboveASizeAreCutDown) {
  const Workload rgb = testing::workload("conv:p=8,c=3,k=16,r=3");
  const Architecture a = with_factors({equal("C", 4), equal("K", 4)}, {equal("R", 5), equal("S", 0)});
  const Mapspace space = resolved(rgb, a);
  EXPECT_EQ(spatial(space, rgb, "C").min, 3U);
  EXPECT_EQ(spatial(space, rgb, "C").max, 3U);
  EXPECT_EQ(spatial(space, rgb, "K").min, 4U);
  EXPECT_EQ(temporal(space, 0, rgb, "R").min, 3U);
  EXPECT_THAT(perfect_factor_conflicts(space), IsEmpty());
  EXPECT_THAT(notes(rgb, a), ElementsAre(::testing::AllOf(HasSubstr("C = 4 to 3 (level 'Buf', spatial constraint)"),
                                                          HasSubstr("R = 5 to 3 (level 'Reg', temporal constraint)"),
                                                          HasSubstr("in conv"))));
  // A layer without the dimension.
  EXPECT_EQ(errors(testing::workload("gemm:8x1x8"), with_factors({}, {equal("R", 3), equal("C", 64)})), "");
  // A fan-out has no room for more than it has, whatever the size.
  EXPECT_THAT(errors(testing::workload("conv:p=8,c=3,k=64,r=3"), with_factors({equal("K", 32)})),
              HasSubstr("K = 32, but the fan-out of 4x4"));
}

// Timeloop hands factors out from the inside: what is left of the dimension is the most that a place gets.
TEST(MachineWords, PlacesInsideTakeFirst) {
  const Workload w = testing::workload("gemm:12x8x8");
  Architecture a = with_factors({equal("M", 4)}, {equal("M", 4)});
  const Mapspace space = resolved(w, a);
  EXPECT_EQ(temporal(space, 0, w, "M").min, 4U);
  EXPECT_EQ(spatial(space, w, "M").min, 3U);
  EXPECT_EQ(temporal(space, 2, w, "M").max, 1U);
  a.levels[2].constraints.temporal.factors = {equal("M", 0)};  // the rest, which is nothing
  EXPECT_EQ(temporal(resolved(w, a), 2, w, "M").max, 1U);
  // What does not divide is left to other factors than perfect ones.
  const Workload ten = testing::workload("gemm:10x8x8");
  EXPECT_EQ(spatial(resolved(ten, a), ten, "M").min, 3U);
  EXPECT_EQ(perfect_factor_conflicts(resolved(ten, a)).size(), 1U);
}

TEST(MachineWords, OneNoteForAllLayers) {
  Network net{"net", {}};
  for (const char* text : {"conv:p=8,c=3,k=16,r=3", "conv:p=4,c=16,k=16,r=3", "conv:p=4,c=2,k=16,r=3"}) {
    net.layers.push_back({testing::workload(text), 1});
    net.layers.back().workload.name = "l" + std::to_string(net.layers.size());
  }
  const std::vector<std::string> said = constraint_notes(net, with_factors({equal("C", 4)}));
  ASSERT_EQ(said.size(), 1U);
  EXPECT_THAT(said[0], HasSubstr("C = 4 to 3 (level 'Buf', spatial constraint) in l1; C = 4 to 2"));
  EXPECT_THAT(said[0], ::testing::Not(HasSubstr("l2")));
}

TEST(MachineWords, DimensionsOfTensors) {
  const Workload w = testing::workload("conv:p=8,c=4,k=16,r=3");
  const Architecture a = with_factors({equal("dims(weights)", 1)}, {equal("other_dims(inputs+outputs)", 1)});
  const Mapspace space = resolved(w, a);
  for (const char* name : {"C", "K", "R", "S"}) EXPECT_EQ(spatial(space, w, name).max, 1U) << name;
  EXPECT_EQ(spatial(space, w, "P").max, 8U);
  EXPECT_EQ(temporal(space, 0, w, "K").max, 16U);
  EXPECT_THAT(errors(w, with_factors({equal("dims(weight)", 1), equal("dims(Zed)", 1)})),
              HasSubstr("'Zed' is not a tensor of workload 'conv'"));
}

// The front end's `maximize_dims`: the groups one after the other, in what room is left.
TEST(MachineWords, LargestFactors) {
  const auto largest = [](const std::string& word) { return FactorConstraint{word, Relation::Equal, ~u64{0}}; };
  EXPECT_THAT(largest_factors({12, 10}, 16), ElementsAre(3, 5)) << "15 of 16";
  EXPECT_THAT(largest_factors({16, 10}, 16), ElementsAre(16, 1));
  EXPECT_THAT(largest_factors({17}, 16), ElementsAre(9)) << "8.5 on average";
  EXPECT_THAT(largest_factors({3, 3}, 100), ElementsAre(3, 3));
  EXPECT_THAT(largest_factors({64}, 0), ElementsAre(1));
  const Workload w = testing::workload("conv:p=8,c=4,k=16,r=3");
  const Mapspace space = resolved(w, with_factors({largest("R*S"), largest("C*K")}));
  EXPECT_EQ(spatial(space, w, "R").min * spatial(space, w, "S").min, 9U);
  EXPECT_EQ(spatial(space, w, "C").max * spatial(space, w, "K").max, 1U) << "16 / 9";
  const Mapspace loops = resolved(w, with_factors({}, {largest("C*K"), {"C*K", Relation::AtMost, 32}}));
  EXPECT_EQ(temporal(loops, 0, w, "C").min * temporal(loops, 0, w, "K").min, 32U);
  EXPECT_THAT(errors(w, with_factors({}, {largest("K")})), HasSubstr("K=max has no limit"));
  EXPECT_THAT(errors(w, with_factors({largest("K"), equal("K", 2)})), HasSubstr("K cannot be maximized"));
  EXPECT_THAT(errors(w, with_factors({{"K*C", Relation::AtMost, 4}})), HasSubstr("of a product only K*C=max"));
}

}  // namespace
}  // namespace heliolite::machine_words_test
