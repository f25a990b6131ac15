// Changes of groups: each is a tree of its links with loops that divide all of them alike, and every legal tree of one
// loop is met from the links alone.
#include "engine/search/fused/group_moves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "engine/network/group_plan.h"
#include "engine/network/schedule_text.h"
#include "engine/network/tree_index.h"
#include "tests/support/fusion_toys.h"

namespace heliolite::group_moves_test {
namespace {

using testing::FusionProblem;

LinkGroup alone(int link) { return {link, link, 0, {}}; }

// What is wrong with a group whoever may hold what: links out of order, or a loop that is over no common rank.
std::string broken(const LinkGroup& group, const FusionProblem& toy) {
  if (group.is_single()) return group.root == TreeNode{} ? "" : "a link alone has a tree";
  const TreeIndex tree(group, toy.graph);
  std::vector<int> links;
  for (int l = group.first; l <= group.last; ++l) links.push_back(l);
  if (tree.leaves() != links) return "leaves";
  LinkGroup open = group;
  const auto drop = [](auto&& self, TreeNode& node) -> void {
    node.held.clear();
    for (TreeNode& child : node.children) self(self, child);
  };
  drop(drop, open.root);
  for (const std::string& why : plan(open, toy.graph, toy.architecture).problems)
    if (why.find("must name every link") != std::string::npos || why.find("is not over one rank") != std::string::npos)
      return why;
  return "";
}

TEST(GroupMoves, EveryChangeIsATreeOfItsLinks) {
  int changes = 0, legal = 0;
  for (const FusionProblem& toy : testing::fusion_toys()) {
    GroupMoves moves(toy.graph);
    testing::RandomTrees random(toy, 11);
    for (int k = 0; k < 60; ++k) {
      const LinkGroup group = random.next();
      if (group.is_single() || !plan(group, toy.graph, toy.architecture).is_legal()) continue;
      SCOPED_TRACE(group_text(group, toy.graph, toy.architecture));
      const auto look_at = [&](const LinkGroup& next) {
        EXPECT_EQ(broken(next, toy), "") << group_text(next, toy.graph, toy.architecture);
        ++changes;
        legal += plan(next, toy.graph, toy.architecture).is_legal();
      };
      const std::vector<LinkGroup> changed = moves.changed(group);
      for (const LinkGroup& next : changed) {
        EXPECT_EQ(next.first, group.first);
        EXPECT_EQ(next.last, group.last);
        look_at(next);
      }
      EXPECT_EQ(moves.changed(group), changed);
      for (const auto& [before, after] : moves.parts(group)) {
        EXPECT_EQ(before.first, group.first);
        EXPECT_EQ(before.last + 1, after.first);
        EXPECT_EQ(after.last, group.last);
        look_at(before), look_at(after);
        for (const LinkGroup& again : moves.merged(before, after, group.level)) look_at(again);
        EXPECT_EQ(moves.part(group, before.first, before.last), before);
      }
    }
  }
  EXPECT_GT(changes, 5000);
  EXPECT_GT(legal, 500);
}

// All links beneath one loop, of any number of iterations that all of them have, with arrays held around it or in it.
TEST(GroupMoves, GroupsBeginAnewWithOneLoop) {
  int groups = 0, legal = 0;
  for (const FusionProblem& toy : testing::fusion_toys()) {
    GroupMoves moves(toy.graph);
    const int last = static_cast<int>(toy.graph.links.size()) - 1;
    for (const LinkGroup& group : moves.anew(0, last, 1)) {
      EXPECT_EQ(broken(group, toy), "") << group_text(group, toy.graph, toy.architecture);
      ASSERT_EQ(group.root.children.size(), 1U);
      const TreeNode& loop = group.root.children.front();
      EXPECT_GT(loop.iterations(), 1U);
      EXPECT_EQ(loop.children.size(), toy.graph.links.size());
      for (const TreeNode& child : loop.children) EXPECT_TRUE(child.is_leaf());
      ++groups;
      legal += plan(group, toy.graph, toy.architecture).is_legal();
    }
  }
  EXPECT_GT(groups, 20);
  EXPECT_GT(legal, 10);
}

// Pairs of links beneath two loops, that leave of the array between them what has some of the room, but not all of it.
TEST(GroupMoves, PairsBeneathTwoLoopsHoldPartsThatFit) {
  constexpr u64 kRoom = 40;
  int groups = 0, legal = 0;
  for (const FusionProblem& toy : testing::fusion_toys()) {
    GroupMoves moves(toy.graph);
    for (int first = 0; first + 1 < static_cast<int>(toy.graph.links.size()); ++first) {
      const auto taken = [&](int array, u64 words) {
        EXPECT_EQ(toy.graph.array(array).maker, first);
        return static_cast<double>(words) / kRoom;
      };
      for (const LinkGroup& group : moves.merged_beneath_two(first, 1, taken)) {
        EXPECT_EQ(broken(group, toy), "") << group_text(group, toy.graph, toy.architecture);
        ASSERT_EQ(group.root.children.size(), 1U);
        const TreeNode& outer = group.root.children.front();
        ASSERT_EQ(outer.children.size(), 1U);
        const TreeNode& inner = outer.children.front();
        EXPECT_GT(outer.iterations(), 1U);
        EXPECT_GT(inner.iterations(), 1U);
        EXPECT_EQ(inner.children.size(), 2U);
        ++groups;
        legal += plan(group, toy.graph, toy.architecture).is_legal();
      }
    }
  }
  EXPECT_GT(groups, 20);
  EXPECT_GT(legal, 5);
}

// Time may end a list anywhere.
TEST(GroupMoves, ListsThatEndEarlyAreBeginnings) {
  const FusionProblem toy = testing::two_products();
  const LinkGroup flat = GroupMoves(toy.graph).merged(alone(0), alone(1), 1).front();
  const std::vector<LinkGroup> all = GroupMoves(toy.graph).changed(flat);
  std::size_t most = 0;
  for (int asked = 0; asked < 60; asked += 3) {
    int left = asked;
    const std::vector<LinkGroup> some = GroupMoves(toy.graph, [&] { return left-- <= 0; }).changed(flat);
    ASSERT_LE(some.size(), all.size());
    EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin()));
    EXPECT_GE(some.size(), most);
    most = some.size();
  }
  EXPECT_GT(most, 5U);
}

