// Machines of several compute units: what files state of them, what is refused, and what is written.
#include "arch/architecture_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "arch/architecture_yaml.h"
#include "engine/formats/load_architecture.h"
#include "engine/model/cost_model.h"
#include "engine/model/fingerprint.h"
#include "tests/support/load.h"

namespace heliolite::compute_units_test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kLevels = R"(
architecture:
  name: two
  technology_nm: 45
  energy: table
  min_parallelism: 0.5
  levels:
  - {name: DRAM, dram: LPDDR4}
  - {name: SRAM, capacity: 32 KB, fanout: 4x4, constraints: {spatial: {allowed_x: [M]}}, network: {hop_pj: 1}}
  - {name: Regs, entries: 16}
)";

std::string with(const std::string& units) { return std::string(kLevels) + "  units:\n" + units; }

std::string complaint(const std::string& units) {
  const auto machine = parse_architecture(with(units), "two");
  return machine ? "" : to_string(machine.errors());
}

TEST(ComputeUnits, ChainsShareTheOuterLevels) {
  const auto machine = parse_architecture(
      with("  - {name: VPU, below: SRAM, fanout: 8x2, word_bits: 32, runs: [elementwise, pool], cycles_per_op: 3}\n"
           "  - name: SFU\n    below: DRAM\n    levels: [{name: Queue, entries: 8}]\n"),
      "two");
  ASSERT_TRUE(machine.ok()) << to_string(machine.errors());
  EXPECT_EQ(machine->compute.runs, kProducts);
  ASSERT_EQ(machine->units.size(), 2u);
  const Architecture &vpu = machine->units[0], &sfu = machine->units[1];
  ASSERT_EQ(vpu.levels.size(), 2u);
  EXPECT_EQ(own_levels(*machine, vpu), 0u);
  EXPECT_EQ(vpu.levels[0].name, "SRAM");
  EXPECT_EQ(vpu.levels[0].entries, machine->levels[1].entries);
  EXPECT_EQ(vpu.levels[0].energy.read_pj, machine->levels[1].energy.read_pj);
  // The way from SRAM is the unit's own.
  EXPECT_EQ(vpu.levels[0].fanout_x, 8u);
  EXPECT_EQ(vpu.levels[0].network.hop_pj, 0);
  EXPECT_FALSE(vpu.levels[0].constraints.spatial.allowed_x);
  EXPECT_EQ(vpu.compute.instances, 16u);
  EXPECT_EQ(vpu.compute.word_bits, 32u);
  EXPECT_EQ(vpu.compute.cycles_per_op, 3u);
  EXPECT_GT(vpu.compute.op_pj, machine->compute.op_pj);  // of the tables, by its word
  EXPECT_EQ(vpu.compute.runs, operation_bit(Operation::Elementwise) | operation_bit(Operation::Pool));
  EXPECT_EQ(vpu.min_parallelism, 0);
  EXPECT_EQ(sfu.levels.size(), 2u);
  EXPECT_EQ(own_levels(*machine, sfu), 1u);
  EXPECT_EQ(sfu.compute.runs, kAllOperations & ~kProducts);
  // The area counts each level once, and what is idle leaks.
  EXPECT_NEAR(machine->area_um2(), vpu.area_um2(), 1e-9 * vpu.area_um2());
  EXPECT_NEAR(machine->area_um2(), sfu.area_um2(), 1e-9 * vpu.area_um2());
  EXPECT_NEAR(vpu.beside_pj_per_cycle, 16 * machine->levels[0].leak_pj_per_cycle + sfu.levels[0].leak_pj_per_cycle,
              1e-12);
  EXPECT_NEAR(sfu.beside_pj_per_cycle, 16 * machine->levels[0].leak_pj_per_cycle + machine->levels[1].leak_pj_per_cycle,
              1e-12);
}

TEST(ComputeUnits, WhatIsWrittenIsTheSame) {
  const auto machine = parse_architecture(
      with("  - {name: VPU, below: SRAM, fanout: 8x2, word_bits: 32, cycles_per_op: 3, energy: 2.5}\n"
           "  - name: SFU\n    below: DRAM\n    network: {hop_pj: 2}\n    levels: [{name: Queue, entries: 8}]\n"),
      "two");
  ASSERT_TRUE(machine.ok()) << to_string(machine.errors());
  const auto again = parse_architecture(write_architecture(*machine), "two");
  ASSERT_TRUE(again.ok()) << to_string(again.errors());
  EXPECT_TRUE(differences(*machine, *again).empty()) << differences(*machine, *again).front().field;
  Architecture other = *machine;
  other.units[1].levels[0].entries = 9;
  ASSERT_EQ(differences(*machine, other).size(), 1u);
  EXPECT_EQ(differences(*machine, other).front().field, "SFU.Queue.entries");
  EXPECT_NE(fingerprint(*machine), fingerprint(other));
  other.units.pop_back();
  EXPECT_NE(fingerprint(*machine), fingerprint(other));
}

TEST(ComputeUnits, VariantsChangeUnitsAndAddSome) {
  const std::string path = ::testing::TempDir() + "/units_base.yaml";
  std::ofstream(path) << with("  - {name: VPU, below: SRAM, fanout: 8, levels: [{name: VRegs, entries: 8}]}\n");
  const auto varied = parse_architecture("architecture:\n  base: " + path +
                                             "\n  units:\n"
                                             "  - {name: VPU, fanout: 4, levels: [{name: VRegs, entries: 32}]}\n"
                                             "  - {name: SFU, below: DRAM, energy: 7}\n",
                                         "varied");
  ASSERT_TRUE(varied.ok()) << to_string(varied.errors());
  ASSERT_EQ(varied->units.size(), 2u);
  EXPECT_EQ(varied->units[0].levels[0].entries, 32u);
  EXPECT_EQ(varied->units[0].compute.instances, 4u);
  EXPECT_EQ(varied->units[1].compute.op_pj, 7);
}

TEST(ComputeUnits, MistakesAreNamed) {
  EXPECT_THAT(complaint("  - {name: VPU}\n"), HasSubstr("unit VPU needs 'below'"));
  EXPECT_THAT(complaint("  - {name: VPU, below: SRAN}\n"), HasSubstr("did you mean 'SRAM'"));
  EXPECT_THAT(complaint("  - {name: MAC, below: SRAM}\n"), HasSubstr("another level or unit MAC"));
  EXPECT_THAT(complaint("  - {name: VPU, below: SRAM, levels: [{name: Regs, entries: 4}]}\n"),
              HasSubstr("another level or unit Regs"));
  EXPECT_THAT(complaint("  - {name: VPU, below: SRAM, runs: [softmx]}\n"), HasSubstr("softmax"));
  EXPECT_THAT(complaint("  - {name: VPU, below: SRAM, cycles_per_op: 0}\n"), HasSubstr("cycles_per_op"));
  EXPECT_THAT(complaint("  - {below: SRAM}\n"), HasSubstr("name"));
}

// Products cost on the machine with a vector unit what they cost without.
TEST(ComputeUnits, PresetLeavesProductsAsTheyAre) {
  const Architecture with_unit = testing::machine("tpu_v4i_vpu"), without = testing::machine("tpu_v4i");
  EXPECT_EQ(with_unit.beside_pj_per_cycle, 0);
  ASSERT_EQ(with_unit.units.size(), 1u);
  EXPECT_EQ(with_unit.units[0].compute.instances, 2048u);
  Architecture alone = with_unit;
  alone.units.clear();
  alone.compute.runs = kAllOperations;
  EXPECT_TRUE(differences(alone, without).empty());
}

}  // namespace
}  // namespace heliolite::compute_units_test
