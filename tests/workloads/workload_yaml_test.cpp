// Our YAML for workloads and networks: every form, and every complaint with its line and field.
#include "workloads/workload_yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/base/file_bytes.h"
#include "engine/formats/load_network.h"
#include "engine/model/fingerprint.h"
#include "tests/support/cli_runner.h"

namespace heliolite::workload_yaml_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<Network> read(const std::string& text, const NetworkOptions& options = {}) {
  const Result<YamlNode> root = YamlNode::parse(text, "w.yaml");
  if (!root.ok()) return root.errors();
  return network_from_yaml(*root, "w", options);
}

Network network(const std::string& text, const NetworkOptions& options = {}) {
  Result<Network> result = read(text, options);
  EXPECT_TRUE(result.ok()) << to_string(result.errors());
  return result.ok() ? *result : Network{};
}

Workload single(const std::string& text) {
  const Network n = network(text);
  EXPECT_EQ(n.layers.size(), 1U);
  return n.layers.empty() ? Workload{} : n.layers[0].workload;
}

std::string complaint(const std::string& text, const NetworkOptions& options = {}) {
  const Result<Network> result = read(text, options);
  return result.ok() ? "" : to_string(result.errors());
}

u64 size(const Workload& w, const char* dimension) {
  return w.dimensions.at(static_cast<std::size_t>(*w.find_dimension(dimension))).size;
}

Role role(const Workload& w, const char* tensor) {
  return w.tensors.at(static_cast<std::size_t>(*w.find_tensor(tensor))).role;
}

constexpr const char* kNetwork = R"(name: small
source: made up
batch: 2
defaults:
  conv: {r: 3}
layers:
- {name: a, conv: {c: 4, k: 8, p: 6}, count: 3}
- {name: b, conv: {c: 4, k: 8, p: 6, r: 1, stride: 2}}
- {name: c, fc: {c: 8, k: 10}}
- {name: d, gemm: 8x4x2}
- {name: e, depthwise: "c=4, p=6, r=3"}
)";

TEST(WorkloadYaml, ReadsANetwork) {
  const Network n = network(kNetwork);
  EXPECT_EQ(n.name, "small");
  ASSERT_EQ(n.layers.size(), 5U);
  EXPECT_EQ(n.layers[0].workload.name, "a");
  EXPECT_EQ(n.layers[0].count, 3U);
  EXPECT_EQ(size(n.layers[0].workload, "R"), 3U) << "a default";
  EXPECT_EQ(size(n.layers[0].workload, "N"), 2U) << "the batch";
  EXPECT_EQ(size(n.layers[1].workload, "R"), 1U);
  EXPECT_EQ(size(n.layers[3].workload, "N"), 8U) << "columns of all images";
  EXPECT_EQ(n.macs(), 2U * (3 * 4 * 8 * 36 * 9 + 4 * 8 * 36 + 80 + 64 + 4 * 36 * 9));
}

TEST(WorkloadYaml, OptionsWinOverTheFile) {
  const std::string text =
      "batch: 2\npass: forward\nlayers:\n- {name: a, conv: {c: 4, k: 8, p: 6, r: 3, stride: 2}}\n- {name: f, fc: {c: "
      "3, k: 5}}\n";
  EXPECT_EQ(size(network(text, {.batch = 5, .pass = {}}).layers[0].workload, "N"), 5U);
  const Workload update = network(text, {.batch = {}, .pass = Pass::WeightUpdate}).layers[0].workload;
  EXPECT_EQ(size(update, "N"), 4U);
  EXPECT_EQ(size(update, "C"), 2U);
  EXPECT_EQ(size(update, "R"), 6U);
  EXPECT_EQ(size(update, "P"), 3U);
  EXPECT_EQ(update.tensors[1].ranks[2].terms[0].coefficient, 2U) << "the stride dilates";
}

TEST(WorkloadYaml, ReadsOneWorkload) {
  const Workload conv = single("conv: {C: 4, K: 8, P: 6}\n");
  EXPECT_EQ(conv.name, "w");
  EXPECT_EQ(size(conv, "K"), 8U);
  const Workload einsum =
      single("name: mine\neinsum: o[i,j] += a[i,k]*b[k,j]\nsizes: {i: 2, j: 3, k: 4}\nroles: {b: weight}\n");
  EXPECT_EQ(einsum.name, "mine");
  EXPECT_EQ(einsum.macs(), 24U);
  EXPECT_EQ(role(einsum, "a"), Role::Input);
  EXPECT_EQ(role(einsum, "b"), Role::Weight);
  EXPECT_EQ(single("einsum: \"o[i] += a[i,k]; i=2\"\nsizes: {k: 5}\n").macs(), 10U);
}

