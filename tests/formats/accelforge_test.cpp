// AccelForge's files: what is read, what it is read as, and what is refused with its place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "engine/formats/accelforge/expression.h"
#include "engine/formats/accelforge/files.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_mapping.h"
#include "engine/formats/load_network.h"
#include "engine/inputs/input_file.h"
#include "engine/model/cost_model.h"
#include "engine/search/map.h"
#include "tests/support/cli_runner.h"

namespace heliolite::accelforge_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kRenames = R"(renames:
  einsums:
  - name: default
    tensor_accesses:
    - {name: input, source: Inputs & Intermediates if len(All) == 3 else Inputs, expected_count: 1}
    - {name: output, source: Outputs, expected_count: 1}
    - {name: weight, source: ~(input | output), expected_count: 1 if len(All) == 3 else 0}
)";

// Two products, the second of what a copy makes of the first.
constexpr const char* kWorkload = R"({{include_text("renames.yaml")}}
{% set ROWS = ROWS | default(8) %}
workload:
  rank_sizes: {M: {{ROWS}}, K: 4*4, N: 12, P: ceil(N / 2)}
  bits_per_value: {All: 8, Other: 16}
  einsums:
  - {einsum: "A[m, k] = A_in[m, k]", is_copy_operation: True}
  - einsum: "T[m, n] = A[m, k] * W[k, n]"
    renames: {input: A}
  - "S[m, n] = T[m, n]"
  - {name: last, einsum: "Z[m, p] = S[m, n] * V[n, p]", renames: {input: S}}
)";

constexpr const char* kMachine = R"(arch:
  nodes:
  - !Memory
    name: Main
    size: inf
    leak_power: 0
    actions: [{name: read, energy: 2e-12, throughput: 16e9}, {name: write, energy: 3e-12, throughput: 16e9}]
    tensors: {keep: ~Intermediates, may_keep: All}
  - !Memory
    name: Buf
    size: 8 * 512
    total_latency: max(a.n_calls / a.throughput for a in actions)
    actions: [{name: read, energy: 1e-13, throughput: 64e9}, {name: write, energy: 1e-13, throughput: 32e9}]
    tensors: {keep: ~Main, may_keep: All}
  - !Container
    name: Array
    spatial: [{name: rows, fanout: 4, reuse: weight}, {name: columns, fanout: 2, reuse: output}]
  - !Compute
    name: Mult
    actions: [{name: compute, energy: 5e-13, throughput: 1e9}]
)";

Network network_of(const TempFolder& folder, const std::string& parameters = "") {
  folder.write("renames.yaml", kRenames);
  folder.write("work.yaml", kWorkload);
  const Result<Network> network = load_network(folder.path("work.yaml") + parameters);
  EXPECT_TRUE(network.ok()) << to_string(network.errors());
  return network ? *network : Network{};
}

std::string refused(const TempFolder& folder, const std::string& text) {
  folder.write("bad.yaml", text);
  const Result<Network> network = load_network(folder.path("bad.yaml"));
  return network ? "read" : to_string(network.errors());
}

TEST(AccelForge, EvaluatesSets) {
  accelforge::ExpressionScope scope;
  scope.all = {"a", "b", "c"};
  scope.names = {{"All", scope.all},
                 {"Nothing", accelforge::NameSet{}},
                 {"x", accelforge::NameSet{"a", "b"}},
                 {"y", accelforge::NameSet{"b", "c"}},
                 {"x.bits_per_value", 16.0}};
  const auto set = [&](const char* text) { return accelforge::evaluate_set(text, scope); };
  EXPECT_EQ(*set("~(x | y)"), accelforge::NameSet{});
  EXPECT_EQ(*set("x & y"), accelforge::NameSet{"b"});
  EXPECT_EQ(*set("x - y | ~x"), (accelforge::NameSet{"a", "c"}));
  EXPECT_EQ(*set("x if len(All) == 3 and not len(y) > 2 else y"), (accelforge::NameSet{"a", "b"}));
  EXPECT_EQ(*accelforge::evaluate_number("3 * x.bits_per_value if x else 0", scope), 48);
  EXPECT_EQ(*accelforge::evaluate_number("max(2 ** 3, 1e1) - ceil(7 / 2)", scope), 6);
  for (const char* bad : {"", "x +", "x + 1", "z", "len(1)", "1 / 0", "((((", "x if y", "~1", "x < y"})
    EXPECT_FALSE(accelforge::evaluate_expression(bad, scope).ok()) << bad;
}

