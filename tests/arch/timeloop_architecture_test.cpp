// Machines in Timeloop's formats: the numbers are Timeloop's, and what is not understood is an error that says so.
#include "arch/timeloop_architecture.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/text_file.h"

namespace heliolite::timeloop_architecture_test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kData = HELIOLITE_TEST_DATA "/data/timeloop/";

Architecture load(const std::vector<std::string>& files) {
  std::vector<YamlNode> documents;
  for (const std::string& file : files) {
    const Result<YamlNode> document = YamlNode::load_file(kData + file);
    if (document) documents.push_back(*document);
    else ADD_FAILURE() << to_string(document.errors());
  }
  const Result<Architecture> machine = read_timeloop_architecture(documents);
  if (!machine) ADD_FAILURE() << to_string(machine.errors());
  return machine ? *machine : Architecture{};
}

Result<Architecture> parse(const std::string& text) {
  const Result<YamlNode> document = YamlNode::parse(text, "m.yaml");
  if (!document) return document.errors();
  return read_timeloop_architecture({*document});
}

std::string complaints(const std::string& text) {
  const Result<Architecture> machine = parse(text);
  return machine ? "accepted" : to_string(machine.errors());
}

// ---- the recorded machines: expected_machines.json was computed by the executable specification of the cost model

std::optional<double> number(const json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

void expect_level(const StorageLevel& level, const json& want, const std::string& where) {
  EXPECT_EQ(level.name, want["name"]) << where;
  EXPECT_EQ(level.fanout_x, want["fan_x"]) << where;
  EXPECT_EQ(level.fanout_y, want["fan_y"]) << where;
  EXPECT_EQ(level.instances, want["instances"]) << where;
  EXPECT_EQ(level.block_words, want["block"]) << where;
  EXPECT_EQ(level.cluster_size, want["cluster"]) << where;
  const json capacity = level.capacity_words() ? json(*level.capacity_words()) : json();
  EXPECT_EQ(capacity, want["capacity"]) << where;
  EXPECT_EQ(level.energy.read_pj, want["energy"]["read"]) << where;
  EXPECT_EQ(level.energy.fill_pj, want["energy"]["fill"]) << where;
  EXPECT_EQ(level.energy.update_pj, want["energy"]["update"]) << where;
  EXPECT_EQ(level.leak_pj_per_cycle, want["energy"]["leak"]) << where;
  EXPECT_EQ(level.bandwidth.read, number(want["read_bw"])) << where;
  EXPECT_EQ(level.bandwidth.write, number(want["write_bw"])) << where;
  EXPECT_EQ(level.bandwidth.shared, number(want["shared_bw"])) << where;
  EXPECT_EQ(level.is_dram, want["dram"]) << where;
  EXPECT_EQ(level.network.hop_pj, want["hop"]) << where;
  EXPECT_EQ(level.network.router_pj, want["router"]) << where;
  EXPECT_EQ(level.network.ingress_pj, want["ingress"]) << where;
  EXPECT_EQ(level.address_generation_pj, want["addr_gen"]) << where;
}

TEST(TimeloopArchitecture, RecordedMachinesHaveTimeloopsNumbers) {
  std::ifstream file(kData + "expected_machines.json");
  const json expected = json::parse(file);
  EXPECT_EQ(expected.size(), 13u);
  for (const auto& [name, want] : expected.items()) {
    const Architecture machine = load({name + ".yaml"});
    EXPECT_EQ(machine.name, name);
    EXPECT_TRUE(machine.one_axis_per_dimension);
    EXPECT_EQ(machine.compute.name, want["mac_name"]);
    EXPECT_EQ(machine.compute.op_pj, want["mac_energy"]);
    ASSERT_EQ(machine.levels.size(), want["levels"].size()) << name;
    for (std::size_t i = 0; i < machine.levels.size(); ++i)
      expect_level(machine.levels[i], want["levels"][i], name + " " + machine.levels[i].name);
  }
}

// ---- v0.3

TEST(TimeloopArchitecture, TreeWithRangesAndOldSpellings) {
  const Architecture a = load({"small_tree.yaml"});
  ASSERT_EQ(a.levels.size(), 4u);
  const StorageLevel &local = a.levels[0], &column = a.levels[1], &shared = a.levels[2], &main = a.levels[3];
  EXPECT_EQ(local.name, "Local");
  EXPECT_EQ(local.instances, 12u);
  EXPECT_EQ(local.mesh_x, 4u);
  EXPECT_EQ(local.cluster_size, 2u);
  EXPECT_EQ(local.block_words, 1u);  // 32 bits = 16 x 1 x 2
  EXPECT_EQ(local.entries, 24u);
  EXPECT_EQ(column.instances, 4u);
  EXPECT_EQ(column.fanout_x, 1u);
  EXPECT_EQ(column.fanout_y, 3u);
  EXPECT_EQ(shared.fanout_x, 4u);
  EXPECT_EQ(shared.entries, 768u * 4);
  EXPECT_EQ(shared.capacity_words(), 768u * 2);
  EXPECT_EQ(shared.network.hop_pj, 0.05);
  EXPECT_EQ(main.block_words, 4u);
  EXPECT_EQ(main.bandwidth.read, 4.0);
  EXPECT_EQ(main.bandwidth.write, 4.0);
  EXPECT_TRUE(main.is_dram);
  EXPECT_FALSE(shared.is_dram);
  EXPECT_EQ(a.compute.instances, 12u);
  EXPECT_EQ(a.compute.op_pj, 1.0);
}

TEST(TimeloopArchitecture, ListsOfConstraintTargets) {
  const Architecture a = load({"small_tree.yaml"});
  ASSERT_EQ(a.levels.size(), 4u);
  const LevelConstraints& shared = a.levels[2].constraints;
  EXPECT_THAT(shared.spatial.order, ElementsAre("N", "C", "P", "R", "S", "Q", "M"));
  EXPECT_EQ(shared.spatial.split, 7u);
  EXPECT_EQ(shared.spatial.factors.size(), 5u);
  EXPECT_THAT(a.levels[2].keep.keep, ElementsAre("Inputs", "Outputs"));
  EXPECT_THAT(a.levels[2].keep.bypass, ElementsAre("Weights"));
  const LevelConstraints& column = a.levels[1].constraints;
  EXPECT_EQ(column.spatial.split, 4u);
  EXPECT_FALSE(a.unit_loops_first);
  EXPECT_THAT(column.spatial.order, ElementsAre("N", "P", "Q", "R", "S", "C", "M"));
  const LoopConstraints& local = a.levels[0].constraints.temporal;
  EXPECT_THAT(local.order, ElementsAre("C", "M"));
  ASSERT_EQ(local.factors.size(), 6u);
  EXPECT_EQ(local.factors[3].relation, Relation::AtMost);
  EXPECT_EQ(local.factors[3].value, 8u);
  EXPECT_EQ(local.factors[4].relation, Relation::AtLeast);
  EXPECT_EQ(local.factors[5].dimension, "R");
  EXPECT_EQ(local.factors[5].value, 0u);  // the whole dimension
  EXPECT_THAT(a.levels[3].constraints.temporal.order, ElementsAre("Q", "P"));
}

// ---- v0.4

TEST(TimeloopArchitecture, NodesWithExpressionsAndFanouts) {
  const Architecture a = load({"small_nodes.yaml"});
  std::vector<std::string> names;
  for (const StorageLevel& level : a.levels) names.push_back(level.name);
  ASSERT_THAT(names, ElementsAre("OutputReg", "WeightReg", "InputReg", "inter_PE_spatial", "Shared", "Main"));
  const StorageLevel &output = a.levels[0], &pe = a.levels[3], &shared = a.levels[4], &main = a.levels[5];
  EXPECT_EQ(main.word_bits, 16u);  // inherited, and a variable
  EXPECT_EQ(main.block_words, 4u);
  EXPECT_EQ(main.bandwidth.shared, 8.0);
  EXPECT_EQ(shared.entries, 768u * 4);
  EXPECT_EQ(shared.bandwidth.read, 8.0);
  EXPECT_EQ(shared.fanout_x, 4u);
  EXPECT_EQ(shared.fanout_y, 1u);
  EXPECT_EQ(shared.fanout_name, "Column");
  EXPECT_EQ(shared.network.hop_pj, 0.05);  // of the container whose fan-out it carries
  EXPECT_EQ(main.network.hop_pj, 0.0);
  EXPECT_EQ(pe.fanout_x, 1u);
  EXPECT_EQ(pe.fanout_y, 3u);
  EXPECT_EQ(pe.instances, 4u);
  EXPECT_EQ(pe.fanout_name, "PE");
  EXPECT_FALSE(pe.loops_allowed);
  EXPECT_EQ(pe.energy.read_pj, 0.0);
  EXPECT_THAT(pe.keep.bypass, ElementsAre("all"));
  EXPECT_EQ(output.instances, 12u);
  EXPECT_EQ(output.energy.read_pj, 0.25);
  EXPECT_EQ(output.fanout_x, 2u);
  EXPECT_EQ(output.fanout_name, "Mac");
  EXPECT_EQ(a.compute.instances, 24u);
  EXPECT_EQ(a.compute.mesh_x, 8u);
  EXPECT_EQ(a.cycle_ns, 1.0);
}

TEST(TimeloopArchitecture, NodesCarryTheirConstraints) {
  const Architecture a = load({"small_nodes.yaml"});
  ASSERT_EQ(a.levels.size(), 6u);
  EXPECT_EQ(a.levels[4].constraints.spatial.split, 7u);
  EXPECT_EQ(a.levels[3].constraints.spatial.split, 4u);
  EXPECT_TRUE(a.unit_loops_first);  // as the front end reads them
  // Branches of !Parallel: the others' tensors pass by.
  EXPECT_THAT(a.levels[2].keep.keep, ElementsAre("Inputs"));
  EXPECT_THAT(a.levels[2].keep.bypass, ElementsAre("Weights", "Outputs"));
  EXPECT_THAT(a.levels[1].keep.bypass, ElementsAre("Inputs", "Outputs"));
  EXPECT_THAT(*a.levels[2].constraints.temporal.allowed, ElementsAre("C"));
  EXPECT_THAT(a.levels[0].keep.keep, ElementsAre("Outputs"));
  EXPECT_THAT(a.levels[0].keep.bypass, ElementsAre("all"));
  EXPECT_THAT(*a.levels[0].constraints.temporal.allowed, ElementsAre("M"));
  EXPECT_EQ(a.levels[0].constraints.spatial.factors.size(), 2u);  // by the owner's name, Mac
}

constexpr const char* kNodes = R"(architecture:
  nodes:
  - !Component {name: Main, class: DRAM, attributes: {width: 64, datawidth: 16}}
  - !Component
    name: Buf
    class: SRAM
    attributes: {depth: 4096, width: 64, datawidth: 16, read_bandwidth: 8, write_bandwidth: 8}
    constraints: {dataspace: {keep: [A, Z], bypass: [B]}}
  - !Container
    name: Lane
    spatial: {meshX: 8}
    constraints: {spatial: {permutation: [N, M, K], factors: [K=1, N<=8], split: 3}}
  - !Component {name: Reg, class: regfile, attributes: {depth: 16, width: 16, datawidth: 16}}
  - !Component {name: Alu, class: intmac, attributes: {multiplier_width: 16, adder_width: 32}}
)";

