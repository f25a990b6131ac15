// Energies, leakage and areas from the tables: exact at the grid, between neighbours in between, never decreasing.
#include "arch/energy_tables.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "arch/cost_resolver.h"

namespace heliolite::energy_tables_test {
namespace {

constexpr double kRounding = 1e-12;  // relative

using Numbers = std::array<double, 4>;

Numbers numbers(const MemoryCost& cost) { return {cost.read_pj, cost.write_pj, cost.leakage_mw, cost.area_um2}; }

void expect_near(double got, double want) { EXPECT_NEAR(got, want, std::abs(want) * kRounding); }

struct Query {
  u64 words;
  u64 bits;
  double nanometres;
};

rc::Gen<double> any_node() {
  return rc::gen::oneOf(rc::gen::element(22.0, 32.0, 40.0, 45.0, 65.0, 90.0),
                        rc::gen::map(rc::gen::inRange(70, 1301), [](int tenths) { return tenths / 10.0; }));
}

// Evenly spread over the orders of magnitude.
rc::Gen<u64> any_words() {
  return rc::gen::map(rc::gen::inRange(0, 2400),
                      [](int hundredths) { return static_cast<u64>(std::exp2(hundredths / 100.0)); });
}

rc::Gen<u64> any_bits() {
  return rc::gen::oneOf(rc::gen::element<u64>(8, 16, 24, 32, 64, 128, 256), rc::gen::inRange<u64>(1, 600));
}

TEST(EnergyTables, ExactAtEveryGridPointFrom64Words) {
  int checked = 0;
  for (const std::vector<double>& row : embedded_rows("sram_cacti.csv")) {
    const u64 bits = static_cast<u64>(row[1]);
    const u64 capacity_bits = static_cast<u64>(row[2]) * 8;
    if (capacity_bits % bits != 0 || capacity_bits / bits < 64) continue;
    const Numbers got = numbers(memory_cost(capacity_bits / bits, bits, row[0]));
    expect_near(got[0], row[3]);
    expect_near(got[1], row[4]);
    expect_near(got[2], row[5]);
    expect_near(got[3], row[6] * 1e6);
    ++checked;
  }
  EXPECT_EQ(checked, 993);
}

TEST(EnergyTables, KnownPoints) {
  expect_near(memory_cost(1024, 16, 45).read_pj, 1.96991);   // 2 KB; an ERT of the Sparseloop artifact has it too
  expect_near(memory_cost(8192, 64, 45).read_pj, 25.8695);   // 64 KB
  expect_near(memory_cost(16384, 64, 45).write_pj, 26.065);  // 128 KB
  expect_near(memory_cost(128, 16, 45).area_um2, 1020.59);   // 256 B
}

TEST(EnergyTables, FlipFlopFormulaUpTo32Words) {
  expect_near(flip_flop_access_pj(32, 20, 45), 0.32735);
  expect_near(flip_flop_access_pj(16, 16, 45), 0.20294);
  expect_near(flip_flop_access_pj(32, 16, 45), 0.29135);
  expect_near(flip_flop_access_pj(1, 8, 45), 0.072);
  for (const u64 words : {1, 2, 12, 16, 20, 32}) {
    expect_near(memory_cost(words, 16, 45).read_pj, flip_flop_access_pj(words, 16, 45));
    expect_near(memory_cost(words, 16, 45).write_pj, flip_flop_access_pj(words, 16, 45));
  }
}

TEST(EnergyTables, NeverAboveThe64WordMemory) {
  // 8-bit flip-flops at 32 words would cost 0.219 pJ, CACTI's 64 words cost 0.176 pJ.
  expect_near(memory_cost(32, 8, 45).read_pj, 0.176261);
  expect_near(memory_cost(64, 8, 45).read_pj, 0.176261);
}

TEST(EnergyTables, GeometricBlendBetween32And64Words) {
  const double low = flip_flop_access_pj(32, 16, 45);
  const double high = memory_cost(64, 16, 45).read_pj;
  const double share = std::log2(48.0 / 32.0);
  expect_near(memory_cost(48, 16, 45).read_pj, std::pow(low, 1 - share) * std::pow(high, share));
}

TEST(EnergyTables, SmallMemoriesLeakAndCoverInProportion) {
  const MemoryCost smallest = memory_cost(64, 16, 45);
  const MemoryCost quarter = memory_cost(16, 16, 45);
  expect_near(quarter.leakage_mw, smallest.leakage_mw / 4);
  expect_near(quarter.area_um2, smallest.area_um2 / 4);
  EXPECT_EQ(numbers(memory_cost(0, 16, 45)), (Numbers{0, 0, 0, 0}));
}

// A flip-flop a bit, and a comparator of the address a word.
TEST(EnergyTables, RegistersAreFlipFlopsOfAnySize) {
  const MemoryCost registers = register_cost(16, 16, 45);
  expect_near(registers.read_pj, flip_flop_access_pj(16, 16, 45));
  expect_near(registers.area_um2, 16 * 16 * 5.98 + 16 * 4 / 32.0 * 71);
  expect_near(registers.leakage_mw, 16 * 16 * 7e-5 + 16 * 4 / 32.0 * 2.51e-5);
  EXPECT_EQ(numbers(register_cost(0, 16, 45)), (Numbers{0, 0, 0, 0}));
  EXPECT_GT(register_cost(512, 16, 45).area_um2, memory_cost(512, 16, 45).area_um2);
  EXPECT_LT(register_cost(16, 16, 22).area_um2, registers.area_um2);
}

RC_GTEST_PROP(EnergyTables, LargerRegistersNeverCostLess, ()) {
  const auto node = *any_node();
  const auto words = *rc::gen::pair(any_words(), any_words());
  const auto widths = *rc::gen::pair(any_bits(), any_bits());
  const auto [few, many] = std::minmax(words.first, words.second);
  const auto [narrow, wide] = std::minmax(widths.first, widths.second);
  const Numbers low = numbers(register_cost(few, narrow, node)), high = numbers(register_cost(many, wide, node));
  for (std::size_t i = 0; i < low.size(); ++i) RC_ASSERT(low[i] <= high[i] * (1 + kRounding));
}

TEST(EnergyTables, BetweenTwoCapacitiesIsTheGeometricInterpolation) {
  const Numbers low = numbers(memory_cost(1024, 16, 45));
  const Numbers high = numbers(memory_cost(1536, 16, 45));
  const Numbers middle = numbers(memory_cost(1280, 16, 45));
  const double share = std::log(1280.0 / 1024.0) / std::log(1536.0 / 1024.0);
  for (std::size_t i = 0; i < middle.size(); ++i)
    expect_near(middle[i], std::pow(low[i], 1 - share) * std::pow(high[i], share));
}

TEST(EnergyTables, OutsideTheGridTheNodesScale) {
  const MemoryCost at22 = memory_cost(4096, 32, 22);
  const MemoryCost at11 = memory_cost(4096, 32, 11);
  expect_near(at11.read_pj, at22.read_pj * std::sqrt(0.5));
  expect_near(at11.leakage_mw, at22.leakage_mw * std::sqrt(0.5) * 0.79);
  expect_near(at11.area_um2, at22.area_um2 * 0.5);
  const MemoryCost at90 = memory_cost(4096, 32, 90);
  const MemoryCost at120 = memory_cost(4096, 32, 120);
  for (std::size_t i = 0; i < 4; ++i) expect_near(numbers(at120)[i], numbers(at90)[i] * 16 / 9);
}

TEST(EnergyTables, PowerLawAbove16Megabytes) {
  const u64 words = u64{16} << 20;  // of 8 bits: 16 MB
  expect_near(memory_cost(4 * words, 8, 45).read_pj, memory_cost(words, 8, 45).read_pj * std::pow(4, 0.544));
  EXPECT_GT(memory_cost(4096, 1024, 45).read_pj, memory_cost(4096, 256, 45).read_pj);
}

RC_GTEST_PROP(EnergyTables, MoreWordsNeverCostLess, ()) {
  const auto node = *any_node();
  const auto bits = *any_bits();
  const auto words = *rc::gen::pair(any_words(), any_words());
  const auto [few, many] = std::minmax(words.first, words.second);
  const Numbers low = numbers(memory_cost(few, bits, node));
  const Numbers high = numbers(memory_cost(many, bits, node));
  for (std::size_t i = 0; i < low.size(); ++i) RC_ASSERT(low[i] <= high[i] * (1 + kRounding));
}

RC_GTEST_PROP(EnergyTables, WiderWordsNeverCostLessEnergy, ()) {
  const auto node = *any_node();
  const auto words = *any_words();
  const auto widths = *rc::gen::pair(any_bits(), any_bits());
  const auto [narrow, wide] = std::minmax(widths.first, widths.second);
  const MemoryCost low = memory_cost(words, narrow, node);
  const MemoryCost high = memory_cost(words, wide, node);
  RC_ASSERT(low.read_pj <= high.read_pj * (1 + kRounding));
  RC_ASSERT(low.write_pj <= high.write_pj * (1 + kRounding));
}

// The same capacity in narrower words never costs more, from 64 words on.
RC_GTEST_PROP(EnergyTables, SameCapacityNarrowerIsCheaper, ()) {
  const auto node = *any_node();
  const auto words = *rc::gen::inRange<u64>(64, 1 << 20);
  const auto bits = *rc::gen::inRange<u64>(8, 300);
  const auto factor = *rc::gen::inRange<u64>(2, 9);
  const MemoryCost wide = memory_cost(words, bits * factor, node);
  const MemoryCost narrow = memory_cost(words * factor, bits, node);
  RC_ASSERT(narrow.read_pj <= wide.read_pj * (1 + kRounding));
  RC_ASSERT(narrow.write_pj <= wide.write_pj * (1 + kRounding));
}

RC_GTEST_PROP(EnergyTables, PositiveAndFiniteEverywhere, ()) {
  for (const double number : numbers(memory_cost(*any_words(), *any_bits(), *any_node()))) {
    RC_ASSERT(std::isfinite(number));
    RC_ASSERT(number > 0);
  }
}

TEST(EnergyTables, Logic) {
  expect_near(adder_cost(16, 45).energy_pj, 0.105);
  expect_near(multiplier_cost(16, 45).energy_pj, 3.17);
  expect_near(multiplier_cost(16, 45).area_um2, 1587.5);
  expect_near(mac_cost(16, 45).energy_pj, 3.38);
  expect_near(mac_cost(16, 45).area_um2, 1865.5);
  expect_near(mac_cost(8, 45).energy_pj, 0.8975);
  expect_near(mac_cost(16, 7).energy_pj, 3.38 * 0.094309);
  expect_near(mac_cost(16, 130).area_um2, 1865.5 * 6.4);
  EXPECT_LT(mac_cost(16, 28).energy_pj, mac_cost(16, 32).energy_pj);
}

TEST(EnergyTables, Dram) {
  EXPECT_EQ(dram_pj_per_bit("LPDDR4"), 8);
  EXPECT_EQ(dram_pj_per_bit("HBM2"), 3.9);
  EXPECT_EQ(dram_pj_per_bit("DDR3"), 70);
  EXPECT_EQ(dram_pj_per_bit("DDR4"), std::nullopt);
  EXPECT_EQ(dram_pj_per_bit("LPDDR5"), 7);
  EXPECT_EQ(dram_types().size(), 9U);
}

TEST(PatEnergy, TimeloopsNumbers) {
  expect_near(pat_sram_pj(256, 16), 1.0);        // 0.5 KB
  expect_near(pat_sram_pj(51200, 16), 6.0);      // 100 KB
  expect_near(pat_sram_pj(51200, 16, 4), 24.0);  // four words at once
  expect_near(pat_sram_pj(1, 8, 1, 64), (1 + (64.0 / 1024 - 0.5) * 5 / 99.5) * 32 / 64);
  EXPECT_EQ(pat_sram_pj(0, 16), 0);
  expect_near(pat_dram_pj(16, 4), 800);
  expect_near(pat_mac_pj(16), 1);
  expect_near(pat_mac_pj(8), 0.25);
}

}  // namespace
}  // namespace heliolite::energy_tables_test
