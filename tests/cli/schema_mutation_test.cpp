// Our readers and their JSON Schemas agree about damaged files: every value of sound ones is replaced, removed or given
// a neighbour. What a schema refuses its reader refuses, and a key that the reader does not know the schema refuses.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/execution/tiled_nest.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_mapping.h"
#include "engine/formats/load_network.h"
#include "engine/network/schedule_yaml.h"
#include "engine/sweep/sweep_yaml.h"
#include "tests/support/cli_runner.h"
#include "tests/support/fusion_toys.h"
#include "tests/support/json_validator.h"
#include "tests/support/load.h"

namespace heliolite::schema_mutation_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kRoot = fs::path(HELIOLITE_TEST_DATA).parent_path();
constexpr const char* kUnknown = "no_such_key";

struct Damaged {
  json document;
  std::string what;  // "architecture.levels[1].entries = -1"
};

// Wrong somewhere for every type.
const std::vector<json>& replacements() {
  static const std::vector<json> values{nullptr, json::array(), json::object(),  "no such text",  true,   -1,
                                        0.5,     1e300,         {json::array()}, {{kUnknown, 1}}, "-3 KB"};
  return values;
}

// All documents that differ from `root` at or below `at` in one place.
void damage(const json& root, const json::json_pointer& at, const std::function<void(const Damaged&)>& visit) {
  const json& value = root.at(at);
  for (const json& other : replacements()) {
    if (other == value) continue;
    json changed = root;
    changed[at] = other;
    visit({std::move(changed), at.to_string() + " = " + other.dump()});
  }
  if (value.is_object()) {
    json changed = root;
    changed[at][kUnknown] = 1;
    visit({std::move(changed), at.to_string() + " with an unknown key"});
    for (const auto& entry : value.items()) {
      json without = root;
      without[at].erase(entry.key());
      visit({std::move(without), at.to_string() + " without " + entry.key()});
    }
  }
  if (value.is_structured())
    for (const auto& entry : value.items())
      damage(root, value.is_array() ? at / std::stoul(entry.key()) : at / entry.key(), visit);
}

json kept_schema(const std::string& name) {
  return json::parse(read_text((kRoot / "schemas" / (name + ".json")).string()));
}

void compare(const std::string& format, const json& schema, const Damaged& damaged, const std::string& complaints) {
  const std::vector<std::string> wrong = violations(schema, damaged.document);
  if (complaints.empty()) {
    EXPECT_TRUE(wrong.empty()) << format << ": " << damaged.what << " is read, but its schema says " << wrong.front();
  }
  // The alternatives of a sweep are fields of its machine.
  const bool of_format = damaged.what.find("/values/") == std::string::npos;
  if (of_format && complaints.find(std::string("unknown key '") + kUnknown) != std::string::npos) {
    EXPECT_FALSE(wrong.empty()) << format << ": " << damaged.what << " is valid, but " << complaints;
  }
  EXPECT_EQ(complaints.find("nothing reads it"), std::string::npos) << complaints;
}

// `read` says what the reader complains about.
void check(const std::string& format, const std::string& sound,
           const std::function<std::string(const std::string&)>& read) {
  const Result<YamlNode> document = YamlNode::parse(sound, format);
  ASSERT_TRUE(document) << to_string(document.errors());
  const json root = json_of(*document), schema = kept_schema(format);
  EXPECT_EQ(read(root.dump()), "") << format;
  int all = 0, refused = 0;
  damage(root, json::json_pointer(), [&](const Damaged& damaged) {
    const std::string complaints = read(damaged.document.dump());
    ++all;
    refused += violations(schema, damaged.document).empty() ? 0 : 1;
    compare(format, schema, damaged, complaints);
  });
  EXPECT_GT(all, 30) << format;
  EXPECT_GT(refused, all / 2) << format;  // a schema that refuses little is of little use
}

template <class T>
std::string complaints_of(const Result<T>& result) {
  return result.ok() ? "" : to_string(result.errors());
}

