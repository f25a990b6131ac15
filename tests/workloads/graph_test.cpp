// The network as a graph: edges of files, orders, paths, chains.
#include "workloads/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/bounds/fusion/chain.h"
#include "tests/support/load.h"
#include "workloads/workload_yaml.h"

namespace heliolite::graph_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<Network> parse(const std::string& edges) {
  const auto root = YamlNode::parse(
      "layers:\n"
      "- {name: a, gemm: 8x4x6}\n"
      "- {name: b, gemm: 2x4x8}\n"
      "- {name: c, gemm: 5x4x2, count: 2}\n"
      "- {name: d, gemm: 3x4x2}\n" +
          edges,
      "net.yaml");
  EXPECT_TRUE(root.ok());
  return network_from_yaml(*root, "net");
}

std::string complaint(const std::string& edges) {
  const auto network = parse(edges);
  return network.ok() ? "" : to_string(network.errors());
}

TEST(Edges, AreRead) {
  const auto network =
      parse("edges:\n- {from: a, to: b, tensor: B, through: softmax}\n- {from: b, to: d, tensor: B}\n");
  ASSERT_TRUE(network.ok()) << to_string(network.errors());
  ASSERT_EQ(network->edges.size(), 2u);
  EXPECT_EQ(network->edges[0].from, 0);
  EXPECT_EQ(network->edges[0].to, 1);
  EXPECT_EQ(network->layers[1].workload.tensors[static_cast<std::size_t>(network->edges[0].tensor)].name, "B");
  EXPECT_EQ(network->edges[0].through.op, Operator::Softmax);
  EXPECT_EQ(network->edges[1].through.op, Operator::None);
}

TEST(Edges, ComplainWithPlaceAndRemedy) {
  EXPECT_THAT(complaint("edges: 3\n"), HasSubstr("net.yaml:6: edges: edges must be a list"));
  EXPECT_THAT(complaint("edges:\n- {from: a, to: bb, tensor: B}\n"), HasSubstr("unknown layer 'bb'"));
  EXPECT_THAT(complaint("edges:\n- {from: a, to: b, tensor: Z}\n"), HasSubstr("must be an operand of b: A or B"));
  EXPECT_THAT(complaint("edges:\n- {from: b, to: a, tensor: B}\n"), HasSubstr("b makes 8 words, B of a has 24"));
  EXPECT_THAT(complaint("edges:\n- {from: a, to: b, tensor: B}\n- {from: a, to: b, tensor: B}\n"),
              HasSubstr("a second edge into B of b"));
  EXPECT_THAT(complaint("edges:\n- {from: a, to: b, tensor: B, trough: softmax}\n"),
              HasSubstr("did you mean 'through'?"));
  EXPECT_THAT(complaint("edges:\n- {from: a, to: b}\n"), HasSubstr("tensor"));
}

// Layer a makes 8 words, the operand B of layer b has some multiple or part of them.
std::string unequal(int times_a, const std::string& b, int times_b, const std::string& edge = "") {
  const std::string text = "layers:\n- {name: a, gemm: 2x4x6, count: " + std::to_string(times_a) +
                           "}\n- {name: b, gemm: " + b + ", count: " + std::to_string(times_b) +
                           "}\nedges:\n- {from: a, to: b, tensor: B" + edge + "}\n";
  const auto network = network_from_yaml(*YamlNode::parse(text, "net.yaml"), "net");
  return network.ok() ? repeats_text(*network, network->edges[0]) : to_string(network.errors());
}

