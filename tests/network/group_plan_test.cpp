// Which groups are legal, what users are told about those that are not, and what follows from those that are.
#include "engine/network/group_plan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/base/text.h"
#include "engine/network/schedule_text.h"
#include "tests/support/fusion_toys.h"

namespace heliolite::group_plan_test {
namespace {

using ::testing::ElementsAre;
using testing::FusionProblem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string problems(const FusionProblem& p, const std::string& text, const FusionRules& rules = {}) {
  const auto groups = read_schedule(text, p.graph, p.architecture);
  EXPECT_TRUE(groups.ok()) << to_string(groups.errors());
  return to_string(check_groups(*groups, p.graph, p.architecture, rules));
}

GroupPlan legal_plan(const FusionProblem& p, const std::string& text) {
  const auto groups = read_schedule(text, p.graph, p.architecture);
  EXPECT_TRUE(groups.ok()) << to_string(groups.errors());
  GroupPlan out = plan(groups->front(), p.graph, p.architecture);
  EXPECT_THAT(out.problems, IsEmpty());
  return out;
}

// [link]: words of the fusing level that homes take.
std::vector<u64> taken(const GroupPlan& p) {
  std::vector<u64> out;
  for (const LinkPass& pass : p.passes) out.push_back(pass.taken);
  return out;
}

const FusionProblem& products() {
  static const FusionProblem problem = testing::two_products();
  return problem;
}
const FusionProblem& toy(int i) {
  static const std::vector<FusionProblem> toys = testing::fusion_toys();
  return toys[i];
}

TEST(GroupPlan, LoopsAreOverCommonRanks) {
  EXPECT_THAT(problems(products(), "Buf[(l1.j/6 l2.j/6)[l1, l2]]"), IsEmpty());
  EXPECT_THAT(problems(products(), "Buf[(l1.j/6 l2.i/6)[l1, l2]]"), HasSubstr("is not over one rank"));
  EXPECT_THAT(problems(products(), "Buf[(l1.j/2 l2.i/2)[l1, l2]]"),
              HasSubstr("of 2 iterations (l1.j/2 l2.j/2), (l1.i/2 l2.k/2) would be"));
  EXPECT_THAT(problems(products(), "Buf[(l1.j/5 l2.j/5)[l1, l2]]"), HasSubstr("no loop of 5 iterations"));
  EXPECT_THAT(problems(products(), "Buf[(l1.j/2)[l1, l2]]"), HasSubstr("l2 is missing"));
  EXPECT_THAT(problems(products(), "Buf[(l1.j/2 l2.j/2)[l1], l2]"), HasSubstr("names l2, which is not beneath it"));
  EXPECT_THAT(problems(products(), "Buf[[l1, l2]]"), HasSubstr("must have a loop"));
  EXPECT_THAT(problems(products(), "Buf[(l1.j/2 l2.j/2)[(l1.i/2 l2.k/2)[(l1.j/3 l2.j/3)[l1, l2]]]]"),
              HasSubstr("both divide j of l1 with another loop between them"));
  EXPECT_THAT(problems(products(), "Buf[(l1.j/2 l2.j/2)[(l1.j/3 l2.j/3)[l1, l2]]]"), IsEmpty());
  EXPECT_THAT(problems(products(), "Buf[(l1.k/2)[l1], (l2.i/4)[l2]]"), IsEmpty());
  // Heads and channels are one list, the outer divided first.
  EXPECT_THAT(problems(toy(1), "kp ; Buf[(qp.i/4 qk.g/2*e/2)[qp, qk], av]"), IsEmpty());
}

TEST(GroupPlan, NothingIsMadeTwice) {
  EXPECT_THAT(
      problems(toy(5), "Buf[(a.k/2 b.i/2)[a, b]]"),
      HasSubstr("the loop (a.k/2 b.i/2) would make a.z anew in each iteration, or read it incomplete: it divides "
                "k of a, which is no rank of it"));
  EXPECT_THAT(problems(toy(5), "Buf[(a.k/2)[a], (b.i/2)[b]]"), IsEmpty());
  // Keys and queries share ranks by way of X.
  EXPECT_THAT(problems(toy(1), "Buf[(kp.k/3 qp.k/3)[+X, kp, qp], qk, av]"), IsEmpty());
}

TEST(GroupPlan, WhatOthersReadTooIsStoredOnce) {
  const GroupPlan p = legal_plan(toy(4), "Buf[(a.j/2 b.j/2)[a, b]] ; c");
  EXPECT_EQ(p.passes[0].stored, 16);
  EXPECT_EQ(p.passes[0].returned, 0);
}

TEST(GroupPlan, FusingLevelsKeepWhatHasItsHomeThere) {
  EXPECT_THAT(problems(products(), "DRAM[l1, l2]"), HasSubstr("DRAM is the outermost level"));
  std::string fan = testing::kTwoBuffers;
  fan.replace(fan.find("name: Buf,"), 10, "name: Buf, fanout: 4,");
  const FusionProblem units = testing::two_products(fan);
  EXPECT_THAT(problems(units, "Reg[l1, l2]"), HasSubstr("there are 4 of Reg, fed by Buf"));
  EXPECT_THAT(problems(units, "Buf[l1, l2]"), IsEmpty());
  std::string inputs_only = testing::kTwoBuffers;
  inputs_only.replace(inputs_only.find("name: Buf,"), 10, "name: Buf, bypass: [outputs],");
  EXPECT_THAT(problems(testing::two_products(inputs_only), "Buf[l1, l2]"),
              HasSubstr("Buf may not keep z of l1 (Buf passes outputs by): fuse at another level"));
}

TEST(KeptApart, SaysWhyNothingStaysInside) {
  EXPECT_THAT(kept_apart(products().graph, products().architecture), IsEmpty());
  std::string inputs_only = testing::kTwoBuffers;
  inputs_only.replace(inputs_only.find("name: Buf,"), 10, "name: Buf, fanout: 4, bypass: [outputs],");
  FusionProblem p = testing::two_products(inputs_only);
  const std::vector<KeptApart> by_levels = kept_apart(p.graph, p.architecture);
  ASSERT_EQ(by_levels.size(), 1U);
  EXPECT_EQ(p.graph.array(by_levels[0].arrays.at(0)).name, "l1.z");
  EXPECT_EQ(by_levels[0].why,
            "no level may keep it for its maker and a reader: Buf passes outputs by; there are 4 of Reg, fed by Buf: "
            "one of them does not have all of an intermediate");
  p.graph.arrays[at(*p.graph.find_array("l1.z"))].why_apart = "l1 runs 3 times and l2 runs 1 times";
  EXPECT_EQ(kept_apart(p.graph, p.architecture).at(0).why, "l1 runs 3 times and l2 runs 1 times");
}

TEST(GroupPlan, HeldArraysAreAboveAllThatTouchThem) {
  EXPECT_THAT(problems(products(), "Buf[+l1.z, l1, l2]"), HasSubstr("stays there without being held"));
  EXPECT_THAT(problems(products(), "Buf[+l1.w, (l1.j/2 l2.j/2)[+l1.w, l1, l2]]"), HasSubstr("is held at two nodes"));
  EXPECT_THAT(problems(toy(1), "Buf[(kp.i/2)[+X, kp], qp, qk, av]"), HasSubstr("which is not above qp"));
  EXPECT_THAT(problems(toy(1), "kp ; qp ; Buf[+X, qk, av]"),
              HasSubstr("X is held, but no link of the group touches it"));
  EXPECT_THAT(problems(products(), "Buf[l2, l1]"), HasSubstr("leaves must be consecutive links"));
  EXPECT_THAT(problems(products(), "l2 ; l1"), HasSubstr("begins with l2, must begin with l1"));
  EXPECT_THAT(problems(products(), "l1"), HasSubstr("ends before l2"));
}

TEST(GroupPlan, SoftmaxNeedsWholeRows) {
  const std::string text = "kp ; qp ; Buf[(qk.m/2 av.m/2)[qk, av]]";
  EXPECT_THAT(problems(toy(1), text), HasSubstr("softmax needs whole rows of qk.s before av"));
  EXPECT_THAT(problems(toy(1), text, {.incremental_softmax = true}), IsEmpty());
  EXPECT_THAT(problems(toy(1), "kp ; qp ; Buf[(qk.n/2 av.n/2)[qk, av]]"), IsEmpty());
}

TEST(GroupPlan, ExampleOfThePage) {
  const GroupPlan p = legal_plan(products(), "Buf[(l1.j/6 l2.j/6)[+l1.w, +l2.w, l1, l2]]");
  const Residence& z = p.residence[*products().graph.find_array("l1.z")];
  EXPECT_EQ(z.node, 1);
  EXPECT_EQ(z.tile, 16);
  EXPECT_EQ(p.passes[0].passes, 6);
  EXPECT_THAT(p.passes[0].size, ElementsAre(8, 2, 8));
  EXPECT_EQ(p.passes[0].fetched[0] + p.passes[1].fetched[0], 128);
  EXPECT_THAT(taken(p), ElementsAre(16 + 64 + 64, 16 + 64 + 64));
}

TEST(GroupPlan, HeldResultsComeBackWhileTheyAreNotComplete) {
  const GroupPlan p = legal_plan(products(), "Buf[+l2.z, (l1.i/4 l2.k/4)[l1, l2]]");
  EXPECT_EQ(p.passes[1].stored, 96);
  EXPECT_EQ(p.passes[1].returned, 0);
  const GroupPlan q = legal_plan(products(), "Buf[(l1.i/4 l2.k/4)[(l1.j/3 l2.j/3)[+l2.z, l1, l2]]]");
  EXPECT_EQ(q.passes[1].stored, 4 * 96);
  EXPECT_EQ(q.passes[1].returned, 3 * 96);
}

TEST(GroupPlan, NeighbouringLinesStayWhileTheLoopRuns) {
  // c2 reads windows of 3 lines, 2 apart: one line of 2 channels stays; a tile is 2 lines for each of c2's.
  const GroupPlan p = legal_plan(toy(2), "Buf[(c1.p/4 c2.p/4)[c1, c2]]");
  const Residence& o = p.residence[*toy(2).graph.find_array("c1.o")];
  EXPECT_EQ(o.tile, 2 * 2);
  ASSERT_TRUE(o.overlap);
  EXPECT_EQ(o.overlap->words, 2);
  EXPECT_THAT(taken(p), ElementsAre(6, 6));
  // Held, c1's input of 10 lines is fetched once; without the loop above its home nothing slides.
  EXPECT_EQ(legal_plan(toy(2), "Buf[(c1.p/4 c2.p/4)[+c1.x, c1, c2]]").passes[0].fetched[1], 2 * 10);
  EXPECT_FALSE(legal_plan(toy(2), "Buf[c1, c2]").residence[*toy(2).graph.find_array("c1.o")].overlap);
}

TEST(GroupPlan, TermsOfSumsAreReadWhereTheyAre) {
  const int outermost = 2;
  const auto level = [](const GroupPlan& p) { return p.terms.size() == 1 ? p.terms[0].level : -1; };
  EXPECT_EQ(level(legal_plan(toy(3), "Buf[a, b, c]")), 1);
  const auto groups = read_schedule("a ; Buf[b, c]", toy(3).graph, toy(3).architecture);
  const GroupPlan later = plan((*groups)[1], toy(3).graph, toy(3).architecture);
  EXPECT_EQ(level(later), outermost);
  EXPECT_EQ(later.terms[0].words, 12);
  // It takes room until the last term's maker has run: all of c's time it does not.
  const GroupPlan p = legal_plan(toy(3), "Buf[a, b, c]");
  EXPECT_THAT(taken(p), ElementsAre(12, 24, 12));
}

}  // namespace
}  // namespace heliolite::group_plan_test