TEST(WorkloadYaml, ReadsExplicitTensors) {
  const Workload w = single(R"(
dimensions: {P: 8, R: 3, C: 4}
tensors:
  ifmap: [C, 2*P+R]
  filter: [C, R]
  ofmap: [P]
output: ofmap
roles: {ifmap: input, filter: weight, ofmap: output}
)");
  EXPECT_EQ(w.macs(), 96U);
  EXPECT_EQ(role(w, "ofmap"), Role::Output);
  EXPECT_EQ(role(w, "filter"), Role::Weight);
  EXPECT_EQ(w.tensor_words(0), 4U * (1 + 14 + 2));
}

TEST(WorkloadYaml, RolesMayLeaveEveryTensorAnInput) {
  const Workload w = single("gemm: 2x2x2\nroles: {A: input, B: input}\n");
  EXPECT_EQ(role(w, "A"), Role::Input);
  EXPECT_EQ(role(w, "B"), Role::Input);
}

TEST(WorkloadYaml, TakesLayersFromAPreset) {
  const Network n = network("name: big\nlayers_from: resnet18\nbatch: 16\n");
  EXPECT_EQ(n.name, "big");
  EXPECT_EQ(n.layers.size(), 12U);
  EXPECT_EQ(n.macs(), network("layers_from: resnet18\n").macs() * 16);
  EXPECT_THAT(complaint("layers_from: resnet81\n"), AllOf(HasSubstr("w.yaml:1: layers_from"), HasSubstr("'resnet18'")));
  EXPECT_THAT(complaint("layers_from: inception_v3_wu\n"), HasSubstr("no layers of its own"));
  EXPECT_THAT(complaint("layers_from: resnet18\nlayers: []\n"), HasSubstr("both 'layers' and 'layers_from'"));
}

// "name:MACs x count" of each layer.
std::vector<std::string> layers(const Network& network) {
  std::vector<std::string> out;
  for (const Layer& l : network.layers)
    out.push_back(l.workload.name + ":" + std::to_string(l.workload.macs()) + " x" + std::to_string(l.count));
  return out;
}

