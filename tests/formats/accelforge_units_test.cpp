// AccelForge's machines with several compute units, behind a !Fork or with `enabled`: what they are read as, on which
// unit its Einsums run, and files that are written and read again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "arch/architecture_spec.h"
#include "engine/formats/accelforge/files.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_mapping.h"
#include "engine/formats/load_network.h"
#include "engine/model/cost_model.h"
#include "engine/model/running_units.h"
#include "engine/search/map.h"
#include "tests/support/cli_runner.h"

namespace heliolite::accelforge_units_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

// A matrix array, and behind a fork at the buffer four lanes of a vector unit with registers of its own.
constexpr const char* kForked = R"(arch:
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
    leak_power: 1e-3
    actions: [{name: read, energy: 1e-13, throughput: 64e9}, {name: write, energy: 1e-13, throughput: 64e9}]
  - !Fork
    nodes:
    - !Container {name: Lanes, spatial: [{name: lane, fanout: 4}]}
    - !Memory
      name: VRegs
      size: 8 * 16
      leak_power: 2e-3
      actions: [{name: read, energy: 1e-14, throughput: inf}, {name: write, energy: 1e-14, throughput: inf}]
    - !Compute
      name: Vector
      leak_power: 1e-3
      actions: [{name: compute, energy: 3e-13, throughput: 0.5e9}]
      enabled: len(All) == 2
  - !Container
    name: Array
    spatial: [{name: rows, fanout: 4, reuse: weight}, {name: columns, fanout: 2}]
  - !Memory
    name: Reg
    size: weight.bits_per_value if weight else 0
    leak_power: 0
    actions: [{name: read, energy: 0, throughput: inf}, {name: write, energy: 0, throughput: inf}]
    tensors: {keep: weight}
  - !Compute
    name: Mult
    leak_power: 2e-3
    actions: [{name: compute, energy: 5e-13, throughput: 1e9}]
    enabled: len(All) == 3
)";

// A product, an activation of what it makes, and a product of that.
constexpr const char* kCascade = R"(workload:
  rank_sizes: {M: 8, K: 4, N: 6, P: 4}
  bits_per_value: {All: 8}
  einsums:
  - {einsum: "T[m, n] = A[m, k] * W[k, n]", renames: {input: A, weight: W, output: T}}
  - {einsum: "S[m, n] = T[m, n]", renames: {input: T, weight: Nothing, output: S}}
  - {einsum: "Z[m, p] = S[m, n] * V[n, p]", renames: {input: S, weight: V, output: Z}}
)";

