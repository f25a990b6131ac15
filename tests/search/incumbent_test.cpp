#include "engine/search/certify/incumbent.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace heliolite::incumbent_test {
namespace {

Cost random_cost(std::mt19937_64& random) {
  const double units = std::ldexp(1 + static_cast<double>(random() % 1000) / 1000, 40 + static_cast<int>(random() % 8));
  return {Energy{static_cast<u128>(units)}, 1 + random() % 100};
}

// A cost is cut as a bound exactly if a mapping that costs it does not become the incumbent; for delay equal cycles are
// cut, too, whatever the energy.
TEST(Incumbent, CutsWhatCannotBeatIt) {
  std::mt19937_64 random(11);
  for (int k = 0; k < 20'000; ++k) {
    const Objective objective = kObjectiveTable[random() % kObjectiveTable.size()].objective;
    const Cost known = random_cost(random), other = random_cost(random);
    Incumbent incumbent(objective, {});
    EXPECT_FALSE(incumbent.cuts(other));
    ASSERT_TRUE(incumbent.offer({}, known, 0));
    const bool cut = incumbent.cuts(other);
    Incumbent after = incumbent;
    const bool better = after.offer({}, other, 0);
    const bool equal_delay = info(objective).energy_power == 0 && other.cycles == known.cycles;
    EXPECT_EQ(cut, !better || equal_delay) << name(objective);
    // Bounds in doubles agree where these can tell the costs apart.
    const double a = objective_number(objective, known), b = objective_number(objective, other);
    if (std::abs(a - b) > 1e-9 * a) {
      const CostBound bound{static_cast<double>(other.energy.units), static_cast<double>(other.cycles)};
      EXPECT_EQ(incumbent.cuts(bound), cut) << name(objective);
    }
  }
}

// One cycle more is cut, and this many are not.
TEST(Incumbent, KnowsTheMostCyclesThatCanBeatIt) {
  std::mt19937_64 random(12);
  u64 bounded = 0;
  for (int k = 0; k < 5'000; ++k) {
    const Objective objective = kObjectiveTable[random() % kObjectiveTable.size()].objective;
    Incumbent incumbent(objective, {});
    EXPECT_EQ(incumbent.most_cycles({}), ~u64{0});
    incumbent.offer({}, random_cost(random), 0);
    const Energy energy = random_cost(random).energy;
    const u64 most = incumbent.most_cycles(energy);
    if (most == ~u64{0}) continue;  // cycles are no part of the objective
    ++bounded;
    if (most > 0) {
      EXPECT_FALSE(incumbent.cuts(Cost{energy, most}));
    }
    EXPECT_TRUE(incumbent.cuts(Cost{energy, most + 1}));
  }
  EXPECT_GT(bounded, 1'000u);
}

}  // namespace
}  // namespace heliolite::incumbent_test