TEST(GroupMoves, MeetTheExampleAndWhatIsNextToIt) {
  const FusionProblem toy = testing::two_products();
  GroupMoves moves(toy.graph);
  const auto texts = [&](const std::vector<LinkGroup>& groups) {
    std::map<std::string, LinkGroup> out;
    for (const LinkGroup& group : groups) out.emplace(group_text(group, toy.graph, toy.architecture), group);
    return out;
  };
  const auto merged = texts(moves.merged(alone(0), alone(1), 1));
  EXPECT_EQ(merged.count("Buf[l1, l2]"), 1U);
  const auto example = merged.find("Buf[+l1.w, +l2.w, (l1.j/12 l2.j/12)[l1, l2]]");
  ASSERT_NE(example, merged.end());
  const auto next = texts(moves.changed(example->second));
  for (const char* wanted : {
           "Buf[+l1.w, +l2.w, l1, l2]",                                      // no loop
           "Buf[+l1.w, +l2.w, (l1.j/6 l2.j/6)[l1, l2]]",                     // fewer iterations
           "Buf[+l1.w, (l1.j/12 l2.j/12)[l1, l2]]",                          // not held
           "Buf[+l2.w, (l1.j/12 l2.j/12)[+l1.w, l1, l2]]",                   // held further in
           "Buf[+l1.w, +l2.w, (l1.j/12 l2.j/12)[+l1.x, l1, l2]]",            // one more held
           "Buf[+l1.w, +l2.w, (l1.i/2 l2.k/2)[(l1.j/12 l2.j/12)[l1, l2]]]",  // a loop around the loop
       })
    EXPECT_EQ(next.count(wanted), 1U) << wanted;
  const auto parts = moves.parts(example->second);
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts.front(), std::pair(alone(0), alone(1)));
}

}  // namespace
}  // namespace heliolite::group_moves_test
