// What a whole network must move: never more than any execution does, and known figures.
#include "engine/bounds/network/network_bound.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "engine/bounds/fusion/cut.h"
#include "engine/bounds/segment/iolb_segment.h"
#include "tests/support/load.h"
#include "tests/support/network_game.h"
#include "tests/support/network_schedule.h"
#include "tests/support/random_network.h"
#include "workloads/workload_yaml.h"

namespace heliolite::network_bound_test {
namespace {

Network network(const std::string& text) {
  const auto root = YamlNode::parse(text, "net.yaml");
  const auto network = network_from_yaml(*root, "net");
  EXPECT_TRUE(network.ok()) << to_string(network.errors());
  return *network;
}

Network chain_of(const std::vector<std::string>& layers) {
  Network network{"chain", {}, {}};
  for (const std::string& text : layers) {
    network.layers.push_back({testing::workload(text), 1});
    const int l = static_cast<int>(network.layers.size()) - 1;
    if (l > 0) network.edges.push_back({l - 1, l, *network.layers.back().workload.find_tensor("A")});
  }
  return network;
}

TEST(NetworkBound, Chains) {
  const Network alone = chain_of({"gemm:1000x1000x1000"}),
                two = chain_of({"gemm:1000x1000x1000", "gemm:1000x1000x1000"});
  const u64 one = network_bound(alone, 1024).words;
  const AccessNest nest = access_nest(alone.layers[0].workload);
  EXPECT_EQ(one, segment_bound(nest, rank_rows(nest), 1024).words);
  // The intermediate may stay inside for both.
  EXPECT_EQ(network_bound(two, 1024).words, 2 * (one - 1000000));
  // In a large memory only the outer operands move: A, two weights, the result.
  EXPECT_EQ(network_bound(two, 1e9).words, 4000000U);
  Network apart = two;
  apart.edges.clear();
  EXPECT_EQ(network_bound(apart, 1024).words, 2 * one);
  EXPECT_EQ(network_bound(apart, 1e9).words, 6000000U);
}

// An input that two layers read is charged to one of them, whether a layer produces it or not.
TEST(NetworkBound, SharedInputsCountOnce) {
  Network network = chain_of({"gemm:64x64x64", "gemm:64x64x64"});
  const int a = *network.layers[0].workload.find_tensor("A");
  network.edges.clear();
  Network shared = network;
  shared.inputs.push_back({"X", 64 * 64});
  for (const int l : {0, 1}) shared.edges.push_back({.to = l, .tensor = a, .from_input = true});
  EXPECT_EQ(network_bound(network, 1e9).words, 6U * 64 * 64);
  EXPECT_EQ(network_bound(shared, 1e9).words, 5U * 64 * 64);
  EXPECT_LT(network_bound(shared, 64).words, network_bound(network, 64).words);

  Network fan = chain_of({"gemm:64x64x64", "gemm:64x64x64", "gemm:64x64x64"});
  fan.edges[1].from = 0;
  // Weights of all three, the first input, two results.
  EXPECT_EQ(network_bound(fan, 1e9).words, 6U * 64 * 64);
}

TEST(NetworkBound, RepeatsCount) {
  Network network = chain_of({"gemm:64x64x64"});
  const u64 once = network_bound(network, 256).words;
  network.layers[0].count = 5;
  EXPECT_EQ(network_bound(network, 256).words, 5 * once);
}

// The larger layer counts X; then no access of it counts in the other one.
TEST(NetworkBound, TakesAllAccessesOfATensorAlike) {
  const Network net = network(
      "layers:\n- {name: a, einsum: \"o[i,j]+=x[i,k]*x[j,k]\", sizes: {i: 4, j: 4, k: 4}, reads: {x: X}}\n"
      "- {name: b, einsum: \"o[i,j]+=m[i,k]*x[k,j]\", sizes: {i: 9, j: 4, k: 4}, reads: {x: X}}\n");
  const NetworkCharges charges = network_charges(net, Unnamed::Apart);
  for (std::size_t v = 0; v < 3; ++v)
    EXPECT_EQ(charges.layer[0][v].counted, net.layers[0].workload.tensors[v].is_output()) << v;
  EXPECT_EQ(network_bound(net, 1e6).words, 16u + 16 + 36 + 36);
  EXPECT_FALSE(UnnamedOperands(net, Unnamed::Anything).any());
}

TEST(NetworkBound, OfBlocksIsWhatALargeMemoryMoves) {
  // X, all weights and the result, nothing else.
  for (const auto& [name, words] : {std::pair{"gpt3_6.7b_block@batch=16", u64{469'762'048}},
                                    {"bert_base_block", u64{7'864'320}},
                                    {"llama3_8b_block", u64{234'881'024}}}) {
    const auto block = load_network(name);
    ASSERT_TRUE(block.ok()) << to_string(block.errors());
    EXPECT_EQ(network_bound(*block, 1e10).words, words) << name;
    EXPECT_FALSE(UnnamedOperands(*block, Unnamed::Anything).any()) << name;
  }
}

TEST(NetworkBound, IsBelowEverySchedule) {
  for (const char* name :
       {"gpt3_6.7b_block", "bert_base_block", "llama3_8b_block", "conv_pair", "inverted_bottleneck"}) {
    const auto block = load_network(name);
    const auto segmented = SegmentedNetwork::create(*block);
    ASSERT_TRUE(segmented.ok());
    for (const u64 capacity : {u64{100}, u64{10'000}, u64{1'000'000}, u64{100'000'000}})
      EXPECT_LE(network_bound(*block, static_cast<double>(capacity)).words, segmented->fused(capacity)) << name;
  }
}

// Tiny networks with everything that an edge may say: no schedule moves less.
TEST(NetworkBound, IsBelowTheLeastOfAllSchedules) {
  for (const std::string& text : testing::tiny_networks()) {
    const Network net = network(text);
    const testing::NetworkExecution run(net);
    const testing::NetworkGame game(run);
    ASSERT_TRUE(game.fits()) << text;
    int before = 1000;
    for (const int capacity : {3, 5, 30}) {
      const int least = game.least_words(capacity);
      if (least < 0) continue;
      EXPECT_LE(network_bound(net, capacity).words, static_cast<u64>(least)) << text << capacity;
      EXPECT_LE(network_bound(net, capacity, Unnamed::Anything).words, network_bound(net, capacity).words);
      EXPECT_LE(least, before);
      before = least;
    }
    // With room for all the bound is what must move, but for outputs that only other repetitions' readers pass over.
    const auto last = [&](const Edge& e) { return repeats(net, e) == Repeats::Last; };
    if (std::ranges::any_of(net.edges, last)) continue;
    EXPECT_EQ(network_bound(net, 1000).words, static_cast<u64>(before)) << text;
  }
}

RC_GTEST_PROP(NetworkBound, IsBelowRandomSchedules, ()) {
  const Network net = network(testing::random_network());
  const testing::NetworkExecution run(net);
  const std::vector<std::size_t> order = testing::random_order(run);
  testing::NetworkSchedule schedule(run, order);
  for (const std::size_t capacity : {5u, 9u, 16u, 28u, 100'000u}) {
    const auto moved = schedule.words(capacity);
    RC_ASSERT(moved.has_value());
    RC_ASSERT(network_bound(net, static_cast<double>(capacity)).words <= *moved);
  }
}

}  // namespace
}  // namespace heliolite::network_bound_test