// What the words of both ends say of layers that are executed unequally often.
TEST(Edges, LeadBetweenUnequalCounts) {
  EXPECT_EQ(unequal(3, "3x4x2", 3), "");
  EXPECT_EQ(unequal(4, "3x4x2", 1), "last of 4");
  EXPECT_EQ(unequal(12, "3x4x2", 4), "last of 3");
  EXPECT_EQ(unequal(4, "3x4x8", 1), "4 joined");
  EXPECT_EQ(unequal(12, "3x4x6", 4), "3 joined");
  EXPECT_EQ(unequal(1, "3x4x2", 4), "1 for 4");
  EXPECT_EQ(unequal(3, "3x4x2", 12), "1 for 4");
  EXPECT_EQ(unequal(1, "3x4x1", 2), "shared out to 2");
  EXPECT_EQ(unequal(3, "3x1x1", 24), "shared out to 8");
  EXPECT_THAT(unequal(3, "3x4x2", 2), HasSubstr("a is executed 3 times and b 2 times, must be equally often, or one a "
                                                "multiple of the other"));
  EXPECT_THAT(unequal(4, "3x4x4", 1), HasSubstr("a makes 8 words (4 repetitions joined, 32), B of b has 16"));
  EXPECT_THAT(unequal(1, "3x1x3", 2), HasSubstr("(divided among 2 repetitions, 4), B of b has 3"));
  EXPECT_THAT(unequal(4, "3x4x1", 1, ", slice: {rank: M, from: 0, words: 1}"), HasSubstr("must be equally often: the"));
}

std::string complaint_of(const std::string& text) {
  const auto root = YamlNode::parse(text, "net.yaml");
  EXPECT_TRUE(root.ok()) << text;
  const auto network = network_from_yaml(*root, "net");
  return network.ok() ? "" : to_string(network.errors());
}

// Convolutions of 8x8 lines, 3x3 windows; `edge` leads from a to b.
std::string images(const std::string& b, const std::string& edge) {
  return complaint_of("layers:\n- {name: a, conv: {c: 3, k: 4, p: 8}}\n- {name: b, conv: {c: 4, k: 5, " + b +
                      "}}\nedges:\n- {from: a, to: b, tensor: Inputs" + edge + "}\n");
}

TEST(Edges, CheckWordsWhereTheOperandSlides) {
  EXPECT_EQ(images("p: 8, r: 3", ""), "");             // border 1
  EXPECT_EQ(images("p: 6, r: 3", ""), "");             // no border
  EXPECT_EQ(images("p: 4, r: 3, stride: 2", ""), "");  // border on one side
  EXPECT_EQ(images("p: 4, stride: 2", ""), "");        // the last line is not read
  EXPECT_THAT(images("p: 5, r: 3", ""), HasSubstr("a makes 256 words, Inputs of b has 36 to 196 without its border"));
  EXPECT_THAT(images("p: 12, r: 3", ""), HasSubstr("has 400 to 784"));
  EXPECT_THAT(images("p: 4, r: 3", ""), HasSubstr("through: {pool: {k: 3, stride: 2}}"));
  EXPECT_EQ(images("p: 4, r: 3", ", through: {pool: {k: 3, stride: 2}}"), "");
  EXPECT_EQ(images("p: 4, r: 1", ", through: {pool: {k: 3, stride: 2, pad: 1}}"), "");
  EXPECT_EQ(images("p: 1, r: 1", ", through: {pool: {k: 8}}"), "");
  EXPECT_EQ(images("p: 16, r: 1", ", through: {resize: 2}"), "");
  EXPECT_EQ(images("p: 16, q: 8, r: 1", ", through: {resize: {factor: 2, ranks: [P]}}"), "");
  EXPECT_THAT(images("p: 8, r: 1", ", through: {pool: {k: 3, stride: 2}}"),
              HasSubstr("a makes 256 words, 36 to 144 after pool, Inputs of b has 256, must be as many"));
  // 802,816 words into 72.
  EXPECT_THAT(complaint_of("layers:\n- {name: a, conv: {c: 3, k: 64, p: 112}}\n- {name: b, conv: {c: 2, k: 4, p: 4, r: "
                           "3}}\nedges:\n- {from: a, to: b, tensor: Inputs}\n"),
              HasSubstr("a makes 802816 words, Inputs of b has 8 to 72 without its border"));
}