TEST(WorkloadYaml, RepeatsBlocksOfLayers) {
  const Network n = network(R"(
layers:
- {name: first, gemm: 8x4x8}
- name: block
  repeat: 12
  layers:
  - {name: up,   gemm: 16x4x8, count: 2, reads: {B: X}}
  - {name: gate, gemm: 16x4x8, count: 2, reads: {B: X}}
  - {name: down, gemm: 8x4x16, count: 2}
  edges:
  - {from: up, to: down, tensor: B, through: elementwise}
- {name: head, gemm: 32x4x8}
edges:
- {from: block.down, to: head, tensor: B}
)");
  EXPECT_THAT(layers(n), ElementsAre("first:256 x1", "block.up:512 x24", "block.gate:512 x24", "block.down:512 x24",
                                     "head:1024 x1"));
  ASSERT_EQ(n.edges.size(), 4U);
  EXPECT_EQ(repeats_text(n, n.edges[0]), "last of 24");
  ASSERT_EQ(n.inputs.size(), 1U);
  EXPECT_EQ(n.inputs[0].name, "block.X");
  EXPECT_EQ(n.inputs[0].words, 32U);
  for (const Edge& e : n.edges) EXPECT_EQ(n.layers[static_cast<std::size_t>(e.to)].workload.find_tensor("B"), e.tensor);
  // All of a file several times; a block without a name keeps the names of its layers.
  EXPECT_THAT(layers(network("repeat: 3\nlayers:\n- {name: a, gemm: 2x2x2, count: 5}\n")), ElementsAre("a:8 x15"));
  EXPECT_THAT(layers(network("batch: 3\nlayers:\n- {repeat: 2, layers: [{name: a, gemm: 2x2x2}]}\n")),
              ElementsAre("a:24 x2"));
  EXPECT_THAT(complaint("layers:\n- {name: a, gemm: 2x2x2, repeat: 2}\n"),
              HasSubstr("how often a single layer runs is its count"));
  EXPECT_THAT(complaint("layers:\n- {name: a, gemm: 2x2x2}\n- {layers: [{name: a, gemm: 2x2x2}]}\n"),
              HasSubstr("w.yaml:3: layers[1]: a second layer 'a'; a block with a name calls its layers NAME.LAYER"));
  EXPECT_THAT(complaint("layers:\n- {repeat: 1000, layers: [{name: a, gemm: 2x2x2, count: 2000}]}\n"),
              HasSubstr("a runs 2000000 times, must be at most 1000000"));
  EXPECT_THAT(complaint("repeat: 1000\nlayers: [{name: a, gemm: 2x2x2, count: 2000}]\n"),
              HasSubstr("a runs 2000000 times with repeat = 1000"));
  EXPECT_THAT(complaint(R"(layers:
- {name: b, layers: [{name: x, gemm: 2x2x2}, {name: y, gemm: 2x2x2, reads: {B: x}}]}
- {name: z, gemm: 2x2x2}
edges: [{from: z, to: b.y, tensor: B}]
)"),
              HasSubstr("B of b.y has an edge inside the block and another one"));
  EXPECT_THAT(complaint(R"(layers:
- {name: b, layers: [{name: x, gemm: 2x2x2}, {name: y, gemm: 2x2x2, reads: {B: x}}]}
- {name: z, gemm: 2x2x2, reads: {B: b.y}}
edges: [{from: z, to: b.x, tensor: B}]
)"),
              HasSubstr("circle"));
  EXPECT_THAT(complaint("layers:\n- {network: a, layers: [{name: a, gemm: 2x2x2}]}\n"),
              HasSubstr("both 'network' and 'layers', must be one"));
}

// Files inside files, presets and texts, beside the file that names them.
TEST(WorkloadYaml, ReadsNetworksInsideNetworks) {
  const TempFolder folder;
  const auto load = [&](const std::string& what, const ReadOptions& options = {}) {
    const Result<Network> n = load_network(folder.path(what), options);
    return n.ok() ? *n : Network{to_string(n.errors()), {}};
  };
  folder.write("block.yaml", "word_bits: {A: 4}\nlayers: [{name: a, gemm: 4x2x4, count: 2}, {name: b, gemm: 4x2x4}]\n");
  folder.write("model.yaml", R"(
batch: 1
word_bits: 8
layers:
- {name: one, network: block.yaml, repeat: 3}
- {network: "gemm:8x8x8"}
- {name: two, network: block.yaml@batch=2}
- {name: r, network: resnet18/conv1}
)");
  const Network model = load("model.yaml");
  EXPECT_THAT(layers(model), ElementsAre("one.a:32 x6", "one.b:32 x3", "gemm:512 x1", "two.a:64 x2", "two.b:64 x1",
                                         "r.conv1:118013952 x1"))
      << model.name;
  // What the inner file says of words goes first.
  EXPECT_EQ(model.layers.at(0).workload.tensors[0].word_bits, 4U);
  EXPECT_EQ(model.layers.at(0).workload.tensors[1].word_bits, 8U);
  folder.write("whole.yaml", "network: block.yaml\nrepeat: 5\nbatch: 4\n");
  EXPECT_THAT(layers(load("whole.yaml")), ElementsAre("a:128 x10", "b:128 x5"));
  EXPECT_EQ(load("whole.yaml").batch, 4U);
  EXPECT_THAT(layers(load("whole.yaml@batch=1")), ElementsAre("a:32 x10", "b:32 x5"));
  // None is inside itself, and a file that doubles itself twenty times ends at a limit.
  folder.write("self.yaml", "layers: [{network: other.yaml}]\n");
  folder.write("other.yaml", "network: self.yaml\n");
  EXPECT_THAT(load("self.yaml").name, HasSubstr("is a network inside itself"));
  for (int i = 0; i < 20; ++i)
    folder.write("d" + std::to_string(i) + ".yaml", i == 0 ? "layers: [{name: a, gemm: 2x2x2}]\n"
                                                           : "layers: [{name: a, network: d" + std::to_string(i - 1) +
                                                                 ".yaml}, {name: b, network: d" +
                                                                 std::to_string(i - 1) + ".yaml}]\n");
  EXPECT_THAT(load("d19.yaml").name, HasSubstr("nested over 16 deep"));
  EXPECT_EQ(load("d10.yaml").layers.size(), 1024U);
  folder.write("bad.yaml", "layers: [{network: nowhere.yaml}, {name: c, network: resnet81}]\n");
  EXPECT_THAT(
      load("bad.yaml").name,
      AllOf(HasSubstr("nowhere.yaml"), HasSubstr("network 'nowhere.yaml' cannot be read"), HasSubstr("'resnet18'")));
  folder.write("mixed.yaml", "layers: [{name: x, network: block.yaml@batch=2}, {name: y, network: block.yaml}]\n");
  EXPECT_THAT(load("mixed.yaml").name, HasSubstr("say 'batch' for all"));
}

