// Cycles of bandwidths (docs/cost_model.md, rule 28): exact on our own machines, sums of doubles on Timeloop's.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <string>
#include <tuple>

#include "arch/architecture_yaml.h"
#include "engine/base/integers.h"
#include "engine/formats/load_architecture.h"
#include "engine/model/cost_of_counts.h"
#include "engine/model/fingerprint.h"
#include "tests/support/buffer_machine.h"
#include "tests/support/space_workloads.h"

namespace heliolite::exact_cycles_test {
namespace {

using Wide = boost::multiprecision::cpp_int;

CompiledLevel outer_level(double read, bool timeloop_cycles) {
  Architecture machine = testing::buffer_of(64);
  machine.levels.back().bandwidth.read = read;
  machine.timeloop_cycles = timeloop_cycles;
  return Compiled(testing::gemm(2, 2, 2), machine).level[1];
}

TEST(ExactCycles, BandwidthsAreShortDecimals) {
  for (const auto& [read, parts, cycles] :
       {std::tuple{8.0, 8, 1}, {0.25, 1, 4}, {25.6, 128, 5}, {0.1, 1, 10}, {3.125, 25, 8}}) {
    const PartsPerCycle rate = outer_level(read, false).read_rate;
    EXPECT_EQ(rate.parts, static_cast<u64>(parts)) << read;
    EXPECT_EQ(rate.cycles, static_cast<u64>(cycles)) << read;
  }
  EXPECT_FALSE(outer_level(1, false).write_rate.is_limited());
}

// 10^22 has more than 60 bits: the nearest fraction that fits is as near as doubles tell.
RC_GTEST_PROP(ExactCycles, FineBandwidthsAreNearlyThemselves, ()) {
  const double read = static_cast<double>(*rc::gen::inRange<u64>(1, u64{1} << 53)) * 1e-6 /
                      static_cast<double>(*rc::gen::inRange<u64>(1, 1000000));
  if (read < 1e-6) return;
  const PartsPerCycle rate = outer_level(read, false).read_rate;
  RC_ASSERT(std::max(rate.parts, rate.cycles) < u64{1} << 60 && rate.is_limited());
  const long double found = static_cast<long double>(rate.parts) / static_cast<long double>(rate.cycles);
  RC_ASSERT(std::abs(found / static_cast<long double>(read) - 1) < 2e-16L);
}

TEST(ExactCycles, TheOrderOfTensorsIsTimeloopsAlone) {
  const std::array<u64, 2> mine{300, 720}, other{660, 360}, none{};
  for (const std::array<u64, 2>& reads : {mine, other})
    EXPECT_EQ(level_cycles(outer_level(0.25, false), reads, none, 360), 4080u);
  EXPECT_EQ(level_cycles(outer_level(0.25, true), mine, none, 360), 4081u);
  EXPECT_EQ(level_cycles(outer_level(0.25, true), other, none, 360), 4080u);
}

// Against integers of any size; and Timeloop's doubles are a cycle off at most, as long as cycles are few.
RC_GTEST_PROP(ExactCycles, AreTheLeastThatSuffice, ()) {
  const u64 hundredths = *rc::gen::inRange<u64>(1, 100000), steps = *rc::gen::inRange<u64>(1, 1u << 20);
  const auto reads = *rc::gen::container<std::array<u64, 3>>(rc::gen::inRange<u64>(0, u64{1} << 30));
  const std::array<u64, 3> none{};
  const CompiledLevel level = outer_level(static_cast<double>(hundredths) / 100, false);
  const u64 cycles = level_cycles(level, reads, none, steps);
  const Wide words = Wide(reads[0]) + reads[1] + reads[2];
  RC_ASSERT(cycles >= steps && Wide(cycles) * hundredths >= words * 100);
  RC_ASSERT(cycles == steps || (Wide(cycles) - 1) * hundredths < words * 100);
  const u64 doubles = level_cycles(outer_level(static_cast<double>(hundredths) / 100, true), reads, none, steps);
  RC_ASSERT(doubles <= cycles + 1 && cycles <= doubles + 1);
}

TEST(ExactCycles, MoreThan64BitsDoNotFit) {
  const std::array<u64, 1> reads{u64{1} << 62}, none{};
  EXPECT_EQ(level_cycles(outer_level(1e-6, false), reads, none, 1), kTooManyCycles);
}

TEST(ExactCycles, FilesSayHowTheyAreCounted) {
  const Architecture own = *load_architecture("eyeriss");
  EXPECT_FALSE(own.timeloop_cycles);
  const Architecture theirs = *load_architecture(HELIOLITE_TEST_DATA "/golden/arch/eyeriss.yaml");
  EXPECT_TRUE(theirs.timeloop_cycles);
  const auto again = parse_architecture(write_architecture(theirs), "again.yaml");
  ASSERT_TRUE(again) << to_string(again.errors());
  EXPECT_TRUE(again->timeloop_cycles);
  Architecture other = own;
  other.timeloop_cycles = true;
  EXPECT_NE(fingerprint(own), fingerprint(other));
}

}  // namespace
}  // namespace heliolite::exact_cycles_test