TEST(SchemaMutation, Machines) {
  const auto read = [](const std::string& text) { return complaints_of(parse_architecture(text, "machine.yaml")); };
  check("machine", R"(
architecture:
  name: small
  description: everything that a machine may state
  technology_nm: 45
  cycle_ns: 1
  word_bits: 16
  energy: table
  constraints_for: channels
  link_transfers: off
  one_axis_per_dimension: true
  unit_loops_first: false
  min_parallelism: 0.5
  levels:
  - {name: DRAM, dram: LPDDR4, block_words: 4, bandwidth: 25.6 GB/s, fanout: 2}
  - name: Shared
    capacity: 32 KB
    block_words: 4
    cluster_size: 1
    multiple_buffering: 2
    energy: {read: 6, write: 7}
    leak_pj_per_cycle: 0.1
    area_um2: table
    address_generation_pj: 0.01
    bandwidth: {read: 16, write: 8 GB/s}
    network: {hop_pj: 0.05, router_pj: 0, ingress_pj: 0}
    keep: [inputs, outputs]
    open: weights
    fanout: {x: 4, y: 4}
    constraints:
      spatial: {allowed_x: [output_channel], allowed_y: [input_channel, kernel], factors: ["C<=4"]}
  - name: Local
    buffers:
    - {name: In, entries: 16, keep: inputs, energy: 1.5 pJ/bit}
    - {name: Wgt, entries: 128, keep: weights, energy: 2, area_um2: 100}
    - {name: Out, entries: 32, keep: outputs, word_bits: 32}
    constraints:
      temporal: {factors: ["kernel=0"], order: [C, K], allowed: [C, K, kernel]}
  compute: {name: MAC, word_bits: 16, energy: table, area_um2: 5}
)",
        read);
  check("machine",
        R"({architecture: {base: eyeriss, levels: [{name: GLB, capacity: 54 KB, loops: true, bypass: []}]}})", read);
}

TEST(SchemaMutation, Workloads) {
  const auto read = [](const std::string& text) { return complaints_of(parse_network(text, "workload.yaml")); };
  check("workload", R"(
name: small
source: ours
batch: 2
defaults: {conv: {r: 3}}
inputs: [{name: X, same_in_repeats: false}]
layers:
- {name: first, conv: {c: 3, k: 8, p: 16, stride: 2}}
- {name: second, conv: {c: 8, K: 8, p: 8, q: 8}, count: 1}
- {name: query, gemm: 64x32x64, reads: {B: X}}
- {name: key, gemm: {m: 64, n: 32, k: 64}, roles: {A: weight}}
- {name: up, gemm: 64x32x64}
edges:
- {from: first, to: second, tensor: Inputs, through: {pool: {k: 2, stride: 2, ranks: [P, Q]}}}
- {from: X, to: key, tensor: B, through: norm, ranks: {K: K, N: [N]}}
- {from: query, to: up, tensor: B, combine: add}
- {from: key, to: up, tensor: B, combine: add, slice: {rank: M, from: 0, words: 64}}
)",
        read);
  check("workload",
        R"({einsum: "o[i,j] += a[i,k]*b[k,j]", sizes: {i: 64, j: 64, k: 128}, roles: {b: weight}, pass: forward})",
        read);
  check("workload",
        R"({dimensions: {P: 16, R: 3, C: 4}, tensors: {ifmap: [C, 2*P+R], filter: [C, R], ofmap: [P]}, output: ofmap})",
        read);
}

TEST(SchemaMutation, Mappings) {
  const Workload workload = testing::workload("gemm:8x8x8");
  const Result<Architecture> machine = parse_architecture(
      R"({architecture: {energy: pat, levels: [{name: DRAM, dram: true}, {name: Buf, entries: 512, fanout: 8}]}})",
      "m");
  ASSERT_TRUE(machine) << to_string(machine.errors());
  check(
      "mapping", R"(
workload: gemm
architecture: small
mapping:
- {level: DRAM, keep: all, temporal: [K: 2, M: 2]}
- {level: Buf, keep: [A, B, Z], temporal: {N: 8, K: 4}, spatial: {x: [M: [4, 4]], no_link_transfer: [A]}}
)",
      [&](const std::string& text) { return complaints_of(parse_mapping(text, "mapping.yaml", workload, *machine)); });
}

TEST(SchemaMutation, Schedules) {
  const testing::FusionProblem toy = testing::two_products();
  check("schedule", R"(
network: products
architecture: two_buffers
softmax: incremental
schedule: Buf[(l1.j/6 l2.j/6)[+l1.w, l1, l2]]
mappings:
  l1: [{level: DRAM, keep: all}, {level: Buf, keep: [w, x, z], temporal: {j: 2, i: 8, k: 8}}]
  l2: [{level: DRAM, temporal: [j: 2, i: 8]}, {level: Reg, keep: [z], temporal: [k: 8]}]
)",
        [&](const std::string& text) -> std::string {
          const Result<YamlNode> document = YamlNode::parse(text, "schedule.yaml");
          if (!document) return to_string(document.errors());
          return complaints_of(read_schedule_file(*document, toy.graph, toy.architecture));
        });
}

