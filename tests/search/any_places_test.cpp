// What units of several fan-outs ask for together, against all their places.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "engine/search/all_tiles/tiles_of_rank.h"

namespace heliolite::any_places_test {
namespace {

// Where a unit stands along one dimension when it works on an element, and at which moment.
struct Place {
  u64 moment;
  std::vector<u64> digits;  // [fan-out], innermost first
};

// Loops over one dimension, innermost first: a fan-out's units, then iterations over time, and so on.
std::vector<Place> places(u64 size, const std::vector<u64>& units, const std::vector<u64>& times) {
  std::vector<Place> out;
  for (u64 element = 0; element < size; ++element) {
    Place place{0, {}};
    u64 left = element, weight = 1;
    for (std::size_t i = 0; i < units.size(); ++i) {
      place.digits.push_back(left % units[i]), left /= units[i];
      place.moment += left % times[i] * weight, weight *= times[i], left /= times[i];
    }
    place.moment += left * weight;
    out.push_back(place);
  }
  return out;
}

u64 requests(const std::vector<Place>& a, const std::vector<u64>& step_a, const std::vector<Place>& b,
             const std::vector<u64>& step_b) {
  std::set<std::vector<u64>> out;
  for (const Place& x : a)
    for (const Place& y : b) {
      std::vector<u64> request{x.moment, y.moment};
      for (std::size_t i = 0; i < x.digits.size(); ++i)
        request.push_back(x.digits[i] * step_a[i] + y.digits[i] * step_b[i]);
      out.insert(request);
    }
  return out.size();
}

// Distances of units along a dimension in each fan-out.
std::vector<u64> steps(u64 coefficient, const std::vector<u64>& units, const std::vector<u64>& times) {
  std::vector<u64> out;
  for (std::size_t i = 0; i < units.size(); ++i) out.push_back(coefficient), coefficient *= units[i] * times[i];
  return out;
}

RC_GTEST_PROP(AnyPlaces, NoLoopsAskForLess, ()) {
  const auto one_to = [](u64 most) { return *rc::gen::inRange<u64>(1, most + 1); };
  const u64 size_a = one_to(30), size_b = one_to(8), fanouts = one_to(3);
  std::vector<u64> units_a, units_b, times_a, times_b;
  for (u64 i = 0; i < fanouts; ++i) {
    units_a.push_back(one_to(5)), units_b.push_back(one_to(3));
    times_a.push_back(one_to(3)), times_b.push_back(one_to(2));
  }
  const std::vector<u64> step_a = steps(one_to(3), units_a, times_a), step_b = steps(one_to(2), units_b, times_b);
  std::vector<PlaceRow> known, unknown;
  for (std::size_t i = 0; i < fanouts; ++i) {
    known.push_back({units_a[i], units_b[i], step_a[i], step_b[i]});
    unknown.push_back({units_a[i], units_b[i], 0, 0});
  }
  const u64 asked = requests(places(size_a, units_a, times_a), step_a, places(size_b, units_b, times_b), step_b);
  DistinctPlaces distinct;
  const u64 least = distinct.least(size_a, size_b, known);
  RC_ASSERT(least <= asked);
  RC_ASSERT(distinct.least(size_a, size_b, unknown) <= least);
  RC_ASSERT(distinct.least(size_a, size_b, known) == least);
}

// 2 x 2 units inside, 14 x 2 outside, of which the last of the three elements of b leaves one idle.
TEST(AnyPlaces, RequestsOfTwoFanoutsAreCountedInEach) {
  DistinctPlaces distinct;
  EXPECT_EQ(distinct.least(56, 3, {{2, 2, 1, 1}, {14, 2, 2, 2}}), 88u);
  EXPECT_EQ(distinct.least(56, 3, {{2, 2, 0, 0}, {14, 2, 0, 0}}), 88u);
  // One fan-out: 28 + 3 - 1 at each of two moments.
  EXPECT_EQ(distinct.least(56, 3, {{28, 3, 1, 1}}), 60u);
  EXPECT_EQ(distinct.least(56, 3, {}), 168u);
}

}  // namespace
}  // namespace heliolite::any_places_test
