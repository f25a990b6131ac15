// Which range an exact search takes next, and when one that is searched in parts is tried whole.
#include "engine/search/exact/parts.h"

#include <gtest/gtest.h>

namespace heliolite::open_ranges_test {
namespace {

SearchRange range_of(u32 unrolling) { return {{}, {{unrolling}}}; }
ObjectiveKey key(double number) { return {number, 0}; }
u32 unrolling(const OpenRange& open) { return open.range.unrollings[0][0]; }

TEST(OpenRanges, TheLeastBoundComesFirst) {
  OpenRanges open;
  EXPECT_TRUE(open.empty());
  EXPECT_FALSE(open.least() < ObjectiveKey());
  open.add({key(5), range_of(1)});
  open.add({key(3), range_of(2)});
  open.add({key(4), range_of(3)});
  EXPECT_EQ(open.least().first, 3);
  for (const u32 expected : {2u, 3u, 1u}) EXPECT_EQ(unrolling(open.take()), expected);
  EXPECT_TRUE(open.empty());
}

TEST(OpenRanges, WhatIsSearchedInPartsIsTriedWholeWhenThePartsHaveTakenEnough) {
  OpenRanges open;
  open.add({key(1), range_of(0)});
  open.add({key(9), range_of(7)});
  const OpenRange whole = open.take();
  open.divide(whole, {range_of(1), range_of(2)}, key(2), 100);
  EXPECT_FALSE(open.due());

  const OpenRange first = open.take();
  EXPECT_EQ(first.bound.first, 2);
  open.divide(first, {range_of(3), range_of(4)}, key(3), 1);  // parts of a part are parts of the whole
  open.took(first, 60);
  EXPECT_FALSE(open.due());
  open.took(open.take(), 40);
  const auto due = open.due();
  ASSERT_TRUE(due);
  EXPECT_EQ(due->evaluations, 100u);
  EXPECT_EQ(open.whole(due->division).unrollings, whole.range.unrollings);
  EXPECT_FALSE(open.due());
  open.took(first, 99);
  EXPECT_FALSE(open.due());
  open.took(first, 1);
  ASSERT_TRUE(open.due());
}

TEST(OpenRanges, ABoundOfTheWholeIsOneOfItsParts) {
  OpenRanges open;
  open.divide({key(1), range_of(0)}, {range_of(1), range_of(2)}, key(2), 0);
  open.add({key(3), range_of(5)});
  const OpenRange part = open.take();
  open.took(part, 10);
  const auto due = open.due();
  ASSERT_TRUE(due);
  open.raise(due->division, key(4));
  EXPECT_EQ(unrolling(open.take()), 5u);
  EXPECT_EQ(open.least().first, 4);
  open.raise(due->division, ObjectiveKey());
  EXPECT_TRUE(open.empty());
  open.took(part, 1000);
  EXPECT_FALSE(open.due());  // no part is left
}

}  // namespace
}  // namespace heliolite::open_ranges_test
