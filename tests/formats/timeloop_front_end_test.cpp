// What Timeloop's front end (v0.4) and Accelergy write: dumped machines, flattened machines, mappings with lines for
// fan-outs. All describe what the architecture file does, so a mapping costs the same on each.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "arch/architecture_yaml.h"
#include "engine/base/file_bytes.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_mapping.h"
#include "engine/formats/load_network.h"
#include "engine/formats/timeloop/machine.h"
#include "engine/model/cost_model.h"
#include "engine/space/mapspace.h"

namespace heliolite::timeloop_front_end_test {
namespace {

using ::testing::HasSubstr;

const std::string kData = HELIOLITE_TEST_DATA "/data/timeloop_front_end/";

// Files of kData, joined.
Architecture machine(const std::vector<std::string>& files) {
  std::string names;
  for (const std::string& file : files) names += (names.empty() ? "" : ",") + kData + file;
  const Result<Architecture> read = load_architecture(names);
  if (!read) ADD_FAILURE() << to_string(read.errors());
  return read ? *read : Architecture{};
}

// Z[M,N] = sum_K A[M,K] B[K,N].
Workload gemm() {
  const Result<Network> network = load_network("Z[M,N] += A[M,K] * B[K,N]; M=8, N=6, K=12");
  if (!network) ADD_FAILURE() << to_string(network.errors());
  return network->layers.at(0).workload;
}

// grid_map.yaml without the lines that say nothing, on the levels of grid_nodes.yaml.
constexpr const char* kByHand = R"(mapping:
- {target: Sums, type: temporal, factors: M2}
- {target: Left, type: temporal, factors: N3}
- {target: lane, type: spatial, factors: M4}
- {target: row, type: spatial, factors: K3, permutation: K, split: 0}
- {target: Shared, type: temporal, factors: K4}
- {target: Main, type: temporal, factors: N2}
)";

struct Cost {
  double pj = 0;
  u64 cycles = 0;
};

Cost cost(const Architecture& a, const std::string& mapping, const std::string& name) {
  const Workload w = gemm();
  const Result<Mapping> m = parse_mapping(mapping, name, w, a);
  if (!m) {
    ADD_FAILURE() << to_string(m.errors());
    return {};
  }
  const Breakdown breakdown = CostModel(w, a).explain(*m);
  return {breakdown.energy.picojoules(), breakdown.cycles};
}

TEST(TimeloopFrontEnd, DumpsCostWhatTheirArchitectureCosts) {
  const std::string written = *read_text_file(kData + "grid_map.yaml");
  for (const std::vector<std::string>& tables : {std::vector<std::string>{}, {"grid_ert.yaml"}}) {
    const auto with_tables = [&](const char* file) {
      std::vector<std::string> files = tables;
      files.emplace_back(file);
      return machine(files);
    };
    const Cost want = cost(with_tables("grid_nodes.yaml"), kByHand, "hand.yaml");
    EXPECT_EQ(want.cycles, 48u);
    for (const char* file : {"grid_nodes.yaml", "grid_dump.yaml", "grid_flattened.yaml"}) {
      const Cost got = cost(with_tables(file), written, "grid_map.yaml");
      EXPECT_DOUBLE_EQ(got.pj, want.pj) << file;
      EXPECT_EQ(got.cycles, want.cycles) << file;
    }
  }
}

// What does not change a number is taken, what does is refused.
std::string complaints(const std::string& from, const std::string& to, const std::string& file = "grid_nodes.yaml") {
  std::string text = *read_text_file(kData + file);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  const Result<YamlNode> changed = YamlNode::parse(text.replace(at, from.size(), to), "m.yaml");
  const Result<YamlNode> ert = YamlNode::load_file(kData + "grid_ert.yaml");
  const Result<Architecture> read = read_timeloop_architecture({*changed, *ert});
  return read ? "accepted" : to_string(read.errors());
}

TEST(TimeloopFrontEnd, ComponentsThatTimeloopPassesOver) {
  EXPECT_EQ(complaints("class: wire", "class: XY_NoC"), "accepted");
  EXPECT_EQ(complaints("class: intadder", "class: comparator"), "accepted");
  EXPECT_THAT(complaints("class: smartbuffer_SRAM", "class: scratchpad"),
              HasSubstr("class 'scratchpad' is none of the storages (DRAM, SRAM, regfile, smartbuffer, storage) or "
                        "compute units (mac, intmac, fpmac, compute), nor a name containing one; Timeloop would pass "
                        "over Shared, which has a capacity"));
  EXPECT_THAT(complaints("n_banks: 2,", "n_banks: 2, network_read: bus,"),
              HasSubstr("network 'bus' of Shared has energies in the ERT, and named networks are not modelled"));
}

TEST(TimeloopFrontEnd, TwoNamesOfOneThingMustAgree) {
  EXPECT_THAT(complaints("word_bits: 16, datawidth: 16", "word_bits: 8, datawidth: 16"),
              HasSubstr("word_bits of Shared is given twice, as word_bits and datawidth"));
  EXPECT_EQ(complaints("word_bits: 16, datawidth: 16", "word_bits: 16, word-bits: 16.0"), "accepted");
}

TEST(TimeloopFrontEnd, LeakageBehindAPowerGateIsRefused) {
  EXPECT_THAT(complaints("control_queue_depth: 4", "has_power_gating: True"),
              HasSubstr("Left leaks and is power gated at inter_row_spatial"));
  EXPECT_THAT(complaints("{type: LPDDR4,", "{has_power_gating: True, type: LPDDR4,"),
              HasSubstr("Left leaks and is power gated at Shared: leakage that follows another memory's use is not "
                        "modelled"));
  EXPECT_THAT(complaints("power_gated_at: \"Left\"", "power_gated_at: \"Shared\"", "grid_dump.yaml"),
              HasSubstr("Left leaks and is power gated at Shared"));
  EXPECT_EQ(complaints("power_gated_at: \"Sums\"", "power_gated_at: \"Shared\"", "grid_dump.yaml"), "accepted");
}

TEST(TimeloopFrontEnd, SizesOfATreeThatOnlyAccelergyInherits) {
  const std::string gating = "            has_power_gating: false\n        local:\n";
  const auto with = [&](const std::string& size) {
    return complaints(gating, "            " + size + "\n        local:\n", "grid_dump.yaml");
  };
  EXPECT_EQ(with("width: 8"), "accepted");  // all storages state their own
  EXPECT_THAT(with("datawidth: 8"),
              HasSubstr("datawidth = 8 of the subtree: Timeloop reads this on components only, and Alu has none of its "
                        "own; give it there"));
  EXPECT_THAT(with("block_size: 4"), HasSubstr("and Main has none of its own"));
}

TEST(TimeloopFrontEnd, MappingsOfFanoutsSayNothingOrAreRefused) {
  const Architecture a = machine({"grid_nodes.yaml"});
  const Workload w = gemm();
  const auto read = [&](const std::string& line) {
    const Result<Mapping> m = parse_mapping(std::string(kByHand) + "- " + line + "\n", "m.yaml", w, a);
    return m ? "accepted" : to_string(m.errors());
  };
  EXPECT_EQ(read("{target: inter_row_spatial, type: bypass, keep: [], bypass: [A, B, Z]}"), "accepted");
  EXPECT_EQ(read("{target: row, type: temporal, factors: M1 N1 K1, permutation: KNM}"), "accepted");
  EXPECT_THAT(read("{target: row, type: datatype, keep: [A]}"),
              HasSubstr("m.yaml:8: mapping[6].keep: a fan-out is no memory and keeps nothing"));
  EXPECT_THAT(read("{target: row, type: datatype, bypass: [C]}"), HasSubstr("unknown tensor 'C'"));
  EXPECT_THAT(read("{target: row, type: temporal, factors: M2}"), HasSubstr("M=2: a fan-out has no temporal loops"));
  EXPECT_THAT(read("{target: row, type: temporal, permutation: KNJ}"), HasSubstr("unknown dimension 'J'"));
  EXPECT_THAT(read("{target: rov, type: temporal}"),
              HasSubstr("target = rov, must be lane, row, Sums, Left, inter_lane_spatial, Shared or Main, did you "
                        "mean 'row'?"));
}

// [C, M] with a split of 1 in a file for the front end: other dimensions that the constraint holds at 1 take X.
TEST(TimeloopFrontEnd, UnitLoopsStandBeforeTheOthersInASplit) {
  const std::string nodes = *read_text_file(kData + "grid_nodes.yaml");
  const std::string lane = "permutation: [M, N, K], split: 3, factors: [K=1]";
  const std::size_t at = nodes.find(lane);
  ASSERT_NE(at, std::string::npos);
  const auto with = [&](const std::string& constraint, const std::string& switches) {
    const std::string text = std::string(nodes).replace(at, lane.size(), constraint) + switches;
    return read_timeloop_architecture({*YamlNode::parse(text, "m.yaml")}).value();
  };
  const Workload w = gemm();
  const auto outside = [&](const Architecture& a) {
    return to_string(violations(*resolve(w, a), *parse_mapping(kByHand, "hand.yaml", w, a)));
  };
  EXPECT_EQ(outside(with(lane, "")), "");
  // The mapping sends M to X, but K = 1 stands before M.
  const std::string partial = "permutation: [M, N], split: 1, factors: [K=1]";
  EXPECT_THAT(outside(with(partial, "")),
              HasSubstr("level 'inter_lane_spatial', spatial X: M = 4, may not be unrolled here"));
  EXPECT_EQ(outside(with(partial, "heliolite: {unit_loops: as_written}\n")), "");
  EXPECT_EQ(outside(with("permutation: [M, N], split: 2, factors: [K=1]", "")), "");

  // Mapping files are read in the same way.
  const auto nest_of = [&](const std::string& line, const Architecture& a) {
    std::string text = kByHand;
    const std::string row = "{target: row, type: spatial, factors: K3, permutation: K, split: 0}";
    text.replace(text.find(row), row.size(), line);
    const Result<Mapping> m = parse_mapping(text, "hand.yaml", w, a);
    return m ? "accepted" : to_string(m.errors());
  };
  const std::string line = "{target: row, type: spatial, factors: [K=3, M=1], permutation: [K], split: 1}";
  EXPECT_EQ(nest_of(line, with(lane, "")), "accepted");  // M K: K goes to Y
  EXPECT_THAT(nest_of(line, with(lane, "heliolite: {unit_loops: as_written}\n")),
              HasSubstr("factors along X need 3, the fan-out below"));
}

TEST(TimeloopFrontEnd, SplitsSurviveOurOwnFormat) {
  const Architecture a = machine({"grid_nodes.yaml"});
  const Result<YamlNode> written = YamlNode::parse(write_architecture(a), "own.yaml");
  const Result<ArchitectureSpec> spec = read_architecture_yaml(*written);
  ASSERT_TRUE(spec.ok()) << to_string(spec.errors());
  const Result<Architecture> back = resolve(*spec);
  ASSERT_TRUE(back.ok()) << to_string(back.errors());
  EXPECT_TRUE(back->unit_loops_first);
  ASSERT_EQ(back->levels.size(), a.levels.size());
  for (std::size_t i = 0; i < a.levels.size(); ++i)
    EXPECT_EQ(back->levels[i].constraints.spatial.split, a.levels[i].constraints.spatial.split);
  EXPECT_EQ(a.levels[3].constraints.spatial.split, 0u);
}

TEST(TimeloopFrontEnd, FlattenedByAccelergysFirstVersionsIsRefusedByName) {
  const Result<YamlNode> file = YamlNode::parse("flattened_architecture: {version: 0.2, components: {}}", "f.yaml");
  ASSERT_TRUE(is_timeloop_architecture(*file));
  const Result<Architecture> read = read_timeloop_architecture({*file});
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(to_string(read.errors()), HasSubstr("the order of the memories is lost"));
}

}  // namespace
}  // namespace heliolite::timeloop_front_end_test
