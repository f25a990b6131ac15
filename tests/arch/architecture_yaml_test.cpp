// Our architecture YAML: what each key means, and what a user is told about mistakes.
#include "arch/architecture_yaml.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "arch/check.h"
#include "arch/cost_resolver.h"
#include "arch/energy_tables.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/model/fingerprint.h"
#include "engine/model/keep.h"

namespace heliolite::architecture_yaml_test {
namespace {

using Names = std::vector<std::string>;

Result<Architecture> read(const std::string& text) {
  const Result<YamlNode> document = YamlNode::parse(text, "a.yaml");
  if (!document) return document.errors();
  const Result<ArchitectureSpec> spec = read_architecture_yaml(*document);
  if (!spec) return spec.errors();
  return resolve(*spec);
}

Architecture machine(const std::string& text) {
  const Result<Architecture> result = read(text);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : to_string(result.errors()));
  return result.ok() ? *result : Architecture{};
}

std::string complaints(const std::string& text) {
  const Result<Architecture> result = read(text);
  return result.ok() ? "" : to_string(result.errors());
}

// Two levels; `main` and `buffer` are put into the level's map, `top` into the machine's.
std::string two_levels(const std::string& buffer, const std::string& main = "",
                       const std::string& top = "energy: pat") {
  return "architecture:\n  " + top + "\n  levels:\n  - {name: Main, dram: true" + (main.empty() ? "" : ", " + main) +
         "}\n  - {name: Buf, " + buffer + "}\n";
}

StorageLevel buffer(const std::string& keys) {
  const Architecture architecture = machine(two_levels(keys));
  return architecture.levels.empty() ? StorageLevel{} : architecture.levels.front();
}

void expect_complaint(const std::string& text, const Names& parts) {
  const std::string message = complaints(text);
  EXPECT_NE(message, "") << text;
  for (const std::string& part : parts) EXPECT_NE(message.find(part), std::string::npos) << part << " in:\n" << message;
}

TEST(ArchitectureYaml, DefaultsAreOrdinary) {
  const StorageLevel level = buffer("entries: 100");
  EXPECT_EQ(level.entries, 100U);
  EXPECT_EQ(level.word_bits, 16U);
  EXPECT_EQ(level.block_words, 1U);
  EXPECT_EQ(level.cluster_size, 1U);
  EXPECT_EQ(level.multiple_buffering, 1);
  EXPECT_EQ(level.keep.keep, Names{"all"});
  EXPECT_FALSE(level.bandwidth.read);
  EXPECT_TRUE(level.loops_allowed);
  EXPECT_EQ(level.energy.read_pj, pat_sram_pj(100, 16));
}

TEST(ArchitectureYaml, LevelsReduceButDrams) {
  EXPECT_TRUE(buffer("entries: 4").reduces());
  EXPECT_FALSE(buffer("entries: 4, reduction: false").reduces());
  EXPECT_FALSE(machine(two_levels("entries: 4")).levels[1].reduces());
  EXPECT_TRUE(machine(two_levels("entries: 4", "reduction: true")).levels[1].reduces());
  expect_complaint(two_levels("entries: 4, reduction: some"), {"reduction", "some", "true or false"});
  const Architecture split = machine(two_levels(
      "buffers: [{name: A, entries: 4, keep: inputs, reduction: false}, {name: B, entries: 4, keep: weights}]"));
  for (const StorageLevel& level : split.levels) EXPECT_EQ(level.reduces(), level.name == "B") << level.name;
}

TEST(ArchitectureYaml, Capacities) {
  EXPECT_EQ(buffer("capacity: 108 KB").entries, 55296U);
  EXPECT_EQ(buffer("capacity: 108KiB").entries, 55296U);
  EXPECT_EQ(buffer("capacity: 3.1 MB").entries, 1625292U);
  EXPECT_EQ(buffer("capacity: 64 B, word_bits: 24").entries, 21U);
  EXPECT_EQ(buffer("capacity: 1 GB, word_bits: 8").entries, u64{1} << 30);
  EXPECT_EQ(buffer("capacity: unbounded, energy: 1").entries, std::nullopt);
  EXPECT_EQ(buffer("entries: 99, multiple_buffering: 2").capacity_words(), 49U);
}

TEST(ArchitectureYaml, Energies) {
  const StorageLevel explicit_level = buffer("entries: 4, energy: {read: 1, fill: 2, update: 3}");
  EXPECT_EQ(explicit_level.energy.read_pj, 1);
  EXPECT_EQ(explicit_level.energy.fill_pj, 2);
  EXPECT_EQ(explicit_level.energy.update_pj, 3);
  EXPECT_EQ(buffer("entries: 4, energy: {read: 1, write: 5}").energy.update_pj, 5);
  EXPECT_EQ(buffer("entries: 4, energy: 0.5").energy.fill_pj, 0.5);
  EXPECT_EQ(buffer("entries: 4, energy: 1, leak_pj_per_cycle: 0.25").leak_pj_per_cycle, 0.25);
}

TEST(ArchitectureYaml, TableEnergiesFollowCapacityWidthAndNode) {
  const Architecture table = machine(R"(
architecture:
  technology_nm: 32
  cycle_ns: 2
  energy: table
  levels:
  - {name: Main, dram: HBM2, block_words: 4}
  - {name: Buf, entries: 4096, block_words: 4, multiple_buffering: 2}
  - {name: Reg, entries: 10, energy: 1, leak_pj_per_cycle: table, area_um2: table}
)");
  ASSERT_EQ(table.levels.size(), 3U);
  const MemoryCost cost = memory_cost(1024, 64, 32);
  EXPECT_EQ(table.levels[1].energy.read_pj, cost.read_pj);
  EXPECT_EQ(table.levels[1].energy.fill_pj, cost.write_pj);
  EXPECT_EQ(table.levels[1].leak_pj_per_cycle, 2 * cost.leakage_mw);
  EXPECT_EQ(table.levels[1].area_um2, cost.area_um2);
  EXPECT_EQ(table.levels[2].energy.read_pj, 3.9 * 64);
  EXPECT_EQ(table.levels[0].energy.read_pj, 1);
  EXPECT_EQ(table.levels[0].area_um2, memory_cost(10, 16, 32).area_um2);
  EXPECT_EQ(table.compute.op_pj, mac_cost(16, 32).energy_pj);
  EXPECT_DOUBLE_EQ(table.area_um2(), cost.area_um2 + table.levels[0].area_um2 + mac_cost(16, 32).area_um2);
}

TEST(ArchitectureYaml, EverythingOfALevel) {
  const StorageLevel level = buffer(
      "entries: 64, block_words: 2, word_bits: 8, fanout: 4x2, energy: 1, area_um2: 12, address_generation_pj: 0.5, "
      "bandwidth: {read: 1, write: 2, shared: 3}, network: {hop_pj: 0.1, router_pj: 0.2, ingress_pj: 0.3}");
  EXPECT_EQ(level.block_words, 2U);
  EXPECT_EQ(level.word_bits, 8U);
  EXPECT_EQ(level.fanout_x, 4U);
  EXPECT_EQ(level.fanout_y, 2U);
  EXPECT_EQ(level.area_um2, 12);
  EXPECT_EQ(level.address_generation_pj, 0.5);
  EXPECT_EQ(level.bandwidth.read, 1);
  EXPECT_EQ(level.bandwidth.write, 2);
  EXPECT_EQ(level.bandwidth.shared, 3);
  EXPECT_EQ(level.network.hop_pj, 0.1);
  EXPECT_EQ(level.network.router_pj, 0.2);
  EXPECT_EQ(level.network.ingress_pj, 0.3);
}

TEST(ArchitectureYaml, InstancesFollowFromFanouts) {
  const Architecture architecture = machine(R"(
architecture:
  energy: pat
  levels:
  - {name: Main, dram: true, fanout: 2}
  - {name: L2, entries: 64, fanout: {x: 3, y: 5}}
  - {name: L1, entries: 8, cluster_size: 2, fanout: {y: 4}}
)");
  ASSERT_EQ(architecture.levels.size(), 3U);
  EXPECT_EQ(architecture.levels[1].instances, 2U);
  EXPECT_EQ(architecture.levels[0].instances, 30U);
  EXPECT_EQ(architecture.levels[0].mesh_x, 6U);
  EXPECT_EQ(architecture.compute.instances, 120U);
  EXPECT_EQ(architecture.compute.mesh_x, 6U);
}

TEST(ArchitectureYaml, KeepBypassOpen) {
  const auto rule = [](const std::string& keys) { return buffer("entries: 9, " + keys).keep; };
  EXPECT_EQ(rule("keep: outputs").keep, Names{"outputs"});
  EXPECT_EQ(rule("keep: output").bypass, Names{"all"});
  EXPECT_EQ(rule("bypass: weights").keep, Names{"all"});
  EXPECT_EQ(rule("keep: inputs, bypass: outputs").bypass, Names{"outputs"});
  EXPECT_EQ(rule("keep: [inputs, outputs], open: weights").bypass, Names{});
  EXPECT_EQ(rule("keep: outputs, open: weights").bypass, Names{"inputs"});
  EXPECT_EQ(rule("open: weights").keep, (Names{"inputs", "outputs"}));
  EXPECT_EQ(rule("open: all").keep, Names{});
  EXPECT_EQ(rule("open: all").bypass, Names{});
  EXPECT_EQ(rule("keep: A").keep, Names{"A"});
  expect_complaint(two_levels("entries: 9, keep: inputs, bypass: inputs"),
                   {"inputs is both in 'keep' and in 'bypass'"});
}

// What becomes of a GEMM's A (weights), B (inputs) and Z (outputs): k kept, b bypassed, o open.
TEST(ArchitectureYaml, ANameBeatsARoleBeatsAll) {
  const Workload gemm = load_network("gemm:2x2x2")->layers[0].workload;
  ASSERT_EQ(gemm.tensors[0].role, Role::Weight);
  const auto choices = [&](const std::string& keys) {
    const KeepRule rule = buffer("entries: 9, " + keys).keep;
    std::string out;
    for (int v = 0; v < 3; ++v) {
      const KeepChoice choice = keep_choice(rule, gemm, v);
      out += choice == KeepChoice::Keep ? 'k' : choice == KeepChoice::Bypass ? 'b' : 'o';
    }
    return out;
  };
  EXPECT_EQ(choices("bypass: all"), "bbb");
  EXPECT_EQ(choices("bypass: [all]"), "bbb");
  EXPECT_EQ(choices("keep: all"), "kkk");
  EXPECT_EQ(choices("open: all"), "ooo");
  EXPECT_EQ(choices("bypass: all, keep: outputs"), "bbk");
  EXPECT_EQ(choices("keep: all, bypass: inputs"), "kbk");
  EXPECT_EQ(choices("keep: all, bypass: A"), "bkk");
  EXPECT_EQ(choices("keep: all, open: weights"), "okk");
  EXPECT_EQ(choices("bypass: all, open: weights"), "obb");
  EXPECT_EQ(choices("bypass: all, keep: inputs, open: weights"), "okb");
  EXPECT_EQ(choices("open: all, keep: inputs"), "oko");
  EXPECT_EQ(choices("open: all, bypass: inputs"), "obo");
  EXPECT_EQ(choices("open: weights, bypass: B"), "obk");
  // The outermost level holds everything: saying so is no contradiction.
  EXPECT_EQ(complaints(two_levels("entries: 9", "keep: all")), "");
  expect_complaint(two_levels("entries: 9", "bypass: all"), {"the outermost level holds every tensor"});
}

TEST(ArchitectureYaml, LevelsWrittenInnermostFirst) {
  const std::string message = complaints(R"(
architecture:
  energy: pat
  levels:
  - {name: Reg, entries: 8, keep: outputs}
  - {name: Buf, entries: 64, fanout: 4x4, keep: [inputs, weights]}
  - {name: Main, dram: true}
)");
  EXPECT_EQ(
      message,
      "a.yaml:7: architecture.levels[2]: levels are listed outermost first, but Main is the last and Reg the first: "
      "reverse the list");
  expect_complaint(
      "architecture: {energy: pat, levels: [{name: A, entries: 8}, {name: B, capacity: unbounded, energy: 1}]}",
      {"B is the last and A the first"});
}

TEST(ArchitectureYaml, SplitLevelIsAChainWithLoopsAtTheInnermost) {
  const Architecture architecture = machine(R"(
architecture:
  energy: pat
  levels:
  - {name: Main, dram: true, fanout: 4x4}
  - name: L1
    fanout: 8
    constraints: {temporal: {factors: [R=0]}}
    buffers:
    - {name: In, entries: 12, keep: inputs}
    - {name: Out, entries: 16, keep: outputs}
    - {name: Wgt, entries: 192, keep: weights}
)");
  ASSERT_EQ(architecture.levels.size(), 4U);
  EXPECT_EQ(architecture.levels[0].name, "Wgt");
  EXPECT_EQ(architecture.levels[2].name, "In");
  EXPECT_TRUE(architecture.levels[0].loops_allowed);
  EXPECT_FALSE(architecture.levels[1].loops_allowed);
  EXPECT_FALSE(architecture.levels[2].loops_allowed);
  EXPECT_EQ(architecture.levels[0].fanout_x, 8U);
  EXPECT_EQ(architecture.levels[1].fanout_x, 1U);
  EXPECT_EQ(architecture.levels[0].constraints.temporal.factors.size(), 1U);
  EXPECT_EQ(architecture.levels[2].keep.bypass, Names{"all"});
  EXPECT_EQ(architecture.compute.instances, 128U);
}

TEST(ArchitectureYaml, SplitBuffersAreForDifferentTensors) {
  const std::string head = "architecture:\n  energy: pat\n  levels:\n  - {name: M, dram: true}\n  - buffers:\n";
  expect_complaint(head + "    - {name: A, entries: 1, keep: inputs}\n    - {name: B, entries: 1, keep: inputs}\n",
                   {"a.yaml:7", "another buffer of this level is for inputs"});
  expect_complaint(head + "    - {name: A, entries: 1}\n", {"a.yaml:6", "needs 'keep' alone"});
  expect_complaint(head + "    - {name: A, entries: 1, keep: []}\n", {"a.yaml:6", "needs a tensor in 'keep'"});
}

TEST(ArchitectureYaml, Constraints) {
  const StorageLevel level = buffer(
      "entries: 9, fanout: 16, constraints: {temporal: {factors: [R=3, C<=4, 'K >= 2', S=0], order: [R, S], allowed: "
      "[R, S, C, K]}, spatial: {factors: \"C=8\", order: [C, K], allowed_x: [input_channel], allowed_y: []}}");
  const LoopConstraints& temporal = level.constraints.temporal;
  ASSERT_EQ(temporal.factors.size(), 4U);
  EXPECT_EQ(temporal.factors[0].dimension, "R");
  EXPECT_EQ(temporal.factors[0].value, 3U);
  EXPECT_EQ(temporal.factors[1].relation, Relation::AtMost);
  EXPECT_EQ(temporal.factors[2].relation, Relation::AtLeast);
  EXPECT_EQ(temporal.factors[2].dimension, "K");
  EXPECT_EQ(temporal.factors[3].value, 0U);
  EXPECT_EQ(temporal.order, (Names{"R", "S"}));
  EXPECT_EQ(temporal.allowed->size(), 4U);
  EXPECT_EQ(level.constraints.spatial.allowed_x, Names{"input_channel"});
  EXPECT_EQ(level.constraints.spatial.allowed_y, Names{});
  EXPECT_EQ(level.constraints.spatial.factors[0].value, 8U);
}

TEST(ArchitectureYaml, LeastParallelism) {
  const auto with = [](const std::string& line) { return two_levels("entries: 9", "", "energy: pat" + line); };
  const Architecture any = machine(with("")), some = machine(with("\n  min_parallelism: 0.75"));
  EXPECT_EQ(any.min_parallelism, 0);
  EXPECT_EQ(some.min_parallelism, 0.75);
  EXPECT_EQ(machine(write_architecture(some)).min_parallelism, 0.75);
  EXPECT_NE(fingerprint(any), fingerprint(some));
  ASSERT_EQ(differences(any, some).size(), 1U);
  EXPECT_EQ(differences(any, some)[0].field, "min_parallelism");
  expect_complaint(with("\n  min_parallelism: 1.5"), {"min_parallelism = 1.5", "from 0 to 1"});
}

TEST(ArchitectureYaml, BadConstraintsAreNamed) {
  expect_complaint(two_levels("entries: 9, constraints: {temporal: {factors: [R3]}}"), {"'R3'", "<= or >="});
  expect_complaint(two_levels("entries: 9, constraints: {temporal: {factors: [C=99999999999]}}"), {"C=99999999999"});
  expect_complaint(two_levels("entries: 9, constraints: {temporal: {order: [R, R]}}"), {"R occurs twice"});
  expect_complaint(two_levels("entries: 9, fanout: 4, constraints: {spatial: {factors: [C=8]}}"),
                   {"C unrolled by 8", "4 places"});
  expect_complaint(two_levels("entries: 9, constraints: {spacial: {}}"), {"spacial", "spatial"});
}

TEST(ArchitectureYaml, AllErrorsInOneGo) {
  expect_complaint(R"(architecture:
  energy: pat
  levels:
  - {name: Main, dram: true, bandwith: 3}
  - {name: Buf, entries: 0}
  - {name: Reg, entries: 4, word_bits: many}
  compute: {energy: cheap}
  colour: red
)",
                   {"a.yaml:4", "'bandwith'", "did you mean 'bandwidth'", "a.yaml:5", "entries = 0", "a.yaml:6", "many",
                    "a.yaml:7", "cheap", "colour"});
}