std::string with(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

Architecture machine_of(const std::string& text) {
  const Result<Architecture> machine = parse_architecture(text, "forked.yaml");
  EXPECT_TRUE(machine.ok()) << to_string(machine.errors());
  return machine ? *machine : Architecture();
}

std::string refused(const std::string& text) {
  const Result<Architecture> machine = parse_architecture(text, "forked.yaml");
  return machine ? "read" : to_string(machine.errors());
}

Network network_of(const std::string& text) {
  const Result<Network> network = parse_network(text, "cascade.yaml");
  EXPECT_TRUE(network.ok()) << to_string(network.errors());
  return network ? *network : Network();
}

TEST(AccelForgeUnits, ForksAreUnits) {
  const Architecture machine = machine_of(kForked);
  ASSERT_EQ(machine.chains(), 2U);
  const Architecture& vector = machine.units[0];
  EXPECT_EQ(machine.compute.name, "Mult");
  EXPECT_EQ(machine.compute.runs, kProducts);
  EXPECT_EQ(machine.levels.size(), 3U);
  EXPECT_EQ(machine.levels[1].fanout(), 8U);
  EXPECT_EQ(vector.compute.name, "Vector");
  EXPECT_EQ(vector.compute.runs, kAllOperations & ~kProducts);
  EXPECT_EQ(vector.compute.cycles_per_op, 2U);
  EXPECT_DOUBLE_EQ(vector.compute.op_pj, 0.3);
  ASSERT_EQ(vector.levels.size(), 3U);
  EXPECT_EQ(own_levels(machine, vector), 1U);
  EXPECT_EQ(vector.levels[0].name, "VRegs");
  EXPECT_EQ(vector.levels[0].entries, 16U);
  EXPECT_EQ(vector.levels[1].name, "Buf");
  EXPECT_EQ(vector.levels[1].fanout(), 4U);
  // All leaks: 8 x 2 and 4 x 1 mW of compute units with the outermost memory, 4 x 2 mW of registers beside the array.
  EXPECT_DOUBLE_EQ(machine.levels.back().leak_pj_per_cycle, 20);
  EXPECT_DOUBLE_EQ(machine.beside_pj_per_cycle, 8);
  EXPECT_DOUBLE_EQ(vector.beside_pj_per_cycle, 0);
  // Without a fork a unit stands beside what follows it.
  const Architecture beside = machine_of(R"(arch:
  nodes:
  - !Memory {name: Main, component_class: Dummy, size: inf}
  - !Memory {name: Buf, component_class: Dummy, size: 8000, spatial: [{name: core, fanout: 2}]}
  - !Compute {name: Scalar, area: 4e-12, actions: [{name: compute, energy: 0, throughput: 4e9}], enabled: len(All) == 2}
  - !Container {name: PE, spatial: [{name: a, fanout: 3}, {name: b, fanout: 5}, {name: c, fanout: 7}]}
  - !Compute {name: MAC, actions: [{name: compute, energy: 0, throughput: 1e9}], enabled: len(All) == 3}
)");
  ASSERT_EQ(beside.chains(), 2U);
  EXPECT_EQ(beside.compute.instances, 2U * 3 * 5 * 7);
  EXPECT_EQ(beside.units[0].compute.instances, 2U * 4);
  EXPECT_DOUBLE_EQ(beside.units[0].compute.area_um2, 1);
  EXPECT_EQ(beside.units[0].levels.size(), 2U);
}

TEST(AccelForgeUnits, EinsumsRunWhereTheyAreEnabled) {
  const Architecture machine = machine_of(kForked);
  const Network network = network_of(kCascade);
  std::vector<std::string> units;
  for (const Layer& layer : network.layers) units.push_back(running_chain(layer.workload, machine).compute.name);
  EXPECT_THAT(units, ::testing::ElementsAre("Mult", "Vector", "Mult"));
  // Units that are enabled for all: the search chooses.
  const Architecture open = machine_of(with(kForked, "      enabled: len(All) == 2\n", ""));
  EXPECT_EQ(units_that_run(network.layers[0].workload, open)->size(), 2U);
  EXPECT_EQ(units_that_run(network.layers[1].workload, open)->size(), 1U);
  // One unit alone does not run what it is not enabled for.
  const std::string start = kForked;
  const std::size_t fork = start.find("  - !Fork"), array = start.find("  - !Container\n    name: Array");
  const Architecture products = machine_of(start.substr(0, fork) + start.substr(array));
  EXPECT_EQ(products.chains(), 1U);
  EXPECT_THAT(to_string(units_that_run(network.layers[1].workload, products).errors()), HasSubstr("no unit of"));
}

TEST(AccelForgeUnits, RefusesWithThePlace) {
  EXPECT_THAT(refused(with(kForked, "  - !Fork\n", "  - !Fork\n    forked_power_gateable: True\n")),
              AllOf(HasSubstr("forked.yaml:"), HasSubstr("power gating has no counterpart")));
  EXPECT_THAT(refused(with(kForked, "throughput: 0.5e9", "throughput: 0.7e9")),
              AllOf(HasSubstr("Vector: a computation takes"), HasSubstr("a whole number")));
  EXPECT_THAT(refused(with(kForked, "size: 8 * 512", "size: 8 * 512 if weight else 8 * 256")),
              HasSubstr("Buf is one for the Einsums that Mult runs and another for those of Vector"));
  EXPECT_THAT(refused(with(kForked, "enabled: len(All) == 2", "enabled: lanes")), HasSubstr("'lanes' has no value"));
  EXPECT_THAT(refused(with(kForked, "enabled: len(All) == 3", "enabled: len(All) == 2")),
              HasSubstr("has no !Compute for Einsums of 3 tensors"));
  // What no Einsum reaches is named.
  EXPECT_THAT(machine_of(with(kForked, "enabled: len(All) == 2", "enabled: len(All) == 5")).notes,
              AllOf(Contains(HasSubstr("Vector is left out: it runs no Einsum")),
                    Contains(HasSubstr("VRegs is left out: it leads to no compute unit"))));
}

// Texts with random mistakes are read or refused, and never end the program.
TEST(AccelForgeUnits, SurvivesMistakes) {
  EXPECT_THAT(refused(R"(arch:
  nodes:
  - !Fork
    nodes:
    - !Memory {name: Own, component_class: Dummy, size: inf}
    - !Compute {name: Scalar, component_class: Dummy, enabled: len(All) == 2}
  - !Memory {name: Main, component_class: Dummy, size: inf}
  - !Compute {name: MAC, component_class: Dummy, enabled: len(All) == 3}
)"),
              HasSubstr("Scalar has an outermost memory of its own"));
  std::mt19937 random(11);
  const std::string marks = "[]{}:,-!%*&'\"#|~()=<>\n 023aZ";
  for (int i = 0; i < 150; ++i) {
    std::string text = kForked;
    for (int k = 0; k < 2; ++k) {
      const std::size_t at = random() % text.size();
      const char mark = marks[random() % marks.size()];
      if (random() % 3 == 0) text.erase(at, 1 + random() % 40);
      else if (random() % 2 == 0) text.insert(at, 1, mark);
      else text[at] = mark;
    }
    static_cast<void>(parse_architecture(text, "fuzz.yaml").ok());
  }
}

// A tree says which unit runs its Einsum; several Einsums on different units are a schedule.
TEST(AccelForgeUnits, ReadsTreesOnUnits) {
  const TempFolder folder;
  const Architecture machine = machine_of(kForked);
  const Network network = network_of(kCascade);
  const std::string tree = R"(mapping:
  nodes:
  - !Storage {component: Main, tensors: [A, W, T, S]}
  - !Sequential
    nodes:
    - !Nested
      nodes:
      - !Storage {component: Buf, tensors: [A, W, T]}
      - !Temporal {rank_variable: m, tile_shape: 4}
      - !Temporal {rank_variable: k, tile_shape: 1}
      - !Temporal {rank_variable: n, tile_shape: 1}
      - !Spatial {rank_variable: m, tile_shape: 1, name: rows, component: Array}
      - !Storage {component: Reg, tensors: [W]}
      - !Compute {einsum: T, component: Mult}
    - !Nested
      nodes:
      - !Storage {component: Buf, tensors: [T, S]}
      - !Temporal {rank_variable: m, tile_shape: 4}
      - !Spatial {rank_variable: m, tile_shape: 1, name: lane, component: Lanes}
      - !Storage {component: VRegs, tensors: [T, S]}
      - !Temporal {rank_variable: n, tile_shape: 1}
      - !Compute {einsum: S, component: Vector}
)";
  const Result<MappingFile> file = MappingFile::parse(tree, "tree.yaml");
  ASSERT_TRUE(file.ok());
  const Workload& activation = network.layers[1].workload;
  const Result<std::size_t> unit = file->unit(activation, machine);
  ASSERT_TRUE(unit.ok()) << to_string(unit.errors());
  EXPECT_EQ(*unit, 1U);
  const Result<Mapping> read = file->read(activation, machine.chain(*unit));
  ASSERT_TRUE(read.ok()) << to_string(read.errors());
  const Result<Mapping> same = parse_mapping(
      "unit: Vector\nmapping: [{level: Main}, {level: Buf, keep: [T, S], temporal: [m: 2], spatial: {x: [m: 4]}}, "
      "{level: VRegs, keep: [T, S], temporal: [n: 6]}]",
      "ours.yaml", activation, machine.chain(*unit));
  ASSERT_TRUE(same.ok()) << to_string(same.errors());
  EXPECT_TRUE(*read == *same);
  EXPECT_TRUE(file->read(network.layers[0].workload, machine).ok());

  Network pair = network;
  pair.layers.pop_back();
  std::erase_if(pair.edges, [](const Edge& edge) { return edge.to == 2; });
  const auto schedule = [&](const std::string& text) {
    const Result<YamlNode> root = YamlNode::parse(text, "tree.yaml");
    const Result<std::string> out =
        root ? accelforge::schedule_text(*root, pair, machine) : Result<std::string>(root.errors());
    return out ? *out : to_string(out.errors());
  };
  EXPECT_THAT(schedule(tree), AllOf(HasSubstr("schedule: \"T; S\""), HasSubstr("{level: VRegs, keep: [T, S]")));
  EXPECT_THAT(schedule(with(tree, "component: Vector", "component: Mult")),
              HasSubstr("component = Mult, the compute unit of forked that runs S is Vector"));
  EXPECT_THAT(schedule(with(tree, "component: VRegs", "component: Reg")),
              HasSubstr("component = Reg, must be a memory of"));
}

