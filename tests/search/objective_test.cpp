#include "engine/search/core/objective.h"
#include "engine/search/core/compulsory.h"

#include <gtest/gtest.h>

#include <random>

namespace heliolite::objective_test {
namespace {

TEST(Objective, StandInTheTableInTheirOrder) {
  for (std::size_t k = 0; k < kObjectiveTable.size(); ++k)
    EXPECT_EQ(static_cast<std::size_t>(kObjectiveTable[k].objective), k);
}

// What the machine adds to a value is a number above 0 that no mapping changes.
TEST(Objective, TakeAreaAndOperationsFromTheMachineAndTheLayer) {
  EXPECT_EQ(machine_factor(Objective::Edp, 300, 8), 1);
  EXPECT_EQ(machine_factor(Objective::Edap, 300, 8), 300);
  EXPECT_EQ(machine_factor(Objective::EnergyPerOp, 300, 8), 0.125);
  EXPECT_EQ(machine_factor(Objective::ThroughputPerArea, 300, 8), 37.5);
  EXPECT_EQ(title(Objective::Edap), "EDAP [pJ x cycles x um^2]");
  EXPECT_EQ(unit(info(Objective::Ed2p), "s", " "), "pJ s^2");
}

TEST(Objective, NamesRoundTrip) {
  for (const std::string& n : objective_names()) EXPECT_EQ(name(*parse_objective(n)), n);
  EXPECT_FALSE(parse_objective("speed").has_value());
}

TEST(Objective, AreOfLayersOrOfANetwork) {
  for (const std::string& n : asked_objective_names()) EXPECT_EQ(name(*parse_asked_objective(n)), n);
  EXPECT_EQ(parse_asked_objective("network_edp"), (AskedObjective{Objective::Edp, true}));
  EXPECT_EQ(parse_asked_objective("edp"), (AskedObjective{Objective::Edp, false}));
  EXPECT_FALSE(parse_asked_objective("network_energy").has_value());  // a sum is least where its terms are
  EXPECT_FALSE(parse_asked_objective("network_").has_value());
}

TEST(WholeCycles, AreThoseOfAMappingThatReachesTheBound) {
  EXPECT_EQ(whole_cycles(0), 1);
  EXPECT_EQ(whole_cycles(0.3), 1);
  EXPECT_EQ(whole_cycles(12.5), 13);
  for (const double n : {7.0, 1e9, 359800905088.0, 3e12}) {
    EXPECT_EQ(whole_cycles(n), n);
    EXPECT_EQ(whole_cycles(n * (1 + 1e-13)), n);  // a sum of doubles that is a little too large
  }
}

// Exact integers order costs as doubles do wherever doubles can tell them apart, at the largest sizes too.
TEST(Objective, ValuesOrderLikeNumbers) {
  std::mt19937_64 random(7);
  const auto draw = [&] {
    const double pj = std::ldexp(1 + static_cast<double>(random() % 1000) / 1000, static_cast<int>(random() % 62));
    return Cost{{static_cast<u128>(pj * Energy::kUnitsPerPicojoule)}, random() >> (random() % 60)};
  };
  for (int k = 0; k < 10'000; ++k) {
    const Cost a = draw(), b = draw();
    for (const ObjectiveInfo& row : kObjectiveTable) {
      const Objective o = row.objective;
      const double x = objective_number(o, a), y = objective_number(o, b);
      if (x < y * (1 - 1e-9)) {
        EXPECT_LT(Value::of(o, a), Value::of(o, b));
      } else if (x > y * (1 + 1e-9)) {
        EXPECT_GT(Value::of(o, a), Value::of(o, b));
      }
      EXPECT_LT(Value::of(o, a), Value::worst());
    }
  }
}

TEST(Objective, EquallyFastMappingsAreOrderedByEnergy) {
  EXPECT_LT(Value::of(Objective::Delay, {{1}, 5}), Value::of(Objective::Delay, {{2}, 5}));
  EXPECT_LT(Value::of(Objective::Delay, {{9}, 4}), Value::of(Objective::Delay, {{2}, 5}));
}

}  // namespace
}  // namespace heliolite::objective_test
