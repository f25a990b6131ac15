// The preset machines of the reference runs: every parameter and energy of every level, as their files say.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "arch/cost_resolver.h"
#include "tests/support/load.h"

namespace heliolite::reference_machines_test {
namespace {

// What a reference machine's file says of a level, plus the fan-out that follows from it.
struct Expected {
  std::string name;
  std::optional<u64> entries;
  u64 instances, mesh_x;
  WordLength word_bits;
  u64 block_words, cluster_size;
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
  const Architecture machine = testing::machine(name);
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

TEST(ReferenceMachines, Eyeriss) {
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

TEST(ReferenceMachines, DcSplit) {
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

TEST(ReferenceMachines, EdgeUnified) {
  expect_machine("edge_unified",
                 {{"L1", 256, 256, 16, 16, 1, 1, 1, 1, 1.0, 3, 2, kUnlimited, kAll, kNone},
                  {"GLB", 65536, 1, 1, 16, 4, 1, 16, 16, pat_sram_pj(65536, 16, 4), 32, 32, kUnlimited, kAll, kNone},
                  {"DRAM", kUnlimited, 1, 1, 16, 4, 1, 1, 1, 800, kUnlimited, kUnlimited, 16, kAll, kNone}},
                 256, 16, 16);
}

TEST(ReferenceMachines, DcUnified) {
  expect_machine(
      "dc_unified",
      {{"L1", 256, 1024, 32, 16, 1, 1, 1, 1, 1.0, 3, 2, kUnlimited, kAll, kNone},
       {"GLB", 1625292, 1, 1, 16, 4, 1, 32, 32, pat_sram_pj(1625292, 16, 4), 64, 64, kUnlimited, kAll, kNone},
       {"DRAM", kUnlimited, 1, 1, 16, 4, 1, 1, 1, 800, kUnlimited, kUnlimited, 16, kAll, kNone}},
      1024, 32, 16);
}

TEST(ReferenceMachines, Simba) {
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

TEST(ReferenceMachines, Gemmini) {
  expect_machine(
      "gemmini",
      {{"PEReg", 2, 256, 16, 8, 1, 1, 1, 1, 0.487, kUnlimited, kUnlimited, kUnlimited, {"weights"}, kAll},
       {"Accumulator", 1024, 16, 16, 32, 1, 1, 1, 16, 1.94, 1, 1, kUnlimited, {"outputs"}, kAll},
       {"Scratchpad", 262144, 1, 1, 8, 16, 1, 16, 1, 23.7, 32, 16, kUnlimited, {"inputs", "weights"}, kAll, 2},
       {"DRAM", kUnlimited, 1, 1, 8, 64, 1, 1, 1, 6400, kUnlimited, kUnlimited, 8, kAll, kNone}},
      256, 16, 8);
  EXPECT_EQ(testing::machine("gemmini").levels[2].capacity_words(), 131072U);
}

TEST(ReferenceMachines, Snowcat) {
  expect_machine(
      "snowcat",
      {{"Buffer", u64{1} << 41, 1, 1, 8, 1, 1, 1, 1, pat_sram_pj(u64{1} << 41, 8), kUnlimited, kUnlimited, kUnlimited,
        kAll, kNone},
       {"MainMemory", kUnlimited, 1, 1, 8, 8, 1, 1, 1, 800, kUnlimited, kUnlimited, kUnlimited, kAll, kNone}},
      1, 1, 8);
  EXPECT_NEAR(testing::machine("snowcat").levels[0].energy.read_pj, 1.3426197385087358e16 / (223948800 + 24883200),
              1e-3);
}

// The reference runs' own machine files, read as Timeloop files, give the same machines.
TEST(ReferenceMachines, SameAsTheTimeloopFiles) {
  for (const std::string name : {"eyeriss", "edge_unified", "simba", "gemmini", "snowcat"}) {
    SCOPED_TRACE(name);
    const Architecture own = testing::machine(name);
    const Architecture theirs = testing::machine(std::string(HELIOLITE_TEST_DATA) + "/golden/arch/" + name + ".yaml");
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

}  // namespace
}  // namespace heliolite::reference_machines_test