TEST(TimeloopArchitecture, OneFanoutBetweenTwoMemoriesNeedsNoLevelOfItsOwn) {
  const Result<Architecture> a = parse(kNodes);
  ASSERT_TRUE(a.ok()) << to_string(a.errors());
  ASSERT_EQ(a->levels.size(), 3u);
  EXPECT_EQ(a->levels[1].fanout_x, 8u);
  EXPECT_EQ(a->levels[1].fanout_name, "Lane");
  EXPECT_EQ(a->levels[0].energy.read_pj, (1.0 + (16.0 * 16 / 8192 - 0.5) * 5.0 / 99.5));
}

TEST(TimeloopArchitecture, NetworkEnergiesKeepAFanoutApartFromItsStorage) {
  std::string text = kNodes;
  text.replace(text.find("{depth: 4096,"), 13, "{depth: 4096, router_energy: 0.5,");
  text.replace(text.find("name: Lane"), 10, "name: Lane\n    attributes: {energy-per-ingress: 0.25}");
  const Result<Architecture> a = parse(text);
  ASSERT_TRUE(a.ok()) << to_string(a.errors());
  ASSERT_EQ(a->levels.size(), 4u);
  EXPECT_EQ(a->levels[1].name, "inter_Lane_spatial");
  EXPECT_EQ(a->levels[1].network.ingress_pj, 0.25);
  EXPECT_EQ(a->levels[2].network.router_pj, 0.5);
  EXPECT_EQ(a->levels[2].fanout_x, 1u);
  EXPECT_EQ(a->levels[0].network.ingress_pj, 0.25);  // containers hand their attributes down
}