TEST(AccelForge, ReadsCascades) {
  const TempFolder folder;
  const Network network = network_of(folder, "@ROWS=6");
  ASSERT_EQ(network.layers.size(), 3U);
  EXPECT_EQ(network.layers[0].workload.name, "T");
  EXPECT_EQ(network.layers[0].workload.macs(), 6U * 16 * 12);
  EXPECT_EQ(network.layers[2].workload.name, "last");
  EXPECT_EQ(network.layers[2].workload.macs(), 6U * 12 * 6);
  EXPECT_EQ(network.layers[1].workload.tensors.size(), 2U);
  EXPECT_EQ(network.layers[0].workload.tensors[*network.layers[0].workload.find_tensor("W")].role, Role::Weight);
  EXPECT_EQ(network.layers[0].workload.tensors[0].word_bits, 8U);
  EXPECT_EQ(network.edges.size(), 2U);
  EXPECT_THAT(network.notes, ::testing::Contains(HasSubstr("copies move nothing and are left out: A")));
}

TEST(AccelForge, RefusesWithThePlace) {
  const TempFolder folder;
  const std::string head = "workload:\n  rank_sizes: {M: 4, N: 4}\n  einsums:\n  - ";
  EXPECT_THAT(refused(folder, head + "\"Z[m, n] = A[m, q] * B[q, n]\"\n"),
              AllOf(HasSubstr("bad.yaml:4"), HasSubstr("no size for rank variable 'q'")));
  EXPECT_THAT(refused(folder, head + "\"Z[m, n] = A[m, H: m - n]\"\n"), HasSubstr("must be a sum of rank variables"));
  EXPECT_THAT(refused(folder, head + "\"Z[m, n]\"\n"), HasSubstr("has no '='"));
  EXPECT_THAT(refused(folder, head + "{einsum: \"Z[m] = A[m]\", sparsity: 1}\n"), HasSubstr("sparsity"));
  EXPECT_THAT(refused(folder, head + "{name: a, tensor_accesses: [{name: A, projection: [m]}]}\n"),
              HasSubstr("0 outputs, must be one"));
  EXPECT_THAT(refused(folder, head + "\"Z[m] = A[m]\"\n  bits_per_value: {All: 8, A: 4}\n"),
              HasSubstr("tensor A has 8 bits by 'All' and 4 by 'A'"));
  EXPECT_THAT(refused(folder, kRenames), HasSubstr("has renames and no 'workload'"));
  EXPECT_THAT(refused(folder, std::string(kRenames) + head + "\"Z[m, n] = A[m] * B[n]\"\n"),
              HasSubstr("'input' is 0 tensors"));
}

TEST(AccelForge, ReadsMachines) {
  const TempFolder folder;
  folder.write("arch.yaml", kMachine);
  const Result<Architecture> read = load_architecture(folder.path("arch.yaml"));
  ASSERT_TRUE(read.ok()) << to_string(read.errors());
  const Architecture& m = *read;
  ASSERT_EQ(m.levels.size(), 2U);
  EXPECT_TRUE(m.drain_reads);
  EXPECT_TRUE(m.all_leaks);
  EXPECT_EQ(m.cycle_ns, 1);
  EXPECT_EQ(m.compute.name, "Mult");
  EXPECT_DOUBLE_EQ(m.compute.op_pj, 0.5);
  EXPECT_EQ(m.levels[0].entries, 512U);
  EXPECT_EQ(m.levels[0].word_bits, 8U);
  EXPECT_EQ(m.levels[0].fanout_x * 10 + m.levels[0].fanout_y, 42U);
  EXPECT_DOUBLE_EQ(*m.levels[0].bandwidth.read, 8);
  EXPECT_DOUBLE_EQ(*m.levels[0].bandwidth.write, 4);
  EXPECT_DOUBLE_EQ(*m.levels[1].bandwidth.shared, 2);
  EXPECT_EQ(m.levels[0].constraints.spatial.allowed_x, std::vector<std::string>{"other_dims(weights)"});
}

