// The volume that points dominate, and what is expected to be added to it, against sums over a grid, against their
// definition where nothing is uncertain, and against random draws.
#include "engine/sweep/explore.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

#include "tests/support/hypervolume.h"

namespace heliolite::improvement_test {
namespace {

using testing::hypervolume;

constexpr FrontCosts kReference{8, 8, 8};

std::vector<FrontCosts> points() {
  const auto cost = rc::gen::map(rc::gen::inRange(0, 10), [](int n) { return static_cast<double>(n); });
  return *rc::gen::container<std::vector<FrontCosts>>(rc::gen::map(rc::gen::tuple(cost, cost, cost), [](const auto& t) {
    return FrontCosts{std::get<0>(t), std::get<1>(t), std::get<2>(t)};
  }));
}

// Cells of whole numbers.
double counted(const std::vector<FrontCosts>& all, bool is_flat) {
  double sum = 0;
  for (int x = 0; x < 8; ++x)
    for (int y = 0; y < 8; ++y)
      for (int z = 0; z < (is_flat ? 1 : 8); ++z)
        sum += std::ranges::any_of(
            all, [&](const FrontCosts& p) { return p[0] <= x && p[1] <= y && (is_flat || p[2] <= z); });
  return sum;
}

RC_GTEST_PROP(Hypervolume, IsTheNumberOfCellsDominated, ()) {
  const std::vector<FrontCosts> all = points();
  RC_ASSERT(hypervolume(all, kReference, 3) == counted(all, false));
  RC_ASSERT(hypervolume(all, kReference, 2) == counted(all, true));
}

RC_GTEST_PROP(HypervolumeImprovement, OfAKnownPointIsWhatItAdds, ()) {
  std::vector<FrontCosts> all = points();
  const FrontCosts one{*rc::gen::inRange(0, 10) * 1.0, *rc::gen::inRange(0, 10) * 1.0, *rc::gen::inRange(0, 8) * 1.0};
  for (const bool is_flat : {false, true}) {
    const double expected =
        expected_hypervolume_improvement({one[0], 0}, {one[1], 0}, one[2], all, kReference, is_flat);
    const std::size_t costs = is_flat ? 2 : 3;
    const double before = hypervolume(all, kReference, costs);
    all.push_back(one);
    RC_ASSERT(std::abs(expected - (hypervolume(all, kReference, costs) - before)) < 1e-9);
    all.pop_back();
  }
}

TEST(HypervolumeImprovement, IsTheMeanOfRandomDraws) {
  const std::vector<FrontCosts> known{{1, 6, 4}, {3, 3, 2}, {6, 1, 5}, {4, 2, 1}};
  const Prediction first{3.5, 1.2}, second{2.5, 1.5};
  std::mt19937_64 random(5);
  std::normal_distribution<double> a(first.mean, first.deviation), b(second.mean, second.deviation);
  for (const bool is_flat : {false, true}) {
    const std::size_t costs = is_flat ? 2 : 3;
    const double before = hypervolume(known, kReference, costs);
    constexpr int kDraws = 20'000;
    double sum = 0;
    std::vector<FrontCosts> with = known;
    with.emplace_back();
    for (int k = 0; k < kDraws; ++k) {
      with.back() = {a(random), b(random), 3};
      sum += hypervolume(with, kReference, costs) - before;
    }
    const double expected = expected_hypervolume_improvement(first, second, 3, known, kReference, is_flat);
    EXPECT_NEAR(sum / kDraws / expected, 1, 0.03) << is_flat;
  }
}

}  // namespace
}  // namespace heliolite::improvement_test