// ---- tables

TEST(TimeloopArchitecture, UserEnergyBeatsTableBeatsBuiltIn) {
  const Architecture tree = load({"small_tree.yaml", "small_tables.yaml"});
  ASSERT_EQ(tree.levels.size(), 4u);
  EXPECT_EQ(tree.levels[3].energy.read_pj, 512.0);
  EXPECT_EQ(tree.levels[3].energy.fill_pj, 500.0);
  EXPECT_EQ(tree.levels[3].energy.update_pj, 500.0);
  EXPECT_EQ(tree.levels[2].energy.read_pj, 7.5);  // the dearest arguments
  EXPECT_EQ(tree.levels[2].energy.fill_pj, 8.5);
  EXPECT_EQ(tree.levels[2].energy.update_pj, 9.5);
  EXPECT_EQ(tree.levels[2].leak_pj_per_cycle, 0.01);
  EXPECT_EQ(tree.levels[2].area_um2, 50000.0);
  EXPECT_EQ(tree.levels[0].energy.read_pj, 1.5);  // no such action: the dearest, over the cluster
  EXPECT_EQ(tree.levels[0].leak_pj_per_cycle, 0.5);
  EXPECT_GT(tree.levels[1].energy.read_pj, 0.9);  // not in the table: built in
  EXPECT_EQ(tree.compute.op_pj, 2.25);
  EXPECT_EQ(tree.compute.area_um2, 300.5);
  const Architecture nodes = load({"small_tables.yaml", "small_nodes.yaml"});
  ASSERT_EQ(nodes.levels.size(), 6u);
  EXPECT_EQ(nodes.levels[0].energy.read_pj, 0.25);  // vector_access_energy
  EXPECT_EQ(nodes.levels[0].leak_pj_per_cycle, 0.0);
}