TEST(AccelForge, RefusesMachinesWithThePlace) {
  const TempFolder folder;
  const auto refused_with = [&](const std::string& from, const std::string& to) {
    std::string text = kMachine;
    text.replace(text.find(from), from.size(), to);
    folder.write("arch.yaml", text);
    const Result<Architecture> read = load_architecture(folder.path("arch.yaml"));
    return read ? "read" : to_string(read.errors());
  };
  EXPECT_THAT(refused_with("!Container", "!Network"), AllOf(HasSubstr("arch.yaml:15"), HasSubstr("node !Network")));
  EXPECT_THAT(refused_with("energy: 1e-13, throughput: 64e9", "throughput: 64e9"),
              HasSubstr("Buf: no energy of read: component models (no component_class) are not here"));
  EXPECT_THAT(refused_with("size: 8 * 512", "size: 8 * depth"), HasSubstr("'depth' has no value here"));
  EXPECT_THAT(refused_with("reuse: weight", "reuse: weights"), HasSubstr("'weights' has no value here"));
  EXPECT_THAT(refused_with("name: read, energy: 2e-12", "name: fetch, energy: 2e-12"),
              HasSubstr("action 'fetch' has no counterpart"));
  EXPECT_THAT(refused_with("max(a.n_calls / a.throughput for a in actions)", "median(actions)"),
              HasSubstr("'median(actions)' has no counterpart"));
}

TEST(AccelForge, ReadsTrees) {
  const TempFolder folder;
  const Network network = network_of(folder);
  folder.write("arch.yaml", kMachine);
  const Result<Architecture> machine = load_architecture(folder.path("arch.yaml"));
  ASSERT_TRUE(machine.ok());
  const std::string tree = R"(mapping:
  nodes:
  - !Storage {component: Main, tensors: [A, W, T]}
  - !Storage {component: Buf, tensors: [W]}
  - !Temporal {rank_variable: m, tile_shape: 4}
  - !Storage {component: Buf, tensors: [A, T]}
  - !Temporal {rank_variable: k, tile_shape: 1}
  - !Temporal {rank_variable: n, tile_shape: 1}
  - !Spatial {rank_variable: m, tile_shape: 1, name: rows, component: Array}
  - !Compute {einsum: T, component: Mult}
)";
  folder.write("tree.yaml", tree);
  const Workload& workload = network.layers[0].workload;
  const Result<Mapping> read = load_mapping(folder.path("tree.yaml"), workload, *machine);
  ASSERT_TRUE(read.ok()) << to_string(read.errors());
  const Result<Mapping> same = parse_mapping(
      "mapping: [{level: Main}, {level: Buf, keep: [W], temporal: [m: 2]}, {level: Buf, keep: [A, T], temporal: "
      "[k: 16, n: 12], spatial: {x: [m: 4]}}]",
      "ours.yaml", workload, *machine);
  ASSERT_TRUE(same.ok()) << to_string(same.errors());
  EXPECT_TRUE(*read == *same);
  const auto refused_with = [&](const std::string& from, const std::string& to) {
    std::string text = tree;
    text.replace(text.find(from), from.size(), to);
    folder.write("tree.yaml", text);
    const Result<Mapping> mapping = load_mapping(folder.path("tree.yaml"), workload, *machine);
    return mapping ? "read" : to_string(mapping.errors());
  };
  EXPECT_THAT(refused_with("tile_shape: 4", "tile_shape: 3"),
              AllOf(HasSubstr("tree.yaml:5"), HasSubstr("does not divide")));
  EXPECT_THAT(refused_with("component: Buf, tensors: [W]", "component: Buffer, tensors: [W]"),
              AllOf(HasSubstr("component = Buffer"), HasSubstr("must be a memory of arch: Buf or Main")));
  EXPECT_THAT(refused_with("!Temporal {rank_variable: n, tile_shape: 1}", "!Pipeline {nodes: []}"),
              HasSubstr("node !Pipeline has no counterpart"));
  EXPECT_THAT(refused_with("rank_variable: k", "rank_variable: q"), HasSubstr("rank_variable = q, must be one of T"));
}

