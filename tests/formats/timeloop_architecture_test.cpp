// Machines in Timeloop's formats: the numbers are Timeloop's.
#include "engine/formats/timeloop/machine.h"

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

#include "arch/architecture_yaml.h"
#include "tests/support/timeloop_texts.h"

namespace heliolite::timeloop_architecture_test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace heliolite::testing;

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
  std::ifstream file(kTimeloopData + "expected_machines.json");
  const json expected = json::parse(file);
  EXPECT_EQ(expected.size(), 13u);
  for (const auto& [name, want] : expected.items()) {
    const Architecture machine = load_timeloop({name + ".yaml"});
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
  const Architecture a = load_timeloop({"small_tree.yaml"});
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
  const Architecture a = load_timeloop({"small_tree.yaml"});
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
  const Architecture a = load_timeloop({"small_nodes.yaml"});
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
  const Architecture a = load_timeloop({"small_nodes.yaml"});
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

TEST(TimeloopArchitecture, OneFanoutBetweenTwoMemoriesNeedsNoLevelOfItsOwn) {
  const Result<Architecture> a = parse_timeloop(kNodes);
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
  const Result<Architecture> a = parse_timeloop(text);
  ASSERT_TRUE(a.ok()) << to_string(a.errors());
  ASSERT_EQ(a->levels.size(), 4u);
  EXPECT_EQ(a->levels[1].name, "inter_Lane_spatial");
  EXPECT_EQ(a->levels[1].network.ingress_pj, 0.25);
  EXPECT_EQ(a->levels[2].network.router_pj, 0.5);
  EXPECT_EQ(a->levels[2].fanout_x, 1u);
  EXPECT_EQ(a->levels[0].network.ingress_pj, 0.25);  // containers hand their attributes down
}

// Unless they say so, all storages but DRAMs reduce; in v0.4, as its front end writes, these do, too.
TEST(TimeloopArchitecture, StoragesReduceAsTheySay) {
  const auto storages = [](const std::string& dram, const std::string& reg) {
    const Result<Architecture> a = parse_timeloop("architecture:\n  storage:\n  - {name: RF, entries: 8, instances: 1" +
                                                  reg + "}\n  - {name: DRAM, technology: DRAM, instances: 1" + dram +
                                                  "}\n  arithmetic: {name: MAC, instances: 1}\n");
    EXPECT_TRUE(a.ok()) << to_string(a.errors());
    return std::array{a->levels[0].reduces(), a->levels[1].reduces()};
  };
  EXPECT_EQ(storages("", ""), (std::array{true, false}));
  EXPECT_EQ(storages(", reduction_supported: True", ", reduction_supported: false"), (std::array{false, true}));
  EXPECT_EQ(storages(", reduction_supported: yes", ", reduction_supported: no"), (std::array{false, true}));
  const auto unstated = parse_timeloop(kNodes);
  for (const StorageLevel& level : unstated->levels) EXPECT_TRUE(level.reduces()) << level.name;
  std::string text = kNodes;
  text.replace(text.find("{depth: 4096,"), 13, "{depth: 4096, reduction_supported: False,");
  EXPECT_FALSE(parse_timeloop(text)->levels[1].reduces());
}

// ---- tables

TEST(TimeloopArchitecture, UserEnergyBeatsTableBeatsBuiltIn) {
  const Architecture tree = load_timeloop({"small_tree.yaml", "small_tables.yaml"});
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
  const Architecture nodes = load_timeloop({"small_tables.yaml", "small_nodes.yaml"});
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

TEST(TimeloopArchitecture, ContainersWithoutAFanOutMayBeConstrainedToNothing) {
  const std::string text = nodes("{meshX: 8}", "{meshX: 1}") +
                           "constraints: [{target: Lane, type: spatial, factors: [M=1], permutation: [N, K]}]\n";
  const Result<Architecture> machine = parse_timeloop(text);
  ASSERT_TRUE(machine) << to_string(machine.errors());
  for (const StorageLevel& level : machine->levels) EXPECT_TRUE(level.constraints.spatial.factors.empty());
}

// Timeloop's Eyeriss has such a buffer, for the second of two fan-outs.
TEST(TimeloopArchitecture, StoragesOfNoWordsLetEverythingPassBy) {
  for (const char* size : {"entries: 0", "depth: 0", "sizeKB: 0"}) {
    const Result<Architecture> machine =
        parse_timeloop(flat(std::string("name: Dummy, instances: 8, meshX: 4, ") + size));
    ASSERT_TRUE(machine) << to_string(machine.errors());
    const StorageLevel& level = machine->levels[0];
    EXPECT_EQ(level.entries, std::nullopt);
    EXPECT_THAT(level.keep.bypass, ElementsAre("all"));
    EXPECT_EQ(level.energy.read_pj, 0);  // Timeloop's table: a memory of no size
    EXPECT_TRUE(level.loops_allowed);
  }
}

// Files that keep their constraints apart say there what the branches keep.
TEST(TimeloopArchitecture, BranchesMayBeConstrainedFromOutside) {
  const std::string branches =
      "  - !Parallel\n    nodes:\n    - !Component {name: L, class: regfile, attributes: {depth: 1}KEEP_A}\n"
      "    - !Component {name: R, class: regfile, attributes: {depth: 1}KEEP_B}\n";
  const auto machine = [&](const std::string& a, const std::string& b, const std::string& behind) {
    std::string text = nodes("  - !Component {name: Alu", branches + "  - !Component {name: Alu");
    text.replace(text.find("KEEP_A"), 6, a).replace(text.find("KEEP_B"), 6, b);
    return parse_timeloop(text + behind);
  };
  const auto inside =
      machine(", constraints: {dataspace: {keep: [A, B]}}", ", constraints: {dataspace: {keep: [Z]}}", "");
  const auto outside = machine("", "",
                               "constraints:\n  targets:\n  - {target: L, type: dataspace, keep: [A, B]}\n"
                               "  - {target: R, type: dataspace, keep: [Z]}\n");
  ASSERT_TRUE(inside) << to_string(inside.errors());
  ASSERT_TRUE(outside) << to_string(outside.errors());
  for (std::size_t i = 0; i < inside->levels.size(); ++i) {
    EXPECT_EQ(inside->levels[i].keep.keep, outside->levels[i].keep.keep);
    EXPECT_EQ(inside->levels[i].keep.bypass, outside->levels[i].keep.bypass);
  }
}

TEST(TimeloopArchitecture, LinkTransfersAreSwitchedOffByATypeOfTheirOwn) {
  const Result<Architecture> machine = parse_timeloop(
      flat(kReg) + "constraints: [{target: DRAM, type: no_link_transfer, datatypes: [Inputs, Outputs]}]\n");
  ASSERT_TRUE(machine) << to_string(machine.errors());
  EXPECT_THAT(machine->levels[1].constraints.spatial.no_peers, ElementsAre("Inputs", "Outputs"));
}

TEST(TimeloopArchitecture, EntriesGoBeforeADepth) {
  const Result<Architecture> machine =
      parse_timeloop(flat("name: L1, entries: 48, depth: 16, width: 32, instances: 8, meshX: 4"));
  ASSERT_TRUE(machine) << to_string(machine.errors());
  EXPECT_EQ(machine->levels[0].entries, 48U);
  EXPECT_EQ(machine->levels[0].block_words, 2U);
}

// `mapspace` of the oldest files: a list of its own, a list called `targets`, or the name of one of several lists.
TEST(TimeloopArchitecture, ConstraintsUnderMapspace) {
  for (const char* mapspace :
       {"{constraints: [{target: L1, type: temporal, factors: K4}]}",
        "{targets: [{target: L1, type: temporal, factors: K4}]}",
        "{constraints: mine, constraints_mine: [{target: L1, type: temporal, factors: K4}], constraints_other: [1]}"}) {
    const Result<Architecture> machine = parse_timeloop(flat(kReg) + "mapspace: " + mapspace + "\n");
    ASSERT_TRUE(machine) << to_string(machine.errors());
    EXPECT_EQ(machine->levels[0].constraints.temporal.factors.size(), 1U) << mapspace;
  }
  EXPECT_THAT(timeloop_complaints(flat(kReg) + "mapspace: {constraints: mine}\n"),
              HasSubstr("constraints = mine, and there is no 'constraints_mine'"));
}

// Timeloop reads one place of the machine's constraints and one of the search's, and says nothing of the others.
TEST(TimeloopArchitecture, ReadsConstraintsWhereTimeloopDoes) {
  const auto limits = [](const std::vector<std::string>& files, std::string* notes = nullptr) {
    std::vector<YamlNode> documents;
    for (std::size_t i = 0; i < files.size(); ++i)
      documents.push_back(*YamlNode::parse(files[i], "f" + std::to_string(i) + ".yaml"));
    const Result<Architecture> machine = read_timeloop_architecture(documents);
    EXPECT_TRUE(machine.ok()) << to_string(machine.errors());
    if (!machine) return std::string();
    if (notes != nullptr) notes->clear();
    for (const std::string& said : machine->notes)
      if (notes != nullptr && said.find("constraints") != std::string::npos) *notes += said;
    std::string text;
    for (const FactorConstraint& f : machine->levels[0].constraints.temporal.factors) text += f.dimension;
    return text;
  };
  const auto list = [](const std::string& key, const std::string& dimension) {
    return key + ": {targets: [{target: L1, type: temporal, factors: " + dimension + "=2}]}\n";
  };
  const std::string machine = flat(kReg);
  std::string inside = machine;
  inside.insert(inside.find("  arithmetic"), "  constraints: [{target: L1, type: temporal, factors: K=2}]\n");
  std::string note;
  EXPECT_EQ(limits({machine, list("arch_constraints", "K")}, &note), "K");
  EXPECT_EQ(note, "");
  EXPECT_EQ(limits({inside}, &note), "K");
  EXPECT_EQ(note, "");
  EXPECT_EQ(limits({inside, list("arch_constraints", "C")}, &note), "K");
  EXPECT_THAT(note, HasSubstr("arch_constraints: not read: Timeloop reads architecture.constraints instead"));
  EXPECT_EQ(limits({machine, list("architecture_constraints", "C") + list("arch_constraints", "K")}, &note), "K");
  EXPECT_THAT(note, HasSubstr("architecture_constraints: not read: Timeloop reads arch_constraints instead"));
  EXPECT_EQ(limits({machine, list("arch_constraints", "K"), list("mapspace_constraints", "C")}, &note), "KC");
  EXPECT_EQ(limits({machine, list("constraints", "K")}, &note), "");
  EXPECT_THAT(note, HasSubstr("f1.yaml:1: constraints: not read, as Timeloop does not read them"));
  EXPECT_EQ(limits({machine + list("constraints", "K")}, &note), "K");
  EXPECT_THAT(note, HasSubstr("taken as the machine's; Timeloop does not read them there"));
  EXPECT_EQ(limits({machine, list("extra_mapping_constraints", "K")}, &note), "");
  EXPECT_THAT(note, HasSubstr("extra_mapping_constraints: not read"));
  // The front end's format.
  const std::string nodes(kNodes);
  const std::string extra = "extra_mapping_constraints: {targets: [{target: Reg, type: temporal, factors: [K=2]}]}\n";
  EXPECT_EQ(limits({nodes, extra}, &note), "K");
  EXPECT_THAT(note, HasSubstr("constraints for Timeloop's front end, which takes every key of this kind"));
}

// What the front end makes of a workload's tensors and sizes stays a word until the workload is there.
TEST(TimeloopArchitecture, MacrosOfTheFrontEnd) {
  const Result<Architecture> machine = parse_timeloop(
      std::string(kNodes) +
      "constraints:\n- {target: Reg, type: temporal, no_iteration_over_dataspaces: [A, B], maximize_dims: [K, N], "
      "maximize_dims_capacity: 12}\n- {target: Buf, type: temporal, must_iterate_over_dataspaces: [Z]}\n");
  ASSERT_TRUE(machine.ok()) << to_string(machine.errors());
  const auto words = [&](const char* level) {
    std::vector<std::string> out;
    for (const FactorConstraint& f : machine->levels[*machine->find_level(level)].constraints.temporal.factors)
      out.push_back(factor_text(f));
    return out;
  };
  EXPECT_THAT(words("Reg"), ElementsAre("dims(A+B)=1", "K*N=max", "K*N<=12"));
  EXPECT_THAT(words("Buf"), ElementsAre("other_dims(Z)=1"));
}

// Timeloop's first files in YAML: `arch`, a compute unit without a name, constraints under `mapspace`.
TEST(TimeloopArchitecture, ReadsTheOldestKeys) {
  const auto machine = parse_timeloop(
      "arch:\n  arithmetic: {instances: 4, meshX: 4, word-bits: 8}\n  storage:\n"
      "  - {name: Buf, entries: 64, instances: 1, word-bits: 8}\n  - {name: Main, technology: DRAM, instances: 1}\n"
      "mapspace:\n  constraints:\n  - {target: Buf, type: datatype, keep: [Outputs], bypass: [Weights]}\n");
  ASSERT_TRUE(machine.ok()) << to_string(machine.errors());
  EXPECT_EQ(machine->compute.instances, 4U);
  EXPECT_THAT(machine->levels[0].keep.keep, ElementsAre("Outputs"));
  EXPECT_THAT(machine->levels[0].keep.bypass, ElementsAre("Weights"));
}

}  // namespace
}  // namespace heliolite::timeloop_architecture_test