TEST(TimeloopArchitecture, KnowsItsOwnKind) {
  const auto is = [](const char* text) { return is_timeloop_architecture(*YamlNode::parse(text, "x.yaml")); };
  EXPECT_TRUE(is("architecture: {storage: [], arithmetic: {}}"));
  EXPECT_TRUE(is("architecture: {version: 0.3, subtree: []}"));
  EXPECT_TRUE(is("architecture: {nodes: []}"));
  EXPECT_FALSE(is("architecture: {levels: []}"));
  EXPECT_FALSE(is("architecture: eyeriss"));
  EXPECT_FALSE(is("ERT: {tables: []}"));
  EXPECT_FALSE(is("[1, 2]"));
}

// ---- bad input

// A flat machine with one thing different.
std::string flat(const std::string& storage, const std::string& arithmetic = "name: MAC, instances: 8, meshX: 4") {
  return "architecture:\n  arithmetic: {" + arithmetic + "}\n  storage:\n  - {" + storage +
         "}\n  - {name: DRAM, technology: DRAM, instances: 1}\n";
}

const std::string kReg = "name: L1, entries: 16, instances: 8, meshX: 4";

struct Bad {
  std::string text;
  std::string message;
};

void expect_complaints(const std::vector<Bad>& cases) {
  for (const Bad& bad : cases) {
    const std::string got = complaints(bad.text);
    EXPECT_THAT(got, HasSubstr(bad.message)) << bad.text;
  }
}