TEST(Edges, ComplainAboutWhatLiesOnThem) {
  EXPECT_THAT(images("p: 8", ", through: sofmax"), HasSubstr("through = sofmax, must be none, elementwise, softmax"));
  EXPECT_THAT(images("p: 8", ", through: {pool: {k: 0}}"), HasSubstr("k = 0, must be an integer from 1"));
  EXPECT_THAT(images("p: 8", ", through: {pool: {k: 3, pad: 3}}"),
              HasSubstr("pad = 3, must be an integer from 0 to 2"));
  EXPECT_THAT(images("p: 8", ", through: {pool: {k: 3, ranks: [X]}}"), HasSubstr("no rank 'X', only N, K, Q, P"));
  EXPECT_THAT(images("p: 8", ", through: {pool: {k: 12, pad: 1}}"), HasSubstr("a window of 12 in a rank of 10"));
  EXPECT_THAT(images("p: 8", ", through: {pool: {k: 2}, resize: 2}"), HasSubstr("through = a map, must be"));
  EXPECT_THAT(images("p: 8", ", through: {pol: {k: 2}}"), HasSubstr("did you mean 'pool'?"));
  EXPECT_THAT(images("p: 8", ", slice: {rank: K, from: 2, words: 4}"),
              HasSubstr("4 words from 2 on, rank K of a has 4"));
  EXPECT_THAT(images("p: 8", ", slice: {rank: K, from: 0, words: 2}"), HasSubstr("128 after slice"));
  EXPECT_THAT(images("p: 8", ", combine: add"), HasSubstr("this is the only edge into Inputs of b"));
  EXPECT_THAT(images("p: 8", ", combine: sum"), HasSubstr("must be add, multiply or {concat: RANK}"));
  EXPECT_THAT(complaint("edges:\n- {from: a, to: b, tensor: B, through: {pool: {k: 2}}}\n"),
              HasSubstr("a has no lines and columns; name its ranks"));
}

const char* const kThree =
    "layers:\n- {name: a, gemm: 8x4x6}\n- {name: b, gemm: 8x4x6, count: 1}\n- {name: c, gemm: 5x4x8}\nedges:\n";

TEST(Edges, OfSeveralProducersSayHowTheyAreCombined) {
  const auto three = [&](const std::string& a, const std::string& b, const std::string& layers = kThree) {
    return complaint_of(layers + "- {from: a, to: c, tensor: B" + a + "}\n- {from: b, to: c, tensor: B" + b + "}\n");
  };
  EXPECT_EQ(three(", combine: add", ", combine: add"), "");
  EXPECT_EQ(three(", combine: multiply, through: elementwise", ", combine: multiply"), "");
  EXPECT_THAT(three("", ", combine: add"), HasSubstr("net.yaml:7"));
  EXPECT_THAT(three("", ""), HasSubstr("a second edge into B of c: each must say how they make it together"));
  EXPECT_THAT(three(", combine: multiply", ", combine: add"), HasSubstr("another combine than multiply"));
  EXPECT_THAT(three(", combine: {concat: K}", ", combine: {concat: K}"),
              HasSubstr("the edges into B of c bring 64 words together, must be 32"));
  EXPECT_EQ(three(", combine: {concat: K}, slice: {rank: M, from: 0, words: 5}",
                  ", combine: {concat: K}, slice: {rank: M, from: 3, words: 3}"),
            "");
  EXPECT_THAT(three(", combine: {concat: K}", ", combine: {concat: N}"), HasSubstr("along another rank than K"));
  EXPECT_THAT(three(", combine: {concat: Z}", ", combine: {concat: Z}"), HasSubstr("no rank 'Z'"));
  EXPECT_THAT(complaint_of(std::string(kThree) + "- {from: a, to: c, tensor: B, combine: add}\n"
                                                 "- {from: a, to: c, tensor: B, combine: add}\n"),
              HasSubstr("of the same words"));
}

