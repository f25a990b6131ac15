#include "engine/search/core/objective.h"
#include "engine/search/core/compulsory.h"

#include <gtest/gtest.h>

#include <random>

namespace heliolite::objective_test {
namespace {

TEST(Objective, NamesRoundTrip) {
  for (const std::string& n : objective_names()) EXPECT_EQ(name(*parse_objective(n)), n);
  EXPECT_FALSE(parse_objective("speed").has_value());
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
    for (Objective o : {Objective::Energy, Objective::Delay, Objective::Edp, Objective::Ed2p}) {
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