TEST(TimeloopArchitectureErrors, Flat) {
  ASSERT_EQ(complaints(flat(kReg)), "accepted");
  expect_complaints({
      {flat(kReg + ", bandwith: 4"),
       "m.yaml:4: architecture.storage[0]: attribute 'bandwith' of L1 is not understood, "
       "did you mean 'bandwidth'?"},
      {flat(kReg + ", colour: red"),
       "attribute 'colour' of L1 is not understood; understood are class, technology, word_bits"},
      {flat("entries: 4, instances: 8"), "missing key 'name'"},
      {flat("name: L1, entries: 4"), "L1 needs instances, or meshX and meshY"},
      {flat("name: L1, entries: -4, instances: 8, meshX: 4"), "entries of L1 = -4, must be an integer from 1 to"},
      {flat("name: L1, entries: 0, instances: 8, meshX: 4"), "entries of L1 = 0, must be an integer from 1 to"},
      {flat("name: L1, entries: 1.5, instances: 8, meshX: 4"), "entries of L1 = 1.5, must be an integer"},
      {flat("name: L1, entries: many, instances: 8, meshX: 4"), "many: unknown name 'many'"},
      {flat(kReg + ", sizeKB: 1"), "L1 has several of entries, size, depth and sizeKB; give one"},
      {flat(kReg + ", word_bits: 0"), "word_bits of L1 = 0, must be an integer from 1 to 1024"},
      {flat(kReg + ", width: 24"),
       "width = 24 of L1 must be a multiple of word_bits x block_size x cluster_size = 16 x "
       "1 x 1"},
      {flat(kReg + ", width: 64, block_size: 2, cluster_size: 1"), "width = 64 of L1 must be"},
      {flat(kReg + ", block_size: 2, block-size: 4"), "block_size is given twice, as block_size and block-size"},
      {flat(kReg + ", word_bits: 8, datawidth: 16"), "word_bits of L1 is given twice, as word_bits and datawidth"},
      {flat(kReg + ", read_bandwidth: 0"), "read_bandwidth of L1 = 0, must be from"},
      {flat(kReg + ", vector_access_energy: -1"), "vector_access_energy of L1 = -1, must be from 0 to"},
      {flat(kReg + ", meshY: 3"), "8 instances of L1 are not meshX x meshY = 4 x 3"},
      {flat("name: L1, entries: 16, instances: 3"), "L1 of 3 x 1 instances (meshX x meshY) do not divide MAC of 4 x 2"},
      {flat(kReg + ", cluster_size: 3"), "cluster_size = 3 does not divide the 8 instances"},
      {flat(kReg + ", min_utilization: 0.5"), "min_utilization = 0.5 of L1: a least utilization of a memory cannot"},
      {flat(kReg + ", compression_supported: True"),
       "with --sparse ignore, map, eval, explain and space read it as a dense one"},
      {flat(kReg + ", network_fill_latency: 5"), "fill and drain latencies are not modelled"},
      {flat(kReg + ", wire_energy: 0.1"), "give energy_per_hop (pJ) instead"},
      {flat(kReg + ", network-type: \"M:N\""), "only 1:1 and 1:N are modelled"},
      {flat("name: DRAM, entries: 16, instances: 8, meshX: 4"), "two levels are called DRAM"},
      {flat(kReg, "name: MAC"), "MAC needs instances"},
      {flat(kReg, "name: MAC, instances: 8, meshX: 4, colour: 1"), "attribute 'colour' of MAC is not understood"},
      {"architecture: {arithmetic: {name: MAC, instances: 1}}\n", "missing key 'storage'"},
      {"architecture: {arithmetic: {name: MAC, instances: 1}, storage: {}}\n", "must be a list of storages"},
      {"architecture: {arithmetic: {name: MAC, instances: 1}, storage: []}\n", "at least one storage level"},
      {"architecture: {arithmetic: 4, storage: [3]}\n", "must be a map {name, instances"},
  });
}

TEST(TimeloopArchitectureErrors, HarmlessKeysAreAccepted) {
  EXPECT_EQ(complaints(flat(kReg + ", num_ports: 2, num-banks: 8, technology: 45nm, network-word-bits: 16, "
                                   "allow_overbooking: False, metadata_datawidth: 0, reduction_supported: yes, "
                                   "min_utilization: 0, network-type: \"1:N\"")),
            "accepted");
}

TEST(TimeloopArchitectureErrors, ManyAtOnceInOneGo) {
  const std::string all = complaints(flat(kReg + ", colour: 1, word_bits: 0", "name: MAC, instances: x"));
  EXPECT_THAT(all, HasSubstr("colour"));
  EXPECT_THAT(all, HasSubstr("word_bits of L1 = 0"));
  EXPECT_THAT(all, HasSubstr("unknown name 'x'"));
}

std::string tree(const std::string& local, const std::string& name = "PE[0..3]") {
  return "architecture:\n  version: 0.3\n  subtree:\n  - name: chip\n    local:\n"
         "    - {name: DRAM, class: DRAM, attributes: {word_bits: 16}}\n    subtree:\n    - name: " +
         name + "\n      local:\n" + local + "      - {name: mac, class: intmac}\n";
}

