// How long the first tiles take on their way in, and the last outputs on their way out (docs/cost_model.md, rule 46):
// by hand, and against an execution of every tile.
#include <gtest/gtest.h>

#include "arch/architecture_yaml.h"
#include "arch/check.h"
#include "engine/formats/load_network.h"
#include "engine/model/cost_model.h"
#include "engine/model/mapping_check.h"
#include "engine/model/mapping_yaml.h"
#include "engine/model/ramps.h"
#include "engine/model/true_counts/cost.h"
#include "tests/support/load.h"
#include "tests/support/random_problem.h"
#include "tests/support/tile_pipeline.h"

namespace heliolite::ramps_test {
namespace {

using testing::chance;
using testing::pick;
using testing::Rng;

Architecture machine_of(const std::string& levels, const char* latency = "ramps") {
  const auto machine = parse_architecture("architecture:\n  name: toy\n  latency: " + std::string(latency) +
                                              "\n  levels:\n" + levels + "  compute: {name: MAC, energy: 1}\n",
                                          "toy.yaml");
  EXPECT_TRUE(machine.ok()) << (machine.ok() ? "" : to_string(machine.errors()));
  return *machine;
}

Mapping mapping_of(const std::string& text, const Workload& workload, const Architecture& machine) {
  const auto mapping = read_mapping(*YamlNode::parse(text, "m.yaml"), workload, machine);
  EXPECT_TRUE(mapping.ok()) << (mapping.ok() ? "" : to_string(mapping.errors()));
  return *mapping;
}

const std::string kChain =
    "  - {name: DRAM, dram: true, energy: 100, bandwidth: {shared: 2}}\n"
    "  - {name: Buf, entries: 96, energy: 6, leak_pj_per_cycle: 0.5, bandwidth: {shared: 16}, fanout: 4}\n"
    "  - {name: Regs, entries: 12, energy: 1}\n";
const char* const kMapping =
    "[{level: DRAM, temporal: [M: 2, N: 2]}, {level: Buf, temporal: [K: 8], spatial: {x: [N: 4]}}, "
    "{level: Regs, temporal: [M: 4]}]";

// The example of docs/cost_model.md. Buf's tile is M 4, N 4, K 8: A 32 words, B 32, Z 16; that of each Regs M 4: A 4,
// B 1, Z 4. In: DRAM sends 64 words at 2 a cycle, 32 cycles; Buf 4 words of A to all four and one of B to each, 8 at 16
// a cycle, 1. Out: 16 words of Z into Buf, 1 cycle, and from there into DRAM, 8.
TEST(Ramps, AChainByHand) {
  const Workload gemm = testing::workload("gemm:8x8x8");
  const Architecture steady = machine_of(kChain, "steady"), ramps = machine_of(kChain);
  const Mapping m = mapping_of(kMapping, gemm, ramps);
  const Breakdown before = CostModel(gemm, steady).explain(m), after = CostModel(gemm, ramps).explain(m);
  EXPECT_FALSE(before.ramps.has_value());
  EXPECT_EQ(before.cycles, 128u);
  ASSERT_TRUE(after.ramps.has_value());
  EXPECT_EQ(*after.ramps, (Ramps{33, 9}));
  EXPECT_EQ(after.compute.cycles, 128u);
  EXPECT_EQ(after.cycles, 128u + 33 + 9);
  const Evaluation e = CostModel(gemm, ramps).evaluate(m);
  EXPECT_EQ(e.cost, (Cost{after.energy, after.cycles}));
  EXPECT_EQ(after.energy.picojoules() - before.energy.picojoules(), 42 * 0.5);  // Buf leaks for longer
}

// Where a level is slower than all that, its cycles are those of the mapping.
TEST(Ramps, ASlowLevelHidesThem) {
  const Workload gemm = testing::workload("gemm:8x8x8");
  std::string slow = kChain;
  slow.replace(slow.find("shared: 2}"), 9, "shared: 1");
  const Architecture ramps = machine_of(slow);
  const Breakdown b = CostModel(gemm, ramps).explain(mapping_of(kMapping, gemm, ramps));
  EXPECT_EQ(b.ramps->cycles(), 64u + 1 + 1 + 16);
  EXPECT_EQ(b.level.back().cycles, 256u);
  EXPECT_EQ(b.cycles, 256u);
}

// Side by side: A comes through one buffer and B through another, which fill at the same time; the longest way counts.
// DRAM sends both tiles, 16 words of A and 8 of B, in 24 cycles. Then BufA sends 4 words in 4 cycles, BufB 2 in 4.
TEST(Ramps, BuffersSideBySideFillTogether) {
  const Workload gemm = testing::workload("gemm:8x8x8");
  const Architecture machine = machine_of(
      "  - {name: DRAM, dram: true, energy: 100, bandwidth: {read: 1, write: 4}}\n"
      "  - {name: BufA, entries: 64, energy: 6, keep: A, bandwidth: {read: 1}}\n"
      "  - {name: BufB, entries: 64, energy: 6, keep: B, bandwidth: {read: 0.5}}\n"
      "  - {name: Regs, entries: 64, energy: 1}\n");
  const Mapping m = mapping_of(
      "[{level: DRAM, temporal: [M: 2, N: 4, K: 2]}, {level: BufA}, {level: BufB, temporal: [K: 4]}, "
      "{level: Regs, temporal: [N: 2, M: 4]}]",
      gemm, machine);
  const Breakdown b = CostModel(gemm, machine).explain(m);
  // Regs: A 4, B 2, Z 8; BufB: 4 times as many of K. BufA is inside DRAM's loops, as BufB.
  EXPECT_EQ(b.level[2].tensor[1].tile_words + b.level[1].tensor[1].tile_words, 8u);
  EXPECT_EQ(b.ramps->fill, 24u + 4);
  EXPECT_EQ(b.ramps->drain, 2u);
}

// What the units ask for word by word fills nothing.
TEST(Ramps, OneLevelHasNone) {
  const Workload gemm = testing::workload("gemm:4x4x4");
  const Architecture machine = machine_of("  - {name: DRAM, dram: true, energy: 100, bandwidth: {shared: 1}}\n");
  const Breakdown b =
      CostModel(gemm, machine).explain(mapping_of("[{level: DRAM, temporal: [M: 4, N: 4, K: 4]}]", gemm, machine));
  EXPECT_EQ(*b.ramps, Ramps{});
}

TEST(Ramps, MachinesSayIt) {
  const Architecture machine = machine_of(kChain);
  EXPECT_TRUE(machine.ramps);
  const std::string text = write_architecture(machine);
  EXPECT_NE(text.find("latency: ramps"), std::string::npos) << text;
  const auto again = parse_architecture(text, "again.yaml");
  ASSERT_TRUE(again.ok()) << to_string(again.errors());
  EXPECT_TRUE(again->ramps);
  EXPECT_EQ(write_architecture(machine_of(kChain, "steady")).find("latency"), std::string::npos);
  const auto wrong = parse_architecture("architecture: {latency: ramp, levels: [{name: DRAM, dram: true}]}", "w.yaml");
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(to_string(wrong.errors()).find("latency"), std::string::npos);
}

// evaluate() and explain() agree, whatever counts, and without ramps a mapping takes no longer.
TEST(Ramps, ExplainAgreesWithEvaluate) {
  int counted = 0;
  for (u64 seed = 0; seed < 300; ++seed) {
    testing::RandomProblem p = testing::random_problem(seed, {});
    const CostModel steady(p.workload, p.architecture);
    p.architecture.ramps = true;
    for (StorageLevel& level : p.architecture.levels)
      if (!level.bandwidth.shared) level.bandwidth.shared = 1 + static_cast<double>(seed % 7) / 2;
    const CostModel model(p.workload, p.architecture);
    for (const Counts counts : {Counts::Timeloop, Counts::True}) {
      if (counts == Counts::True && (!has_true_counts(model.compiled()) || !p.mapping.is_even())) continue;
      const Evaluation e = model.evaluate(p.mapping, counts);
      if (e.verdict != Verdict::Fits) continue;
      const Breakdown b = model.explain(p.mapping, counts);
      ASSERT_EQ(e.cost, (Cost{b.energy, b.cycles})) << seed;
      ASSERT_LE(steady.evaluate(p.mapping, counts).cost.cycles, b.cycles) << seed;
      counted += b.ramps->cycles() > 0;
    }
  }
  EXPECT_GT(counted, 100);
}

// Random perfect mappings of a product on a chain of levels that keep everything.
TEST(Ramps, AnExecutionOfAllTilesTakesNoLess) {
  const Workload gemm = testing::workload("gemm:8x6x4");
  int longer = 0;
  double steady_error = 0, ramps_error = 0;
  for (u64 seed = 0; seed < 150; ++seed) {
    Rng rng(seed);
    const auto rate = [&] { return static_cast<double>(pick(rng, 1, 24)) / 4; };
    const Architecture machine = machine_of(
        fmt::format("  - {{name: DRAM, dram: true, energy: 1, bandwidth: {{shared: {}}}}}\n"
                    "  - {{name: Buf, capacity: unbounded, energy: 1, bandwidth: {{shared: {}}}, fanout: 4}}\n"
                    "  - {{name: L1, capacity: unbounded, energy: 1, bandwidth: {{shared: {}}}}}\n"
                    "  - {{name: Regs, capacity: unbounded, energy: 1}}\n",
                    rate(), rate(), rate()));
    Mapping m;
    m.level_count = 4;
    m.keep.fill(0);
    for (int i = 0; i < 4; ++i) m.keep[i] = 7;
    std::array<std::array<u64, 3>, 5> factor;  // [place][dimension]: Regs, L1, across Buf, Buf, DRAM
    for (auto& of : factor) of.fill(1);
    u64 units = 1;
    for (std::size_t d = 0; d < 3; ++d)
      for (u64 rest = gemm.dimensions[d].size; rest > 1;) {
        const u64 prime = rest % 2 == 0 ? 2 : 3;
        std::size_t place = pick(rng, 0, 4);
        if (place == 2 && units * prime > 4) place = 3;
        if (place == 2) units *= prime;
        factor[place][d] *= prime;
        rest /= prime;
      }
    std::array<int, 3> order{0, 1, 2};
    const auto place = [&](LoopKind kind, int level, std::size_t where) {
      std::rotate(order.begin(), order.begin() + static_cast<int>(pick(rng, 0, 2)), order.end());
      for (const int d : order) m.add(kind, level, d, factor[where][at(d)]);
    };
    place(LoopKind::Temporal, 0, 0);
    place(LoopKind::Temporal, 1, 1);
    place(LoopKind::SpatialX, 2, 2);
    place(LoopKind::Temporal, 2, 3);
    place(LoopKind::Temporal, 3, 4);
    Architecture steady = machine;
    steady.ramps = false;
    const CostModel with(gemm, machine), without(gemm, steady);
    const Evaluation counted = with.evaluate(m);
    ASSERT_EQ(counted.verdict, Verdict::Fits) << seed;
    const u64 before = without.evaluate(m).cost.cycles, executed = testing::TilePipeline(with.compiled(), m).run();
    ASSERT_LE(before, counted.cost.cycles) << seed;
    ASSERT_LE(counted.cost.cycles, executed) << seed;
    longer += before < counted.cost.cycles;
    steady_error += static_cast<double>(executed) / static_cast<double>(before) - 1;
    ramps_error += static_cast<double>(executed) / static_cast<double>(counted.cost.cycles) - 1;
  }
  EXPECT_GT(longer, 30);
  EXPECT_LT(ramps_error, steady_error * 0.9);
  RecordProperty("mean_error_steady", std::to_string(steady_error / 150));
  RecordProperty("mean_error_ramps", std::to_string(ramps_error / 150));
}

}  // namespace
}  // namespace heliolite::ramps_test
