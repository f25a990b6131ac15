// What is kept between two levels of the exact search, in what order, when room is short.
#include "engine/search/exact/frontier.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/frontier_toy.h"

namespace heliolite::frontier_test {
namespace {

using testing::ExactToy;
using testing::gemm_toy;
using testing::state_of;

// States with these bounds; by their numbers, each is dearer than the one before and has a flow with fewer fetches.
Frontier numbered(const ExactToy& toy, const std::vector<double>& keys) {
  Frontier frontier(toy.model, 0);
  for (std::size_t k = 0; k < keys.size(); ++k) {
    PartialMapping s = state_of(toy);
    s.sum[0] = static_cast<double>(k);
    s.sliding_count = 1;
    s.sliding[0] = {};
    s.sliding[0].fetched = 10 - static_cast<double>(k);
    FrontierNode node;
    node.key = {keys[k], 0};
    node.parent = static_cast<u32>(k);
    frontier.add(s, node, false);
  }
  return frontier;
}

// The states that are left, each of which must still have its own numbers and flow.
std::vector<u32> left_in(const ExactToy& toy, const Frontier& frontier) {
  std::vector<u32> out;
  for (std::size_t k = 0; k < frontier.size(); ++k) {
    PartialMapping s = toy.steps.root(0, 0);
    frontier.get(k, s);
    const u32 number = frontier.node(k).parent;
    out.push_back(number);
    EXPECT_EQ(s.sum[0], number);
    EXPECT_EQ(s.sliding_count, 1);
    EXPECT_EQ(s.sliding[0].fetched, 10.0 - number);
    EXPECT_EQ(s.tile.index, state_of(toy).tile.index);
  }
  return out;
}

using Numbers = std::vector<u32>;

TEST(Frontier, NarrowsToTheMostPromisingInTheirOrder) {
  const ExactToy toy = gemm_toy();
  Frontier frontier = numbered(toy, {5, 1, 4, 2, 2, 3});
  EXPECT_FALSE(frontier.narrow(6) < ObjectiveKey()) << "all stay: nothing is left out";
  EXPECT_EQ(frontier.narrow(3).first, 3);
  EXPECT_EQ(left_in(toy, frontier), (Numbers{1, 3, 4}));
  EXPECT_EQ(frontier.narrow(2).first, 2) << "the first of equals stays";
  EXPECT_EQ(left_in(toy, frontier), (Numbers{1, 3}));
}

TEST(Frontier, CompactRemovesTheDominatedAndKeepsTheRest) {
  const ExactToy toy = gemm_toy();
  Frontier frontier = numbered(toy, {1, 1, 1, 1});
  PartialMapping better = toy.steps.root(0, 0);
  frontier.get(2, better);
  better.sum[0] = 0.5;
  FrontierNode node;
  node.parent = 9;
  const Frontier::Added added = frontier.add(better, node, true);
  EXPECT_TRUE(added.added);
  EXPECT_EQ(added.dropped, 2u);
  EXPECT_FALSE(frontier.node(0).dropped) << "it is cheaper";
  EXPECT_TRUE(frontier.node(1).dropped);
  EXPECT_TRUE(frontier.node(2).dropped);
  EXPECT_FALSE(frontier.node(3).dropped) << "it fetches less";
  frontier.compact();
  ASSERT_EQ(frontier.size(), 3u);
  for (const std::size_t k : {0, 1, 2}) EXPECT_EQ(frontier.node(k).parent, (Numbers{0, 3, 9})[k]);
  PartialMapping last = toy.steps.root(0, 0);
  frontier.get(1, last);
  EXPECT_EQ(last.sliding[0].fetched, 7);
  frontier.get(2, last);
  EXPECT_EQ(last.sliding[0].fetched, 8);
  EXPECT_EQ(last.sum[0], 0.5);
}

TEST(Frontier, ShrinksToItsShareOfMemory) {
  const ExactToy toy = gemm_toy();
  Frontier frontier = numbered(toy, {6, 5, 4, 3, 2, 1});
  frontier.compact();
  const std::size_t bytes = frontier.bytes();
  EXPECT_FALSE(frontier.shrink(bytes) < ObjectiveKey());
  EXPECT_EQ(frontier.size(), 6u);
  EXPECT_EQ(frontier.shrink(bytes / 2).first, 4);
  EXPECT_EQ(left_in(toy, frontier), (Numbers{3, 4, 5}));
  EXPECT_LE(frontier.bytes(), bytes / 2);
  EXPECT_EQ(frontier.shrink(1).first, 2) << "one state stays";
  EXPECT_EQ(left_in(toy, frontier), (Numbers{5}));
}

}  // namespace
}  // namespace heliolite::frontier_test