TEST(Reads, NameInputsAndLayers) {
  const auto reads = [](const std::string& a, const std::string& b, const std::string& rest = "") {
    return complaint_of("layers:\n- {name: first, gemm: 8x4x6, reads: " + a +
                        "}\n- {name: second, gemm: 6x4x6, reads: " + b + "}\n- {name: third, gemm: 6x4x6, count: 3}\n" +
                        rest);
  };
  EXPECT_EQ(reads("{B: X}", "{B: X}"), "");
  EXPECT_EQ(reads("{B: X}", "{B: Y}", "inputs: [X, Y]\n"), "");
  EXPECT_THAT(reads("{B: X}", "{B: frist}"), HasSubstr("unknown layer 'frist', did you mean 'first'?"));
  EXPECT_THAT(reads("{B: X}", "{}"), HasSubstr("an input must be listed in 'inputs', or read by two operands"));
  EXPECT_THAT(reads("{}", "{B: second}"), HasSubstr("close a circle"));
  EXPECT_THAT(reads("{B: X}", "{C: X}"), HasSubstr("tensor = C, must be an operand of second: A or B"));
  EXPECT_THAT(reads("{A: X}", "{B: X}"), HasSubstr("X has 24 words, A of first has 48, must be as many"));
  EXPECT_THAT(reads("3", "{B: [X]}"), HasSubstr("reads must be a map"));
  EXPECT_THAT(reads("{}", "{B: [X]}"), HasSubstr("B must be the name of an input or a layer"));
  EXPECT_THAT(reads("{B: X}", "{B: X}", "inputs: [Y]\n"), HasSubstr("no layer reads input 'Y'"));
  EXPECT_THAT(reads("{B: X}", "{B: X}", "inputs: [first]\n"), HasSubstr("a layer has that name"));
  EXPECT_THAT(reads("{B: X}", "{B: X}", "inputs: X\n"), HasSubstr("inputs must be a list"));
  const std::string third = "edges:\n- {from: X, to: third, tensor: B}\n";
  EXPECT_THAT(reads("{B: X}", "{B: X}", third), HasSubstr("same_in_repeats"));
  EXPECT_EQ(reads("{B: X}", "{B: X}", third + "inputs: [{name: X, same_in_repeats: true}]\n"), "");
  EXPECT_THAT(
      reads("{B: X}", "{B: X}", "edges:\n- {from: X, to: second, tensor: A, slice: {rank: K, from: 0, words: 1}}\n"),
      HasSubstr("X is an input, only outputs of layers have parts"));
}

// A 1x1 and a 3x3 filter of one image: the second has a border around it.
TEST(Reads, OfOneInputMayAddBorders) {
  const auto root = YamlNode::parse(
      "layers:\n- {name: a, conv: {c: 3, k: 4, p: 8, r: 3}, reads: {Inputs: X}}\n"
      "- {name: b, conv: {c: 3, k: 4, p: 8}, reads: {Inputs: X}}\n",
      "net.yaml");
  const auto network = network_from_yaml(*root, "net");
  ASSERT_TRUE(network.ok()) << to_string(network.errors());
  ASSERT_EQ(network->inputs.size(), 1u);
  EXPECT_EQ(network->inputs[0].words, 3u * 64);
}

TEST(Edges, MayNotCloseACircle) {
  const auto root = YamlNode::parse(
      "layers:\n- {name: a, gemm: 4x4x4}\n- {name: b, gemm: 4x4x4}\n"
      "edges:\n- {from: a, to: b, tensor: B}\n- {from: b, to: a, tensor: B}\n",
      "net.yaml");
  const auto network = network_from_yaml(*root, "net");
  ASSERT_FALSE(network.ok());
  EXPECT_THAT(to_string(network.errors()), HasSubstr("the edges close a circle"));
}

TEST(Graph, OrdersLayersAlongTheirEdges) {
  const std::vector<Edge> edges{{3, 0, 0, {}}, {0, 2, 0, {}}, {3, 1, 0, {}}};
  EXPECT_THAT(*topological_order(4, edges), ElementsAre(3, 0, 1, 2));
  EXPECT_FALSE(topological_order(2, std::vector<Edge>{{0, 1, 0, {}}, {1, 0, 0, {}}}));
}

