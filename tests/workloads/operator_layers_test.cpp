// Operators on edges as layers of their own: their words, their prices, and the edges between them.
#include "workloads/operator_layers.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "engine/formats/load_network.h"
#include "workloads/edge_ranks.h"
#include "workloads/workload_yaml.h"

namespace heliolite::operator_layers_test {
namespace {

const Workload* find(const Network& network, const std::string& name) {
  for (const Layer& layer : network.layers)
    if (layer.workload.name == name) return &layer.workload;
  return nullptr;
}

std::set<std::string> names(const Network& network) {
  std::set<std::string> out;
  for (const Layer& layer : network.layers) out.insert(layer.workload.name);
  return out;
}

// Layers at both ends of each edge exist, counts fit, operands are fed once, nothing stands on an edge any more.
void expect_well_formed(const Network& network) {
  EXPECT_FALSE(has_operators(network));
  EXPECT_EQ(names(network).size(), network.layers.size());
  for (const Layer& layer : network.layers) EXPECT_TRUE(check(layer.workload).empty()) << layer.workload.name;
  for (const Edge& e : network.edges) {
    ASSERT_LT(e.to, static_cast<int>(network.layers.size()));
    ASSERT_LT(e.tensor, static_cast<int>(network.layers[e.to].workload.tensors.size()));
    EXPECT_FALSE(network.layers[e.to].workload.tensors[e.tensor].is_output());
    ASSERT_LT(e.from, static_cast<int>(e.from_input ? network.inputs.size() : network.layers.size()));
    if (!e.from_input) {
      const u64 a = network.layers[e.from].count, b = network.layers[e.to].count;
      EXPECT_TRUE(a % b == 0 || b % a == 0) << network.layers[e.from].workload.name;
    }
    EXPECT_TRUE(!e.ranks.stated || e.ranks.pairs.empty() || edge_ranks(network, e).fused() || e.slice ||
                e.combine == Combine::Concat)
        << network.layers[e.to].workload.name << ": " << edge_ranks(network, e).why_not;
  }
}

TEST(OperatorLayers, OfAnEncoder) {
  const auto network = load_network("bert_base_block@operators=unit");
  ASSERT_TRUE(network.ok()) << to_string(network.errors());
  expect_well_formed(*network);
  EXPECT_EQ(network->layers.size(), 8u + 6);
  // Rows of a softmax: 12 heads of 512 tokens, each of 512 scores.
  const Workload* const rows = find(*network, "scores_softmax_rows");
  ASSERT_NE(rows, nullptr);
  EXPECT_EQ(rows->operation, Operation::Softmax);
  EXPECT_EQ(rows->operations, 3u + 6);
  EXPECT_EQ(rows->tensor_words(0), 12u * 512 * 512);
  EXPECT_EQ(rows->tensor_words(rows->output()), 12u * 512);
  const Workload* const words = find(*network, "scores_softmax");
  ASSERT_NE(words, nullptr);
  EXPECT_EQ(words->operations, 1u + 6);
  EXPECT_EQ(words->tensors.size(), 3u);
  EXPECT_EQ(words->tensor_words(words->output()), 12u * 512 * 512);
  // The residual, and the normalisation of the sum.
  const Workload* const sum = find(*network, "attention_add");
  ASSERT_NE(sum, nullptr);
  EXPECT_EQ(sum->operation, Operation::Elementwise);
  EXPECT_EQ(sum->operations, 1u);
  EXPECT_EQ(sum->macs(), 768u * 512);
  const Workload* const norm = find(*network, "attention_add_norm_rows");
  ASSERT_NE(norm, nullptr);
  EXPECT_EQ(norm->tensor_words(norm->output()), 512u);
  ASSERT_NE(find(*network, "ffn1_activation"), nullptr);
}

TEST(OperatorLayers, WhatSeveralLayersReadIsMadeOnce) {
  const auto network = parse_network(R"(
layers:
- {name: a, gemm: 16x8x4}
- {name: q, gemm: 32x8x16}
- {name: k, gemm: 32x8x16}
edges:
- {from: a, to: q, tensor: B, through: norm, combine: add, ranks: {M: K, N: N}}
- {from: X, to: q, tensor: B, through: norm, combine: add}
- {from: a, to: k, tensor: B, through: norm, combine: add, ranks: {M: K, N: N}}
- {from: X, to: k, tensor: B, through: norm, combine: add}
inputs: [X]
)",
                                     "net");
  ASSERT_TRUE(network.ok()) << to_string(network.errors());
  const auto out = with_operator_layers(*network);
  ASSERT_TRUE(out.ok()) << to_string(out.errors());
  expect_well_formed(*out);
  EXPECT_EQ(names(*out), (std::set<std::string>{"a", "q", "k", "a_add", "a_add_norm_rows", "a_add_norm"}));
}

TEST(OperatorLayers, GatesPoolsAndResizes) {
  const auto network = parse_network(R"(
layers:
- {name: gate, gemm: 16x8x4}
- {name: up, gemm: 16x8x4}
- {name: down, gemm: 4x8x16}
- {name: conv, conv: {c: 3, k: 8, p: 16, r: 3}}
- {name: pooled, conv: {c: 8, k: 4, p: 8, r: 1}}
- {name: large, conv: {c: 4, k: 2, p: 16, r: 1}}
edges:
- {from: gate, to: down, tensor: B, through: elementwise, combine: multiply}
- {from: up, to: down, tensor: B, combine: multiply}
- {from: conv, to: pooled, tensor: Inputs, through: {pool: {k: 3, stride: 2, pad: 1}}}
- {from: pooled, to: large, tensor: Inputs, through: {resize: 2}}
)",
                                     "net");
  ASSERT_TRUE(network.ok()) << to_string(network.errors());
  const auto out = with_operator_layers(*network, {.exponential = 6, .activation = 8});
  ASSERT_TRUE(out.ok()) << to_string(out.errors());
  expect_well_formed(*out);
  const Workload* const gate = find(*out, "gate_multiply");
  ASSERT_NE(gate, nullptr);
  EXPECT_EQ(gate->operations, 1u + 8);
  EXPECT_EQ(gate->tensors.size(), 3u);
  const Workload* const pool = find(*out, "conv_pool");
  ASSERT_NE(pool, nullptr);
  EXPECT_EQ(pool->macs(), 8u * 8 * 8 * 9);
  EXPECT_EQ(pool->tensor_words(pool->output()), 8u * 8 * 8);
  EXPECT_EQ(pool->tensor_words(0), 8u * 17 * 17);  // with a line of the border on one side
  const Workload* const resize = find(*out, "pooled_resize");
  ASSERT_NE(resize, nullptr);
  EXPECT_EQ(resize->tensor_words(0), 4u * 8 * 8);
  EXPECT_EQ(resize->tensor_words(resize->output()), 4u * 16 * 16);
}

