// Operators of attention in ONNX models: the products that they are, and what feeds them.
#include <gmock/gmock.h>

#include "engine/base/yaml_node.h"
#include "tests/support/onnx_models.h"
#include "tests/support/onnx_reading.h"
#include "workloads/workload_yaml.h"

namespace heliolite::onnx_attention_test {
namespace {

using namespace onnx_models;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// x through three dense layers q, k and v of these widths, then the node, then a dense layer.
Model block(const std::string& op, std::int64_t queries, std::int64_t keys, std::int64_t values,
            const std::vector<Attribute>& attributes, const std::string& domain) {
  Model m;
  m.inputs = {tensor("x", {"2", "16", "64"})};
  for (const auto& [name, width] : {std::pair("q", queries), std::pair("k", keys), std::pair("v", values)}) {
    m.constants.push_back(weights(std::string(name) + "_w", {64, width}));
    m.nodes.push_back(node("MatMul", {"x", std::string(name) + "_w"}, {name}));
  }
  m.nodes.push_back(node(op, {"q", "k", "v"}, {"att"}, attributes, "", domain));
  m.constants.push_back(weights("out_w", {queries / keys * values, 64}));
  m.nodes.push_back(node("MatMul", {"att", "out_w"}, {"out"}));
  m.opset = 23;
  return m;
}

std::string shape_of(const Model& m, const std::string& name) {
  Model checked = m;
  checked.nodes.push_back(node("MatMul", {name, name}, {"z"}));
  return to_string(import(checked).errors());
}

TEST(OnnxAttention, StandardHeadsAreProductsOfStackedMatrices) {
  const auto four = import(attention("Attention", {{2, 8, 16, 32}, {2, 2, 24, 32}, {2, 2, 24, 48}}, {}, ""));
  EXPECT_THAT(shapes(four), ElementsAre("bmm: 4x24x64x32", "bmm: 4x48x64x24"));
  EXPECT_EQ(four->network.layers[0].workload.name, "att.scores");
  EXPECT_THAT(edges(four->network), ElementsAre("att.scores>att.context.B softmax"));
  const std::vector<Attribute> heads{{"q_num_heads", 8}, {"kv_num_heads", 2}};
  EXPECT_THAT(shapes(import(attention("Attention", {{2, 16, 256}, {2, 24, 64}, {2, 24, 96}}, heads, ""))),
              ElementsAre("bmm: 4x24x64x32", "bmm: 4x48x64x24"));
  const auto past = import(attention(
      "Attention", {{1, 1, 1, 32}, {1, 1, 1, 32}, {1, 1, 1, 32}, {}, {1, 1, 99, 32}, {1, 1, 99, 32}}, {}, ""));
  EXPECT_THAT(shapes(past), ElementsAre("gemm: 100x1x32", "gemm: 32x1x100"));
  const auto fed = import(block("Attention", 64, 32, 32, {{"q_num_heads", 4}, {"kv_num_heads", 2}}, ""));
  EXPECT_THAT(edges(fed->network),
              ElementsAre("[x]>q.B none", "[x]>k.B none", "[x]>v.B none", "k>att.scores.A none", "q>att.scores.B none",
                          "v>att.context.A none", "att.scores>att.context.B softmax", "att.context>out.B none"));
}

TEST(OnnxAttention, MicrosoftsMakesQueriesKeysAndValuesOfOneArray) {
  Model m = attention("Attention", {{2, 16, 64}}, {{"num_heads", 4}});
  m.constants = {weights("w", {64, 192})};
  m.nodes = {node("Attention", {"i0", "w"}, {"y", "present"}, {{"num_heads", 4}}, "att", "com.microsoft")};
  const auto plain = import(m);
  EXPECT_THAT(shapes(plain), ElementsAre("gemm: 192x32x64", "bmm: 8x16x16x16", "bmm: 8x16x16x16"));
  const std::string text = write_network(plain->network);
  EXPECT_THAT(text, HasSubstr("{from: att.qkv, to: att.scores, tensor: A, slice: {rank: M, from: 64, words: 64}}"));
  EXPECT_THAT(text, HasSubstr("{from: att.qkv, to: att.scores, tensor: B, slice: {rank: M, from: 0, words: 64}}"));
  EXPECT_THAT(text, HasSubstr("{from: att.qkv, to: att.context, tensor: A, slice: {rank: M, from: 128, words: 64}}"));
  const auto root = YamlNode::parse(text, "net.yaml");
  ASSERT_TRUE(root) << text;
  const auto again = network_from_yaml(*root, "net");
  ASSERT_TRUE(again) << to_string(again.errors()) << text;
  EXPECT_EQ(edges(*again), edges(plain->network));

  // Values of another width, and 8 positions before.
  m.constants = {weights("w", {64, 160})};
  m.inputs.push_back(tensor("past", {"2", "2", "4", "8", "16"}));
  m.nodes = {node("Attention", {"i0", "w", "", "", "past"}, {"y", "present"},
                  {{"num_heads", 4}, {"qkv_hidden_sizes", Sizes{64, 64, 32}}}, "att", "com.microsoft")};
  const auto later = import(m);
  EXPECT_THAT(shapes(later), ElementsAre("gemm: 160x32x64", "bmm: 8x24x16x16", "bmm: 8x8x16x24"));
  EXPECT_THAT(edges(later->network), ElementsAre("att.qkv>att.scores.B none", "att.scores>att.context.B softmax"));
  ASSERT_EQ(later->report.lost.size(), 2U);
  EXPECT_EQ(later->report.lost[0].why, "joined to earlier keys and values");
}

TEST(OnnxAttention, MultiHeadAttentionTakesItsArraysInManyForms) {
  const std::vector<Attribute> four{{"num_heads", 4}};
  const auto of = [&](const std::vector<Sizes>& sizes) {
    return shapes(import(attention("MultiHeadAttention", sizes, four)));
  };
  const auto expected = ElementsAre("bmm: 8x24x16x16", "bmm: 8x8x16x24");
  EXPECT_THAT(of({{2, 16, 64}, {2, 24, 64}, {2, 24, 32}}), expected);
  EXPECT_THAT(of({{2, 16, 64}, {2, 4, 24, 16}, {2, 4, 24, 8}}), expected);
  EXPECT_THAT(of({{2, 16, 64}, {2, 8, 64}, {2, 8, 32}, {}, {}, {}, {2, 4, 16, 16}, {2, 4, 16, 8}}), expected);
  EXPECT_THAT(of({{2, 16, 64}, {2, 24, 4, 2, 16}}), ElementsAre("bmm: 8x24x16x16", "bmm: 8x16x16x24"));
  EXPECT_THAT(of({{2, 16, 4, 3, 16}}), ElementsAre("bmm: 8x16x16x16", "bmm: 8x16x16x16"));
  const auto fed = import(block("MultiHeadAttention", 64, 64, 64, four, "com.microsoft"));
  EXPECT_THAT(edges(fed->network),
              ElementsAre("[x]>q.B none", "[x]>k.B none", "[x]>v.B none", "k>att.scores.A none", "q>att.scores.B none",
                          "v>att.context.A none", "att.scores>att.context.B softmax", "att.context>out.B none"));
}

// com.microsoft's PackedAttention: 56 tokens without padding, two sequences of 16 and one of 24, with four heads of 16
// words: each sequence attends to itself alone.
TEST(OnnxAttention, PackedSequencesAttendToThemselves) {
  const auto packed = [](const Sizes& ends, const Sizes& tokens) {
    Model m = attention("PackedAttention", {tokens, {}, {}, {3, 24}});
    m.constants = {weights("w", {64, 192})};
    if (!ends.empty()) m.constants.push_back(integers("ends", {static_cast<std::int64_t>(ends.size())}, ends));
    m.nodes = {node("PackedAttention", {"i0", "w", "", "i3", ends.empty() ? "e" : "ends"}, {"y"}, {{"num_heads", 4}},
                    "att", "com.microsoft")};
    if (ends.empty()) m.inputs.push_back(tensor("e", {"4"}));
    return m;
  };
  const auto some = import(packed({0, 16, 40, 56}, {56, 64}));
  EXPECT_THAT(shapes(some), ElementsAre("gemm: 192x56x64", "bmm: 8x16x16x16", "bmm: 8x16x16x16", "bmm: 4x24x24x16",
                                        "bmm: 4x16x24x24"));
  EXPECT_EQ(some->network.layers[3].workload.name, "att.scores_24");
  // All as long as the longest.
  const auto full = import(packed({}, {72, 64}));
  EXPECT_THAT(shapes(full), ElementsAre("gemm: 192x72x64", "bmm: 12x24x24x16", "bmm: 12x16x24x24"));
  EXPECT_THAT(edges(full->network), ElementsAre("att.qkv>att.scores.A none", "att.qkv>att.scores.B none",
                                                "att.qkv>att.context.A none", "att.scores>att.context.B softmax"));
  EXPECT_THAT(to_string(import(packed({}, {56, 64})).errors()), HasSubstr("cumulative_sequence_length"));
  EXPECT_THAT(to_string(import(packed({0, 16, 57}, {56, 64})).errors()), HasSubstr("from 0 to the 56 tokens"));
}

// com.microsoft's PackedMultiHeadAttention: the same, of queries, keys and values that are there, values of 8 words.
TEST(OnnxAttention, PackedQueriesKeysAndValuesAreInputs) {
  const auto packed = [](const Sizes& ends, const std::vector<Sizes>& arrays) {
    const bool alone = arrays.size() == 1;
    Model m = attention("PackedMultiHeadAttention",
                        {arrays[0], alone ? Sizes{} : arrays[1], alone ? Sizes{} : arrays[2], {}, {3, 24}});
    m.constants = {integers("ends", {static_cast<std::int64_t>(ends.size())}, ends)};
    m.nodes = {node("PackedMultiHeadAttention", {"i0", alone ? "" : "i1", alone ? "" : "i2", "", "i4", "ends"}, {"y"},
                    {{"num_heads", 4}}, "att", "com.microsoft")};
    return m;
  };
  const std::vector<Sizes> apart{{56, 64}, {56, 64}, {56, 32}};
  EXPECT_THAT(shapes(import(packed({0, 16, 40, 56}, apart))),
              ElementsAre("bmm: 8x16x16x16", "bmm: 8x8x16x16", "bmm: 4x24x24x16", "bmm: 4x8x24x24"));
  EXPECT_THAT(shapes(import(packed({0, 28, 56}, apart))), ElementsAre("bmm: 8x28x28x16", "bmm: 8x8x28x28"));
  EXPECT_THAT(shapes(import(packed({0, 28, 56}, {{56, 4, 3, 16}}))), ElementsAre("bmm: 8x28x28x16", "bmm: 8x16x28x28"));
  EXPECT_THAT(shape_of(packed({0, 28, 56}, apart), "y"), HasSubstr("56x32"));
  EXPECT_THAT(to_string(import(packed({0, 28, 57}, apart)).errors()), HasSubstr("from 0 to the 56 tokens"));
  EXPECT_THAT(to_string(import(packed({0, 56}, {{56, 64}, {56, 60}, {56, 64}})).errors()), HasSubstr("56x60"));
}

TEST(OnnxAttention, GroupsOfQueriesReadOneHead) {
  const std::vector<Attribute> heads{{"num_heads", 8}, {"kv_num_heads", 2}};
  const auto of = [&](const Model& m) { return shapes(import(m)); };
  EXPECT_THAT(of(attention("GroupQueryAttention", {{1, 16, 128}, {1, 16, 32}, {1, 16, 32}}, heads)),
              ElementsAre("bmm: 2x16x64x16", "bmm: 2x16x64x16"));
  EXPECT_THAT(of(attention("GroupQueryAttention", {{1, 16, 192}}, heads)),
              ElementsAre("bmm: 2x16x64x16", "bmm: 2x16x64x16"));
  // A buffer of 4,096 positions, of which 100 are in use with this one.
  Model m = attention("GroupQueryAttention",
                      {{1, 1, 128}, {1, 1, 32}, {1, 1, 32}, {1, 2, 4096, 16}, {1, 2, 4096, 16}, {}}, heads);
  EXPECT_THAT(of(m), ElementsAre(HasSubstr("total_sequence_length")));
  m.constants = {integers("total", {}, {100})};
  m.nodes = {node("GroupQueryAttention", {"i0", "i1", "i2", "i3", "i4", "", "total"}, {"y", "keys"}, heads, "att",
                  "com.microsoft")};
  EXPECT_THAT(of(m), ElementsAre("bmm: 2x100x4x16", "bmm: 2x16x4x100"));
  // The blocks of a mask are two inputs before; all scores count.
  m.nodes = {node("SparseAttention", {"i0", "i1", "i2", "i3", "i4", "", "", "total"}, {"y", "keys"}, heads, "att",
                  "com.microsoft")};
  EXPECT_THAT(of(m), ElementsAre("bmm: 2x100x4x16", "bmm: 2x16x4x100"));
  EXPECT_THAT(import(m)->notes(), Contains(HasSubstr("1 SparseAttention: all scores count")));
}

TEST(OnnxAttention, RefusesWhatDoesNotFit) {
  const auto refused = [](const Model& m) { return to_string(import(m).errors()); };
  EXPECT_THAT(refused(attention("MultiHeadAttention", {{2, 16, 64}, {2, 24, 64}, {2, 24, 64}})),
              HasSubstr("MultiHeadAttention 'att': num_heads = 0, must be from 1 to 2147483647"));
  EXPECT_THAT(refused(attention("MultiHeadAttention", {{2, 16, 64}, {2, 24, 64}, {2, 23, 64}}, {{"num_heads", 4}})),
              HasSubstr("queries, keys and values of 2x16x64, 2x24x64 and 2x23x64"));
  EXPECT_THAT(refused(attention("MultiHeadAttention", {{2, 16, 60}, {2, 24, 60}, {2, 24, 60}}, {{"num_heads", 8}})),
              HasSubstr("a width of 60 for 8 heads"));
  EXPECT_THAT(refused(attention("Attention", {{2, 8, 16, 32}, {2, 24, 64}, {2, 24, 64}}, {}, "")),
              HasSubstr("queries, keys and values"));
  EXPECT_THAT(refused(attention("Attention", {{2, 0, 16, 32}, {2, 0, 24, 32}, {2, 0, 24, 32}}, {}, "")),
              HasSubstr("heads of keys = 0"));
  EXPECT_THAT(refused(attention("Attention", {{2, 16, 64}, {60, 192}}, {{"num_heads", 4}})),
              HasSubstr("an input of 2x16x64 and weights of 60x192"));
  EXPECT_THAT(refused(attention("MultiHeadAttention", {{2, 16, 4, 3, 16}, {2, 16, 64}}, {{"num_heads", 4}})),
              HasSubstr("queries of 2x16x4x3x16"));
  EXPECT_THAT(shape_of(attention("GroupQueryAttention", {{1, 16, 192}}, {{"num_heads", 8}, {"kv_num_heads", 2}}), "y"),
              HasSubstr("inputs of 1x16x128 and 1x16x128 do not fit"));
}

}  // namespace
}  // namespace heliolite::onnx_attention_test
