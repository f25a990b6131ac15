// What is wrong in a machine of Timeloop's formats, or not understood, is an error that says so.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/file_bytes.h"
#include "tests/support/timeloop_texts.h"

namespace heliolite::timeloop_architecture_errors_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace heliolite::testing;

struct Bad {
  std::string text;
  std::string message;
};

void expect_complaints(const std::vector<Bad>& cases) {
  for (const Bad& bad : cases) {
    const std::string got = timeloop_complaints(bad.text);
    EXPECT_THAT(got, HasSubstr(bad.message)) << bad.text;
  }
}

TEST(TimeloopArchitectureErrors, Flat) {
  ASSERT_EQ(timeloop_complaints(flat(kReg)), "accepted");
  expect_complaints({
      {flat("entries: 4, instances: 8"), "missing key 'name'"},
      {flat("name: L1, entries: 4"), "L1 needs instances, or meshX and meshY"},
      {flat("name: L1, entries: -4, instances: 8, meshX: 4"), "entries of L1 = -4, must be an integer from 0 to"},
      {flat("name: L1, entries: 0, instances: 8, meshX: 4") + "constraints: [{target: L1, type: bypass, keep: [A]}]\n",
       "L1 has 0 words and is to keep A: give it a size"},
      {"architecture: {arithmetic: {name: MAC, instances: 1}, storage: [{name: L1, entries: 0, instances: 1}]}\n",
       "the outermost level holds every tensor"},
      {flat("name: L1, entries: 1.5, instances: 8, meshX: 4"), "entries of L1 = 1.5, must be an integer"},
      {flat("name: L1, entries: many, instances: 8, meshX: 4"), "many: unknown name 'many'"},
      {flat(kReg + ", sizeKB: 1"), "L1 has sizeKB beside entries or depth; give one"},
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
      {flat(kReg + ", network_fill_latency: 5"), "Timeloop adds fill and drain latencies of networks to the cycles"},
      {flat(kReg + ", wire_energy: 0.1"), "give energy_per_hop (pJ) instead"},
      {flat(kReg + ", network-type: \"M:N\""), "only 1:1 and 1:N are modelled"},
      {flat("name: DRAM, entries: 16, instances: 8, meshX: 4"), "two levels are called DRAM"},
      {flat(kReg, "name: MAC"), "MAC needs instances"},
      {"architecture: {arithmetic: {name: MAC, instances: 1}}\n", "missing key 'storage'"},
      {"architecture: {arithmetic: {name: MAC, instances: 1}, storage: {}}\n", "must be a list of storages"},
      {"architecture: {arithmetic: {name: MAC, instances: 1}, storage: []}\n", "at least one storage level"},
      {"architecture: {arithmetic: 4, storage: [3]}\n", "must be a map {name, instances"},
  });
}

TEST(TimeloopArchitectureErrors, HarmlessKeysAreAccepted) {
  EXPECT_EQ(
      timeloop_complaints(flat(kReg + ", num_ports: 2, num-banks: 8, technology: 45nm, network-word-bits: 16, "
                                      "allow_overbooking: False, metadata_datawidth: 0, reduction_supported: yes, "
                                      "min_utilization: 0, network-type: \"1:N\"")),
      "accepted");
}

std::string tree(const std::string& local, const std::string& name = "PE[0..3]") {
  return "architecture:\n  version: 0.3\n  subtree:\n  - name: chip\n    local:\n"
         "    - {name: DRAM, class: DRAM, attributes: {word_bits: 16}}\n    subtree:\n    - name: " +
         name + "\n      local:\n" + local + "      - {name: mac, class: intmac}\n";
}

// Timeloop passes over what it does not know, and estimators may read it: a note lists it.
TEST(TimeloopArchitectureErrors, UnreadAttributesAreListedInOneNote) {
  const auto note = [](const std::string& text) {
    const std::vector<std::string> notes = timeloop_notes(text);
    for (const std::string& one : notes)
      if (one.starts_with("attributes that nothing here reads")) return one;
    return std::string("no note");
  };
  EXPECT_EQ(note(flat(kReg)), "no note");
  const std::pair<std::string, const char*> cases[] = {
      {flat(kReg + ", colour: red"), "'colour' of L1 (m.yaml:4)"},
      {flat(kReg + ", bandwith: 4"), "'bandwith' of L1 (m.yaml:4), did you mean 'bandwidth'?"},
      {flat(kReg + ", enable_overbooking: True, metadata_datawidth: 4, compression_supported: True"),
       "'enable_overbooking' of L1 (m.yaml:4)"},
      {flat(kReg, "name: MAC, instances: 8, meshX: 4, sign: 1"), "'sign' of MAC (m.yaml:2)"},
      {tree("      - {name: x, class: SRAM, attributes: {dept: 4}}\n"),
       "'dept' of x (m.yaml:10), did you mean 'depth'?"},
      {nodes("name: Lane", "name: Lane\n    attributes: {colour: 2}"), "'colour' of Lane (m.yaml:11)"},
      {nodes("multiplier_width", "num_pipline_stages: 2, multiplier_width"), "did you mean 'num_pipeline_stages'?"},
  };
  for (const auto& [text, listed] : cases) {
    EXPECT_EQ(timeloop_complaints(text), "accepted");
    EXPECT_THAT(note(text), HasSubstr(listed));
  }
  EXPECT_THAT(note(nodes("depth: 4096", "depth: 4096, sign: 1, tint: 2")),
              AllOf(HasSubstr("'sign' of Buf (m.yaml:7)"), HasSubstr("; 'tint' of Buf (m.yaml:7)")));
}