TEST(OperatorLayers, OfEveryPreset) {
  for (const char* preset :
       {"bert_base_block", "gpt3_6.7b_block", "llama3_8b_block", "vit_b16", "unet", "conv_pair", "inverted_bottleneck",
        "resnet18_unrolled", "resnet50_unrolled", "mobilenet_v2_unrolled", "llama3_8b_decode_block",
        "llama3_8b@layers=1", "mixtral_8x22b@layers=1", "mamba_2.8b@layers=1", "mamba2_2.7b@layers=1",
        "deepseek_v3@layers=4-4", "qwen3_8b@layers=1,phase=decode", "vit_l16@layers=1"}) {
    const std::string free = preset;
    const auto before = load_network(free, {}, Wanted::Edges);
    ASSERT_TRUE(before.ok()) << preset << to_string(before.errors());
    const auto after = load_network(free + (free.find('@') == std::string::npos ? "@" : ",") + "operators=unit");
    ASSERT_TRUE(after.ok()) << preset << to_string(after.errors());
    SCOPED_TRACE(preset);
    expect_well_formed(*after);
    EXPECT_GT(after->layers.size(), before->layers.size());
    for (const Layer& layer : before->layers) EXPECT_NE(find(*after, layer.workload.name), nullptr);
    // What is written is read back.
    const auto again = parse_network(write_network(*after), "again");
    ASSERT_TRUE(again.ok()) << to_string(again.errors());
    EXPECT_EQ(again->layers.size(), after->layers.size());
    EXPECT_EQ(again->edges.size(), after->edges.size());
  }
}

TEST(OperatorLayers, WrongOptionsAreRefused) {
  for (const char* what : {"bert_base_block@operators=some", "bert_base_block@operators=unit,exponential=0",
                           "bert_base_block@operators=unit,activation=x"})
    EXPECT_FALSE(load_network(what).ok()) << what;
  const auto free = load_network("bert_base_block@operators=free");
  ASSERT_TRUE(free.ok()) << to_string(free.errors());
  EXPECT_EQ(free->layers.size(), 8u);
}

}  // namespace
}  // namespace heliolite::operator_layers_test