// Written files are read back: the same units, costs and mappings.
TEST(AccelForgeUnits, WritesWhatItReads) {
  const Architecture machine = machine_of(R"(architecture:
  name: two
  word_bits: 8
  cycle_ns: 2
  drain_reads: on
  leakage: all
  levels:
  - {name: Main, capacity: unbounded, energy: 20, bandwidth: {shared: 4}}
  - {name: Buf, entries: 256, energy: 1, leak_pj_per_cycle: 0.5, fanout: {x: 4, y: 2}}
  - {name: Reg, entries: 4, energy: 0.1, keep: outputs}
  compute: {name: Mult, energy: 0.25}
  units:
  - name: Vector
    below: Buf
    fanout: 4
    energy: 0.5
    cycles_per_op: 2
    levels: [{name: VRegs, entries: 8, energy: 0.05, leak_pj_per_cycle: 0.25}]
  - {name: Scalar, below: Main, energy: 4}
)");
  const Network network = network_of(kCascade);
  const auto written_machine = accelforge::write_machine(machine);
  const auto written_network = accelforge::write_workload(network, {});
  ASSERT_TRUE(written_machine.ok()) << to_string(written_machine.errors());
  ASSERT_TRUE(written_network.ok()) << to_string(written_network.errors());
  const Architecture back = machine_of(written_machine->text);
  const Network again = network_of(written_network->text);
  ASSERT_EQ(back.chains(), 3U) << written_machine->text;
  SearchOptions options;
  options.threads = 1;
  for (std::size_t k = 0; k < network.layers.size(); ++k) {
    const Workload& workload = network.layers[k].workload;
    const Workload& theirs = again.layers[k].workload;
    const Result<std::vector<std::size_t>> units = units_that_run(workload, machine);
    ASSERT_TRUE(units.ok());
    EXPECT_EQ(units->size(), k == 1 ? 2U : 1U);
    for (const std::size_t unit : *units) {
      const std::optional<std::size_t> there = find_unit(back, machine.chain(unit).compute.name);
      ASSERT_TRUE(there);
      const Result<MappingResult> best = map_workload(workload, machine.chain(unit), options);
      ASSERT_TRUE(best.ok()) << to_string(best.errors());
      const auto tree = accelforge::write_mapping(best->mapping, network, k, machine, unit);
      ASSERT_TRUE(tree.ok()) << to_string(tree.errors());
      const Result<MappingFile> file = MappingFile::parse(tree->text, "tree.yaml");
      ASSERT_TRUE(file.ok());
      EXPECT_EQ(*file->unit(theirs, back), *there);
      const Result<Mapping> read = file->read(theirs, back.chain(*there));
      ASSERT_TRUE(read.ok()) << to_string(read.errors()) << tree->text;
      const Cost before = best->cost, after = CostModel(theirs, back.chain(*there)).evaluate(*read).cost;
      EXPECT_NEAR(before.energy.picojoules(), after.energy.picojoules(), 1e-6 * before.energy.picojoules());
      EXPECT_EQ(before.cycles, after.cycles);
    }
  }
  const auto fails = [&](const std::string& from, const std::string& to) {
    Architecture other = machine;
    other.units[0].compute.runs = operation_bit(Operation::Softmax);
    if (from == "cycles") other.units[0].compute.runs = machine.units[0].compute.runs;
    if (from == "cycles") other.compute.cycles_per_op = 3;
    return to_string(accelforge::write_machine(other).errors()) + to;
  };
  EXPECT_THAT(fails("runs", ""), AllOf(HasSubstr("Vector"), HasSubstr("runs softmax: has no counterpart")));
  EXPECT_THAT(fails("cycles", ""), AllOf(HasSubstr("Vector"), HasSubstr("multiples of each other")));
}