// Timeloop reads word-bits and word_bits, but read_bandwidth and energy-per-ingress only.
TEST(TimeloopArchitectureErrors, SpellingsThatTimeloopDoesNotReadAreNotRead) {
  const auto level = [](const std::string& attributes) {
    const Result<Architecture> machine = parse_timeloop(flat(kReg + ", " + attributes));
    EXPECT_TRUE(machine.ok()) << attributes;
    return machine ? machine->levels[0] : StorageLevel{};
  };
  EXPECT_EQ(level("word-bits: 8").word_bits, 8u);
  EXPECT_EQ(level("multiple-buffering: 2").multiple_buffering, 2);
  EXPECT_EQ(level("read_bandwidth: 2").bandwidth.read, 2);
  EXPECT_FALSE(level("read-bandwidth: 2").bandwidth.read);
  EXPECT_EQ(level("energy-per-ingress: 2").network.ingress_pj, 2);
  EXPECT_EQ(level("energy_per_ingress: 2").network.ingress_pj, 0);
  EXPECT_EQ(level("size: 2").entries, 16u);
  EXPECT_THAT(timeloop_notes(flat(kReg + ", read-bandwidth: 2")),
              Contains(HasSubstr("'read-bandwidth' of L1 (m.yaml:4), which Timeloop reads only if it is spelt "
                                 "'read_bandwidth'")));
  EXPECT_THAT(timeloop_notes(flat(kReg + ", energy_per_ingress: 2")), Contains(HasSubstr("'energy-per-ingress'")));
}

TEST(TimeloopArchitectureErrors, ANameInItsOwnValueIsTheContainers) {
  const std::string around =
      "architecture:\n  nodes:\n  - !Container {name: board, attributes: {ATTRIBUTES}}\n"
      "  - !Component {name: Main, class: DRAM, attributes: {width: 64, datawidth: datawidth}}\n"
      "  - !Component {name: Buf, class: SRAM, attributes: {depth: 192, width: datawidth, datawidth: datawidth}}\n"
      "  - !Component {name: Mult, class: compute, attributes: {datawidth: datawidth * 2}}\n";
  const auto with = [&](const std::string& attributes) {
    std::string text = around;
    return text.replace(text.find("ATTRIBUTES"), 10, attributes);
  };
  const Result<Architecture> machine = parse_timeloop(with("datawidth: 8"));
  ASSERT_TRUE(machine.ok()) << to_string(machine.errors());
  EXPECT_EQ(machine->levels[0].word_bits, 8u);
  EXPECT_EQ(machine->levels[0].block_words, 1u);
  EXPECT_EQ(machine->compute.word_bits, 16u);
  const std::string complaint = timeloop_complaints(with("technology: 45nm"));
  EXPECT_THAT(complaint, HasSubstr("datawidth: 'datawidth' refers to itself, and nothing around it has a value of "
                                   "that name"));
  EXPECT_LT(complaint.size(), 800u);
  const Result<Architecture> variable = parse_timeloop(with("technology: 45nm") + "variables: {datawidth: 4}\n");
  ASSERT_TRUE(variable.ok()) << to_string(variable.errors());
  EXPECT_EQ(variable->levels[0].word_bits, 4u);
}

TEST(TimeloopArchitectureErrors, ClocksOfContainersAndListsOfVariables) {
  const Result<Architecture> container =
      parse_timeloop(nodes("name: Lane", "name: Lane\n    attributes: {global_cycle_seconds: 2e-9}"));
  ASSERT_TRUE(container.ok()) << to_string(container.errors());
  EXPECT_NEAR(container->cycle_ns.value_or(0), 2, 1e-9);
  const Result<Architecture> list =
      parse_timeloop(nodes("depth: 4096", "depth: ROWS * 2") +
                     "variables:\n- {version: 0.4}\n- {ROWS: 8, global_cycle_seconds: CYCLE}\n- - {CYCLE: 5e-10}\n");
  ASSERT_TRUE(list.ok()) << to_string(list.errors());
  EXPECT_NEAR(list->cycle_ns.value_or(0), 0.5, 1e-9);
  EXPECT_EQ(list->levels[1].entries, 64u);
  EXPECT_THAT(timeloop_complaints(std::string(kNodes) + "variables: [{a: 1}, {a: 2}]\n"),
              HasSubstr("variable 'a' is given twice"));
}