TEST(Chains, OfABlockFollowTheTokens) {
  const auto network = load_network("gpt3_6.7b_block@batch=16");
  ASSERT_TRUE(network.ok()) << to_string(network.errors());
  std::vector<std::vector<std::string>> names;
  for (const Chain& chain : find_chains(*network)) {
    names.emplace_back();
    for (const ChainLink& link : chain.links) names.back().push_back(link.name);
  }
  EXPECT_THAT(names, ElementsAre(ElementsAre("k_proj"), ElementsAre("v_proj"),
                                 ElementsAre("q_proj", "bmm_qk", "bmm_qkv", "final_proj", "mm_0", "mm_1")));
  const Chain block = find_chains(*network)[2];
  EXPECT_EQ(block.links[2].before, Operator::Softmax);
  EXPECT_EQ(block.links[1].groups, 512u);
  EXPECT_EQ(block.links[1].rows, 512u * 2048);
  EXPECT_EQ(block.links[0].rows, 32768u);
}

TEST(Chains, EndWhereOthersNeedTheIntermediate) {
  const auto network = parse("edges:\n- {from: a, to: b, tensor: B}\n- {from: b, to: d, tensor: B}\n");
  const auto chains = find_chains(*network);
  ASSERT_EQ(chains.size(), 2u);
  EXPECT_EQ(chains[0].links.size(), 3u);
  const auto shared = YamlNode::parse(
      "layers:\n- {name: a, gemm: 8x4x6}\n- {name: b, gemm: 2x4x8}\n- {name: c, gemm: 3x4x8}\n"
      "edges:\n- {from: a, to: b, tensor: B}\n- {from: a, to: c, tensor: B}\n",
      "net.yaml");
  EXPECT_EQ(find_chains(*network_from_yaml(*shared, "net")).size(), 3u);
}

TEST(ChainLink, OfKnownShapes) {
  const Workload conv = testing::workload("conv:k=8,c=4,p=10,r=3,stride=2,n=2");
  const auto link = chain_link(conv, *conv.find_tensor("Inputs"));
  ASSERT_TRUE(link);
  EXPECT_TRUE(link->slides);
  EXPECT_EQ(link->rows, 20u);
  EXPECT_EQ(link->stride, 2u);
  EXPECT_EQ(link->overlap, 1u);
  EXPECT_EQ(link->input_rows, 2u * 21);
  EXPECT_EQ(link->input_columns, 4u);
  EXPECT_EQ(link->output_columns, 8u);
  const Workload pointwise = testing::workload("conv:k=8,c=4,p=10");
  const auto rows = chain_link(pointwise, *pointwise.find_tensor("Inputs"));
  ASSERT_TRUE(rows);
  EXPECT_FALSE(rows->slides);
  EXPECT_EQ(rows->rows, 100u);
  const Workload mttkrp = testing::workload("mttkrp:4x4x4x4");
  EXPECT_FALSE(chain_link(mttkrp, 1));
  // Of two operands beside the rows, or of one that some columns share, words would be needed more than once in a
  // block.
  for (const char* text : {"Z[m,n] += X[m,k]*W[k,n]*S[n]; m=4, n=4, k=4", "Z[m,n] += X[m,k]*W[k]; m=4, n=4, k=4"})
    EXPECT_FALSE(chain_link(testing::workload(text), 0)) << text;
  EXPECT_TRUE(chain_link(testing::workload("Z[m,n] += X[m,k]*W[k,n]; m=4, n=4, k=4"), 0));
}

TEST(Chains, OfConvolutionPresets) {
  for (const auto& [name, links] : {std::pair{"conv_pair", 2u}, {"inverted_bottleneck", 3u}, {"bert_base_block", 1u}}) {
    const auto network = load_network(name);
    ASSERT_TRUE(network.ok()) << to_string(network.errors());
    EXPECT_EQ(find_chains(*network).front().links.size(), links) << name;
  }
}

}  // namespace
}  // namespace heliolite::graph_test