TEST(ArchitectureYaml, MistakesAUserCanFixAtOnce) {
  expect_complaint("architecture: {energy: pat}\n", {"missing key 'levels'"});
  expect_complaint("architecture: {energy: pat, levels: []}\n", {"list of storage levels"});
  expect_complaint("machine: {}\n", {"missing key 'architecture'", "machine"});
  expect_complaint(two_levels("capacity: 100"), {"capacity = 100", "KB"});
  expect_complaint(two_levels("energy: 1"), {"a.yaml:5", "missing key 'entries'"});
  expect_complaint(two_levels("entries: 4, capacity: 4 KB"), {"not both"});
  expect_complaint(two_levels("entries: -4"), {"entries = -4", "from 1"});
  expect_complaint(two_levels("entries: 4", "", "description: none given"), {"missing key 'energy'"});
  expect_complaint(two_levels("entries: 4, energy: -1"), {"energy = -1"});
  expect_complaint(two_levels("entries: 4, energy: tabel"), {"tabel", "did you mean 'table'"});
  expect_complaint(two_levels("entries: 4, energy: {read: 1}"), {"give 'write'"});
  expect_complaint(two_levels("entries: 4, bandwidth: 4"), {"map of read, write or shared"});
  expect_complaint(two_levels("entries: 4, bandwidth: {read: 0}"), {"read = 0"});
  expect_complaint(two_levels("entries: 4, fanout: 3x"), {"fanout = 3x", "14x12"});
  expect_complaint(two_levels("entries: 4, fanout: 0x4"), {"fanout = 0x4"});
  expect_complaint(two_levels("entries: 4, cluster_size: 3"), {"cluster_size = 3 does not divide the 1 instances"});
  expect_complaint(two_levels("entries: 4, multiple_buffering: 8"), {"leaves no room"});
  expect_complaint(two_levels("entries: 4, energy: table"), {"technology_nm"});
  expect_complaint(two_levels("capacity: unbounded, energy: pat"), {"bounded capacity"});
  expect_complaint(two_levels("entries: 4", "keep: inputs"), {"outermost level holds every tensor"});
  expect_complaint(two_levels("entries: 4", "", "energy: table\n  technology_nm: 45"), {"need its type", "LPDDR4"});
  expect_complaint(two_levels("entries: 4", "", "energy: table\n  technology_nm: 3"), {"technology_nm = 3"});
  expect_complaint("architecture:\n  energy: pat\n  levels:\n  - {name: A, dram: DDR9}\n", {"DDR9", "DDR3"});
  expect_complaint("architecture:\n  energy: pat\n  levels:\n  - {name: A, dram: true}\n  - {name: A, entries: 2}\n",
                   {"two levels are called A"});
  expect_complaint("architecture:\n  energy: pat\n  levels:\n  - {name: A, dram: true, fanout: 1000000x1000000}\n",
                   {"instances"});
}