// What one run of a network is: as its file says, or the one network that it repeats.
TEST(WorkloadYaml, SaysWhatARunIs) {
  const TempFolder folder;
  const auto load = [&](const std::string& what) { return load_network(folder.path(what)); };
  const std::string layers = "layers: [{name: a, gemm: 4x2x4}, {name: b, gemm: 4x2x4}]\n";
  folder.write("plain.yaml", "batch: 3\n" + layers);
  folder.write("model.yaml", "tokens: 5\nbatch: 2\nbatch_in_sizes: 4\n" + layers);
  folder.write("block.yaml", "one_run: ' one of 8 blocks '\n" + layers);
  EXPECT_EQ(load("plain.yaml")->inferences(), 3U);
  EXPECT_EQ(load("plain.yaml")->run_tokens(), std::nullopt);
  EXPECT_EQ(load("model.yaml")->inferences(), 8U);
  EXPECT_EQ(load("model.yaml")->run_tokens(), 40);
  EXPECT_EQ(load("model.yaml")->layers[0].workload.macs(), 64U);
  EXPECT_EQ(load("block.yaml")->inferences(), std::nullopt);
  EXPECT_EQ(load("block.yaml")->one_run, "one of 8 blocks");
  EXPECT_EQ(load_network(folder.path("plain.yaml") + "@pass=weight_update").ok(), false);  // a gemm has none
  EXPECT_EQ(load_network("resnet18@pass=weight_update")->one_run, "the weight update");
  EXPECT_EQ(load_network("resnet18@batch=4")->inferences(), 4U);
  EXPECT_EQ(load_network("resnet18/conv1")->inferences(), std::nullopt);
  const auto written = [&](const std::string& text) { return load_network(folder.write("w.yaml", text)); };
  EXPECT_EQ(written("network: model.yaml\nrepeat: 10\n")->tokens, 50U);
  EXPECT_EQ(written("network: model.yaml\nrepeat: 10\n")->inferences(), 8U);
  EXPECT_EQ(written("network: model.yaml\nbatch: 7\n")->inferences(), 28U);
  EXPECT_EQ(written("network: block.yaml\nrepeat: 8\n")->one_run, "8 times one of 8 blocks");
  EXPECT_EQ(written("network: block.yaml\nrepeat: 8\ntokens: 1\n")->one_run, "");
  EXPECT_EQ(written("layers: [{network: block.yaml, repeat: 8}]\n")->inferences(), 1U);
  EXPECT_EQ(written("layers_from: llama3_8b_decode\n")->one_run, load_network("llama3_8b_decode")->one_run);
  // Written and read again: the sizes hold the batch.
  const Network model = *load("model.yaml");
  const Network again = *written(write_network(model));
  EXPECT_EQ(again.inferences(), 8U);
  EXPECT_EQ(again.tokens, 5U);
  EXPECT_EQ(again.macs(), model.macs());
  EXPECT_EQ(written(write_network(*load("block.yaml")))->one_run, "one of 8 blocks");
  for (const char* bad : {"tokens: 0", "tokens: 1000000001", "batch_in_sizes: 0", "one_run: [a]", "one_run: \"a\\nb\""})
    EXPECT_FALSE(written(std::string(bad) + "\n" + layers).ok()) << bad;
  folder.write("long.yaml", "tokens: 1000000000\n" + layers);
  EXPECT_THAT(to_string(written("network: long.yaml\nrepeat: 2\n").errors()), HasSubstr("a run of 2000000000 tokens"));
}

