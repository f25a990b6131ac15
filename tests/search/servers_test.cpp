// Which levels serve a tensor's flows, over all keep choices of a range.
#include "engine/search/exact/flow_costs.h"

#include <gtest/gtest.h>

#include <vector>

namespace heliolite::servers_test {
namespace {

// Level 1 may keep A and B, level 2 must keep B, the outermost one keeps all.
TEST(ServerSets, AreAllWaysToTheNextLevelThatKeepsATensor) {
  const TensorMask a = 1, b = 2;
  const KeepRange keep{{0, 0, b, a | b}, {0, a | b, b, a | b}};
  const ServerSets sets(keep, 4, 2);
  EXPECT_EQ(sets.count(-1), 4u) << "A: level 1 or 3, B: level 1 or 2";
  EXPECT_EQ(sets.count(0), 4u);
  EXPECT_EQ(sets.count(1), 1u) << "A to level 3, B to level 2";
  EXPECT_EQ(sets.count(2), 1u);
  EXPECT_EQ(sets.count(3), 1u) << "nothing is served outside";
  for (const TensorMask kept : {0, 1, 2, 3}) {
    const KeepMasks choice{0, kept, b, a | b};
    const u32 set = sets.find(0, choice);
    EXPECT_EQ(sets.server(0, set, 0), contains(kept, 0) ? 1 : 3);
    EXPECT_EQ(sets.server(0, set, 1), contains(kept, 1) ? 1 : 2);
    EXPECT_EQ(sets.kept(1, set), kept);
    EXPECT_EQ(sets.kept(0, sets.find(-1, choice)), 0);
    const auto next = sets.next(0, sets.find(-1, choice));
    EXPECT_EQ(std::vector<u32>(next.begin(), next.end()), std::vector<u32>{set}) << "what bypasses keeps its server";
  }
  EXPECT_TRUE(ServerSets::few(keep, 4, 2));
  KeepRange open{};
  open.may.fill(255), open.must[9] = 255;
  EXPECT_FALSE(ServerSets::few(open, 10, 8)) << "ten servers for each of eight tensors";
}

}  // namespace
}  // namespace heliolite::servers_test