TEST(TimeloopArchitectureErrors, Tree) {
  ASSERT_EQ(complaints(tree("")), "accepted");
  const std::string doubled = "architecture: {version: 0.3, subtree: [{name: a}, {name: b}]}\n";
  expect_complaints({
      {tree("", "PE[0..x]"),
       "m.yaml:8: architecture.subtree[0].subtree[0].name: name = PE[0..x], must be a name, or one "
       "with a range such as PE[0..167]"},
      {tree("", "PE[3..0]"), "must be a name, or one with a range"},
      {tree("", "PE[0..99999999999]"), "must be a name, or one with a range"},
      {tree("      - {name: fifo, class: queue, attributes: {depth: 4}}\n"), "class 'queue' is none of the storages"},
      {tree("      - {name: x}\n"), "missing key 'class'"},
      {tree("      - {name: x, class: SRAM, atributes: {}}\n"), "unknown key 'atributes', did you mean 'attributes'?"},
      {tree("      - {name: x, class: SRAM, attributes: {dept: 4}}\n"),
       "'dept' of x is not understood, did you mean 'depth'"},
      {tree("      - {name: m2, class: mac}\n"), "mac is a second compute unit"},
      {doubled, "subtree must be a list of one element"},
      {"architecture: {version: 0.3, subtree: [{name: a, attributes: {colour: 8}}]}\n",
       "attribute 'colour' of the subtree is not understood"},
      {"architecture: {version: 0.3, subtree: [{name: a}]}\n", "no compute unit"},
      {"architecture: {version: 0.9, subtree: [{name: a}]}\n", "version = 0.9, must be from 0.1 to 0.4"},
      {tree("      - {name: d, class: DRAM, attributes: {cluster-size: 4}}\n"), "is a DRAM and cannot be shared"},
  });
}