// A tree of several Einsums is a schedule: loops above both, what stays in the memory there, and a pass of each.
TEST(AccelForge, ReadsFusedTrees) {
  const TempFolder folder;
  folder.write("pair.yaml",
               "workload:\n  rank_sizes: {M: 8, K: 4, N: 6, P: 4}\n  bits_per_value: {All: 8}\n  einsums:\n"
               "  - \"T[m, n] = A[m, k] * W[k, n]\"\n  - \"Z[m, p] = T[m, n] * V[n, p]\"\n");
  const Result<Network> network = load_network(folder.path("pair.yaml"));
  ASSERT_TRUE(network.ok()) << to_string(network.errors());
  folder.write("arch.yaml", kMachine);
  const Result<Architecture> machine = load_architecture(folder.path("arch.yaml"));
  ASSERT_TRUE(machine.ok());
  const Result<YamlNode> tree = YamlNode::parse(R"(mapping:
  nodes:
  - !Storage {component: Main, tensors: [A, W, V, Z]}
  - !Storage {component: Buf, tensors: [W]}
  - !Temporal {rank_variable: m, tile_shape: 2}
  - !Storage {component: Buf, tensors: [T]}
  - !Sequential
    nodes:
    - !Nested
      nodes:
      - !Storage {component: Buf, tensors: [A]}
      - !Temporal {rank_variable: m, tile_shape: 1}
      - !Temporal {rank_variable: k, tile_shape: 1}
      - !Temporal {rank_variable: n, tile_shape: 1}
      - !Compute {einsum: T, component: Mult}
    - !Nested
      nodes:
      - !Storage {component: Buf, tensors: [V, Z]}
      - !Temporal {rank_variable: m, tile_shape: 1}
      - !Temporal {rank_variable: p, tile_shape: 1}
      - !Temporal {rank_variable: n, tile_shape: 1}
      - !Compute {einsum: Z, component: Mult}
)",
                                                "tree.yaml");
  ASSERT_TRUE(tree.ok());
  EXPECT_EQ(accelforge::count_einsums(*tree), 2U);
  const Result<std::string> schedule = accelforge::schedule_text(*tree, *network, *machine);
  ASSERT_TRUE(schedule.ok()) << to_string(schedule.errors());
  EXPECT_THAT(*schedule, HasSubstr("Buf[+T.W, (T.m/4 Z.m/4)[T, Z]]"));
  EXPECT_THAT(*schedule, HasSubstr("T: [{level: Main, keep: [A, W, T]}, {level: Buf, keep: ["));
  const Result<std::string> alone = accelforge::mapping_text(*tree, network->layers[0].workload, *machine);
  EXPECT_THAT(to_string(alone.errors()), AllOf(HasSubstr("tree.yaml:4"), HasSubstr("stands above several Einsums")));
}

