// The network as a graph: edges of files, orders, paths, chains.
#include "workloads/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/bounds/chain.h"
#include "tests/load.h"
#include "workloads/workload_yaml.h"

namespace heliolite {
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
  EXPECT_EQ(network->edges[0].through, Operator::Softmax);
  EXPECT_EQ(network->edges[1].through, Operator::None);
}

TEST(Edges, ComplainWithPlaceAndRemedy) {
  EXPECT_THAT(complaint("edges: 3\n"), HasSubstr("net.yaml:6: edges: edges must be a list"));
  EXPECT_THAT(complaint("edges:\n- {from: a, to: bb, tensor: B}\n"), HasSubstr("unknown layer 'bb'"));
  EXPECT_THAT(complaint("edges:\n- {from: a, to: b, tensor: Z}\n"), HasSubstr("must be an operand of b: A or B"));
  EXPECT_THAT(complaint("edges:\n- {from: b, to: a, tensor: B}\n"), HasSubstr("b makes 8 words, B of a has 24"));
  EXPECT_THAT(complaint("edges:\n- {from: b, to: c, tensor: B}\n"), HasSubstr("must be equally often"));
  EXPECT_THAT(complaint("edges:\n- {from: a, to: b, tensor: B}\n- {from: a, to: b, tensor: B}\n"),
              HasSubstr("a second edge into B of b"));
  EXPECT_THAT(complaint("edges:\n- {from: a, to: b, tensor: B, trough: softmax}\n"),
              HasSubstr("did you mean 'through'?"));
  EXPECT_THAT(complaint("edges:\n- {from: a, to: b}\n"), HasSubstr("tensor"));
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
}

TEST(Chains, OfConvolutionPresets) {
  for (const auto& [name, links] : {std::pair{"conv_pair", 2u}, {"inverted_bottleneck", 3u}, {"bert_base_block", 1u}}) {
    const auto network = load_network(name);
    ASSERT_TRUE(network.ok()) << to_string(network.errors());
    EXPECT_EQ(find_chains(*network).front().links.size(), links) << name;
  }
}

}  // namespace
}  // namespace heliolite