TEST(WorkloadYaml, ReportsEveryErrorAtItsPlace) {
  const std::string text = complaint(R"(nam: small
layers:
- {name: a, conv: {c: 0, k: 8, p: 6, strid: 2}}
- {conv: {c: 4, k: 8, p: 6}, cuont: 3}
- {name: b, cnov: {c: 4}}
- {name: c, gemm: 8x4}
- {name: a, gemm: {m: -1, n: 4}, count: 0}
- {name: d, gemm: {m: 1, n: 4}}
- {name: x/y, gemm: 1x1x1}
- 7
)");
  for (const char* line : {
           "w.yaml:1: unknown key 'nam', did you mean 'name'?",
           "w.yaml:3: layers[0].conv.c: c = 0, must be an integer from 1 to 2147483647",
           "w.yaml:3: layers[0].conv: unknown key 'strid', did you mean 'stride'?",
           "w.yaml:4: layers[1]: missing key 'name'",
           "w.yaml:4: layers[1]: unknown key 'cuont', did you mean 'count'?",
           "w.yaml:5: layers[2]: unknown key 'cnov', did you mean 'conv'?",
           "w.yaml:6: layers[3].gemm: column 1: 2 sizes, gemm takes 3 (MxNxK)",
           "w.yaml:7: layers[4].name: a second layer 'a', the first is at line 3",
           "w.yaml:7: layers[4].count: count = 0, must be an integer from 1 to 1000000",
           "w.yaml:7: layers[4].gemm.m: m = -1, must be an integer from 1 to 2147483647",
           "w.yaml:8: layers[5].gemm: gemm needs k (it takes m, n and k)",
           "w.yaml:9: layers[6].name: name = x/y, must be a text without / and @",
           "w.yaml:10: layers[7]: must be a map of keys and values, not 7",
       }) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_EQ(std::ranges::count(text, '\n'), 12) << text;
}

TEST(WorkloadYaml, ExplainsShapes) {
  EXPECT_THAT(complaint("name: x\n"), HasSubstr("w.yaml:1: no shape; give one of conv, depthwise"));
  EXPECT_THAT(complaint("gemm: 1x1x1\nconv: {c: 1, k: 1, p: 1}\n"),
              HasSubstr("several shapes (conv and gemm), must be one"));
  EXPECT_THAT(complaint("gemm: [1, 2]\n"), HasSubstr("w.yaml:1: gemm: gemm must be a map of sizes"));
  EXPECT_THAT(complaint("gemm:\n"), HasSubstr("gemm must be a map of sizes, like {m: 64, ..}, not nothing"));
  EXPECT_THAT(complaint("gemm: {m: 1, M: 2, n: 1, k: 1}\n"), HasSubstr("gemm.M: a second value for m"));
  EXPECT_THAT(complaint("gemm: {m: 1.5, n: abc, k: \"4\"}\n"),
              AllOf(HasSubstr("gemm.m: m = 1.5, must be"), HasSubstr("gemm.n: n = abc, must be"),
                    HasSubstr("gemm.k: k = \"4\", must be")));
  EXPECT_THAT(complaint("gemm: {m: 1099511627776, n: 1, k: 1}\n"),
              HasSubstr("m = 1099511627776, must be an integer from 1 to 2147483647"));
  EXPECT_THAT(complaint("gemm: 1000000x1000000x1000000\n"),
              HasSubstr("w.yaml:1: gemm: dimensions: the product of all sizes"));
  EXPECT_THAT(complaint("gemm: 1x1x1\nsizes: {M: 2}\n"), HasSubstr("'sizes' does not go with 'gemm'"));
  EXPECT_THAT(complaint("conv: {c: 6, k: 4, p: 3, groups: 4}\n"),
              HasSubstr("w.yaml:1: conv: groups: groups = 4, must divide"));
  EXPECT_THAT(complaint("[1, 2]\n"), HasSubstr("w.yaml:1: must be a map"));
  EXPECT_THAT(complaint("42\n"), HasSubstr("w.yaml:1: must be a map"));
  EXPECT_THAT(complaint("layers: []\n"), HasSubstr("layers must be a list with at least one layer"));
  EXPECT_THAT(complaint("layers: 5\n"), HasSubstr("layers must be a list"));
}

