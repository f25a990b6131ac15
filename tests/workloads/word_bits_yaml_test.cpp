// Sizes of tensors' words as files, users and ONNX models state them (docs/formats_workload.md, docs/formats_onnx.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/formats/load_network.h"
#include "engine/formats/onnx/import.h"
#include "engine/model/fingerprint.h"
#include "tests/support/onnx_writer.h"
#include "workloads/word_bits.h"
#include "workloads/workload_yaml.h"

namespace heliolite::word_bits_yaml_test {
namespace {

using ::testing::HasSubstr;

std::string sizes(const std::string& text) {
  const Result<Network> network = parse_network(text, "w.yaml");
  if (!network) return to_string(network.errors());
  std::string out;
  for (const Layer& layer : network->layers) out += (out.empty() ? "" : "; ") + word_bits_text(layer.workload);
  return out;
}

TEST(WordBitsYaml, OfOneWorkload) {
  EXPECT_EQ(sizes("gemm: 4x4x4"), "");
  EXPECT_EQ(sizes("{gemm: 4x4x4, word_bits: 8}"), "A: 8, B: 8, Z: 8");
  EXPECT_EQ(sizes("{gemm: 4x4x4, word_bits: {B: 4}}"), "B: 4");
  EXPECT_EQ(sizes("{gemm: 4x4x4, word_bits: {all: 16, weights: 4, Z: 32}}"), "A: 4, B: 16, Z: 32");
  EXPECT_EQ(sizes("{gemm: 4x4x4, word_bits: {A: 2, weight: 4}}"), "A: 2");
  EXPECT_EQ(sizes("{gemm: 4x4x4, word_bits: {A: mxfp4, B: 4.5, Z: 4+20/128}}"), "A: 4.25, B: 4.5, Z: 4.15625");
  EXPECT_THAT(sizes("{gemm: 4x4x4, word_bits: {A: 1.0009765625, B: 1.6}}"),
              HasSubstr("have no part of a bit in common that is at least 1/1024"));
  EXPECT_THAT(sizes("{gemm: 4x4x4, word_bits: mxpf4}"), HasSubstr("word_bits = mxpf4, must be 1 to 1024 bits"));
  // All accesses of a tensor have one size.
  const std::string syrk = "{einsum: \"C[i,j] += A[i,k]*A[j,k]\", sizes: {i: 4, j: 4, k: 4}, word_bits: {A: 8}}";
  const Workload twice = parse_network(syrk, "w.yaml")->layers[0].workload;
  for (const Tensor& t : twice.tensors) EXPECT_EQ(t.word_bits.value_or(0), t.is_output() ? 0u : 8u) << t.name;
}

TEST(WordBitsYaml, LayersGoBeforeTheNetwork) {
  EXPECT_EQ(sizes("word_bits: {weights: 4, inputs: 8, outputs: 32}\n"
                  "layers: [{name: a, gemm: 4x4x4}, {name: b, gemm: 4x4x4, word_bits: {A: 6}}, "
                  "{name: c, gemm: 4x4x4, word_bits: 16}]"),
            "A: 4, B: 8, Z: 32; A: 6, B: 8, Z: 32; A: 16, B: 16, Z: 16");
}

TEST(WordBitsYaml, Complaints) {
  EXPECT_THAT(sizes("{gemm: 4x4x4, word_bits: 0}"),
              HasSubstr("word_bits = 0, must be 1 to 1024 bits: a number such as 8 or 4.25"));
  EXPECT_THAT(sizes("{gemm: 4x4x4, word_bits: {A: 4096}}"), HasSubstr("word_bits of A = 4096, must be"));
  EXPECT_THAT(sizes("{gemm: 4x4x4, word_bits: [8]}"), HasSubstr("must be a number of bits, or a map"));
  EXPECT_THAT(
      sizes("gemm: 4x4x4\nword_bits:\n  A: 8\n  AA: 8\n"),
      HasSubstr("w.yaml:4: word_bits.AA: unknown tensor 'AA', must be all, inputs, weights, outputs or one of"));
  EXPECT_THAT(sizes("word_bits: {C: 8}\nlayers: [{name: a, gemm: 4x4x4}]"), HasSubstr("unknown tensor"));
  EXPECT_EQ(sizes("word_bits: {Outputs: 8, B: 4}\nlayers: [{name: a, gemm: 4x4x4}, {name: b, fc: {c: 4, k: 4}}]"),
            "B: 4, Z: 8; Outputs: 8");
  EXPECT_EQ(sizes("gemm: 67108864x1x33554432"), "");
  EXPECT_THAT(sizes("{gemm: 67108864x1x33554432, word_bits: 8}"),
              HasSubstr("A has more than 1125899906842624 words, the most a tensor may have where word_bits are"));
}

TEST(WordBitsYaml, WrittenAndReadAgain) {
  const Workload w = parse_network("{name: g, gemm: 4x4x4, word_bits: {A: 4, Z: 32}}", "w.yaml")->layers[0].workload;
  const Workload again = parse_network(write_workload(w), "w.yaml")->layers[0].workload;
  EXPECT_EQ(fingerprint(again), fingerprint(w));
  Workload plain = w;
  for (Tensor& t : plain.tensors) t.word_bits.reset();
  EXPECT_NE(fingerprint(plain), fingerprint(w));
  EXPECT_EQ(differences(plain, w).size(), 2u);
  const Network n = *parse_network(
      "name: n\nword_bits: {A: 4}\nlayers: [{name: a, gemm: 4x4x4}, {name: b, gemm: 4x4x4, word_bits: 8}]", "n.yaml");
  EXPECT_EQ(sizes(write_network(n)), "A: 4; A: 8, B: 8, Z: 8");
}

TEST(WordBitsYaml, OnTheCommandLine) {
  const auto said = [](const char* what, const char* text) {
    const Result<WordBits> bits = parse_word_bits(text);
    if (!bits) return to_string(bits.errors());
    const Result<Network> network = load_network(what, {.word_bits = *bits});
    if (!network) return to_string(network.errors());
    return word_bits_text(network->layers.front().workload);
  };
  EXPECT_EQ(said("gemm:4x4x4", "8"), "A: 8, B: 8, Z: 8");
  EXPECT_EQ(said("resnet18", "weights=4,Inputs=8"), "Weights: 4, Inputs: 8");
  EXPECT_EQ(said("resnet18", "none"), "");
  EXPECT_EQ(said("gemm:4x4x4", "mxfp4"), "A: 4.25, B: 4.25, Z: 4.25");
  EXPECT_EQ(said("gemm:4x4x4", "weights=4+16/128,inputs=FP8,outputs=bf16"), "A: 4.125, B: 8, Z: 16");
  EXPECT_THAT(said("resnet18", "Wieghts=8"), HasSubstr("unknown tensor 'Wieghts'"));
  EXPECT_THAT(said("resnet18", "types"), HasSubstr("types are those of an ONNX model"));
  for (const char* bad : {"", "0", "2000", "A", "A=", "=8", "A=8,A=4", "x y"})
    EXPECT_THAT(said("gemm:4x4x4", bad), HasSubstr("--word-bits")) << bad;
}

// int8 weights and activations behind DequantizeLinear, int8 operators, 4-bit weights in bytes, and plain floats.
onnx_writer::Model quantised() {
  using namespace onnx_writer;
  Model m;
  m.inputs = {tensor("x", {"16", "64"}, 3), tensor("f", {"16", "64"}, 10)};
  m.constants = {weights("s", {}),          weights("w", {64, 32}, 3), weights("v", {32, 8}, 16),
                 weights("q", {64, 32}, 2), weights("z", {}, 3),       weights("p", {32, 2, 16}, 2),
                 weights("c", {64}, 10)};
  m.nodes = {node("DequantizeLinear", {"x", "s"}, {"dx"}),
             node("DequantizeLinear", {"w", "s"}, {"dw"}),
             node("Reshape", {"dx", "shape"}, {"rx"}),
             node("MatMul", {"rx", "dw"}, {"y"}),
             node("Cast", {"y"}, {"h"}, {Attribute("to", 16)}),
             node("MatMul", {"h", "v"}, {"o1"}),
             node("MatMulInteger", {"x", "q"}, {"o2"}),
             node("QLinearMatMul", {"x", "s", "z", "w", "s", "z", "s", "z"}, {"o3"}),
             node("MatMulNBits", {"f", "p"}, {"o4"}, {Attribute("K", 64), Attribute("N", 32), Attribute("bits", 4)}),
             node("MatMulNBits", {"f", "p", "c"}, {"o5"},
                  {Attribute("K", 64), Attribute("N", 32), Attribute("bits", 4), Attribute("block_size", 32)})};
  m.constants.push_back(integers("shape", {2}, {16, 64}));
  m.outputs = {tensor("o1", {"16", "8"}, 16)};
  return m;
}

TEST(WordBitsOnnx, AreThoseOfTheElements) {
  onnx::Options options;
  options.types = true;
  const auto imported = onnx::import_bytes(quantised().bytes(), "m.onnx", options, onnx::Merge::None);
  ASSERT_TRUE(imported.ok()) << to_string(imported.errors());
  std::vector<std::string> said;
  for (const Layer& layer : imported->network.layers) said.push_back(word_bits_text(layer.workload));
  EXPECT_THAT(said, ::testing::ElementsAre("A: 8, B: 8, Z: 32", "A: 16, B: 16, Z: 16", "A: 8, B: 8, Z: 32",
                                           "A: 8, B: 8, Z: 8", "A: 4, B: 16, Z: 16", "A: 4.5, B: 16, Z: 16"));
  EXPECT_EQ(imported->report.sized, 0u);
}

TEST(WordBitsOnnx, AreNotUsedUnlessAskedFor) {
  const auto imported = onnx::import_bytes(quantised().bytes(), "m.onnx", {}, onnx::Merge::None);
  ASSERT_TRUE(imported.ok()) << to_string(imported.errors());
  for (const Layer& layer : imported->network.layers) EXPECT_FALSE(states_word_bits(layer.workload));
  EXPECT_EQ(imported->report.sized, 3u);  // dequantised, and packed
  EXPECT_THAT(imported->notes(), ::testing::Contains(HasSubstr("element types, which are not used")));
}

}  // namespace
}  // namespace heliolite::word_bits_yaml_test