TEST(ArchitectureCheck, FindsWhatAReaderMightGetWrong) {
  const Architecture good = *load_architecture("simba");
  EXPECT_TRUE(check(good).empty());
  const auto broken = [&](auto change) {
    Architecture copy = good;
    change(copy);
    return to_string(check(copy));
  };
  EXPECT_NE(broken([](Architecture& a) { a.levels[0].instances = 512; }), "");
  EXPECT_NE(broken([](Architecture& a) { a.levels[1].mesh_x = 16; }), "");
  EXPECT_NE(broken([](Architecture& a) { a.compute.mesh_x = 3; }), "");
  EXPECT_NE(broken([](Architecture& a) { a.levels[2].name = "GLB"; }).find("two levels"), std::string::npos);
  EXPECT_NE(broken([](Architecture& a) { a.levels[2].energy.read_pj = -1; }).find("levels[WeightBuf]"),
            std::string::npos);
  EXPECT_NE(broken([](Architecture& a) { a.levels[2].energy.read_pj = std::nan(""); }), "");
  EXPECT_NE(broken([](Architecture& a) { a.levels.clear(); }), "");
  EXPECT_NE(broken([](Architecture& a) { a.levels.back().keep.bypass = {"weights"}; }), "");
  EXPECT_NE(broken([](Architecture& a) { a.levels.back().loops_allowed = false; }), "");
  EXPECT_NE(broken([](Architecture& a) { a.levels[0].cluster_size = 48; }), "");
  EXPECT_NE(broken([](Architecture& a) { a.levels.resize(20, a.levels.back()); }), "");
}

// Whatever is put where a value belongs, reading ends with an answer.
RC_GTEST_PROP(ArchitectureYaml, AnyScalarIsAnsweredWithoutCrashing, ()) {
  const auto key =
      *rc::gen::element<std::string>("entries", "capacity", "energy", "fanout", "bandwidth", "keep", "dram",
                                     "word_bits", "leak_pj_per_cycle", "constraints", "network", "buffers");
  const auto value = *rc::gen::element<std::string>(
      "0", "-1", "1e308", "99999999999999999999", "nan", ".inf", "x", "1x", "xx", "~", "[]", "{}", "[1, [2]]", "{a: b}",
      "true", "'4'", "4 KB", "1e30 GB", "table", "pat", "[all, inputs]", "\"\"", "1x1x1", "=");
  const Result<Architecture> result = read(two_levels((key == "entries" ? "" : "entries: 4, ") + key + ": " + value));
  if (!result.ok()) RC_ASSERT(!result.errors().empty());
}

}  // namespace
}  // namespace heliolite::architecture_yaml_test