TEST(WorkloadYaml, ExplainsEinsums) {
  EXPECT_THAT(complaint("name: x\neinsum: o[i] += a[i,k\n"),
              HasSubstr("w.yaml:2: einsum: column 14: expected ',', '+' or ']'"));
  EXPECT_THAT(complaint("einsum: o[i] += a[i,k]\nsizes: {i: 4}\n"),
              HasSubstr("w.yaml:1: einsum: no size for dimension k"));
  EXPECT_THAT(complaint("einsum: o[i] += a[i]\nsizes: {i: 4, z: 3}\n"),
              HasSubstr("w.yaml:2: sizes.z: unknown dimension 'z', must be one of i"));
  EXPECT_THAT(complaint("einsum: o[i] += a[i]\nsizes: {i: 0}\n"), HasSubstr("sizes.i: i = 0, must be"));
  EXPECT_THAT(complaint("einsum: o[i] += a[i]; i=4\nsizes: {i: 4}\n"), HasSubstr("a second size for dimension i"));
  EXPECT_THAT(complaint("einsum: o[i] += a[i]\nsizes: [4]\n"), HasSubstr("sizes must be a map"));
  EXPECT_THAT(complaint("einsum: [a]\n"), HasSubstr("einsum must be a text"));
  EXPECT_THAT(complaint("einsum: o[i] += a[i]; i=4\noutput: o\n"), HasSubstr("'output' does not go with 'einsum'"));
  EXPECT_THAT(complaint("einsum: o[i] += o[i]; i=4\n"), HasSubstr("two tensors have the name 'o'"));
}

TEST(WorkloadYaml, ReadsATensorTwice) {
  const std::string head = "dimensions: {I: 4, J: 4, K: 2}\n";
  const Workload w = single(head + "tensors: {C: [I, J], A: [I, K], \"A#2\": [J, K]}\noutput: C\n");
  EXPECT_EQ(w.tensors.at(2).access_of, 1);
  EXPECT_THAT(complaint(head + "tensors: {C: [I, J], A: [I, K], \"B#2\": [J, K]}\noutput: C\n"),
              HasSubstr("the tensor's name is 'B#2'"));
}

TEST(WorkloadYaml, ExplainsExplicitTensors) {
  const std::string head = "dimensions: {M: 4, K: 2}\n";
  const std::string good = head + "tensors: {A: [M, K], Z: [M]}\noutput: Z\n";
  EXPECT_EQ(complaint(good), "");
  EXPECT_THAT(complaint(head + "tensors: {A: [M, Q], Z: [M]}\noutput: Z\n"),
              HasSubstr("w.yaml:2: tensors.A[1]: column 1: unknown dimension 'Q', must be one of M or K"));
  EXPECT_THAT(complaint(head + "tensors: {A: [M, K], Z: [M]}\n"), HasSubstr("missing key 'output'"));
  EXPECT_THAT(complaint(head + "tensors: {A: [M, K], Z: [M]}\noutput: Y\n"),
              HasSubstr("output = Y, must be one of A or Z"));
  EXPECT_THAT(complaint(head + "tensors: {A: [M, K], Z: [M]}\noutput: [Z, A]\n"),
              HasSubstr("w.yaml:3: output: output = a list"));
  EXPECT_THAT(complaint(head + "output: Z\n"), HasSubstr("missing key 'tensors'"));
  EXPECT_THAT(complaint(head + "tensors: [A]\noutput: Z\n"), HasSubstr("tensors must be a map"));
  EXPECT_THAT(complaint(head + "tensors: {A: M, Z: [M]}\noutput: Z\n"), HasSubstr("the ranks of A must be a list"));
  EXPECT_THAT(complaint(head + "tensors: {A: [[M]], Z: [M]}\noutput: Z\n"),
              HasSubstr("tensors.A[0]: column 1: expected a dimension"));
  EXPECT_THAT(complaint(head + "tensors: {A: [M], Z: [M]}\noutput: Z\n"), HasSubstr("dimension K indexes no tensor"));
  EXPECT_THAT(complaint("dimensions: {M: 4, K: two}\ntensors: {A: [M, K], Z: [M]}\noutput: Z\n"),
              HasSubstr("dimensions.K: K = two"));
  EXPECT_THAT(complaint("dimensions: [M]\ntensors: {}\noutput: Z\n"),
              HasSubstr("dimensions must be a map of names and sizes"));
  EXPECT_THAT(
      complaint(good + "roles: {A: weigth, B: input, Z: input}\n"),
      AllOf(HasSubstr("roles.A: A = weigth, must be input or weight"),
            HasSubstr("unknown tensor 'B', must be one of A or Z"), HasSubstr("roles.Z: Z = input, must be output")));
}

