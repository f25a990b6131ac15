// What schedules cost: without groups what the cost model says, with them no word of an intermediate outside.
#include "engine/network/fused_cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/model/cost_model.h"
#include "tests/support/fusion_toys.h"

namespace heliolite::fused_cost_test {
namespace {

using testing::FusionProblem;
using ::testing::HasSubstr;

RC_GTEST_PROP(FusedCost, LinksAloneCostWhatTheModelSays, (u64 seed)) {
  testing::RandomOptions options;
  options.capacities = options.interconnects = options.reductions = true;
  options.links = seed % 3 == 0;
  options.word_bits = seed % 2 == 0;
  const testing::RandomProblem p = testing::random_problem(seed, options);
  Workload named = p.workload;
  named.name = "link";
  const u64 runs = 1 + seed % 4;
  const auto graph = make_link_graph({{named, runs}}, {});
  RC_ASSERT(graph.ok());
  const Evaluation model = CostModel(named, p.architecture).evaluate(p.mapping);
  const auto cost = schedule_cost({{{0, 0, 0, {}}}, {p.mapping}}, *graph, p.architecture);
  RC_ASSERT(cost.ok() == (model.verdict == Verdict::Fits));
  if (!cost.ok()) return;
  RC_ASSERT(cost->total.energy == model.cost.energy * runs);
  RC_ASSERT(cost->total.cycles == model.cost.cycles * runs);
}

// All loops of the links inside the level `Buf`, which keeps everything whole.
Mapping inside_buffer(const Workload& link, const LinkSizes& sizes) {
  Mapping m;
  m.level_count = 3;
  for (std::size_t d = 0; d < sizes.size(); ++d) m.add(LoopKind::Temporal, 1, static_cast<int>(d), sizes[d]);
  for (int i = 0; i < 3; ++i) m.keep[i] = static_cast<TensorMask>((1U << link.tensors.size()) - 1);
  return m;
}

// Words that cross the outermost level.
u64 outside(const ScheduleCost& cost) {
  u64 words = 0;
  for (const LinkCost& link : cost.links)
    for (const auto& tensor : link.words) words += tensor.back().words.reads + tensor.back().words.updates;
  return words;
}

TEST(FusedCost, IntermediatesStayInsideAndAllElseMovesOnce) {
  for (const FusionProblem& toy : testing::fusion_toys()) {
    FusedSchedule schedule;
    LinkGroup group{0, static_cast<int>(toy.graph.links.size()) - 1, 1, {}};
    for (int l = 0; l <= group.last; ++l) {
      group.root.children.emplace_back().link = l;
      schedule.mappings.push_back(inside_buffer(toy.graph.link(l), sizes_of(toy.graph.link(l))));
    }
    schedule.groups = {group};
    u64 compulsory = 0, twice = 0;
    for (int a = 0; a < static_cast<int>(toy.graph.arrays.size()); ++a) {
      const SharedArray& array = toy.graph.array(a);
      if (array.maker && array.touches.size() > 1) continue;
      compulsory += toy.graph.words(a);
      twice += (array.touches.size() - 1) * toy.graph.words(a);
    }
    const auto own = schedule_cost(schedule, toy.graph, toy.architecture);
    ASSERT_TRUE(own.ok()) << to_string(own.errors());
    EXPECT_EQ(outside(*own), compulsory + twice);
    // Held at the root, what several links read comes once, too.
    for (int a = 0; a < static_cast<int>(toy.graph.arrays.size()); ++a)
      if (!toy.graph.array(a).maker) schedule.groups[0].root.held.push_back(a);
    const auto held = schedule_cost(schedule, toy.graph, toy.architecture);
    ASSERT_TRUE(held.ok()) << to_string(held.errors());
    EXPECT_EQ(outside(*held), compulsory);
  }
}

TEST(FusedCost, ExampleOfThePage) {
  const FusionProblem p = testing::two_products();
  FusedSchedule schedule;
  schedule.groups = *read_schedule("Buf[(l1.j/6 l2.j/6)[+l1.w, +l2.w, l1, l2]]", p.graph, p.architecture);
  for (int l = 0; l < 2; ++l) schedule.mappings.push_back(inside_buffer(p.graph.link(l), {8, 2, 8}));
  const auto cost = schedule_cost(schedule, p.graph, p.architecture);
  ASSERT_TRUE(cost.ok()) << to_string(cost.errors());
  EXPECT_EQ(outside(*cost), 128 + 96 + 96);
  EXPECT_EQ(cost->total.cycles, 2 * 8 * 12 * 8);
}

TEST(FusedCost, SaysWhichLinkHasNoRoom) {
  std::string small = testing::kTwoBuffers;
  small.replace(small.find("2000"), 4, "150");
  const FusionProblem p = testing::two_products(small);
  FusedSchedule schedule;
  schedule.groups = *read_schedule("Buf[(l1.j/6 l2.j/6)[+l1.w, +l2.w, l1, l2]]", p.graph, p.architecture);
  for (int l = 0; l < 2; ++l) schedule.mappings.push_back(inside_buffer(p.graph.link(l), {8, 2, 8}));
  const auto cost = schedule_cost(schedule, p.graph, p.architecture);
  ASSERT_FALSE(cost.ok());
  EXPECT_THAT(
      to_string(cost.errors()),
      HasSubstr("l1: no room at Buf: 16 words of its tiles and 144 of homes (l1.z 16, l1.w 64, l2.w 64) exceed 150"));
  // A nest of other sizes than the pass has.
  schedule.mappings[0] = inside_buffer(p.graph.link(0), {8, 12, 8});
  EXPECT_THAT(to_string(schedule_cost(schedule, p.graph, p.architecture).errors()),
              HasSubstr("the factors of j must multiply to its size 2, they give 12"));
}

}  // namespace
}  // namespace heliolite::fused_cost_test
