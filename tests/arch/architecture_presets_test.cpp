// The preset machines: keep sets and dataflows, table variants, published machines, and how presets are read and
// written.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "arch/architecture_yaml.h"
#include "arch/check.h"
#include "arch/cost_resolver.h"
#include "arch/energy_tables.h"
#include "engine/formats/load_architecture.h"
#include "engine/model/fingerprint.h"
#include "tests/support/cli_runner.h"
#include "tests/support/load.h"

namespace heliolite::architecture_presets_test {
namespace {

using Names = std::vector<std::string>;
const Names kAll{"all"};

TEST(ArchitecturePresets, Dataflows) {
  const Architecture simba = testing::machine("simba");
  EXPECT_TRUE(simba.constraints_for_channels_only);
  const Names input{"input_channel"};
  const Names output{"output_channel"};
  const Names both{"input_channel", "output_channel"};
  EXPECT_EQ(simba.levels[1].constraints.spatial.allowed_x, input);
  EXPECT_EQ(simba.levels[1].constraints.spatial.allowed_y, input);
  EXPECT_EQ(simba.levels[3].constraints.spatial.allowed_x, output);
  EXPECT_EQ(simba.levels[4].constraints.spatial.allowed_x, both);
  EXPECT_EQ(simba.levels[4].constraints.spatial.allowed_y, both);

  const Architecture gemmini = testing::machine("gemmini");
  EXPECT_TRUE(gemmini.constraints_for_channels_only);
  EXPECT_EQ(gemmini.levels[1].constraints.spatial.allowed_y, (Names{"input_channel", "kernel"}));
  EXPECT_EQ(gemmini.levels[2].constraints.spatial.allowed_x, output);
  EXPECT_FALSE(testing::machine("eyeriss").constraints_for_channels_only);
}

TEST(ArchitecturePresets, TableVariantsDifferInCostsOnly) {
  for (const std::string name : {"eyeriss", "edge_unified", "simba", "gemmini", "dc_split", "dc_unified"}) {
    SCOPED_TRACE(name);
    const Architecture base = testing::machine(name);
    const Architecture table = testing::machine(name + "_45nm");
    EXPECT_EQ(table.name, name + "_45nm");
    EXPECT_EQ(table.technology_nm, 45);
    EXPECT_GT(table.area_um2(), 0);
    EXPECT_EQ(base.area_um2(), 0);
    EXPECT_NEAR(table.compute.op_pj, mac_cost(table.compute.word_bits.parts(), 45).energy_pj, 1e-12);
    ASSERT_EQ(table.levels.size(), base.levels.size());
    for (std::size_t i = 0; i < base.levels.size(); ++i) {
      const StorageLevel& level = table.levels[i];
      SCOPED_TRACE(level.name);
      EXPECT_EQ(level.entries, base.levels[i].entries);
      EXPECT_EQ(level.fanout_x, base.levels[i].fanout_x);
      EXPECT_EQ(level.instances, base.levels[i].instances);
      EXPECT_EQ(level.keep.keep, base.levels[i].keep.keep);
      EXPECT_EQ(level.constraints.spatial.allowed_x, base.levels[i].constraints.spatial.allowed_x);
      EXPECT_NE(level.energy.read_pj, base.levels[i].energy.read_pj);
      EXPECT_EQ(level.area_um2 > 0, !level.is_dram);
      EXPECT_EQ(level.leak_pj_per_cycle > 0, !level.is_dram);
    }
  }
}

TEST(ArchitecturePresets, TableEnergiesGoByBlockAndCluster) {
  const Architecture eyeriss = testing::machine("eyeriss_45nm");
  EXPECT_EQ(eyeriss.levels[2].energy.read_pj, memory_cost(12, 16, 45).read_pj);
  EXPECT_EQ(eyeriss.levels[1].energy.update_pj, memory_cost(192, 16, 45).write_pj);
  EXPECT_EQ(eyeriss.levels[3].energy.read_pj, memory_cost(13824, 64, 45).read_pj);
  EXPECT_EQ(eyeriss.levels[3].leak_pj_per_cycle, memory_cost(13824, 64, 45).leakage_mw);
  EXPECT_EQ(eyeriss.levels[4].energy.read_pj, 8 * 64);
  const Architecture simba = testing::machine("simba_45nm");
  EXPECT_DOUBLE_EQ(simba.levels[1].energy.read_pj, memory_cost(128, 192, 45).read_pj / 8);
  EXPECT_DOUBLE_EQ(simba.levels[1].area_um2, memory_cost(128, 192, 45).area_um2 / 8);
}

TEST(ArchitecturePresets, EdgeSplitHasOneLevelOfThreeBuffers) {
  const Architecture edge = testing::machine("edge_split");
  ASSERT_EQ(edge.levels.size(), 5U);
  const Names names{"L1_ofmap", "L1_weight", "L1_ifmap", "L2", "DRAM"};
  const std::vector<double> energies{0.25, 1.59, 0.24, 17.565, 128};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(edge.levels[i].name, names[i]);
    EXPECT_EQ(edge.levels[i].energy.read_pj, energies[i]);
    EXPECT_EQ(edge.levels[i].loops_allowed, i == 0 || i >= 3);
    EXPECT_EQ(edge.levels[i].instances, i < 3 ? 168U : 1U);
  }
  EXPECT_EQ(edge.levels[1].keep.keep, Names{"weights"});
  EXPECT_EQ(edge.levels[1].keep.bypass, kAll);
  EXPECT_EQ(edge.levels[3].network.ingress_pj, 0.607);
  EXPECT_GT(edge.area_um2(), 0);
}

// Ng, UBC 2022, table 6.3: elements, words of the local memories and of the global buffer, words per cycle.
TEST(ArchitecturePresets, MachinesOfTheThesis) {
  struct Machine {
    const char* name;
    u64 x, y, l2_words;
    double rate;
    bool split;
  };
  for (const Machine& want : {Machine{"edge_split_t63", 14, 12, 55296, 9, true},
                              {"edge_unified_t63", 16, 16, 65536, 9, false},
                              {"dc_split_t63", 32, 32, 1625292, 64, true},
                              {"dc_unified_t63", 32, 32, 1625292, 64, false}}) {
    SCOPED_TRACE(want.name);
    const Architecture machine = testing::machine(want.name);
    ASSERT_EQ(machine.levels.size(), want.split ? 5U : 3U);
    const StorageLevel &l2 = machine.levels[machine.levels.size() - 2], &dram = machine.levels.back();
    EXPECT_EQ(machine.compute.instances, want.x * want.y);
    EXPECT_EQ(l2.fanout_x, want.x);
    EXPECT_EQ(l2.fanout_y, want.y);
    EXPECT_EQ(l2.entries, want.l2_words);
    EXPECT_EQ(l2.bandwidth.read, want.rate);
    EXPECT_EQ(l2.bandwidth.write, want.rate);
    EXPECT_EQ(l2.energy.read_pj, memory_cost(want.l2_words, 16, 45).read_pj);
    EXPECT_EQ(l2.energy.fill_pj, memory_cost(want.l2_words, 16, 45).write_pj);
    EXPECT_EQ(l2.network.ingress_pj, 0.607);
    EXPECT_EQ(dram.energy.read_pj, 128);
    EXPECT_FALSE(dram.bandwidth.read || dram.bandwidth.write || dram.bandwidth.shared);
    EXPECT_EQ(machine.compute.op_pj, mac_cost(16, 45).energy_pj);
    const std::vector<u64> local = want.split ? std::vector<u64>{16, 192, 12} : std::vector<u64>{256};
    for (std::size_t i = 0; i < local.size(); ++i) {
      const StorageLevel& level = machine.levels[i];
      EXPECT_EQ(level.entries, local[i]);
      EXPECT_EQ(level.instances, want.x * want.y);
      EXPECT_EQ(level.energy.read_pj, memory_cost(local[i], 16, 45).read_pj);
      EXPECT_FALSE(level.bandwidth.read);
      EXPECT_EQ(level.loops_allowed, i == 0);  // buffers side by side: one level of loops
    }
    EXPECT_GT(machine.area_um2(), 0);
  }
  EXPECT_EQ(testing::machine("sunstone_arch").levels[3].bandwidth.read, 9);
  EXPECT_EQ(testing::machine("sunstone_arch").levels[3].bandwidth.write, 9);
  EXPECT_EQ(testing::machine("edge_split").levels[3].bandwidth.read, 9);
}

// nvdla, the TPUs and an SM: multipliers, bytes by level (innermost first; 0: none of its own or DRAM), peak rate.
TEST(ArchitecturePresets, PublishedAccelerators) {
  struct Machine {
    const char* name;
    u64 macs;
    std::vector<u64> bytes;
    double tera_ops;  // two per MAC
  };
  const u64 kb = 1024, mb = 1024 * kb;
  for (const Machine& want : {Machine{"nvdla", 2048, {4096, 32 * 32 * 34 / 8, 512 * kb, 0}, 4.1},
                              {"tpu_v1", 65536, {128 * kb, 4 * mb, 24 * mb, 0}, 92},
                              {"tpu_v4i", 65536, {256 * kb, 0, 8 * mb, 8 * mb, 128 * mb, 0}, 138},
                              {"gpu_sm", 1024, {0, 128 * kb, 128 * kb, 164 * kb, 388360, 0}, 312.0 / 108}}) {
    SCOPED_TRACE(want.name);
    const Architecture machine = testing::machine(want.name);
    EXPECT_EQ(machine.compute.instances, want.macs);
    EXPECT_NEAR(static_cast<double>(2 * want.macs) / *machine.cycle_ns / 1000, want.tera_ops, 0.01 * want.tera_ops);
    EXPECT_TRUE(machine.constraints_for_channels_only);
    ASSERT_EQ(machine.levels.size(), want.bytes.size());
    for (std::size_t i = 0; i < want.bytes.size(); ++i) {
      const StorageLevel& level = machine.levels[i];
      SCOPED_TRACE(level.name);
      const bool holds = !level.is_dram && !(level.keep.keep.empty() && level.keep.bypass == kAll);
      EXPECT_EQ(holds ? *level.entries * level.instances * level.word_bits.parts() / 8 : 0, want.bytes[i]);
    }
  }
}

TEST(ArchitecturePresets, DataflowsOfPublishedAccelerators) {
  const Names input{"input_channel"}, output{"output_channel"}, whole_sums{"output_channel", "pixel", "group"};
  for (const auto& [name, rows, columns] : {std::tuple{"nvdla", u64{64}, u64{32}}, {"tpu_v1", u64{256}, u64{256}}}) {
    SCOPED_TRACE(name);
    const Architecture machine = testing::machine(name);
    const StorageLevel &sums = machine.levels[1], &buffer = machine.levels[2], &dram = machine.levels[3];
    EXPECT_EQ(sums.keep.keep, Names{"outputs"});
    EXPECT_EQ(sums.fanout_y, rows);
    EXPECT_EQ(sums.constraints.spatial.allowed_y, input);
    EXPECT_EQ(buffer.fanout_x, columns);
    EXPECT_EQ(buffer.constraints.spatial.allowed_x, output);
    EXPECT_EQ(buffer.constraints.temporal.allowed, whole_sums);  // no loop of a reduction outside the sums
    EXPECT_EQ(dram.constraints.temporal.allowed, whole_sums);
    EXPECT_EQ(machine.levels[0].capacity_words(), 1U);
  }
  const Architecture tpu = testing::machine("tpu_v4i");
  EXPECT_EQ(tpu.levels[1].constraints.spatial.allowed_x, output);
  EXPECT_EQ(tpu.levels[1].constraints.spatial.allowed_y, input);
  EXPECT_EQ(tpu.levels[2].fanout_x, 4U);
  EXPECT_EQ(testing::machine("gpu_sm").levels[1].constraints.spatial.allowed_y, (Names{"input_channel", "kernel"}));
}

TEST(ArchitecturePresets, AllLoadAndCheck) {
  const Names names = architecture_preset_names();
  EXPECT_GE(names.size(), 23U);
  EXPECT_TRUE(std::ranges::is_sorted(names));
  for (const std::string& name : names) EXPECT_EQ(to_string(check(testing::machine(name))), "") << name;
}

TEST(ArchitecturePresets, MisspeltNamesGetASuggestionAndTheList) {
  const Result<Architecture> loaded = load_architecture("eyeris");
  ASSERT_FALSE(loaded.ok());
  const std::string message = to_string(loaded.errors());
  EXPECT_NE(message.find("did you mean 'eyeriss'"), std::string::npos) << message;
  EXPECT_NE(message.find("gemmini_45nm"), std::string::npos) << message;
}

TEST(ArchitecturePresets, AreReadBackAsTheyAreWritten) {
  const TempFolder folder;
  for (const std::string& name : architecture_preset_names()) {
    const Architecture machine = testing::machine(name);
    const std::string text = write_architecture(machine);
    const Result<Architecture> again = load_architecture(folder.write("machine.yaml", text));
    ASSERT_TRUE(again.ok()) << name << "\n" << to_string(again.errors()) << "\n" << text;
    EXPECT_EQ(fingerprint(*again), fingerprint(machine)) << text;
    EXPECT_EQ(again->description, machine.description);
  }
}

TEST(ArchitecturePresets, TextsAreReadAsFilesAre) {
  const Architecture machine = testing::machine("eyeriss");
  const Result<Architecture> same = parse_architecture(write_architecture(machine), "machine.yaml");
  ASSERT_TRUE(same.ok()) << to_string(same.errors());
  EXPECT_EQ(fingerprint(*same), fingerprint(machine));
  const Result<Architecture> variant = parse_architecture("architecture: {base: eyeriss}", "folder/mine.yaml");
  ASSERT_TRUE(variant.ok()) << to_string(variant.errors());
  EXPECT_EQ(variant->name, "mine");
  EXPECT_FALSE(parse_architecture("problem: {}", "mine.yaml").ok());
}

}  // namespace
}  // namespace heliolite::architecture_presets_test
