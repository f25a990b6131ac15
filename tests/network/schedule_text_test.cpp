// Schedules as text: what is written reads back, and what cannot be read is refused with its place.
#include "engine/network/schedule_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/network/group_plan.h"
#include "tests/support/fusion_toys.h"
#include "tests/support/text_mutation.h"

namespace heliolite::schedule_text_test {
namespace {

using ::testing::HasSubstr;

RC_GTEST_PROP(ScheduleText, ReadsBackWhatIsWritten, (u64 seed)) {
  const auto toys = testing::fusion_toys();
  for (const auto& toy : toys) {
    LinkGroup group = testing::RandomTrees(toy, seed).next();
    std::vector<LinkGroup> groups;
    for (int l = 0; l < group.first; ++l) groups.push_back({l, l, 0, {}});
    const int last = group.last;
    groups.push_back(std::move(group));
    for (int l = last + 1; l < static_cast<int>(toy.graph.links.size()); ++l) groups.push_back({l, l, 0, {}});
    const std::string text = write_schedule(groups, toy.graph, toy.architecture);
    const auto read = read_schedule(text, toy.graph, toy.architecture);
    RC_ASSERT(read.ok());
    RC_ASSERT(*read == groups);
  }
}

TEST(ScheduleText, SaysWhatIsWrongAndWhere) {
  const auto toy = testing::two_products();
  const auto error = [&](const std::string& text) {
    const auto read = read_schedule(text, toy.graph, toy.architecture);
    return read.ok() ? "no error" : to_string(read.errors());
  };
  EXPECT_THAT(error("l1 ; l3"), HasSubstr("column 6: 'l3' is no link of the network, must be one of l1 and l2"));
  EXPECT_THAT(error("Cache[l1, l2]"),
              HasSubstr("column 1: 'Cache' is no level of two_buffers, must be one of Reg, Buf"));
  EXPECT_THAT(error("Buf[(l1.q/2 l2.j/2)[l1, l2]]"), HasSubstr("'q' is no dimension of l1, must be one of i, j and k"));
  EXPECT_THAT(error("Buf[(l1.j/1 l2.j/2)[l1, l2]]"), HasSubstr("factor '1' of l1.j, must be an integer from 2 to 12"));
  EXPECT_THAT(error("Buf[(l1.j/x l2.j/2)[l1, l2]]"), HasSubstr("factor 'x' of l1.j"));
  EXPECT_THAT(error("Buf[+l1.y, l1, l2]"), HasSubstr("'l1.y' is no array of the network, must be LINK.TENSOR"));
  EXPECT_THAT(error("Buf[(l1.j/2 l2.j/2) l1, l2]"), HasSubstr("must be the '[' of the loop's node"));
  EXPECT_THAT(error("Buf[l1, l2"), HasSubstr("'the end', must be ',' or ']'"));
  EXPECT_THAT(error("Buf[l1, l2] l1"), HasSubstr("'l1', must be ';' or the end"));
  EXPECT_THAT(error("Buf[l2]"),
              HasSubstr("a tree from l2 to l2, must have two links or more; a link alone is its name"));
  EXPECT_THAT(error("Buf[+l1.w]"), HasSubstr("a node without a link"));
  EXPECT_THAT(error(""), HasSubstr("'the end' is no link"));
  EXPECT_THAT(error("Buf[()[l1, l2]]"), HasSubstr("a loop over nothing"));
  EXPECT_THAT(error("Buf[" + std::string(100, '[')), HasSubstr("brackets in more than 64 brackets"));
}

TEST(ScheduleText, DamagedTextsAreReadOrRefused) {
  TextMutator mutator(from_environment("HELIOLITE_FUZZ_SEED", 1));
  const u64 runs = from_environment("HELIOLITE_FUZZ_RUNS", 3000);
  const auto toys = testing::fusion_toys();
  const std::string products = "Buf[(l1.j/6 l2.j/6)[+l1.w, (l1.i/4 l2.k/4)[+l2.w, l1, l2]]]";
  const std::string heads = "kp ; Buf[+qp.w, (qp.i/4 qk.g/2*e/2)[qp, qk], av]";
  int read_well = 0;
  for (u64 k = 0; k < runs; ++k) {
    const auto& toy = toys[k % 2];
    const std::string text = mutator.damaged(k % 2 == 0 ? products : heads, k % 2 == 0 ? heads : products);
    const auto read = read_schedule(text, toy.graph, toy.architecture);
    if (!read.ok()) continue;
    ++read_well;
    check_groups(*read, toy.graph, toy.architecture);
    const auto again = read_schedule(write_schedule(*read, toy.graph, toy.architecture), toy.graph, toy.architecture);
    ASSERT_TRUE(again.ok()) << text << to_string(again.errors());
    EXPECT_EQ(*again, *read) << text;
  }
  EXPECT_GT(read_well, 20);
}

}  // namespace
}  // namespace heliolite::schedule_text_test
