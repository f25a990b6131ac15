// Curves under lines: no point that is above all lines is below the curve, and points that lines touch are on it.
#include <gtest/gtest.h>

#include <random>

#include "engine/proof/claim.h"

namespace heliolite::proof_curve_test {
namespace {

using namespace heliolite::proof;
using Rational = boost::multiprecision::cpp_rational;

TEST(ProofCurve, PointsAboveAllLinesAreOnOrAboveIt) {
  std::mt19937 random(1);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  for (int round = 0; round < 300; ++round) {
    std::vector<ExactLine> lines{{0, below(5)}};
    for (unsigned k = 0; k < 1 + below(5); ++k)
      lines.push_back({Rational(1 + below(60), 1 + below(9)), Rational(below(4000), 1 + below(7))});
    const u64 least = 1 + below(20);
    const std::vector<ExactCost> corners = lower_hull(points_under(lines, least));
    const auto claim = Claim::of_curve(corners, 1);
    ASSERT_TRUE(claim);
    int closed = 0;
    for (u64 cycles = 1; cycles < 120; ++cycles) {
      Rational energy = 0;
      for (const ExactLine& line : lines) energy = std::max<Rational>(energy, line.value - line.lambda * cycles);
      const auto least_energy =
          static_cast<u64>((numerator(energy) + denominator(energy) - 1) / denominator(energy));  // rounded up
      if (cycles < least) EXPECT_FALSE(claim->closed(least_energy + 100, cycles));
      else EXPECT_TRUE(claim->closed(least_energy, cycles)) << cycles;
      // It is no more than a unit and the bend between two whole cycles below the lines.
      if (cycles >= least && least_energy > 60) closed += claim->closed(least_energy - 61, cycles) ? 1 : 0;
    }
    EXPECT_EQ(closed, 0);
  }
}

TEST(ProofCurve, WhatTwoLinesTouchIsACorner) {
  std::mt19937 random(2);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  for (int round = 0; round < 200; ++round) {
    const ExactCost chosen{1000 + below(1000), 100 + below(100)};
    std::vector<ExactLine> lines{{0, below(300)}};
    for (const unsigned lambda : {1 + below(5), 7 + below(20)})
      lines.push_back({lambda, Rational(chosen.energy) + Rational(lambda) * chosen.cycles});
    const std::vector<ExactCost> corners = lower_hull(points_under(lines, 1 + below(50)));
    EXPECT_EQ(std::ranges::count(corners, chosen), 1);
  }
}

TEST(ProofCurve, ALineAloneBeginsAtTheLeastCycles) {
  EXPECT_EQ(lower_hull(points_under({{0, 7}}, 3)), (std::vector<ExactCost>{{7, 3}}));
  EXPECT_EQ(lower_hull(points_under({{0, 7}, {Rational(1, 2), 9}}, 3)), (std::vector<ExactCost>{{7, 3}}));
  EXPECT_EQ(lower_hull(points_under({{0, 0}, {10, 95}}, 3)), (std::vector<ExactCost>{{65, 3}, {5, 9}, {0, 10}}));
}

}  // namespace
}  // namespace heliolite::proof_curve_test
