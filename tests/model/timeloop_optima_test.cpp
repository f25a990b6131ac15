// Optimal mappings that Timeloop itself replayed cost the same here, read from its mapping files and written again.
#include "engine/formats/timeloop/mapping.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "engine/base/yaml_node.h"
#include "engine/formats/timeloop/machine.h"
#include "engine/model/cost_model.h"
#include "tests/support/timeloop_problems.h"

namespace heliolite::timeloop_optima_test {
namespace {

using namespace testing::timeloop;

struct Optimum {
  std::string machine;
  Workload workload;
  std::string mapping;
  double energy_pj;
  u64 cycles;
};

std::vector<Optimum> optima() {
  return {
      {"m2_arr2", gemm(4, 6, 8), R"(mapping:
  - {target: L1, type: bypass, keep: [A, B, Z], bypass: []}
  - {target: L1, type: temporal, factors: "M=1 N=6 K=2", permutation: NKM}
  - {target: DRAM, type: bypass, keep: [A, B, Z], bypass: []}
  - {target: DRAM, type: temporal, factors: "M=4 N=1 K=1", permutation: MNK}
  - {target: DRAM, type: spatial, factors: "M=1 N=1 K=4", permutation: KMN, split: 3}
)",
       21726.876884422112, 48},
      {"m7_two_fan", conv(3, 3, 8, 4, 4, 6, 2), R"(mapping:
  - {target: L1, type: bypass, keep: [Weights, Inputs, Outputs], bypass: []}
  - {target: L1, type: temporal, factors: "R=1 S=1 P=1 Q=1 C=1 K=3 N=1", permutation: KRSPQCN}
  - {target: L1, type: spatial, factors: "R=1 S=1 P=1 Q=2 C=2 K=1 N=1", permutation: QCRSPKN, split: 7}
  - {target: GLB, type: bypass, keep: [Weights, Inputs, Outputs], bypass: []}
  - {target: GLB, type: temporal, factors: "R=3 S=3 P=1 Q=1 C=1 K=1 N=1", permutation: SRPQCKN}
  - {target: GLB, type: spatial, factors: "R=1 S=1 P=1 Q=1 C=1 K=2 N=1", permutation: KRSPQCN, split: 7}
  - {target: DRAM, type: bypass, keep: [Weights, Inputs, Outputs], bypass: []}
  - {target: DRAM, type: temporal, factors: "R=1 S=1 P=8 Q=2 C=2 K=1 N=1", permutation: PQCRSKN}
)",
       329474.83417085424, 1136},
      {"m5_eyemini", mttkrp(), R"(mapping:
  - {target: PsumSpad, type: bypass, keep: [Z], bypass: [A, B, C]}
  - {target: PsumSpad, type: temporal, factors: "I=1 J=1 K=1 L=1", permutation: IJKL}
  - {target: WeightSpad, type: bypass, keep: [A], bypass: [B, C, Z]}
  - {target: WeightSpad, type: temporal, factors: "I=4 J=1 K=1 L=1", permutation: IJKL}
  - {target: IfmapSpad, type: bypass, keep: [B, C], bypass: [A, Z]}
  - {target: IfmapSpad, type: temporal, factors: "I=1 J=1 K=1 L=1", permutation: IJKL}
  - {target: GLB, type: bypass, keep: [B, C, Z], bypass: [A]}
  - {target: GLB, type: temporal, factors: "I=1 J=1 K=1 L=1", permutation: IJKL}
  - {target: GLB, type: spatial, factors: "I=1 J=1 K=3 L=4", permutation: LIJK, split: 3}
  - {target: DRAM, type: bypass, keep: [A, B, C, Z], bypass: []}
  - {target: DRAM, type: temporal, factors: "I=1 J=4 K=1 L=1", permutation: JIKL}
)",
       19338.4, 38},
      {"eyeriss", conv(3, 3, 56, 56, 64, 64, 1), R"(mapping:
  - {target: PsumSpad, type: bypass, keep: [Outputs], bypass: [Weights, Inputs]}
  - {target: PsumSpad, type: temporal, factors: "R=1 S=1 P=1 Q=1 C=1 K=16 N=1", permutation: KRSPQCN}
  - {target: WeightSpad, type: bypass, keep: [Weights], bypass: [Inputs, Outputs]}
  - {target: WeightSpad, type: temporal, factors: "R=3 S=1 P=1 Q=1 C=4 K=1 N=1", permutation: RCSPQKN}
  - {target: IfmapSpad, type: bypass, keep: [Inputs], bypass: [Weights, Outputs]}
  - {target: IfmapSpad, type: temporal, factors: "R=1 S=1 P=1 Q=1 C=1 K=1 N=1", permutation: RSPQCKN}
  - {target: GLB, type: bypass, keep: [Inputs, Outputs], bypass: [Weights]}
  - {target: GLB, type: temporal, factors: "R=1 S=1 P=56 Q=4 C=2 K=1 N=1", permutation: PQCRSKN}
  - {target: GLB, type: spatial, factors: "R=1 S=3 P=1 Q=2 C=8 K=2 N=1", permutation: CRPNSQK, split: 4}
  - {target: DRAM, type: bypass, keep: [Weights, Inputs, Outputs], bypass: []}
  - {target: DRAM, type: temporal, factors: "R=1 S=1 P=1 Q=7 C=1 K=2 N=1", permutation: KQRSPCN}
)",
       717472450.1226131, 1204224},
  };
}

