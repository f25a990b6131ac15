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
#include "engine/bounds/network/network_charges.h"
#include "engine/bounds/segment/iolb_segment.h"
#include "tests/support/load.h"
#include "tests/support/network_game.h"
#include "tests/support/network_schedule.h"
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

// Layer a, executed so many times, feeds b.
std::string unequal(const std::string& a, int times_a, const std::string& b, int times_b) {
  return "layers:\n- {name: a, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: " + a + ", count: " + std::to_string(times_a) +
         "}\n- {name: b, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: " + b + ", count: " + std::to_string(times_b) +
         ", reads: {x: a}}\n";
}

// Tiny networks with everything that an edge may say: no schedule moves less.
TEST(NetworkBound, IsBelowTheLeastOfAllSchedules) {
  const std::vector<std::string> networks{
      // Two matrix-vector products of one x; of one matrix.
      "layers:\n- {name: a, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: {i: 2, k: 2}, reads: {x: X}}\n"
      "- {name: b, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: {i: 2, k: 2}, reads: {x: X}}\n",
      "layers:\n- {name: a, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: {i: 2, k: 2}, reads: {m: M}}\n"
      "- {name: b, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: {i: 2, k: 2}, reads: {m: M, x: a}}\n",
      // Residual.
      "layers:\n- {name: a, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: {i: 2, k: 2}, reads: {x: X}}\n"
      "- {name: b, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: {i: 2, k: 2}}\n"
      "edges:\n- {from: a, to: b, tensor: x, combine: add}\n- {from: X, to: b, tensor: x, combine: add}\n",
      // Gate.
      "inputs: [X]\nlayers:\n- {name: a, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: {i: 2, k: 1}, reads: {x: X}}\n"
      "- {name: b, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: {i: 2, k: 1}, reads: {x: X}}\n"
      "- {name: c, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: {i: 1, k: 2}}\n"
      "edges:\n- {from: a, to: c, tensor: x, combine: multiply}\n- {from: b, to: c, tensor: x, combine: multiply}\n",
      // Slices of one output and a concatenation.
      "layers:\n- {name: a, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: {i: 3, k: 1}}\n"
      "- {name: b, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: {i: 1, k: 2}}\n"
      "- {name: c, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: {i: 1, k: 2}}\n"
      "edges:\n- {from: a, to: b, tensor: x, slice: {rank: i, from: 0, words: 2}}\n"
      "- {from: a, to: c, tensor: x, slice: {rank: i, from: 2, words: 1}, combine: {concat: k}}\n"
      "- {from: b, to: c, tensor: x, combine: {concat: k}}\n",
      // One tensor twice in an Einsum, and read by another one.
      "layers:\n- {name: a, einsum: \"o[i,j]+=x[i,k]*x[j,k]\", sizes: {i: 2, j: 2, k: 1}, reads: {x: X}}\n"
      "- {name: b, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: {i: 3, k: 2}, reads: {x: X}}\n",
      // Border, pooling, resizing.
      "layers:\n- {name: a, einsum: \"o[p]+=x[p+r]*w[r]\", sizes: {p: 3, r: 1}}\n"
      "- {name: b, einsum: \"o[p]+=x[p+r]*w[r]\", sizes: {p: 3, r: 3}}\n"
      "edges:\n- {from: a, to: b, tensor: x}\n",
      "layers:\n- {name: a, einsum: \"o[p]+=x[p+r]*w[r]\", sizes: {p: 4, r: 1}}\n"
      "- {name: b, einsum: \"o[p]+=x[p+r]*w[r]\", sizes: {p: 1, r: 2}}\n"
      "edges:\n- {from: a, to: b, tensor: x, through: {pool: {k: 2, stride: 2, pad: 0}}}\n",
      "layers:\n- {name: a, einsum: \"o[p]+=x[p+r]*w[r]\", sizes: {p: 2, r: 1}}\n"
      "- {name: b, einsum: \"o[p]+=x[p+r]*w[r]\", sizes: {p: 3, r: 2}}\n"
      "edges:\n- {from: a, to: b, tensor: x, through: {resize: 2}}\n",
      // Repetitions: each with an X of its own, and with one for all.
      "layers:\n- {name: a, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: {i: 1, k: 2}, count: 2, reads: {x: X}}\n"
      "- {name: b, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: {i: 1, k: 2}, count: 2, reads: {x: X}}\n",
      "inputs: [{name: X, same_in_repeats: true}]\n"
      "layers:\n- {name: a, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: {i: 1, k: 2}, count: 2, reads: {x: X}}\n"
      "- {name: b, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: {i: 2, k: 1}, reads: {m: X}}\n",
      // Unequal counts: the last of two, two joined, one for two, and one divided among two.
      unequal("{i: 1, k: 1}", 2, "{i: 1, k: 1}", 1),
      unequal("{i: 1, k: 2}", 2, "{i: 1, k: 2}", 1),
      unequal("{i: 1, k: 1}", 2, "{i: 1, k: 2}", 1),
      unequal("{i: 2, k: 1}", 1, "{i: 1, k: 2}", 2),
      unequal("{i: 2, k: 1}", 1, "{i: 2, k: 1}", 2),
  };
  for (const std::string& text : networks) {
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

// Small products o[i,j] += a[i,k]*b[k,j] in which b is an earlier output, an input, a sum or gate of several or a half.
std::string random_network() {
  struct Source {
    std::string name;
    u64 rows = 0;
  };
  const u64 columns = *rc::gen::inRange<u64>(2, 9), layers = *rc::gen::inRange<u64>(2, 5);
  std::vector<Source> sources{{"X", 4}, {"Y", 12}};
  std::string text, edges;
  for (u64 l = 0; l < layers; ++l) {
    const Source first = sources[*rc::gen::weightedOneOf<std::size_t>(
        {{1, rc::gen::inRange<std::size_t>(0, sources.size())}, {2, rc::gen::just(sources.size() - 1)}})];
    const Source second = sources[*rc::gen::inRange<std::size_t>(0, sources.size())];
    const std::string name = fmt::format("l{}", l);
    const auto edge = [&](const std::string& from, const std::string& more) {
      edges += fmt::format("- {{from: {}, to: {}, tensor: b{}}}\n", from, name, more);
    };
    u64 k = first.rows;
    if (first.name[0] == 'l' && k % 2 == 0 && *rc::gen::inRange(0, 5) == 0) {
      k /= 2;
      edge(first.name, fmt::format(", slice: {{rank: i, from: {}, words: {}}}", *rc::gen::element<u64>(0, k), k));
    } else if (first.name != second.name && first.rows == second.rows) {
      const char* combine = *rc::gen::element(", combine: add", ", combine: multiply, through: norm");
      edge(first.name, combine);
      edge(second.name, combine);
    } else if (*rc::gen::inRange(0, 5) > 0) {
      edge(first.name, *rc::gen::element("", ", through: softmax"));
    }
    const u64 rows = *rc::gen::element<u64>(1, 2, 4, 12);
    text += fmt::format("- {{name: {}, einsum: \"o[i,j]+=a[i,k]*b[k,j]\", sizes: {{i: {}, j: {}, k: {}}}}}\n", name,
                        rows, columns, k);
    sources.push_back({name, rows});
  }
  std::string inputs;
  for (const char* input : {"X", "Y"})
    if (edges.find(fmt::format("from: {},", input)) != std::string::npos)
      inputs += fmt::format("{}{}", inputs.empty() ? "" : ", ", input);
  return fmt::format("inputs: [{}]\nlayers:\n{}{}", inputs, text, edges.empty() ? "" : "edges:\n" + edges);
}

// Operations in an order that makes everything before it is used: each layer in loops over tiles, and either one layer
// after the other or an output when it is first needed.
std::vector<std::size_t> random_order(const testing::NetworkExecution& run) {
  const std::vector<testing::Operation>& operations = run.operations();
  std::vector<std::vector<std::size_t>> makers(run.words().size());
  for (std::size_t o = 0; o < operations.size(); ++o) makers[at(operations[o].output)].push_back(o);
  std::vector<std::size_t> wish(operations.size()), order;
  std::iota(wish.begin(), wish.end(), std::size_t{0});
  const bool last_first = *rc::gen::arbitrary<bool>();
  std::vector<std::size_t> loops{0, 1, 2};
  for (int steps = *rc::gen::inRange(0, 6); steps > 0; --steps) std::ranges::next_permutation(loops);
  const std::vector<u64> tile = *rc::gen::container<std::vector<u64>>(3, rc::gen::element<u64>(1, 2, 3, 4, 12));
  std::ranges::stable_sort(wish, {}, [&](std::size_t o) {
    const testing::Operation& op = operations[o];
    std::vector<u64> key{last_first ? 100 - u64(op.layer) : u64(op.layer)};
    for (const std::size_t d : loops) key.push_back(op.index[d] / tile[d]);
    for (const std::size_t d : loops) key.push_back(op.index[d]);
    return key;
  });
  std::vector<bool> done(operations.size(), false);
  const std::function<void(std::size_t)> perform = [&](std::size_t o) {
    if (done[o]) return;
    done[o] = true;
    for (const auto& need : operations[o].needs)
      for (const int w : need.words)
        for (const std::size_t maker : makers[at(w)]) perform(maker);
    order.push_back(o);
  };
  for (const std::size_t o : wish) perform(o);
  return order;
}

RC_GTEST_PROP(NetworkBound, IsBelowRandomSchedules, ()) {
  const Network net = network(random_network());
  const testing::NetworkExecution run(net);
  const std::vector<std::size_t> order = random_order(run);
  testing::NetworkSchedule schedule(run, order);
  for (const std::size_t capacity : {5u, 9u, 16u, 28u, 100'000u}) {
    const auto moved = schedule.words(capacity);
    RC_ASSERT(moved.has_value());
    RC_ASSERT(network_bound(net, static_cast<double>(capacity)).words <= *moved);
  }
}

}  // namespace
}  // namespace heliolite::network_bound_test