TEST(SchemaMutation, Sweeps) {
  check("sweep", R"(
sweep:
  name: buffers
  machine: eyeriss_45nm
  workloads: [{workload: resnet18, weight: 2, layers: [conv1]}, "gemm:8x8x8"]
  objective: edp
  strategy: sunstone
  budget: 5
  evaluations: 1000
  memory: 1 GB
  without: [beam]
  free: false
  goal: front
  sample: 4
  pilots: 2
  parameters:
    node: {set: technology_nm, values: [45, 22]}
    glb: {set: GLB.capacity, from: 32 KB, to: 64 KB, factor: 2}
    spads: {set: [IfmapSpad.entries, PsumSpad.entries], from: 8, to: 24, step: 8}
    split: {values: {small: {WeightSpad.entries: 64}}}
  constraints: [area_mm2 <= 5 || node < 30]
)",
        [](const std::string& text) { return complaints_of(parse_sweep(text, "sweep.yaml")); });
}

// What only the program reads: all damaged files in one folder, looked at by `check`.
std::vector<std::string> complaints_by_check(const std::vector<Damaged>& all) {
  const TempFolder folder;
  for (std::size_t i = 0; i < all.size(); ++i)
    folder.write("f/" + std::to_string(10000 + i) + ".yaml", all[i].document.dump());
  const CliResult result = run_cli("check '" + folder.path("f") + "' --json -");
  std::vector<std::string> complaints;
  const json answer = json::parse(result.out);
  for (const json& file : answer.at("files")) {
    complaints.push_back("");
    for (const json& why : file.at("why")) complaints.back() += why.get<std::string>() + "\n";
    if (file.at("state") == "not ours") complaints.back() = "not ours";
  }
  return complaints;
}

void check_by_program(const std::string& format, const std::string& sound) {
  const Result<YamlNode> document = YamlNode::parse(sound, format);
  ASSERT_TRUE(document) << to_string(document.errors());
  const json root = json_of(*document);
  std::vector<Damaged> all{{root, "nothing"}};
  damage(root, json::json_pointer(), [&](const Damaged& damaged) { all.push_back(damaged); });
  const std::vector<std::string> complaints = complaints_by_check(all);
  ASSERT_EQ(complaints.size(), all.size());
  EXPECT_EQ(complaints.front(), "") << format;
  const json schema = kept_schema(format);
  for (std::size_t i = 0; i < all.size(); ++i) compare(format, schema, all[i], complaints[i]);
}

TEST(SchemaMutation, Suites) {
  check_by_program("bench", R"(
bench:
  name: small
  objective: edp
  strategies: [exact, {name: random, budget: 0.5, label: drawn}, {command: "cat answer", budget: 2, free: true}]
  machines: [snowcat, {machine: eyeriss, name: e}]
  workloads: ["gemm:8x8x8", {workload: "gemm:16x8x8", name: g}]
  published: [{says: 2 x, source: a paper, of: drawn, over: exact, quantity: value, statistic: mean, from: 1, to: 2}]
  repeat: 2
)");
  check_by_program("bench", R"({ablation: {machines: snowcat, workloads: "gemm:8x8x8", budget: 2}})");
}

TEST(SchemaMutation, ExperimentsAndChips) {
  check_by_program("experiment", R"(
name: small
source: a paper
word_size: 2
chip: {area_mm2: 400, mac_um2: 300, word_um2: 2.5, hertz: 7e8, words_per_second: 1.5e11, roof_operations: 100}
rows:
- {what: a, note: n, workload: "gemm:64x64x64", measure: accesses, at: 1 KB, paper: 100, within: 0.5, to: 200, less_is_better: true}
- {what: b, workload: "gemm:64x64x64", measure: minimum, paper: 100, within: 0.5, ours: 2, because: of this}
)");
  check_by_program("chip", "{area: 400, mac_um2: 300, word_um2: 2.5, hertz: 7e8, words_per_second: 1.5e11}");
}

TEST(SchemaMutation, LearnedMappings) {
  check_by_program("learned", R"({tasks: [{machine: m, workload: w, objective: edp, coordinates: {size: 3.5},
      features: {tile: 4, order: 0}, points: [[0, 0.5], [1, 1]], values: [0.25, -3]}]})");
}

TEST(SchemaMutation, Tilings) {
  const TempFolder folder;
  const Workload workload = testing::workload("gemm:64x64x64");
  check("tiling", R"({tiling: {caches: [{tile: {M: 8, K: 1}, loops: [M, N]}, {tile: {M: 64}}], points: [K, M, N]}})",
        [&](const std::string& text) {
          return complaints_of(load_named_tiling(folder.write("tiling.yaml", text), workload));
        });
}

}  // namespace
}  // namespace heliolite::schema_mutation_test
