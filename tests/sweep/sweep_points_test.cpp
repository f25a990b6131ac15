// Design points: numbering, samples, families, shards, and machines that are none.
#include "engine/sweep/design_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "engine/sweep/families.h"
#include "tests/support/sweep_problem.h"

namespace heliolite::sweep_points_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::small_sweep;
using testing::sweep_of;

RC_GTEST_PROP(PermutationProperty, IsABijection, ()) {
  const u64 size = *rc::gen::inRange<u64>(1, 3000);
  const Permutation order(size, *rc::gen::arbitrary<u64>());
  std::vector<bool> hit(size, false);
  for (u64 k = 0; k < size; ++k) {
    const u64 at = order(k);
    RC_ASSERT(at < size);
    RC_ASSERT(!hit[at]);
    hit[at] = true;
  }
}

TEST(Permutation, DependsOnTheSeedAlone) {
  const Permutation a(1'000'000, 1), again(1'000'000, 1), other(1'000'000, 2);
  u64 equal = 0;
  for (u64 k = 0; k < 1000; ++k) {
    EXPECT_EQ(a(k), again(k));
    equal += a(k) == other(k);
  }
  EXPECT_LT(equal, 10u);
  EXPECT_EQ(Permutation(1, 5)(0), 0u);
}

TEST(DesignPoints, TheLastParameterVariesFastest) {
  const TempFolder folder;
  const SweepSpec spec = sweep_of(small_sweep(folder));
  const DesignPoints points(spec);
  EXPECT_EQ(points.grid(), 24u);
  EXPECT_EQ(points.planned(), 24u);
  EXPECT_THAT(points.values(0), ElementsAre("1x2", "2", "1 KB"));
  EXPECT_THAT(points.values(1), ElementsAre("1x2", "2", "2 KB"));
  EXPECT_THAT(points.values(23), ElementsAre("4x4", "256", "2 KB"));
  EXPECT_EQ(points.families(), 3u);
  EXPECT_EQ(points.family_size(), 8u);
}

TEST(DesignPoints, FamiliesPartTheGrid) {
  const TempFolder folder;
  const SweepSpec spec = sweep_of(small_sweep(folder, "",
                                              "  parameters:\n"
                                              "    a: {set: Spad.entries, values: [16, 32, 64]}\n"
                                              "    b: {set: GLB.fanout, values: [1, 2]}\n"
                                              "    c: {set: GLB.capacity, values: [1 KB, 2 KB]}\n"
                                              "    d: {set: word_bits, values: [8, 16]}\n"));
  const DesignPoints points(spec);
  EXPECT_EQ(points.families(), 4u);
  std::set<u64> all;
  for (u64 family = 0; family < points.families(); ++family)
    for (u64 k = 0; k < points.family_size(); ++k) {
      const u64 id = points.member(family, k);
      EXPECT_EQ(points.family(id), family);
      all.insert(id);
    }
  EXPECT_EQ(all.size(), points.grid());
}

TEST(DesignPoints, SaysWhyThereIsNoMachine) {
  const TempFolder folder;
  const SweepSpec spec = sweep_of(small_sweep(folder, "",
                                              "  parameters:\n"
                                              "    glb: {set: GLB.capacity, values: [1 B, 1 KB, 8 KB]}\n"
                                              "  constraints: [\"glb != 0\", \"GLB_words < 1000\"]\n"));
  const DesignPoints points(spec);
  const DesignPoint none = points.make(0);
  EXPECT_EQ(none.state, PointState::Invalid);
  EXPECT_THAT(none.reason, HasSubstr("machine: capacity of 1 bytes is 0 words"));
  EXPECT_TRUE(points.make(1).machine);
  const DesignPoint excluded = points.make(2);
  EXPECT_EQ(excluded.state, PointState::Excluded);
  EXPECT_EQ(excluded.reason, "constraint: GLB_words < 1000");
}

