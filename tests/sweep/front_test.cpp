// Best points, Pareto front, effects of parameters and reasons, gathered in one walk.
#include "engine/sweep/front.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "engine/sweep/store.h"
#include "tests/support/cli_runner.h"
#include "tests/support/sweep_records.h"

namespace heliolite::front_test {
namespace {

// Few different numbers, so that ties are frequent.
std::vector<PointRecord> random_points() {
  const auto count = *rc::gen::inRange<std::size_t>(0, 60);
  std::vector<PointRecord> out;
  for (u64 id = 0; id < count; ++id) {
    PointRecord p = test_point(id);
    p.state = static_cast<PointState>(*rc::gen::weightedElement<int>({{8, 0}, {1, 1}, {1, 2}}));
    p.energy_pj = *rc::gen::inRange(1, 6);
    p.cycles = *rc::gen::inRange(1, 6);
    p.area_um2 = *rc::gen::inRange(1, 6);
    p.value = p.energy_pj * p.cycles;
    out.push_back(p);
  }
  return out;
}

bool beats(const PointRecord& a, const PointRecord& b) {
  const bool no_worse = a.energy_pj <= b.energy_pj && a.cycles <= b.cycles && a.area_um2 <= b.area_um2;
  const bool equal = a.energy_pj == b.energy_pj && a.cycles == b.cycles && a.area_um2 == b.area_um2;
  return no_worse && (equal ? a.id < b.id : true);
}

std::vector<u64> ids(std::vector<PointRecord> points) {
  std::vector<u64> out;
  for (const PointRecord& p : points) out.push_back(p.id);
  return out;
}

RC_GTEST_PROP(ParetoFront, IsWhatNobodyBeats, ()) {
  const std::vector<PointRecord> points = random_points();
  std::vector<u64> expected;
  for (const PointRecord& p : points) {
    const bool beaten = std::ranges::any_of(points, [&](const PointRecord& other) {
      return other.state == PointState::Done && other.id != p.id && beats(other, p);
    });
    if (p.state == PointState::Done && !beaten) expected.push_back(p.id);
  }
  std::vector<PointRecord> shuffled = points;
  for (std::size_t i = shuffled.size(); i > 1; --i)
    std::swap(shuffled[i - 1], shuffled[*rc::gen::inRange<std::size_t>(0, i)]);
  const Ranking ranking = ranking_of(test_sweep());
  ParetoFront front(ranking), other_way(ranking);
  for (const PointRecord& p : points) front.add(p);
  for (const PointRecord& p : shuffled) other_way.add(p);
  RC_ASSERT(front.points() == other_way.points());
  std::vector<u64> found = ids(front.points());
  std::ranges::sort(found);
  RC_ASSERT(found == expected);
}

// With clocks fewer cycles may take longer.
TEST(ParetoFront, ComparesTimesWhereClocksAreKnown) {
  PointRecord slow = test_point(0), fast = test_point(0);
  slow.state = fast.state = PointState::Done;
  fast.id = 1;
  slow.cycles = 100, slow.cycle_ns = 1;
  fast.cycles = 150, fast.cycle_ns = 0.5;
  for (const bool seconds : {false, true}) {
    ParetoFront front({Objective::Edp, SweepRank::Totals, seconds});
    front.add(slow);
    front.add(fast);
    EXPECT_EQ(ids(front.points()), std::vector<u64>{seconds ? u64{1} : u64{0}});
  }
}

RC_GTEST_PROP(BestPoints, AreTheFirstOfAllSorted, ()) {
  std::vector<PointRecord> points = random_points();
  const auto most = *rc::gen::inRange<std::size_t>(0, 8);
  BestPoints best(most);
  for (const PointRecord& p : points) best.add(p);
  std::erase_if(points, [](const PointRecord& p) { return p.state != PointState::Done; });
  std::ranges::stable_sort(points, {}, &PointRecord::value);
  points.resize(std::min(points.size(), most));
  RC_ASSERT(ids(best.points()) == ids(points));
}

TEST(Sensitivity, BestAndMeanOfEachValueInOrder) {
  Sensitivity sensitivity;
  const auto add = [&](u64 id, const std::string& a, const std::string& b, double value, PointState state = {}) {
    PointRecord p;
    p.id = id;
    p.values = {a, b};
    p.value = value;
    p.state = state;
    sensitivity.add(p);
  };
  add(0, "small", "x", 8);
  add(1, "small", "y", 2);
  add(2, "big", "x", 2);
  add(3, "big", "y", 1, PointState::Cut);
  const auto effects = sensitivity.effects();
  ASSERT_EQ(effects.size(), 2u);
  ASSERT_EQ(effects[0].size(), 2u);
  EXPECT_EQ(effects[0][0].value, "small");
  EXPECT_EQ(effects[0][0].points, 2u);
  EXPECT_EQ(effects[0][0].best, 2);
  EXPECT_EQ(effects[0][0].best_point, 1u);
  EXPECT_NEAR(effects[0][0].mean, 4, 1e-12);
  EXPECT_EQ(effects[0][1].value, "big");
  EXPECT_EQ(effects[0][1].points, 1u);  // the cut one says nothing
  EXPECT_EQ(effects[1][0].best_point, 2u);
}

TEST(Summary, CountsStatesAndReasons) {
  const TempFolder folder;
  Result<Store> store = Store::create(folder.path("a.db"), test_sweep());
  ASSERT_TRUE(store);
  const auto add = [&](u64 id, PointState state, const std::string& reason) {
    PointRecord p = test_point(id);
    p.state = state;
    p.reason = reason;
    ASSERT_TRUE(store->write(p).empty());
  };
  for (u64 id = 0; id < 3; ++id) add(id, PointState::Done, "");
  add(3, PointState::Cut, "pilot: beaten by point 0");
  add(4, PointState::Cut, "family: whole");
  add(5, PointState::Cut, "pilot: beaten by point 1");
  add(6, PointState::Excluded, "area_mm2 <= 5");
  const Result<SweepSummary> summary = summarize(*store, 2);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->points(), 7u);
  EXPECT_EQ(summary->count(PointState::Done), 3u);
  EXPECT_EQ(summary->count(PointState::Cut), 3u);
  EXPECT_EQ(summary->best.size(), 2u);
  ASSERT_EQ(summary->reasons.size(), 3u);
  EXPECT_EQ(summary->reasons[0].reason, "pilot");
  EXPECT_EQ(summary->reasons[0].points, 2u);
  EXPECT_EQ(summary->reasons[1].reason, "family");
  EXPECT_EQ(summary->reasons[2].state, PointState::Excluded);
}

TEST(Summary, ManyReasonsAreCountedTogether) {
  const TempFolder folder;
  Result<Store> store = Store::create(folder.path("a.db"), test_sweep());
  ASSERT_TRUE(store);
  for (u64 id = 0; id < 3 * kMaxReasons; ++id) {
    PointRecord p = test_point(id);
    p.state = PointState::Invalid;
    p.reason = "complaint " + std::to_string(id);
    ASSERT_TRUE(store->write(p).empty());
  }
  const Result<SweepSummary> summary = summarize(*store);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->reasons.size(), kMaxReasons + 1);
  EXPECT_EQ(summary->reasons[0].reason, "other reasons");
  EXPECT_EQ(summary->reasons[0].points, 2 * kMaxReasons);
}

}  // namespace
}  // namespace heliolite::front_test