// What is written is read back at the same cost.
TEST(AccelForge, WritesWhatItReads) {
  const TempFolder folder;
  folder.write("ours.yaml", R"(architecture:
  word_bits: 8
  cycle_ns: 2
  drain_reads: on
  leakage: all
  levels:
  - {name: Main, capacity: unbounded, energy: 20, bandwidth: {shared: 4}}
  - {name: Buf, entries: 256, energy: {read: 1, write: 1.5}, bandwidth: {read: 8, write: 8}, leak_pj_per_cycle: 0.5,
     open: all, fanout: {x: 4, y: 2}, constraints: {spatial: {allowed_x: [other_dims(weights)]}}}
  - {name: Reg, entries: 4, energy: 0.1, keep: outputs}
  compute: {name: Mult, energy: 0.25}
)");
  const Result<Architecture> machine = load_architecture(folder.path("ours.yaml"));
  ASSERT_TRUE(machine.ok()) << to_string(machine.errors());
  const Result<Network> network = parse_network(
      "name: pair\nword_bits: 8\nlayers:\n- {name: one, conv: {c: 4, k: 8, p: 6, r: 3}}\n"
      "- {name: two, conv: {c: 8, k: 4, p: 6, q: 6}, reads: {Inputs: one}}\n",
      "pair.yaml");
  ASSERT_TRUE(network.ok()) << to_string(network.errors());
  SearchOptions options;
  options.threads = 1;
  options.tiles = Tiles::Uneven;
  const auto written_machine = accelforge::write_machine(*machine);
  const auto written_network = accelforge::write_workload(*network, {});
  ASSERT_TRUE(written_machine.ok()) << to_string(written_machine.errors());
  ASSERT_TRUE(written_network.ok()) << to_string(written_network.errors());
  folder.write("arch.yaml", written_machine->text);
  folder.write("work.yaml", written_network->text);
  const Result<Architecture> back = load_architecture(folder.path("arch.yaml"));
  const Result<Network> again = load_network(folder.path("work.yaml"));
  ASSERT_TRUE(back.ok()) << to_string(back.errors()) << written_machine->text;
  ASSERT_TRUE(again.ok()) << to_string(again.errors()) << written_network->text;
  ASSERT_EQ(again->layers.size(), 2U);
  EXPECT_EQ(again->edges.size(), 1U);
  for (std::size_t k = 0; k < 2; ++k) {
    const Workload& workload = network->layers[k].workload;
    const Result<MappingResult> best = map_workload(workload, *machine, options);
    const Result<MappingResult> theirs = map_workload(again->layers[k].workload, *back, options);
    ASSERT_TRUE(best.ok() && theirs.ok());
    EXPECT_NEAR(best->value, theirs->value, 1e-6 * best->value);
    const auto tree = accelforge::write_mapping(best->mapping, *network, k, *machine);
    ASSERT_TRUE(tree.ok()) << to_string(tree.errors());
    folder.write("tree.yaml", tree->text);
    const Result<Mapping> read = load_mapping(folder.path("tree.yaml"), again->layers[k].workload, *back);
    ASSERT_TRUE(read.ok()) << to_string(read.errors()) << tree->text;
    const Cost before = best->cost, after = CostModel(again->layers[k].workload, *back).evaluate(*read).cost;
    EXPECT_NEAR(before.energy.picojoules(), after.energy.picojoules(), 1e-6 * before.energy.picojoules());
    EXPECT_EQ(before.cycles, after.cycles);
  }
}

// Texts with random mistakes are read or refused, and never end the program.
TEST(AccelForge, SurvivesMistakes) {
  const TempFolder folder;
  folder.write("renames.yaml", kRenames);
  const Network network = network_of(folder);
  std::mt19937 random(7);
  const std::string marks = "[]{}:,-!%*&'\"#|~()=<>\n 0aZ";
  for (const char* original : {kWorkload, kMachine})
    for (int i = 0; i < 150; ++i) {
      std::string text = original;
      for (int k = 0; k < 3; ++k) {
        const std::size_t at = random() % text.size();
        const char mark = marks[random() % marks.size()];
        if (random() % 3 == 0) text.erase(at, 1 + random() % 8);
        else if (random() % 2 == 0) text.insert(at, 1, mark);
        else text[at] = mark;
      }
      folder.write("fuzz.yaml", text);
      static_cast<void>(load_network(folder.path("fuzz.yaml")).ok());
      static_cast<void>(load_architecture(folder.path("fuzz.yaml")).ok());
    }
  folder.write("loop.yaml", "{{include_text('loop.yaml')}}\nworkload:\n  einsums: []\n");
  const Result<Network> loop = load_network(folder.path("loop.yaml"));
  EXPECT_THAT(to_string(loop.errors()), HasSubstr("includes itself"));
}

}  // namespace
}  // namespace heliolite::accelforge_test