TEST(TimeloopArchitectureErrors, NamedNetworksCostNothingWhereNothingPricesThem) {
  const auto machine = [](const std::string& network, const std::string& more) {
    return tree(
               "      - {name: Buf, class: SRAM, attributes: {depth: 64, network_read: Noc, network_update: Out}}\n"
               "      - {name: Noc, class: XY_NoC, attributes: {" +
               network + "}}\n      - {name: Out, class: ReductionTree}\n") +
           more;
  };
  EXPECT_EQ(timeloop_complaints(machine("datawidth: 8", "")), "accepted");
  EXPECT_THAT(
      timeloop_notes(machine("datawidth: 8", "")),
      Contains("the named networks Noc and Out cost nothing: neither their components nor an ERT says what they "
               "cost"));
  EXPECT_THAT(timeloop_complaints(machine("router-energy: 2", "")),
              HasSubstr("network 'Noc' of Buf has router_energy = 2, and named networks are not modelled"));
  EXPECT_THAT(timeloop_complaints(machine("datawidth: 8",
                                          "ERT: {version: 0.3, tables: [{name: chip.Noc, actions: "
                                          "[{name: transfer, energy: 2}]}]}\n")),
              HasSubstr("network 'Noc' of Buf has energies in the ERT"));
}

// What nobody states is said, and so is what Timeloop's search would do.
TEST(TimeloopArchitectureErrors, NotesSayWhereEnergiesAreFromAndWhatIsNotUsed) {
  EXPECT_THAT(timeloop_notes(flat(kReg)),
              ElementsAre("energies of DRAM, L1 and MAC are from Timeloop's built-in table: the files state none, and "
                          "there is no ERT"));
  const std::string ert =
      "ERT: {version: 0.3, tables: [{name: a.L1, actions: [{name: read, energy: 3}]}, "
      "{name: a.MAC, actions: [{name: add, energy: 1}]}]}\n";
  EXPECT_THAT(
      timeloop_notes(flat(kReg) + ert),
      ElementsAre("the ERT has no action for an operation of MAC: the dearest action that it has is taken, as "
                  "Timeloop does",
                  "the ERT has no action for fill and update of L1: the dearest action that it has is taken, as "
                  "Timeloop does",
                  "energies of DRAM are from Timeloop's built-in table: the files state none, and the ERT does "
                  "not have them"));
  EXPECT_THAT(timeloop_notes(flat(kReg) + "mapper: {optimization-metrics: [delay, energy], algorithm: random}\n"),
              Contains("the mapper of m.yaml:6 is of Timeloop's search and not used here: its metric delay (give "
                       "--objective delay); algorithm"));
}

TEST(TimeloopArchitectureErrors, ManyAtOnceInOneGo) {
  const std::string all = timeloop_complaints(flat(kReg + ", word_bits: 0", "name: MAC, instances: x"));
  EXPECT_THAT(all, HasSubstr("word_bits of L1 = 0"));
  EXPECT_THAT(all, HasSubstr("unknown name 'x'"));
}