// A sample of a grid of 10^12 points is there at once, has no repetition, and begins with the smaller sample.
TEST(DesignPoints, SamplesOfLargeGridsTakeNoRoom) {
  const TempFolder folder;
  std::string parameters = "  parameters:\n";
  for (const char* field : {"GLB.multiple_buffering", "Spad.multiple_buffering", "DRAM.multiple_buffering"})
    parameters +=
        "    p" + std::to_string(parameters.size()) + ": {set: " + field + ", from: 1, to: 1000, step: 0.1}\n";
  const auto sample_of = [&](const std::string& n) {
    const SweepSpec spec = sweep_of(small_sweep(folder, "  sample: " + n + "\n", parameters));
    const DesignPoints points(spec);
    EXPECT_EQ(std::to_string(points.planned()), n);
    EXPECT_GT(points.grid(), 900'000'000'000u);
    std::vector<u64> ids;
    for (u64 k = 0; k < points.planned(); ++k) ids.push_back(points.id(k));
    EXPECT_EQ(std::set<u64>(ids.begin(), ids.end()).size(), ids.size());
    return ids;
  };
  const std::vector<u64> large = sample_of("1000"), small = sample_of("100");
  EXPECT_TRUE(std::equal(small.begin(), small.end(), large.begin()));
}

TEST(DesignPoints, ASampleOfAllIsAll) {
  const TempFolder folder;
  const SweepSpec spec = sweep_of(small_sweep(folder, "  sample: 1000\n"));
  const DesignPoints points(spec);
  EXPECT_EQ(points.planned(), 24u);
  EXPECT_EQ(points.id(5), 5u);
}

// Every point is in exactly one shard; shards of points differ in size by one at most; families stay together.
TEST(ShardRule, PartsThePoints) {
  const TempFolder folder;
  const SweepSpec spec = sweep_of(small_sweep(folder));
  const DesignPoints points(spec);
  for (const SweepGoal goal : {SweepGoal::All, SweepGoal::Best})
    for (const u64 count : {1, 2, 3, 7, 100}) {
      std::vector<u64> owners(24, count), sizes(count, 0);
      for (u64 index = 0; index < count; ++index)
        for (u64 id = 0; id < 24; ++id)
          if (ShardRule(goal, points, {index, count}).has(id)) {
            EXPECT_EQ(owners[id], count);
            EXPECT_EQ(ShardRule(goal, points, {0, count}).in_turn(id), index);
            owners[id] = index;
            ++sizes[index];
          }
      for (u64 id = 0; id < 24; ++id) {
        EXPECT_LT(owners[id], count);
        if (goal == SweepGoal::Best) {
          EXPECT_EQ(owners[id], owners[points.member(points.family(id), 0)]);
        }
      }
      if (goal == SweepGoal::All) {
        EXPECT_LE(*std::max_element(sizes.begin(), sizes.end()), *std::min_element(sizes.begin(), sizes.end()) + 1);
      }
    }
}

TEST(Families, GiveEveryPlannedPointOnce) {
  for (const char* sample : {"", "  sample: 11\n"}) {
    const TempFolder folder;
    const SweepSpec spec = sweep_of(small_sweep(folder, sample + std::string("  goal: best\n")));
    const DesignPoints points(spec);
    std::set<u64> planned, given;
    for (u64 k = 0; k < points.planned(); ++k) planned.insert(points.id(k));
    for (u64 index = 0; index < 2; ++index) {
      const ShardRule mine(spec.goal, points, {index, 2});
      Families families(spec, points, mine);
      while (const auto ids = families.next()) {
        EXPECT_TRUE(std::is_sorted(ids->begin(), ids->end()));
        for (const u64 id : *ids) {
          EXPECT_EQ(points.family(id), points.family(ids->front()));
          EXPECT_TRUE(given.insert(id).second);
        }
      }
    }
    EXPECT_EQ(given, planned);
  }
}

}  // namespace
}  // namespace heliolite::sweep_points_test