TEST(TimeloopOptima, CostWhatTimeloopSays) {
  for (const Optimum& o : optima()) {
    const Architecture a = machine(o.machine);
    const Result<Mapping> mapping = read(o.mapping, o.workload, a);
    ASSERT_TRUE(mapping.ok()) << to_string(mapping.errors());
    const Breakdown cost = CostModel(o.workload, a).explain(*mapping);
    EXPECT_NEAR(cost.energy.picojoules() / o.energy_pj, 1.0, 1e-6) << o.machine;
    EXPECT_EQ(cost.cycles, o.cycles) << o.machine;
  }
}

// Sums of the buffer are read back: 64 words of Z enter its network, and 48 of them, all but the part of 16 words,
// again. DRAM reduces: 32 words cross once.
TEST(TimeloopOptima, LevelsReduceAsTheySay) {
  const Architecture a = machine("m8_reads_back");
  const Workload w = gemm(4, 4, 8);
  const Result<Mapping> mapping = read(R"(mapping:
  - {target: RF, type: temporal, factors: "M=1 N=1 K=2", permutation: KMN}
  - {target: BUF, type: spatial, factors: "M=4 N=1 K=1", permutation: MNK, split: 3}
  - {target: BUF, type: temporal, factors: "M=1 N=2 K=2", permutation: NKM}
  - {target: DRAM, type: temporal, factors: "M=1 N=2 K=2", permutation: NKM}
)",
                                       w, a);
  ASSERT_TRUE(mapping.ok()) << to_string(mapping.errors());
  const Breakdown cost = CostModel(w, a).explain(*mapping);
  EXPECT_NEAR(cost.energy.picojoules(), 24'704.7, 0.05);  // what Timeloop says
  EXPECT_EQ(cost.level[1].network[2].all_ingresses, 112);
  EXPECT_EQ(cost.level[1].network[2].energy.picojoules(), 112 * 2 + 112 * 0.5 + 96 * 1);
  EXPECT_EQ(cost.level[2].network[2].all_ingresses, 32);
  Architecture other = a;
  for (StorageLevel& level : other.levels) level.reduction.reset();  // as v0.3 has it: all but DRAM
  const Breakdown usual = CostModel(w, other).explain(*mapping);
  EXPECT_NEAR(usual.energy.picojoules(), 24'664.7, 0.05);
  EXPECT_EQ(usual.level[1].network[2].all_ingresses, 64);
  EXPECT_EQ(usual.level[2].network[2].all_ingresses, 2 * 32 - 16);
}

TEST(TimeloopOptima, SurviveWritingAndReading) {
  for (const Optimum& o : optima()) {
    const Architecture a = machine(o.machine);
    const Mapping mapping = *read(o.mapping, o.workload, a);
    const Result<std::string> text = write_timeloop_mapping(mapping, o.workload, a);
    ASSERT_TRUE(text.ok()) << to_string(text.errors());
    const Result<Mapping> back = read(*text, o.workload, a);
    ASSERT_TRUE(back.ok()) << *text << to_string(back.errors());
    EXPECT_EQ(*back, mapping) << *text;
  }
}

// A word of a good mapping replaced by another thing: read or refused with a place, never a crash.
RC_GTEST_PROP(TimeloopOptima, NoReplacedWordCrashesAnything, ()) {
  static const Architecture a = machine("m7_two_fan");
  static const Optimum good = optima()[1];
  static const std::vector<std::string> junk{
      "~",     "[]",   "{}",     "-1", "0", "K0", "K=4,9", "4294967296", "KK", "\"\"", "\"K=2147483647 C=2147483647\"",
      "[[K]]", "DRAM", "spatial"};
  std::string text = good.mapping;
  const std::size_t at = *rc::gen::inRange<std::size_t>(0, text.size());
  const std::size_t begin = std::min(text.find_first_not_of(" \n,:{}[]\"", at), text.size() - 1);
  const std::size_t end = std::min(text.find_first_of(" \n,:{}[]\"", begin), text.size());
  text.replace(begin, end - begin, *rc::gen::elementOf(junk));
  const Result<YamlNode> node = YamlNode::parse(text, "fuzz.yaml");
  if (!node) return;
  const Result<Mapping> mapping = read_timeloop_mapping(*node, good.workload, a);
  if (mapping) return;
  for (const Diagnostic& e : mapping.errors()) {
    RC_ASSERT(e.file == "fuzz.yaml");
    RC_ASSERT(!e.message.empty());
  }
}

}  // namespace
}  // namespace heliolite::timeloop_optima_test
