// ONNX models, each stated by the test: which Einsums, counts and edges they become, and what is refused.
#include "engine/formats/onnx/import.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "engine/formats/load_network.h"
#include "tests/support/onnx_models.h"
#include "tests/support/onnx_reading.h"
#include "workloads/edge_ranks.h"
#include "workloads/workload_yaml.h"

namespace heliolite::onnx_import_test {
namespace {

using namespace onnx_models;
using onnx::Imported;
using onnx::Merge;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Complaints about a model that cannot be read.
std::string refused(const Model& model, const std::string& text = "") {
  const auto imported = import(model, text);
  return imported ? "taken" : to_string(imported.errors());
}

TEST(OnnxImport, ConvolutionsListHeightFirst) {
  const Sizes pads{0, 3, 0, 3};
  EXPECT_EQ(shape_of(conv({"2", "16", "40", "24"}, {32, 16, 1, 7}, {{"pads", pads}})),
            "conv: {n: 2, k: 32, c: 16, p: 24, q: 40, r: 7, s: 1}");
  EXPECT_EQ(shape_of(conv({"2", "16", "40", "24"}, {32, 16, 3, 3},
                          {{"strides", Sizes{2, 1}}, {"dilations", Sizes{1, 3}}, {"pads", Sizes{1, 3, 1, 3}}})),
            "conv: {n: 2, k: 32, c: 16, p: 24, q: 20, r: 3, wstride: 1, hstride: 2, wdilation: 3, hdilation: 1}");
  EXPECT_EQ(shape_of(conv({"1", "16", "9", "9"}, {16, 1, 3, 3}, {{"group", 16}, {"auto_pad", "SAME_UPPER"}})),
            "depthwise: {c: 16, p: 9, r: 3}");
  EXPECT_EQ(shape_of(conv({"1", "16", "9", "9"}, {48, 1, 3, 3}, {{"group", 16}, {"strides", Sizes{2, 2}}})),
            "conv: {k: 48, c: 16, p: 4, r: 3, stride: 2, groups: 16}");
  EXPECT_EQ(shape_of(conv({"2", "8", "1000"}, {16, 8, 5}, {{"strides", Sizes{2}}, {"pads", Sizes{2, 2}}})),
            "conv: {n: 2, k: 16, c: 8, p: 500, q: 1, r: 5, s: 1, wstride: 2, hstride: 1}");
  EXPECT_EQ(shape_of(conv({"1", "8", "16", "16"}, {8, 8, 3, 3}, {{"pads", Sizes{-1, -2, 0, 0}}})),
            "conv: {k: 8, c: 8, p: 12, q: 13, r: 3}");
}

TEST(OnnxImport, TransposedAndDeepConvolutionsAreEinsums) {
  const auto conv3d = import(conv({"1", "4", "16", "20", "24"}, {8, 2, 3, 5, 7},
                                  {{"group", 2}, {"strides", Sizes{1, 2, 2}}, {"pads", Sizes{1, 2, 3, 1, 2, 3}}}));
  ASSERT_THAT(shapes(conv3d), ElementsAre(HasSubstr("o[n,g,k,z,y,x] += w[g,k,c,u,t,s] * i[n,g,c,z+u,2*y+t,2*x+s]")));
  EXPECT_EQ(conv3d->network.macs(), 16ULL * 10 * 12 * 8 * 2 * 3 * 5 * 7);
  // Every input word meets every tap: no zeros of a stuffed image are multiplied.
  const auto up = import(conv({"2", "16", "40", "24"}, {16, 8, 4, 4}, {{"strides", Sizes{2, 2}}}, "ConvTranspose"));
  ASSERT_THAT(shapes(up), ElementsAre(HasSubstr("o[n,k,2*y+t,2*x+s] += w[c,k,t,s] * i[n,c,y,x]")));
  EXPECT_EQ(up->network.macs(), 2ULL * 16 * 8 * 16 * 40 * 24);
}

TEST(OnnxImport, StacksOfMatricesAreReadOncePerOwner) {
  EXPECT_EQ(shape_of(product("MatMul", "x", {2, 32, 64}, "w", {64, 96})), "gemm: 96x64x64");
  EXPECT_EQ(shape_of(product("MatMul", "w", {96, 32}, "x", {2, 32, 32})), "gemm: 96x64x32");
  EXPECT_EQ(shape_of(product("MatMul", "q", {2, 8, 32, 16}, "k", {2, 8, 16, 48})), "bmm: 16x48x32x16");
  EXPECT_EQ(shape_of(product("MatMul", "q", {2, 8, 32, 16}, "k", {1, 8, 16, 48})), "bmm: 8x48x64x16");
  EXPECT_EQ(shape_of(product("MatMul", "q", {2, 8, 32, 16}, "k", {2, 1, 16, 48})), "bmm: 2x48x256x16");
  EXPECT_EQ(shape_of(product("MatMul", "v", {64}, "v", {64})), "gemm: 1x1x64");
  EXPECT_EQ(shape_of(product("Gemm", "x", {64, 32}, "w", {10, 64}, {{"transA", 1}, {"transB", 1}})), "gemm: 10x32x64");
  EXPECT_EQ(shape_of(product("QLinearMatMul", "x", {4, 8}, "w", {8, 6})),
            "m.onnx: QLinearMatMul 'm': input 3 is missing; --skip-unknown leaves such nodes out");
}

TEST(OnnxImport, MeanAndDeviationAreOneAlongWhatIsNormalised) {
  const auto second = [](const char* op, const std::vector<Attribute>& attributes) {
    Model m;
    m.inputs = {tensor("x", {"2", "3", "4"})};
    m.outputs = {tensor("y", {"2", "3", "4"}), tensor("z", {"2", "3", "5"})};
    m.constants = {weights("w", {1, 5})};
    m.nodes = {node(op, {"x"}, {"y", "mean"}, attributes), node("MatMul", {"mean", "w"}, {"z"})};
    return import(m);
  };
  for (const char* op : {"LayerNormalization", "SkipLayerNormalization"}) {
    EXPECT_THAT(shapes(second(op, {})), ElementsAre("gemm: 5x6x1")) << op;
    EXPECT_THAT(second(op, {})->report.notes, IsEmpty()) << op;
  }
  EXPECT_THAT(shapes(second("LayerNormalization", {{"axis", 1}})), ElementsAre("gemm: 5x2x1"));
  EXPECT_THAT(shapes(second("LayerNormalization", {{"axis", -4}})), ElementsAre(HasSubstr("axis")));
}

TEST(OnnxImport, EinsumsAreProductsWhereTheirIndicesAllowIt) {
  const auto einsum = [](const char* equation, const Sizes& a, const Sizes& b) {
    return shape_of(product("Einsum", "a", a, "b", b, {{"equation", equation}}));
  };
  EXPECT_EQ(einsum("bhqd,bhkd->bhqk", {2, 3, 5, 7}, {2, 3, 11, 7}), "bmm: 6x11x5x7");
  EXPECT_EQ(einsum("...ij,jk", {4, 5, 6}, {6, 7}), "gemm: 7x20x6");
  EXPECT_EQ(einsum("bi, bi ->", {4, 5}, {4, 5}), "gemm: 1x1x20");
  EXPECT_THAT(einsum("ij,jk->iz", {2, 3}, {3, 4}), HasSubstr("output index z, which is in no operand"));
  EXPECT_THAT(einsum("ij,k->ik", {2, 3}, {4}), HasSubstr("sums one operand over index j"));
  EXPECT_THAT(einsum("ii,ij->j", {3, 3}, {3, 4}), HasSubstr("takes a diagonal"));
}

TEST(OnnxImport, TransformersAreBlocksWithEdges) {
  const auto all = import(transformer(3), "batch=2,seq=16");
  ASSERT_TRUE(all) << to_string(all.errors());
  EXPECT_EQ(all->network.layers.size(), 24U);
  EXPECT_THAT(all->summary, HasSubstr("24 layers (5 shapes)"));
  EXPECT_EQ(all->network.batch, 2U);
  // What a normalisation lies before is said, though the edge is elementwise.
  EXPECT_EQ(all->sources.at("h1_q"), "h1/q, B normalised");
  EXPECT_EQ(all->sources.at("h1_down"), "h1/down");
  EXPECT_THAT(all->summary, HasSubstr("not mapped: 6 Add, 6 LayerNormalization, 3 Gelu, 3 Softmax and 1 Gather"));
  // The shapes that reshapes are given are computed: constants, neither layers nor left out.
  EXPECT_THAT(all->report.counts(onnx::Fate::Constant), HasSubstr("3 Concat"));

  const auto blocks = import(transformer(3), "batch=2,seq=16", Merge::Blocks);
  EXPECT_THAT(shapes(blocks),
              ElementsAre("gemm: 64x32x64 x3", "gemm: 64x32x64 x3", "gemm: 64x32x64 x3", "bmm: 4x16x16x32 x3",
                          "bmm: 4x32x16x16 x3", "gemm: 64x32x64 x3", "gemm: 256x32x64 x3", "gemm: 64x32x256 x3"));
  EXPECT_THAT(
      edges(blocks->network),
      ElementsAre("[to_h0_q]>h0_q.B none", "[to_h0_q]>h0_k.B none", "[to_h0_q]>h0_v.B none", "h0_k>h0_scores.A none",
                  "h0_q>h0_scores.B none", "h0_v>h0_context.A none", "h0_scores>h0_context.B softmax",
                  "h0_context>h0_out.B none", "h0_out>h0_up.B elementwise", "h0_up>h0_down.B elementwise"));

  const auto merged = import(transformer(3), "batch=2,seq=16", Merge::Shapes);
  EXPECT_THAT(shapes(merged), ElementsAre("gemm: 64x32x64 x12", "bmm: 4x16x16x32 x3", "bmm: 4x32x16x16 x3",
                                          "gemm: 256x32x64 x3", "gemm: 64x32x256 x3"));
  EXPECT_EQ(merged->network.macs(), all->network.macs());
  EXPECT_EQ(merged->network.batch, 2U);
}

TEST(OnnxImport, FunctionsBranchesGatesAndRecurrence) {
  const auto mixed = import(onnx_models::mixed());
  EXPECT_THAT(shapes(mixed), ElementsAre("gemm: 16x4x16", "gemm: 16x4x16", "gemm: 32x4x16", "gemm: 32x4x16",
                                         "gemm: 16x4x32", "conv: {k: 4, c: 3, p: 8, r: 3}", "conv: {k: 4, c: 4, p: 4}",
                                         "gemm: 28x10x8", "gemm: 28x2x7 x5"));
  ASSERT_TRUE(mixed);
  EXPECT_EQ(mixed->network.layers[2].workload.name, "if_taken");
  // The gate, which nobody else reads, makes the operand together with the later factor. A pooling is no edge yet.
  EXPECT_THAT(edges(mixed->network),
              ElementsAre("[wf]>call1_mm.A none", "[wf]>call2_mm.A none", "call1_mm>call2_mm.B elementwise",
                          "call2_mm>if_taken.B elementwise", "call2_mm>up.B elementwise",
                          "up>down.B elementwise multiply", "if_taken>down.B elementwise multiply"));
  ASSERT_EQ(mixed->report.lost.size(), 1U);
  EXPECT_EQ(mixed->report.lost[0].why, "pool");
}

TEST(OnnxImport, NamesAreMadeFitForFiles) {
  Model m;
  m.inputs = {tensor("x", {"4", "4"})};
  m.constants = {weights("w", {4, 4})};
  std::string in = "x";
  for (const std::string name : {"/a b/@c", "true", "1e3", "\"q: {x}", "/a b/@c", "\xff\n"}) {
    m.nodes.push_back(node("MatMul", {in, "w"}, {in + "y"}, {}, name));
    in += "y";
  }
  const auto imported = import(m);
  ASSERT_TRUE(imported) << to_string(imported.errors());
  std::vector<std::string> names;
  for (const Layer& l : imported->network.layers) names.push_back(l.workload.name);
  EXPECT_THAT(names, ElementsAre("a_b__c", "true", "1e3", "q___x_", "a_b__c_2", "layer"));
}

// "q>scores.B M: [H, K], N: N" of each edge, or why it is not fused.
std::vector<std::string> ranks(const Network& network) {
  std::vector<std::string> out;
  for (const Edge& edge : network.edges) {
    const EdgeRanks of = edge_ranks(network, edge);
    const Workload& to = network.layers[static_cast<std::size_t>(edge.to)].workload;
    const std::string from = edge.from_input ? network.inputs[static_cast<std::size_t>(edge.from)].name
                                             : network.layers[static_cast<std::size_t>(edge.from)].workload.name;
    out.push_back(fmt::format("{}>{}.{} {}", from, to.name, to.tensors[static_cast<std::size_t>(edge.tensor)].name,
                              of.fused() ? ranks_text(network, of) : "not fused: " + of.why_not));
  }
  return out;
}

// Ranks are followed through reshapes and transposes; a batch in front of heads mixes them.
TEST(OnnxImport, EdgesSayWhichRanksCorrespond) {
  const auto one = import(transformer(1), "batch=1,seq=64");
  ASSERT_TRUE(one) << to_string(one.errors());
  const auto expected =
      ElementsAre("h0_norm1>h0_q.B K: K, N: N", "h0_norm1>h0_k.B N: N, K: K", "h0_norm1>h0_v.B N: N, K: K",
                  "h0_k>h0_scores.A M: [H, K], N: M", "h0_q>h0_scores.B M: [H, K], N: N",
                  "h0_v>h0_context.A M: [H, M], N: K", "h0_scores>h0_context.B H: H, M: K, N: N",
                  "h0_context>h0_out.B [H, M]: K, N: N", "h0_out>h0_up.B M: K, N: N", "h0_up>h0_down.B M: K, N: N");
  EXPECT_THAT(ranks(one->network), expected);
  const auto two = import(transformer(1), "batch=2,seq=64");
  ASSERT_TRUE(two) << to_string(two.errors());
  EXPECT_THAT(ranks(two->network),
              AllOf(Contains("h0_k>h0_scores.A not fused: no ranks correspond, as its 'ranks' say"),
                    Contains("h0_scores>h0_context.B H: H, M: K, N: N"), Contains("h0_up>h0_down.B M: K, N: N")));
  // Equal blocks keep them, and what they read from outside.
  const auto blocks = import(transformer(3), "batch=1,seq=64", Merge::Blocks);
  ASSERT_TRUE(blocks) << to_string(blocks.errors());
  EXPECT_THAT(ranks(blocks->network),
              AllOf(Contains("h0_q>h0_scores.B M: [H, K], N: N"), Contains("h0_context>h0_out.B [H, M]: K, N: N")));
}

TEST(OnnxImport, LinesAndColumnsOfSquareImagesAreToldApart) {
  Model m;
  m.inputs = {tensor("x", {"1", "3", "16", "16"})};
  m.constants = {weights("w1", {4, 3, 3, 3}), weights("w2", {8, 4, 3, 3}), weights("w3", {8, 1, 3, 3})};
  m.nodes = {node("Conv", {"x", "w1"}, {"a"}, {{"pads", Sizes{1, 1, 1, 1}}}, "a"), node("Relu", {"a"}, {"ra"}),
             node("Conv", {"ra", "w2"}, {"b"}, {{"pads", Sizes{1, 1, 1, 1}}, {"strides", Sizes{2, 2}}}, "b"),
             node("Conv", {"b", "w3"}, {"c"}, {{"pads", Sizes{1, 1, 1, 1}}, {"group", 8}}, "c")};
  const auto read = import(m);
  ASSERT_TRUE(read) << to_string(read.errors());
  EXPECT_THAT(ranks(read->network), ElementsAre("a>b.Inputs P: P, Q: Q, K: C", "b>c.Inputs P: P, Q: Q, K: C"));
}

// What convert writes is what was meant: read back it is the same network.
TEST(OnnxImport, WrittenNetworksReadBack) {
  for (const Merge merge : {Merge::None, Merge::Blocks, Merge::Shapes}) {
    for (const auto& [model, sizes] :
         {std::pair(transformer(2), "batch=1,seq=8"), std::pair(onnx_models::mixed(), "")}) {
      const auto imported = import(model, sizes, merge);
      ASSERT_TRUE(imported) << to_string(imported.errors());
      const std::string text = write_network(imported->network, imported->sources);
      const auto root = YamlNode::parse(text, "net.yaml");
      ASSERT_TRUE(root) << to_string(root.errors()) << text;
      const auto again = network_from_yaml(*root, "net");
      ASSERT_TRUE(again) << to_string(again.errors()) << text;
      EXPECT_EQ(write_network(*again, imported->sources), text);
      EXPECT_EQ(again->macs(), imported->network.macs());
    }
  }
}

// Poolings, slices and the like of our own files are written too.
TEST(OnnxImport, PresetsAreWrittenAsTheyAreRead) {
  for (const char* preset : {"llama3_8b_block", "bert_base_block", "resnet50", "mobilenet_v2", "tccg", "conv_pair"}) {
    const auto network = load_network(preset);
    ASSERT_TRUE(network) << preset;
    const std::string text = write_network(*network);
    const auto root = YamlNode::parse(text, "net.yaml");
    ASSERT_TRUE(root) << text;
    const auto again = network_from_yaml(*root, preset);
    ASSERT_TRUE(again) << to_string(again.errors()) << text;
    EXPECT_EQ(write_network(*again), text);
    EXPECT_EQ(edges(*again).size(), edges(*network).size()) << preset;
  }
}

TEST(OnnxImport, RefusesWhatCannotBeRight) {
  const Texts image{"1", "8", "16", "16"};
  EXPECT_THAT(refused(conv(image, {8, 8, 3, 3}, {{"strides", Sizes{0, 1}}})), HasSubstr("strides = [0, 1], must be 2"));
  EXPECT_THAT(refused(conv(image, {8, 8, 3, 3}, {{"strides", "2"}})), HasSubstr("strides is of type 3"));
  EXPECT_THAT(refused(conv(image, {8, 8, 3, 3}, {{"kernel_shape", Sizes{5, 5}}})), HasSubstr("does not fit"));
  EXPECT_THAT(refused(conv(image, {8, 8, 3, 3}, {{"pads", Sizes{1, 1, 1}}})), HasSubstr("pads = [1, 1, 1]"));
  EXPECT_THAT(refused(conv(image, {8, 8, 33, 3})), HasSubstr("no output: a window of 33"));
  EXPECT_THAT(refused(conv(image, {8, 3, 3, 3}, {{"group", 3}})), HasSubstr("group = 3 of an input of 8 channels"));
  EXPECT_THAT(refused(conv({"1", "2", "3", "4", "5", "6"}, {2, 2, 1, 1, 1, 1})), HasSubstr("4 spatial dimensions"));
  EXPECT_THAT(refused(conv({"0", "8", "16", "16"}, {8, 8, 3, 3})), HasSubstr("n = 0"));
  EXPECT_THAT(refused(conv({"-5", "8", "16", "16"}, {8, 8, 3, 3})), HasSubstr("dimension 0 is -5"));
  EXPECT_THAT(refused(conv({"N", "8", "16", "16"}, {8, 8, 3, 3})), HasSubstr("N (of x); give them as --dim N=1"));
  EXPECT_THAT(refused(conv({"", "8", "16", "16"}, {8, 8, 3, 3})), HasSubstr("x:0; give them as --dim x:0=1"));
  EXPECT_THAT(refused(conv(image, {8, 8, 3, 3}), "btach=1"), HasSubstr("no input has a dimension 'btach'"));
  EXPECT_THAT(refused(conv(image, {8, 8, 3, 3}), "x:0=2"), HasSubstr("dimension 0 is 1 in the file, 2 is not taken"));
  Model m = conv(image, {8, 8, 3, 3});
  m.opset = 0;
  EXPECT_THAT(refused(m), HasSubstr("which opset"));
  m = product("MatMul", "x", {4, 4}, "w", {4, 4});
  m.nodes.push_back(node("MatMul", {"y", "nowhere"}, {"z"}));
  EXPECT_THAT(refused(m), HasSubstr("reads 'nowhere', which nothing makes"));
  m.nodes.back() = node("MatMul", {"z2", "w"}, {"z"});
  m.nodes.push_back(node("Relu", {"z"}, {"z2"}));
  EXPECT_THAT(refused(m), HasSubstr("circle"));
  m.nodes.resize(1);
  m.nodes.push_back(node("LongformerAttention", {"y"}, {"z"}, {}, "", "com.microsoft"));
  EXPECT_THAT(refused(m), HasSubstr("LongformerAttention 'z': this operator is not mapped; --skip-unknown"));
  EXPECT_THAT(import(m, "skip-unknown")->summary, HasSubstr("INCOMPLETE, left out: 1 LongformerAttention"));
  m.nodes.back() = node("NonZero", {"y"}, {"z"});
  m.nodes.push_back(node("MatMul", {"z", "w"}, {"z3"}));
  EXPECT_THAT(refused(m), HasSubstr("depends on data (first at NonZero 'z')"));
  EXPECT_THAT(to_string(onnx::import_bytes("name: x\n", "x.onnx", {}, Merge::None).errors()),
              HasSubstr("looks like a text"));
}

// Values rounded to a few bits keep their places: shapes, edges, and with `types` the bits go through.
TEST(OnnxImport, RoundedValuesKeepTheirShapes) {
  for (const char* domain : {"qonnx.custom_op.general", "finn.custom_op.general", "onnx.brevitas"}) {
    Model m = product("MatMul", "x", {4, 16}, "w0", {16, 8});
    m.constants.push_back(weights("w1", {8, 8}));
    m.constants.push_back(real("scale", {}, {0.5F}));
    m.constants.push_back(real("zero", {}, {0}));
    m.constants.push_back(real("bits", {}, {4}));
    m.constants.push_back(real("eight", {}, {8}));
    m.nodes.push_back(node("Quant", {"y", "scale", "zero", "bits"}, {"q0"}, {{"signed", 1}}, "", domain));
    m.nodes.push_back(node("BipolarQuant", {"q0", "scale"}, {"q1"}, {}, "", domain));
    m.nodes.push_back(node("Trunc", {"q1", "scale", "zero", "eight", "bits"}, {"q2"}, {}, "", domain));
    m.nodes.push_back(node("MultiThreshold", {"q2", "scale"}, {"q3"}, {}, "", domain));
    m.nodes.push_back(node("IntQuant", {"w1", "scale", "zero", "bits"}, {"wq"}, {}, "", domain));
    m.nodes.push_back(node("Quant", {"q3", "scale", "zero", "eight"}, {"q4"}, {}, "", domain));
    m.nodes.push_back(node("MatMul", {"q4", "wq"}, {"z"}));
    const auto read = import(m);
    EXPECT_THAT(shapes(read), ElementsAre("gemm: 8x4x16", "gemm: 8x4x8")) << domain;
    ASSERT_TRUE(read);
    EXPECT_THAT(edges(read->network), ElementsAre("m>z.B elementwise"));
    const auto sized = import(m, "types");
    ASSERT_TRUE(sized);
    EXPECT_EQ(sized->network.layers[1].workload.tensors[0].word_bits, 4U);  // the weights
    EXPECT_EQ(sized->network.layers[1].workload.tensors[1].word_bits, 8U);
  }
  // Channels that lie last are not those of ONNX: not read as if they were first.
  Model last = conv({"1", "16", "16", "8"}, {8, 8, 3, 3});
  last.nodes = {node("Conv", {"x", "w"}, {"y"}, {}, "c", "qonnx.custom_op.channels_last")};
  EXPECT_THAT(refused(last), HasSubstr("Conv 'c': this operator is not mapped"));
}

TEST(OnnxImport, OperatorsAreDeclaredElementwise) {
  Model m = product("MatMul", "x", {4, 16}, "w0", {16, 8});
  m.constants.push_back(weights("w1", {8, 8}));
  m.nodes.push_back(node("Op", {"y"}, {"o"}, {}, "op", "my.domain"));
  m.nodes.push_back(node("MatMul", {"o", "w1"}, {"z"}));
  EXPECT_THAT(refused(m), HasSubstr("Op 'op': this operator is not known; if it makes each word of one word of its "
                                    "first input, --elementwise my.domain::Op passes"));
  for (const char* name : {"my.domain::Op", "Op"}) {
    const auto read = import(m, std::string("elementwise=") + name);
    EXPECT_THAT(shapes(read), ElementsAre("gemm: 8x4x16", "gemm: 8x4x8"));
    ASSERT_TRUE(read);
    EXPECT_THAT(edges(read->network), ElementsAre("m>z.B elementwise"));
    EXPECT_THAT(read->summary, HasSubstr("not mapped: 1 Op"));
  }
  EXPECT_THAT(refused(m, "elementwise=my.domain::Other"),
              HasSubstr("no node of the model is a my.domain::Other; not known: my.domain::Op"));
  EXPECT_THAT(refused(m, "elementwise=Op,elementwise=MatMul"), HasSubstr("MatMul is known, and read as what it is"));
  EXPECT_THAT(to_string(onnx::add_options("elementwise=", "m", *std::make_unique<onnx::Options>())),
              HasSubstr("must be an operator, as my.domain::Op"));
}

// Keys and values of `heads` heads that `groups` heads of queries share, repeated by `repeat` as exporters write it.
Model shared_heads(const std::string& repeat) {
  Model m;
  m.inputs = {tensor("x", {"2", "5", "64"}), tensor("q", {"2", "8", "5", "16"})};
  m.constants = {weights("wk", {64, 32}),
                 weights("wv", {64, 32}),
                 integers("split", {4}, {2, 5, 2, 16}),
                 integers("two", {1}, {2}),
                 integers("wide", {5}, {2, 2, 4, 5, 16}),
                 integers("joined", {4}, {2, 8, 5, 16}),
                 integers("times", {5}, {1, 1, 4, 1, 1}),
                 real("scale", {}, {0.25F})};
  m.opset = 23;
  for (const std::string n : {"k", "v"}) {
    m.nodes.push_back(node("MatMul", {"x", "w" + n}, {n}));
    m.nodes.push_back(node("Reshape", {n, "split"}, {n + "4"}));
    m.nodes.push_back(node("Transpose", {n + "4"}, {n + "t"}, {{"perm", Sizes{0, 2, 1, 3}}}));
    m.nodes.push_back(node("Unsqueeze", {n + "t", "two"}, {n + "5"}));
    if (repeat == "Tile") m.nodes.push_back(node("Tile", {n + "5", "times"}, {n + "r"}));
    else m.nodes.push_back(node("Expand", {n + "5", "wide"}, {n + "r"}));
    m.nodes.push_back(node("Reshape", {n + "r", "joined"}, {n + "j"}));
    m.nodes.push_back(node("Mul", {n + "j", "scale"}, {n + "s"}));
  }
  if (repeat == "Attention") {
    m.nodes.push_back(node("Attention", {"q", "ks", "vs"}, {"y"}, {}, "att"));
    return m;
  }
  if (repeat == "Einsum") {
    m.nodes.push_back(node("Einsum", {"q", "ks"}, {"scores"}, {{"equation", "bhqd,bhkd->bhqk"}}));
  } else {
    m.nodes.push_back(node("Transpose", {"ks"}, {"kT"}, {{"perm", Sizes{0, 1, 3, 2}}}));
    m.nodes.push_back(node("MatMul", {"q", "kT"}, {"scores"}));
  }
  m.nodes.push_back(node("Softmax", {"scores"}, {"weights"}));
  m.nodes.push_back(node("MatMul", {"weights", "vs"}, {"context"}));
  return m;
}

// repeat_kv: each head of keys is one array for its four heads of queries, whose positions are its columns.
TEST(OnnxImport, RepeatedKeysAreReadOnce) {
  for (const char* repeat : {"Expand", "Tile", "Einsum"}) {
    const auto read = import(shared_heads(repeat));
    EXPECT_THAT(shapes(read), ElementsAre("gemm: 32x10x64", "gemm: 32x10x64", "bmm: 4x5x20x16", "bmm: 4x16x20x5"))
        << repeat;
    ASSERT_TRUE(read);
    // Keys and values are whole outputs of their layers, word by word.
    EXPECT_THAT(edges(read->network), ElementsAre("[x]>k.B none", "[x]>v.B none", "k>scores.A elementwise",
                                                  "v>context.A elementwise", "scores>context.B softmax"))
        << repeat;
  }
  const auto fused = import(shared_heads("Attention"));
  EXPECT_THAT(shapes(fused), ElementsAre("gemm: 32x10x64", "gemm: 32x10x64", "bmm: 4x5x20x16", "bmm: 4x16x20x5"));
  // A product that reads different words for each head of queries has all of them.
  Model different = shared_heads("Expand");
  different.inputs.push_back(tensor("mask", {"1", "8", "1", "16"}));
  for (Message& n : different.nodes)
    if (n.bytes().find("kT") != std::string::npos && n.bytes().find("Transpose") != std::string::npos)
      n = node("Transpose", {"km"}, {"kT"}, {{"perm", Sizes{0, 1, 3, 2}}});
  different.nodes.push_back(node("Mul", {"ks", "mask"}, {"km"}));
  EXPECT_THAT(shapes(import(different)), Contains("bmm: 16x5x5x16"));
}

// Who looks at layers one by one is told nothing of edges.
TEST(OnnxImport, SpeaksOfEdgesWhereTheyMatter) {
  Model m = product("MatMul", "x", {4, 16}, "w0", {16, 8});
  m.constants.push_back(weights("w1", {8, 8}));
  m.nodes.push_back(node("MatMul", {"y", "w1"}, {"z"}));
  m.nodes.push_back(node("ReduceMax", {"z"}, {"r"}, {{"axes", Sizes{0}}}));
  m.nodes.push_back(node("MatMul", {"r", "w1"}, {"last"}));
  const auto said = [](const auto& read) { return fmt::format("{}", fmt::join(read->notes(), "; ")); };
  EXPECT_THAT(said(import(m)), AllOf(HasSubstr("1 edge"), HasSubstr("in ways that are no edges")));
  EXPECT_THAT(said(import(m, "", Merge::Shapes)), Not(HasSubstr("edge")));
  EXPECT_THAT(said(import(m, "merge=shapes")), HasSubstr("1 edge, which merge=shapes leaves out"));
}

}  // namespace
}  // namespace heliolite::onnx_import_test