TEST(WorkloadYaml, ExplainsBatchesAndPasses) {
  EXPECT_THAT(complaint("batch: 0\ngemm: 1x1x1\n"),
              HasSubstr("w.yaml:1: batch: batch = 0, must be an integer from 1 to 1000000"));
  EXPECT_THAT(complaint("pass: backwards\ngemm: 1x1x1\n"),
              HasSubstr("pass = backwards, must be forward or weight_update"));
  EXPECT_THAT(complaint("batch: 2\nmttkrp: 1x1x1x1\n"), HasSubstr("mttkrp: has no batch dimension; a batch of 2"));
  EXPECT_THAT(complaint("batch: 2\neinsum: o[i] += a[i]; i=1\n"), HasSubstr("has no batch dimension"));
  EXPECT_THAT(complaint("batch: 1000000\ngemm: 1x1000000x1\n"),
              HasSubstr("n = 1000000000000 after the batch of 1000000"));
  EXPECT_THAT(complaint("pass: weight_update\ngemm: 1x1x1\n"), HasSubstr("layers are all conv or fc"));
  EXPECT_THAT(complaint("defaults: {conf: {r: 3}}\ngemm: 1x1x1\n"),
              HasSubstr("w.yaml:1: defaults: unknown key 'conf', did you mean 'conv'?"));
  EXPECT_THAT(complaint("defaults: {conv: {r: 0}}\ngemm: 1x1x1\n"), HasSubstr("defaults.conv.r: r = 0"));
}

TEST(WorkloadYaml, BoundsTheWholeNetwork) {
  EXPECT_THAT(complaint("layers:\n- {name: a, gemm: 100000x100000x100000, count: 1000000}\n"),
              HasSubstr("more than 1000000000000000000 multiply-accumulates in all layers"));
}

TEST(WorkloadYaml, WritesWhatItReadsBack) {
  const TempFolder folder;
  std::vector<std::string> names = workload_preset_names();
  for (const char* text : {"gemm:7x11x13", "o[i,j] += a[i+j,2*i+3*j]; i=4,j=6", "C[i,j] += A[i,k]*A[j,k]; i=4,j=4,k=8",
                           "conv_wu:n=2,c=4,k=4,p=8,r=3,stride=2", "depthwise:c=8,p=5,r=3"})
    names.emplace_back(text);
  for (const std::string& name : names) {
    const Result<Network> network = load_network(name);
    ASSERT_TRUE(network.ok()) << to_string(network.errors());
    for (const Layer& layer : network->layers) {
      const Result<Network> again = load_network(folder.write("w.yaml", write_workload(layer.workload)));
      ASSERT_TRUE(again.ok()) << to_string(again.errors()) << write_workload(layer.workload);
      EXPECT_EQ(fingerprint(again->layers[0].workload), fingerprint(layer.workload)) << write_workload(layer.workload);
      EXPECT_EQ(again->layers[0].workload.name, layer.workload.name);
    }
  }
}

// Every YAML block of the documentation is a workload or a network.
TEST(WorkloadYaml, ReadsTheExamplesOfTheDocumentation) {
  const Result<std::string> document = read_text_file(HELIOLITE_TEST_DATA "/../docs/formats_workload.md");
  ASSERT_TRUE(document.ok()) << to_string(document.errors());
  constexpr std::string_view kOpen = "```yaml\n", kClose = "```";
  int examples = 0;
  for (std::size_t at = 0; (at = document->find(kOpen, at)) != std::string::npos; ++examples) {
    at += kOpen.size();
    const std::size_t end = document->find(kClose, at);
    ASSERT_NE(end, std::string::npos);
    const std::string example = document->substr(at, end - at);
    const Result<Network> read = parse_network(example, "w.yaml");
    EXPECT_TRUE(read.ok()) << to_string(read.errors()) << example;
    at = end;
  }
  EXPECT_EQ(examples, 13);
}

}  // namespace
}  // namespace heliolite::workload_yaml_test