// kNodes with `from` replaced by `to`.
std::string nodes(const std::string& from, const std::string& to) {
  std::string text = kNodes;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(TimeloopArchitectureErrors, Nodes) {
  const std::string alu = "- !Component {name: Alu";
  expect_complaints({
      {nodes("!Container", "!Containr"),
       "m.yaml:9: architecture.nodes[2]: tag !Containr, must be !Container, !Component"},
      {nodes("!Container", ""), "a node without a tag, must be"},
      {nodes("{meshX: 8}", "{meshX: lanes}"), "lanes: unknown name 'lanes'"},
      {nodes("{meshX: 8}", "{meshX: 8 / 3}"), "meshX of Lane = 8 / 3, must be an integer"},
      {nodes("{meshX: 8}", "{meshX: 0}"), "meshX of Lane = 0, must be an integer from 1"},
      {nodes("{meshX: 8}", "{meshx: 8}"), "attribute 'meshx' of Lane is not understood, did you mean 'meshX'?"},
      {nodes("depth: 4096", "depth: \"{{ depth }}\""), "templates ({{..}}, {%..%}) are not expanded"},
      {nodes("class: SRAM", "class: cache"), "class 'cache' is none of the storages"},
      {nodes("class: SRAM", "klass: SRAM"), "unknown key 'klass'"},
      {nodes("name: Lane", "name: Lane\n    attributes: {colour: 2}"),
       "attribute 'colour' of Lane is understood by no component inside it"},
      {nodes("name: Lane", "name: Lane\n    networks: [{name: n}]"), "networks are not supported"},
      {nodes("name: Lane", "name: Lane\n    enabled: 1"), "unknown key 'enabled'"},
      {nodes("dataspace: {keep: [A, Z]", "dataspace: {keep: [A, B]"), "B is both kept and bypassed"},
      {nodes("dataspace: {keep: [A, Z]", "dataspace: {no_coalesce: [A]"),
       "no_coalesce: changes how accesses are counted"},
      {nodes("K=1, N<=8", "K=1, N<=0"), "'N<=0' must be at least 1"},
      {nodes("K=1, N<=8", "K=16"), "K unrolled by 16, but the fan-out has 8 places"},
      {nodes("split: 3", "split: -1"), "split = -1, must be an integer of at least 0"},
      {std::string(kNodes) + "constraints: [{target: Lane, type: spatial, split: 2}]\n",
       "split = 2, but an earlier constraint says 3"},
      {std::string(kNodes) + "heliolite: {unit_loops: last}\n", "unit_loops"},
      {nodes("split: 3", "no_reuse: [A]"), "no_reuse: changes how accesses are counted"},
      {nodes("split: 3", "maximize_dims: [[K]]"), "maximize_dims: depends on the workload"},
      {nodes("split: 3", "default_max_factor: 4"), "default_max_factor = 4: only 1 can be expressed"},
      {nodes("split: 3", "splitt: 3"), "unknown key 'splitt', did you mean 'split'?"},
      {nodes("constraints: {spatial", "constraints: {temporal: {factors: [K=2]}, spatial"),
       "a container has no loops to constrain"},
      {nodes(alu, "- !Container {name: c, spatial: {meshX: 2}}\n  - !Component {name: Alu, enabled: False"),
       "no compute unit"},
      {nodes(alu, "- !Component {name: Alu, energy_scale: 2"), "energy_scale = 2 of Alu is Accelergy's"},
      {nodes(alu, "- !Component {name: Alu, sparse_optimizations: {a: 1}"),
       "with --sparse ignore, map, eval, explain and space read it as a dense one"},
      {nodes(alu, "- !Parallel {nodes: [!Component {name: P, class: SRAM, attributes: {depth: 1}}]}\n  " + alu),
       "a branch of !Parallel must say what it keeps"},
      {"architecture:\n  nodes:\n  - !Container {name: c, spatial: {meshX: 2}}\n  - !Component {name: m, class: mac}\n",
       "c fans out above the first storage"},
      {std::string(kNodes) + "  - !Component {name: Late, class: SRAM, attributes: {depth: 1}}\n",
       "comes after the compute unit"},
      {std::string(kNodes).replace(0, 14, "architecture:\n  version: 0.3\n"),
       "version = 0.3, must be 0.4 where there are nodes"},
  });
}

TEST(TimeloopArchitectureErrors, ConstraintTargets) {
  const auto with = [](const std::string& list) { return flat(kReg) + "constraints: {targets: [" + list + "]}\n"; };
  ASSERT_EQ(complaints(with("{target: L1, type: temporal, factors: K4}")), "accepted");
  ASSERT_EQ(complaints(with("{target: 0, type: temporal, factors: K4}")), "accepted");
  ASSERT_EQ(complaints(with("{target: L1, type: utilization, min: 0}")), "accepted");
  expect_complaints({
      {with("{target: L2, type: temporal}"),
       "m.yaml:6: constraints.targets[0].target: target = L2, must be L1 or DRAM"},
      {with("{type: temporal}"), "missing key 'target'"},
      {with("{target: L1}"), "missing key 'type'"},
      {with("{target: L1, type: temporary}"), "type = temporary, must be temporal, spatial, dataspace"},
      {with("{target: L1, type: temporal, split: 3}"), "unknown key 'split'"},
      {with("{target: L1, type: utilization, min: 0.5}"), "a least utilization cannot be demanded of mappings"},
      {with("{target: L1, type: max_overbooked_proportion, proportion: 0.5}"), "tiles larger than the memory"},
      {with("{target: L1, type: temporal, factors: K4}, {target: L1, type: temporal, factors: K=2}"),
       "K=2, but an earlier constraint says K=4"},
      {with("{target: L1, type: temporal, permutation: KC}, {target: L1, type: temporal, permutation: CK}"),
       "but an earlier constraint says K then C"},
      {with("{target: L1, type: temporal, factors: \"K=4,2\"}"), "a constraint cannot fix a residual"},
      {with("{target: L1, type: temporal, no_temporal_reuse: [A]}"), "changes how accesses are counted"},
      {with("{target: DRAM, type: bypass, bypass: [A]}"), "the outermost level holds every tensor"},
      {with("5"), "must be a constraint {target, type, ..}"},
      {flat(kReg) + "constraints: 5\n", "must be a list of constraints"},
  });
}

TEST(TimeloopArchitectureErrors, Files) {
  expect_complaints({
      {flat(kReg) + "sparse_optimizations: {targets: [1]}\n",
       "with --sparse ignore, map, eval, explain and space read it as a dense one"},
      {flat(kReg) + "ERT_summary: {}\n", "'ERT_summary' is a summary for reading; give the ERT or ART file itself"},
      {flat(kReg) + "archtecture_constraints: []\n",
       "unknown key 'archtecture_constraints', did you mean 'architecture_constraints'?"},
      {flat(kReg) + "ERT: {tables: [{name: x.L3, actions: [{name: read, energy: 1}]}]}\n",
       "the table names L3, but none of the machine's L1, DRAM and MAC"},
      {flat(kReg) + "ERT: {tables: [{name: x.L1, actions: [{name: read, energy: 1}]}, "
                    "{name: x.wire, actions: [{name: transfer_random, energy: 1}]}]}\n",
       "wires are not floorplanned here"},
      {"ERT: {tables: []}\n", "no 'architecture': the files describe no machine"},
      {"architecture: {levels: []}\n", "must have arithmetic and storage, a subtree (v0.3), or nodes (v0.4)"},
      {"architecture: 3\n", "must have arithmetic and storage"},
      {"[1, 2]\n", "must be a map with keys such as architecture"},
  });
  EXPECT_FALSE(read_timeloop_architecture({}).ok());
  const Result<YamlNode> one = YamlNode::parse(flat(kReg), "m.yaml");
  const Result<Architecture> twice = read_timeloop_architecture({*one, *one});
  EXPECT_THAT(to_string(twice.errors()), HasSubstr("a second 'architecture', the first is m.yaml:"));
  EXPECT_EQ(
      complaints(
          flat(kReg) +
          "defaults_ignore: {a: 1}\nproblem: {}\nmapper: {}\nmapping: []\ncomponents: {}\nsparse_optimizations: []\n"),
      "accepted");
}

// Timeloop's first files in YAML: `arch`, a compute unit without a name, constraints under `mapspace`.
TEST(TimeloopArchitecture, ReadsTheOldestKeys) {
  const auto machine = parse(
      "arch:\n  arithmetic: {instances: 4, meshX: 4, word-bits: 8}\n  storage:\n"
      "  - {name: Buf, entries: 64, instances: 1, word-bits: 8}\n  - {name: Main, technology: DRAM, instances: 1}\n"
      "mapspace:\n  constraints:\n  - {target: Buf, type: datatype, keep: [Outputs], bypass: [Weights]}\n");
  ASSERT_TRUE(machine.ok()) << to_string(machine.errors());
  EXPECT_EQ(machine->compute.instances, 4U);
  EXPECT_THAT(machine->levels[0].keep.keep, ElementsAre("Outputs"));
  EXPECT_THAT(machine->levels[0].keep.bypass, ElementsAre("Weights"));
}

// A word of a good file replaced by another thing: read or refused with a place, never a crash.
RC_GTEST_PROP(TimeloopArchitectureErrors, NoReplacedWordCrashesAnything, ()) {
  static const std::vector<std::string> files{"small_tree.yaml", "small_nodes.yaml", "small_tables.yaml",
                                              "eyeriss_ert.yaml", "simba.yaml"};
  static const std::vector<std::string> junk{"~",    "[]",    "{}",     "-1",   "0",       "1e99",
                                             "''",   "[[1]]", "{a: 1}", "nan",  "x+1",     "!Other",
                                             "1e12", "true",  "K=0",    "[0..", "a[1..2]", "2 ** 70"};
  const Result<std::string> text = read_text_file(kData + *rc::gen::elementOf(files));
  RC_ASSERT(text.ok());
  std::vector<std::pair<std::size_t, std::size_t>> words;  // begin, length
  for (std::size_t at = 0; at < text->size();) {
    const std::size_t begin = std::min(text->find_first_not_of(" \n,:{}[]", at), text->size());
    const std::size_t end = std::min(text->find_first_of(" \n,:{}[]", begin), text->size());
    if (end > begin) words.emplace_back(begin, end - begin);
    at = end + 1;
  }
  const auto [begin, length] = *rc::gen::elementOf(words);
  std::string changed = *text;
  changed.replace(begin, length, *rc::gen::elementOf(junk));
  const Result<YamlNode> document = YamlNode::parse(changed, "fuzz.yaml");
  if (!document) return;
  const Result<Architecture> machine = read_timeloop_architecture({*document});
  if (machine) return;
  for (const Diagnostic& e : machine.errors()) {
    RC_ASSERT(e.file == "fuzz.yaml");
    RC_ASSERT(!e.message.empty());
  }
}

}  // namespace
}  // namespace heliolite::timeloop_architecture_test