TEST(TimeloopArchitectureErrors, Tree) {
  ASSERT_EQ(timeloop_complaints(tree("")), "accepted");
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
      {tree("      - {name: m2, class: mac}\n"), "mac is a second compute unit"},
      {doubled, "subtree must be a list of one element"},
      {"architecture: {version: 0.3, subtree: [{name: a}]}\n", "no compute unit"},
      {"architecture: {version: 0.9, subtree: [{name: a}]}\n", "version = 0.9, must be from 0.1 to 0.4"},
      {tree("      - {name: d, class: DRAM, attributes: {cluster-size: 4}}\n"), "is a DRAM and cannot be shared"},
  });
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
      {std::string(kNodes) + "constraints: [{target: Reg, type: temporal, maximize_dims: [[K]]}]\n",
       "maximize_dims of loops over time needs maximize_dims_capacity"},
      {nodes("split: 3", "maximize_dims: [[K]], maximize_dims_capacity: some"),
       "maximize_dims_capacity = some, must be an integer from 1"},
      {nodes("split: 3", "default_max_factor: 4"), "default_max_factor = 4: only 1 can be expressed"},
      {nodes("{meshX: 8}", "{meshX: 1}").replace(nodes("{meshX: 8}", "{meshX: 1}").find("N<=8"), 4, "N>=8"),
       "architecture.nodes[2].constraints.spatial: N>=8 of Lane, which has no fan-out (meshX and meshY are 1)"},
      {nodes("{meshX: 8}", "{meshX: 1}") + "constraints: [{target: Lane, type: spatial, factors: [M=2]}]\n",
       "M=2 of Lane, which has no fan-out"},
      {nodes("split: 3", "splitt: 3"), "unknown key 'splitt', did you mean 'split'?"},
      {nodes("constraints: {spatial", "constraints: {temporal: {factors: [K=2]}, spatial"),
       "a container has no loops to constrain"},
      {nodes(alu, "- !Container {name: c, spatial: {meshX: 2}}\n  - !Component {name: Alu, enabled: False"),
       "no compute unit"},
      {nodes(alu, "- !Component {name: Alu, energy_scale: 2"), "energy_scale = 2 of Alu is Accelergy's"},
      {nodes(alu, "- !Component {name: Alu, sparse_optimizations: {a: 1}"),
       "with --sparse ignore it is read as a dense one"},
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
  ASSERT_EQ(timeloop_complaints(with("{target: L1, type: temporal, factors: K4}")), "accepted");
  ASSERT_EQ(timeloop_complaints(with("{target: 0, type: temporal, factors: K4}")), "accepted");
  ASSERT_EQ(timeloop_complaints(with("{target: L1, type: utilization, min: 0}")), "accepted");
  ASSERT_EQ(timeloop_complaints(with("{target: L1, type: utilization, min: 0.5}")), "accepted");
  ASSERT_EQ(timeloop_complaints(with("{target: 0, type: parallelism, min: 1}")), "accepted");
  ASSERT_EQ(timeloop_complaints(with("{target: DRAM, type: no_link_transfer, datatypes: [Weights]}")), "accepted");
  ASSERT_EQ(timeloop_complaints(with("{target: L1, type: spatial, factors: [K=1, C<=4], split: 1}")), "accepted");
  expect_complaints({
      {with("{target: L2, type: temporal}"),
       "m.yaml:6: constraints.targets[0].target: target = L2, must be L1 or DRAM"},
      {with("{type: temporal}"), "missing key 'target'"},
      {with("{target: L1}"), "missing key 'type'"},
      {with("{target: L1, type: temporary}"), "type = temporary, must be temporal, spatial, dataspace"},
      {with("{target: L1, type: temporal, split: 3}"), "unknown key 'split'"},
      {with("{target: L1, type: utilization, min: 1.5}"), "min = 1.5, must be a share of the compute units, from 0 to"},
      {with("{target: L1, type: utilization, min: most}"), "min = most, must be a share of the compute units"},
      {with("{target: DRAM, type: utilization, min: 0.5}"),
       "target = DRAM: a least utilization is of all compute units, and Timeloop takes it at the innermost storage "
       "alone, L1"},
      {with("{target: L1, type: utilization, min: 0.5}, {target: L1, type: parallelism, min: 0.75}"),
       "min = 0.75, but an earlier constraint says 0.5"},
      {with("{target: L1, type: spatial, factors: [K=4, C=1]}"), "K=4 of L1, which has no fan-out"},
      {with("{target: L1, type: no_link_transfer}"), "missing key 'datatypes'"},
      {with("{target: L1, type: no_multicast}"), "no_multicast: changes how accesses are counted"},
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
      {flat(kReg) + "sparse_optimizations: {targets: [1]}\n", "with --sparse ignore it is read as a dense one"},
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
      timeloop_complaints(
          flat(kReg) +
          "defaults_ignore: {a: 1}\nproblem: {}\nmapper: {}\nmapping: []\ncomponents: {}\nsparse_optimizations: []\n"),
      "accepted");
}

// A word of a good file replaced by another thing: read or refused with a place, never a crash.
RC_GTEST_PROP(TimeloopArchitectureErrors, NoReplacedWordCrashesAnything, ()) {
  static const std::vector<std::string> files{"small_tree.yaml", "small_nodes.yaml", "small_tables.yaml",
                                              "eyeriss_ert.yaml", "simba.yaml"};
  static const std::vector<std::string> junk{"~",    "[]",    "{}",     "-1",   "0",       "1e99",
                                             "''",   "[[1]]", "{a: 1}", "nan",  "x+1",     "!Other",
                                             "1e12", "true",  "K=0",    "[0..", "a[1..2]", "2 ** 70"};
  const Result<std::string> text = read_text_file(kTimeloopData + *rc::gen::elementOf(files));
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
}  // namespace heliolite::timeloop_architecture_errors_test
