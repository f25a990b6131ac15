// The preset machines: parameters and energies of the reference machines, keep sets and dataflows; table variants.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "arch/architecture_writer.h"
#include "arch/check.h"
#include "arch/energy_tables.h"
#include "arch/load.h"
#include "arch/pat_energy.h"
#include "engine/model/fingerprint.h"
#include "tests/support/cli_runner.h"

namespace heliolite::architecture_presets_test {
namespace {

Architecture preset(const std::string& name) {
  const Result<Architecture> loaded = load_architecture(name);
  EXPECT_TRUE(loaded.ok()) << (loaded.ok() ? "" : to_string(loaded.errors()));
  return loaded.ok() ? *loaded : Architecture{};
}

// What a reference machine's file says of a level, plus the fan-out that follows from it.
struct Expected {
  std::string name;
  std::optional<u64> entries;
  u64 instances, mesh_x, word_bits, block_words, cluster_size;
  u64 fanout_x, fanout_y;
  double access_pj;
  std::optional<double> read, write, shared;
  std::vector<std::string> keep, bypass;
  double multiple_buffering = 1;
  double address_generation_pj = 0;
  double hop_pj = 0;
};

using Names = std::vector<std::string>;
const Names kAll{"all"};
const Names kNone{};
constexpr std::nullopt_t kUnlimited = std::nullopt;

void expect_level(const StorageLevel& level, const Expected& want) {
  SCOPED_TRACE(want.name);
  EXPECT_EQ(level.name, want.name);
  EXPECT_EQ(level.entries, want.entries);
  EXPECT_EQ(level.instances, want.instances);
  EXPECT_EQ(level.mesh_x, want.mesh_x);
  EXPECT_EQ(level.word_bits, want.word_bits);
  EXPECT_EQ(level.block_words, want.block_words);
  EXPECT_EQ(level.cluster_size, want.cluster_size);
  EXPECT_EQ(level.fanout_x, want.fanout_x);
  EXPECT_EQ(level.fanout_y, want.fanout_y);
  EXPECT_EQ(level.energy.read_pj, want.access_pj);
  EXPECT_EQ(level.energy.fill_pj, want.access_pj);
  EXPECT_EQ(level.energy.update_pj, want.access_pj);
  EXPECT_EQ(level.bandwidth.read, want.read);
  EXPECT_EQ(level.bandwidth.write, want.write);
  EXPECT_EQ(level.bandwidth.shared, want.shared);
  EXPECT_EQ(level.keep.keep, want.keep);
  EXPECT_EQ(level.keep.bypass, want.bypass);
  EXPECT_EQ(level.multiple_buffering, want.multiple_buffering);
  EXPECT_EQ(level.address_generation_pj, want.address_generation_pj);
  EXPECT_EQ(level.network.hop_pj, want.hop_pj);
  EXPECT_EQ(level.network.router_pj, 0);
  EXPECT_EQ(level.network.ingress_pj, 0);
  EXPECT_EQ(level.leak_pj_per_cycle, 0);
  EXPECT_EQ(level.area_um2, 0);
  EXPECT_TRUE(level.loops_allowed);
  EXPECT_EQ(level.is_dram, !want.entries.has_value());
}

void expect_machine(const std::string& name, const std::vector<Expected>& want, u64 macs, u64 mesh_x, u64 word_bits) {
  SCOPED_TRACE(name);
  const Architecture machine = preset(name);
  EXPECT_EQ(machine.name, name);
  EXPECT_FALSE(machine.description.empty());
  ASSERT_EQ(machine.levels.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) expect_level(machine.levels[i], want[i]);
  EXPECT_EQ(machine.compute.instances, macs);
  EXPECT_EQ(machine.compute.mesh_x, mesh_x);
  EXPECT_EQ(machine.compute.word_bits, word_bits);
  EXPECT_EQ(machine.compute.op_pj, pat_mac_pj(word_bits));
  EXPECT_FALSE(machine.one_axis_per_dimension);
}

// The three single-tensor scratchpads of a row-stationary element.
std::vector<Expected> scratchpads(u64 count, u64 mesh_x) {
  const auto spad = [&](const char* name, u64 entries, const char* tensor) {
    return Expected{name, entries, count,      mesh_x,   16,  1, 1, 1, 1, pat_sram_pj(entries, 16),
                    2,    2,       kUnlimited, {tensor}, kAll};
  };
  return {spad("PsumSpad", 16, "outputs"), spad("WeightSpad", 192, "weights"), spad("IfmapSpad", 12, "inputs")};
}

TEST(ArchitecturePresets, Eyeriss) {
  std::vector<Expected> levels = scratchpads(168, 14);
  levels.push_back({"GLB",
                    55296,
                    1,
                    1,
                    16,
                    4,
                    1,
                    14,
                    12,
                    pat_sram_pj(55296, 16, 4),
                    16,
                    16,
                    kUnlimited,
                    {"inputs", "outputs"},
                    kNone,
                    1,
                    0.05});
  levels.push_back({"DRAM", kUnlimited, 1, 1, 16, 4, 1, 1, 1, 800, 8, 8, kUnlimited, kAll, kNone});
  expect_machine("eyeriss", levels, 168, 14, 16);
}

TEST(ArchitecturePresets, DcSplit) {
  std::vector<Expected> levels = scratchpads(1024, 32);
  levels.push_back({"GLB",
                    1625292,
                    1,
                    1,
                    16,
                    4,
                    1,
                    32,
                    32,
                    pat_sram_pj(1625292, 16, 4),
                    9,
                    9,
                    kUnlimited,
                    {"inputs", "outputs"},
                    kNone});
  levels.push_back({"DRAM", kUnlimited, 1, 1, 16, 4, 1, 1, 1, 800, kUnlimited, kUnlimited, 16, kAll, kNone});
  expect_machine("dc_split", levels, 1024, 32, 16);
}

TEST(ArchitecturePresets, EdgeUnified) {
  expect_machine("edge_unified",
                 {{"L1", 256, 256, 16, 16, 1, 1, 1, 1, 1.0, 3, 2, kUnlimited, kAll, kNone},
                  {"GLB", 65536, 1, 1, 16, 4, 1, 16, 16, pat_sram_pj(65536, 16, 4), 32, 32, kUnlimited, kAll, kNone},
                  {"DRAM", kUnlimited, 1, 1, 16, 4, 1, 1, 1, 800, kUnlimited, kUnlimited, 16, kAll, kNone}},
                 256, 16, 16);
}

TEST(ArchitecturePresets, DcUnified) {
  expect_machine(
      "dc_unified",
      {{"L1", 256, 1024, 32, 16, 1, 1, 1, 1, 1.0, 3, 2, kUnlimited, kAll, kNone},
       {"GLB", 1625292, 1, 1, 16, 4, 1, 32, 32, pat_sram_pj(1625292, 16, 4), 64, 64, kUnlimited, kAll, kNone},
       {"DRAM", kUnlimited, 1, 1, 16, 4, 1, 1, 1, 800, kUnlimited, kUnlimited, 16, kAll, kNone}},
      1024, 32, 16);
}

TEST(ArchitecturePresets, Simba) {
  expect_machine(
      "simba",
      {{"WeightReg",
        1,
        1024,
        32,
        8,
        1,
        64,
        1,
        1,
        pat_sram_pj(1, 8, 1, 64),
        kUnlimited,
        kUnlimited,
        kUnlimited,
        {"weights"},
        kAll},
       {"AccumBuf", 128, 128, 32, 24, 1, 8, 1, 8, pat_sram_pj(128, 24, 1, 8), 2, 2, kUnlimited, {"outputs"}, kAll},
       {"WeightBuf", 4096, 128, 32, 8, 8, 1, 1, 1, pat_sram_pj(4096, 8, 8), 16, 8, kUnlimited, {"weights"}, kAll},
       {"InputBuf", 8192, 16, 4, 8, 8, 1, 8, 1, pat_sram_pj(8192, 8, 8), 16, 8, kUnlimited, {"inputs"}, kAll},
       {"GLB",
        65536,
        1,
        1,
        8,
        32,
        1,
        4,
        4,
        pat_sram_pj(65536, 8, 32),
        64,
        64,
        kUnlimited,
        {"inputs", "outputs"},
        kNone,
        1,
        0,
        0.02},
       {"DRAM", kUnlimited, 1, 1, 8, 64, 1, 1, 1, 6400, 10, 10, kUnlimited, kAll, kNone}},
      1024, 32, 8);
}

TEST(ArchitecturePresets, Gemmini) {
  expect_machine(
      "gemmini",
      {{"PEReg", 2, 256, 16, 8, 1, 1, 1, 1, 0.487, kUnlimited, kUnlimited, kUnlimited, {"weights"}, kAll},
       {"Accumulator", 1024, 16, 16, 32, 1, 1, 1, 16, 1.94, 1, 1, kUnlimited, {"outputs"}, kAll},
       {"Scratchpad", 262144, 1, 1, 8, 16, 1, 16, 1, 23.7, 32, 16, kUnlimited, {"inputs", "weights"}, kAll, 2},
       {"DRAM", kUnlimited, 1, 1, 8, 64, 1, 1, 1, 6400, kUnlimited, kUnlimited, 8, kAll, kNone}},
      256, 16, 8);
  EXPECT_EQ(preset("gemmini").levels[2].capacity_words(), 131072U);
}

TEST(ArchitecturePresets, Snowcat) {
  expect_machine(
      "snowcat",
      {{"Buffer", u64{1} << 41, 1, 1, 8, 1, 1, 1, 1, pat_sram_pj(u64{1} << 41, 8), kUnlimited, kUnlimited, kUnlimited,
        kAll, kNone},
       {"MainMemory", kUnlimited, 1, 1, 8, 8, 1, 1, 1, 800, kUnlimited, kUnlimited, kUnlimited, kAll, kNone}},
      1, 1, 8);
  EXPECT_NEAR(preset("snowcat").levels[0].energy.read_pj, 1.3426197385087358e16 / (223948800 + 24883200), 1e-3);
}

// The reference runs' own machine files, read as Timeloop files, give the same machines.
TEST(ArchitecturePresets, SameAsTheTimeloopFiles) {
  for (const std::string name : {"eyeriss", "edge_unified", "simba", "gemmini", "snowcat"}) {
    SCOPED_TRACE(name);
    const Architecture own = preset(name);
    const Architecture theirs = preset(std::string(HELIOLITE_TEST_DATA) + "/golden/arch/" + name + ".yaml");
    ASSERT_EQ(own.levels.size(), theirs.levels.size());
    for (std::size_t i = 0; i < own.levels.size(); ++i) {
      const StorageLevel& level = theirs.levels[i];
      const StorageLevel& same = own.levels[i];
      expect_level(same,
                   {level.name, level.entries, level.instances, level.mesh_x, level.word_bits, level.block_words,
                    level.cluster_size, level.fanout_x, level.fanout_y, level.energy.read_pj, level.bandwidth.read,
                    level.bandwidth.write, level.bandwidth.shared, same.keep.keep, same.keep.bypass,
                    level.multiple_buffering, level.address_generation_pj, level.network.hop_pj});
    }
    EXPECT_EQ(own.compute.name, theirs.compute.name);
    EXPECT_EQ(own.compute.instances, theirs.compute.instances);
    EXPECT_EQ(own.compute.mesh_x, theirs.compute.mesh_x);
    EXPECT_EQ(own.compute.op_pj, theirs.compute.op_pj);
  }
}

TEST(ArchitecturePresets, Dataflows) {
  const Architecture simba = preset("simba");
  EXPECT_TRUE(simba.constraints_for_channels_only);
  const Names input{"input_channel"};
  const Names output{"output_channel"};
  const Names both{"input_channel", "output_channel"};
  EXPECT_EQ(simba.levels[1].constraints.spatial.allowed_x, input);
  EXPECT_EQ(simba.levels[1].constraints.spatial.allowed_y, input);
  EXPECT_EQ(simba.levels[3].constraints.spatial.allowed_x, output);
  EXPECT_EQ(simba.levels[4].constraints.spatial.allowed_x, both);
  EXPECT_EQ(simba.levels[4].constraints.spatial.allowed_y, both);

  const Architecture gemmini = preset("gemmini");
  EXPECT_TRUE(gemmini.constraints_for_channels_only);
  EXPECT_EQ(gemmini.levels[1].constraints.spatial.allowed_y, (Names{"input_channel", "kernel"}));
  EXPECT_EQ(gemmini.levels[2].constraints.spatial.allowed_x, output);
  EXPECT_FALSE(preset("eyeriss").constraints_for_channels_only);
}

TEST(ArchitecturePresets, TableVariantsDifferInCostsOnly) {
  for (const std::string name : {"eyeriss", "edge_unified", "simba", "gemmini", "dc_split", "dc_unified"}) {
    SCOPED_TRACE(name);
    const Architecture base = preset(name);
    const Architecture table = preset(name + "_45nm");
    EXPECT_EQ(table.name, name + "_45nm");
    EXPECT_EQ(table.technology_nm, 45);
    EXPECT_GT(table.area_um2(), 0);
    EXPECT_EQ(base.area_um2(), 0);
    EXPECT_NEAR(table.compute.op_pj, mac_cost(table.compute.word_bits, 45).energy_pj, 1e-12);
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
  const Architecture eyeriss = preset("eyeriss_45nm");
  EXPECT_EQ(eyeriss.levels[2].energy.read_pj, memory_cost(12, 16, 45).read_pj);
  EXPECT_EQ(eyeriss.levels[1].energy.update_pj, memory_cost(192, 16, 45).write_pj);
  EXPECT_EQ(eyeriss.levels[3].energy.read_pj, memory_cost(13824, 64, 45).read_pj);
  EXPECT_EQ(eyeriss.levels[3].leak_pj_per_cycle, memory_cost(13824, 64, 45).leakage_mw);
  EXPECT_EQ(eyeriss.levels[4].energy.read_pj, 8 * 64);
  const Architecture simba = preset("simba_45nm");
  EXPECT_DOUBLE_EQ(simba.levels[1].energy.read_pj, memory_cost(128, 192, 45).read_pj / 8);
  EXPECT_DOUBLE_EQ(simba.levels[1].area_um2, memory_cost(128, 192, 45).area_um2 / 8);
}

TEST(ArchitecturePresets, EdgeSplitHasOneLevelOfThreeBuffers) {
  const Architecture edge = preset("edge_split");
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
    const Architecture machine = preset(want.name);
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
  EXPECT_EQ(preset("sunstone_arch").levels[3].bandwidth.read, 9);
  EXPECT_EQ(preset("sunstone_arch").levels[3].bandwidth.write, 9);
  EXPECT_EQ(preset("edge_split").levels[3].bandwidth.read, 9);
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
    const Architecture machine = preset(want.name);
    EXPECT_EQ(machine.compute.instances, want.macs);
    EXPECT_NEAR(static_cast<double>(2 * want.macs) / *machine.cycle_ns / 1000, want.tera_ops, 0.01 * want.tera_ops);
    EXPECT_TRUE(machine.constraints_for_channels_only);
    ASSERT_EQ(machine.levels.size(), want.bytes.size());
    for (std::size_t i = 0; i < want.bytes.size(); ++i) {
      const StorageLevel& level = machine.levels[i];
      SCOPED_TRACE(level.name);
      const bool holds = !level.is_dram && !(level.keep.keep.empty() && level.keep.bypass == kAll);
      EXPECT_EQ(holds ? *level.entries * level.instances * level.word_bits / 8 : 0, want.bytes[i]);
    }
  }
}

TEST(ArchitecturePresets, DataflowsOfPublishedAccelerators) {
  const Names input{"input_channel"}, output{"output_channel"}, whole_sums{"output_channel", "pixel", "group"};
  for (const auto& [name, rows, columns] : {std::tuple{"nvdla", u64{64}, u64{32}}, {"tpu_v1", u64{256}, u64{256}}}) {
    SCOPED_TRACE(name);
    const Architecture machine = preset(name);
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
  const Architecture tpu = preset("tpu_v4i");
  EXPECT_EQ(tpu.levels[1].constraints.spatial.allowed_x, output);
  EXPECT_EQ(tpu.levels[1].constraints.spatial.allowed_y, input);
  EXPECT_EQ(tpu.levels[2].fanout_x, 4U);
  EXPECT_EQ(preset("gpu_sm").levels[1].constraints.spatial.allowed_y, (Names{"input_channel", "kernel"}));
}

TEST(ArchitecturePresets, AllLoadAndCheck) {
  const Names names = architecture_preset_names();
  EXPECT_GE(names.size(), 23U);
  EXPECT_TRUE(std::ranges::is_sorted(names));
  for (const std::string& name : names) EXPECT_EQ(to_string(check(preset(name))), "") << name;
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
    const Architecture machine = preset(name);
    const std::string text = write_architecture(machine);
    const Result<Architecture> again = load_architecture(folder.write("machine.yaml", text));
    ASSERT_TRUE(again.ok()) << name << "\n" << to_string(again.errors()) << "\n" << text;
    EXPECT_EQ(fingerprint(*again), fingerprint(machine)) << text;
    EXPECT_EQ(again->description, machine.description);
  }
}

TEST(ArchitecturePresets, TextsAreReadAsFilesAre) {
  const Architecture machine = preset("eyeriss");
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