// `convert` on files: a gate has three tensors and is no product, so that AccelForge runs it elsewhere.
TEST(AccelForgeUnits, ConvertsFiles) {
  const TempFolder folder;
  folder.write("forked.yaml", kForked);
  folder.write("cascade.yaml", kCascade);
  const std::string both = folder.path("forked.yaml") + " " + folder.path("cascade.yaml");
  const CliResult mapped = run_cli("map -a " + folder.path("forked.yaml") + " -w " + folder.path("cascade.yaml") +
                                   " --no-look --json " + folder.path("best.json"));
  ASSERT_EQ(mapped.exit_code, 0) << mapped.err;
  EXPECT_THAT(mapped.out, HasSubstr("Vector"));
  const CliResult ours =
      run_cli("convert --to heliolite -o " + folder.path("ours") + " " + both + " " + folder.path("best.json"));
  EXPECT_EQ(ours.exit_code, 0) << ours.err;
  const CliResult theirs =
      run_cli("convert --to accelforge -o " + folder.path("theirs") + " " + both + " " + folder.path("best.json"));
  EXPECT_EQ(theirs.exit_code, 0) << theirs.err;
  const CliResult eval =
      run_cli("eval -a " + folder.path("theirs/arch.yaml") + " -w " + folder.path("theirs/workload.yaml") +
              " -l S -m " + folder.path("theirs/mapping_S.yaml"));
  EXPECT_EQ(eval.exit_code, 0) << eval.err;
  folder.write(
      "gate.yaml",
      "name: net\nword_bits: 8\nlayers:\n- {name: gate, einsum: \"Z[m] = A[m]*B[m]; m=4\", operation: elementwise}\n");
  const CliResult gate = run_cli("convert --to accelforge -o " + folder.path("gate") + " " +
                                 folder.path("ours/machine.yaml") + " " + folder.path("gate.yaml"));
  EXPECT_EQ(gate.exit_code, 2);
  EXPECT_THAT(gate.err, HasSubstr("gate: runs on Vector here, and there, by its number of tensors, on Mult"));
}

}  // namespace
}  // namespace heliolite::accelforge_units_test
