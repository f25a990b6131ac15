// Which ranks of a maker are which of a reader: stated ones and their errors, those that sizes leave, round trips, and
// the edges of the presets.
#include "workloads/edge_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "engine/formats/load_network.h"
#include "workloads/einsum_text.h"
#include "workloads/workload_yaml.h"

namespace heliolite::edge_ranks_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<Network> parse(const std::string& text) { return parse_network(text, "net.yaml"); }

Network network(const std::string& text) {
  const auto read = parse(text);
  EXPECT_TRUE(read.ok()) << to_string(read.errors()) << text;
  return read.ok() ? *read : Network{};
}

std::string complaint(const std::string& text) {
  const auto read = parse(text);
  return read.ok() ? "" : to_string(read.errors());
}

// "M: [H, K], N: M" of each edge, or why it is not fused.
std::vector<std::string> ranks(const Network& network) {
  std::vector<std::string> out;
  for (const Edge& edge : network.edges) {
    const EdgeRanks of = edge_ranks(network, edge);
    EXPECT_EQ(of.matches.empty(), !of.fused());
    out.push_back(of.fused() ? ranks_text(network, of) : of.why_not);
  }
  return out;
}

const std::string kHeads =
    "layers:\n- {name: q, gemm: 12x5x7}\n- {name: s, bmm: 3x6x5x4}\n- {name: o, gemm: 8x5x18}\nedges:\n";

TEST(EdgeRanks, AreStatedOnEitherSide) {
  const std::string text = kHeads + "- {from: q, to: s, tensor: B, ranks: {M: [H, K], N: N}}\n" +
                           "- {from: s, to: o, tensor: B, ranks: {[H, M]: K, N: N}}\n";
  const Network n = network(text);
  EXPECT_THAT(ranks(n), ElementsAre("M: [H, K], N: N", "[H, M]: K, N: N"));
  const EdgeRanks first = edge_ranks(n, n.edges[0]);
  EXPECT_EQ(first.maker, (TensorPlace{0, 2}));
  EXPECT_EQ(first.reader, (TensorPlace{1, 1}));
  EXPECT_TRUE(first.made_last);
  EXPECT_EQ(first.matches[0].reader.size(), 2u);
  // A list that is a key may also be a text, as JSON has it.
  EXPECT_THAT(ranks(network(kHeads + "- {from: s, to: o, tensor: B, ranks: {\"[H, M]\": K, N: [N]}}\n")),
              ElementsAre("[H, M]: K, N: N"));
  EXPECT_THAT(
      ranks(network(kHeads + "- {from: s, to: o, tensor: B}\n- {from: q, to: s, tensor: B, ranks: {}}\n")),
      ElementsAre(HasSubstr("no ranks of fitting sizes: H 3, M 6, N 5 to K 18, N 5"), HasSubstr("'ranks' say")));
}

TEST(EdgeRanks, AreWrittenAsTheyAreRead) {
  for (const std::string& edges :
       {std::string("- {from: q, to: s, tensor: B, ranks: {M: [H, K], N: N}}\n"
                    "- {from: s, to: o, tensor: B, through: norm, ranks: {[H, M]: K, N: N}}\n"),
        std::string("- {from: s, to: o, tensor: B, ranks: {}}\n")}) {
    const Network n = network(kHeads + edges), again = network(write_network(n, {}));
    EXPECT_EQ(write_network(n, {}), write_network(again, {}));
    EXPECT_THAT(ranks(again), ::testing::ElementsAreArray(ranks(n)));
    for (std::size_t e = 0; e < n.edges.size(); ++e) EXPECT_EQ(n.edges[e].ranks, again.edges[e].ranks);
  }
}

TEST(EdgeRanks, ComplainWithPlaceAndRemedy) {
  const auto of = [](const std::string& ranks) {
    return complaint(kHeads + "- {from: q, to: s, tensor: B, ranks: " + ranks + "}\n");
  };
  EXPECT_THAT(of("{M: [H, K], N: M}"), AllOf(HasSubstr("net.yaml:6: edges[0].ranks.N"), HasSubstr("no rank 'M'")));
  EXPECT_THAT(of("{M: [H, Q], N: N}"), HasSubstr("B of s has no rank 'Q', only H, K, N"));
  EXPECT_THAT(of("{H: [H, K], N: N}"), HasSubstr("Z of q has no rank 'H', only M, N"));
  EXPECT_THAT(of("{M: H, N: [K, N]}"), HasSubstr("M of q has 12 positions, H of s 3, must be as many"));
  EXPECT_THAT(of("{M: [H, K]}"), HasSubstr("N of q stands there 0 times, must once"));
  EXPECT_THAT(of("{M: [H, K], N: N, [M]: [H, K]}"), HasSubstr("M of q stands there 2 times"));
  EXPECT_THAT(of("{[M, N]: [H, K, N]}"), HasSubstr("lists of 2 and 3 dimensions, must be equally long, or one"));
  EXPECT_THAT(of("[M, N]"), HasSubstr("must be names of dimensions, as in {M: [H, K], N: M}"));
  EXPECT_THAT(of("{M: [], N: N}"), HasSubstr("must be names of dimensions"));
  EXPECT_THAT(of("{M: {H: K}, N: N}"), HasSubstr("must be names of dimensions"));
  EXPECT_THAT(complaint("layers:\n- {name: a, gemm: 6x5x7}\n- {name: b, gemm: 6x5x3}\nedges:\n"
                        "- {from: a, to: b, tensor: B, slice: {rank: M, from: 0, words: 3}, ranks: {M: K, N: N}}\n"),
              HasSubstr("is not the tensor as it is made (a slice), must be left out or {}"));
}

// A border smaller than the window, a remainder of the stride; a loop goes around both where stride * P lines are made.
TEST(EdgeRanks, SlideAsFarAsWindowAndStrideAllow) {
  const auto of = [](int made, int lines, const std::string& reader) {
    return edge_ranks(network("layers:\n- {name: a, einsum: \"o[k,p] += w[k,c]*i[c,p]; k=4,c=2,p=" +
                              std::to_string(made) + "\"}\n- {name: b, einsum: \"o[p] += w[c,r]*i[c," + reader +
                              "]; c=4,r=3,p=" + std::to_string(lines) + "\"}\nedges:\n- {from: a, to: b, tensor: i}\n"),
                      Edge{.from = 0, .to = 1, .tensor = 1});
  };
  const EdgeRanks same = of(8, 8, "p+r");
  ASSERT_TRUE(same.fused()) << same.why_not;
  const RankMatch& p = same.matches[1];
  EXPECT_TRUE(p.slides && p.divides && !p.whole);
  EXPECT_EQ(p.window, 3u);
  EXPECT_EQ(p.stride, 1u);
  EXPECT_EQ(p.border, 2u);
  EXPECT_FALSE(of(9, 8, "p+r").matches[1].divides);  // one line of border only
  EXPECT_EQ(of(10, 8, "p+r").matches[1].border, 0u);
  const EdgeRanks strided = of(16, 8, "2*p+r");
  ASSERT_TRUE(strided.fused()) << strided.why_not;
  EXPECT_TRUE(strided.matches[1].divides);
  EXPECT_EQ(strided.matches[1].stride, 2u);
  const std::string named = complaint(
      "layers:\n- {name: a, einsum: \"o[k,p] += w[k,c]*i[c,p]; k=5,c=2,p=8\"}\n"
      "- {name: b, einsum: \"o[p] += w[c,r]*i[c,p+r]; c=4,r=3,p=8\"}\n"
      "edges:\n- {from: a, to: b, tensor: i, ranks: {k: p, p: c}}\n");
  EXPECT_THAT(named, HasSubstr("k of a makes 5 lines, p of b reads 10, must be fewer than 3 more (a window)"));
  EXPECT_THAT(complaint("layers:\n- {name: a, einsum: \"o[k,p] += w[k,c]*i[c,p]; k=4,c=2,p=8\"}\n"
                        "- {name: b, einsum: \"o[p] += w[c,r]*i[c,p+r]; c=4,r=3,p=8\"}\n"
                        "edges:\n- {from: a, to: b, tensor: i, ranks: {k: c, p: r}}\n"),
              HasSubstr("no loop over r passes over a rank of i of b, must be c or p"));
}

TEST(EdgeRanks, SayWhyThereAreNone) {
  const std::string convs =
      "layers:\n- {name: a, conv: {c: 3, k: 4, p: 8}, count: 2}\n- {name: b, conv: {c: 4, k: 4, p: 8, r: 3}, count: "
      "2}\n"
      "- {name: c, conv: {c: 4, k: 4, p: 4}, count: 2}\n- {name: d, conv: {c: 4, k: 4, p: 4}}\nedges:\n";
  EXPECT_THAT(
      ranks(network(convs + "- {from: a, to: b, tensor: Inputs}\n"
                            "- {from: b, to: c, tensor: Inputs, through: {pool: {k: 2}}}\n"
                            "- {from: c, to: d, tensor: Inputs}\n")),
      ElementsAre("sizes leave several ways: K 4, Q 8, P 8 to C 4, R+P 10, S+Q 10", "through pool", "unequal counts"));
  EXPECT_THAT(ranks(network("layers:\n- {name: a, gemm: 2x3x5}\n- {name: b, gemm: 2x3x5}\n- {name: c, gemm: 2x3x4}\n"
                            "edges:\n- {from: a, to: c, tensor: B, combine: {concat: K}}\n"
                            "- {from: b, to: c, tensor: B, combine: {concat: K}}\n")),
              ElementsAre("one of several parts", "one of several parts"));
  EXPECT_THAT(ranks(network("layers:\n- {name: a, gemm: 4x3x5}\n"
                            "- {name: b, einsum: \"o[i,j] += x[i,k]*x[j,k]; i=4,j=4,k=3\"}\n"
                            "edges:\n- {from: a, to: b, tensor: x}\n")),
              ElementsAre("read at two places of one layer"));
}

TEST(EdgeRanks, NeedWholeRanksBehindSoftmaxAndNorm) {
  const Network n = network(
      "layers:\n- {name: s, bmm: 3x6x5x4}\n- {name: c, bmm: 3x4x5x6}\nedges:\n"
      "- {from: s, to: c, tensor: B, through: softmax}\n");
  const EdgeRanks of = edge_ranks(n, n.edges[0]);
  EXPECT_EQ(ranks_text(n, of), "H: H, M: K, N: N");
  EXPECT_FALSE(of.matches[0].whole);
  EXPECT_TRUE(of.matches[1].whole);
  EXPECT_FALSE(of.matches[2].whole);
}

// The left side of an input is its first reader; that one reads it as itself.
TEST(EdgeRanks, OfInputsReferToTheFirstReader) {
  const std::string text =
      "layers:\n- {name: a, gemm: 4x3x3, reads: {B: X}}\n- {name: b, gemm: 4x3x3}\n"
      "- {name: c, gemm: 2x3x4}\ninputs: [X]\nedges:\n";
  EXPECT_THAT(ranks(network(text + "- {from: X, to: b, tensor: B}\n")),
              ElementsAre("K: K, N: N", HasSubstr("sizes leave several ways: K 3, N 3")));
  const Network n = network(text + "- {from: X, to: b, tensor: B, ranks: {K: N, N: K}}\n");
  EXPECT_THAT(ranks(n), ElementsAre("K: K, N: N", "K: N, N: K"));
  EXPECT_EQ(edge_ranks(n, n.edges[1]).maker, (TensorPlace{0, 1}));
  EXPECT_THAT(complaint(text + "- {from: X, to: b, tensor: B, ranks: {M: K, N: N}}\n"),
              HasSubstr("B of a has no rank 'M', only K, N"));
}

// Ranks of layers that run unequally often are read and checked, though the edge is not fused.
TEST(EdgeRanks, OfUnequalCountsAreKept) {
  const auto text = [](const char* ranks) {
    return std::string("layers:\n- {name: a, gemm: 4x3x2, count: 2}\n- {name: b, gemm: 4x3x4}\nedges:\n") +
           "- {from: a, to: b, tensor: B, ranks: " + ranks + "}\n";
  };
  const Network n = network(text("{M: K, N: N}"));
  EXPECT_THAT(ranks(n), ElementsAre("unequal counts"));
  EXPECT_THAT(write_network(n, {}), HasSubstr("ranks: {M: K, N: N}"));
  EXPECT_THAT(complaint(text("{M: N, N: K}")), HasSubstr("M of a has 4 positions, N of b 3"));
}

// A term of a sum that is made earlier is read by the layer that makes the last one.
TEST(EdgeRanks, OfTermsAreThoseOfTheLastMaker) {
  const Network n = network(
      "layers:\n- {name: a, gemm: 4x3x2}\n- {name: b, gemm: 4x3x5}\n- {name: c, gemm: 2x3x4}\nedges:\n"
      "- {from: a, to: c, tensor: B, combine: add}\n- {from: b, to: c, tensor: B, combine: add}\n");
  EXPECT_FALSE(edge_ranks(n, n.edges[0]).made_last);
  EXPECT_TRUE(edge_ranks(n, n.edges[1]).made_last);
  const auto joined = joined_ranks(n, n.edges[0]);
  ASSERT_TRUE(joined);
  EXPECT_EQ(joined->reader, (TensorPlace{1, 2}));
  EXPECT_EQ(ranks_text(n, *joined), "M: M, N: N");
  EXPECT_FALSE(joined_ranks(n, n.edges[1]));
}

// A batch makes other sizes of what was stated for one; the edge then says so.
TEST(EdgeRanks, OfABatchAreSaidToDiffer) {
  const auto block = load_network("gpt3_6.7b_block@batch=16");
  ASSERT_TRUE(block.ok()) << to_string(block.errors());
  EXPECT_THAT(ranks(*block), ::testing::Contains(HasSubstr("with a batch of 16, M of k_proj has 4096")));
  EXPECT_THAT(ranks(*block), ::testing::Contains("H: H, M: K, N: N"));
  const Network again = network(write_network(*block, {}));
  EXPECT_THAT(ranks(again), ::testing::ElementsAreArray(ranks(*block)));
}

// Sizes alone: one matching or none that counts, compared with all permutations.
RC_GTEST_PROP(EdgeRanksProperty, SizesDecideIfTheyLeaveOneWay, ()) {
  const auto count = *rc::gen::inRange<std::size_t>(1, 5);
  std::vector<u64> made = *rc::gen::container<std::vector<u64>>(count, rc::gen::inRange<u64>(1, 5));
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[*rc::gen::inRange<std::size_t>(0, i)]);
  std::vector<u64> read, window, stride;
  for (const std::size_t from : order) {
    window.push_back(*rc::gen::inRange<u64>(1, 4));
    stride.push_back(window.back() > 1 ? *rc::gen::inRange<u64>(1, 3) : 1);
    read.push_back(std::max<u64>(1, made[from] / stride.back()) + *rc::gen::weightedElement<u64>({{5, 0}, {1, 1}}));
  }
  // The maker's dimensions are a, b, ..; the reader's p, q, .. with windows s, t, ..
  std::string out, in, sizes_a = "z=2", operand, result, taps, sizes_b;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string a(1, static_cast<char>('a' + i)), p(1, static_cast<char>('p' + i)), w = "w" + p;
    out += (i > 0 ? "," : "") + a;
    sizes_a += "," + a + "=" + std::to_string(made[i]);
    result += (i > 0 ? "," : "") + p;
    operand += (i > 0 ? "," : "") + (window[i] > 1 ? std::to_string(stride[i]) + "*" + p + "+" + w : p);
    if (window[i] > 1) taps += (taps.empty() ? "" : ",") + w;
    sizes_b += (i > 0 ? "," : "") + p + "=" + std::to_string(read[i]);
    if (window[i] > 1) sizes_b += "," + w + "=" + std::to_string(window[i]);
  }
  const auto maker = parse_einsum("o[" + out + "] += x[" + out + ",z]*k[z]; " + sizes_a);
  const auto reader = parse_einsum("o[" + result + "] += x[" + operand + "]*k[" + (taps.empty() ? "y" : taps) + "]; " +
                                   sizes_b + (taps.empty() ? ",y=2" : ""));
  RC_ASSERT(maker.ok());
  RC_ASSERT(reader.ok());
  Network n;
  n.layers = {{*maker, 1}, {*reader, 1}};
  n.edges = {Edge{.from = 0, .to = 1, .tensor = *reader->find_tensor("x")}};
  // Ranks of one position take no part.
  const auto lines = [&](std::size_t i) { return stride[i] * (read[i] - 1) + window[i]; };
  std::vector<std::size_t> makers, readers;
  for (std::size_t i = 0; i < count; ++i)
    if (made[i] > 1) makers.push_back(i);
  for (std::size_t i = 0; i < count; ++i)
    if (lines(i) > 1) readers.push_back(i);
  int ways = 0;
  do {
    bool fits = makers.size() == readers.size();
    for (std::size_t k = 0; fits && k < makers.size(); ++k) {
      const u64 m = made[makers[k]], l = lines(readers[k]);
      fits = window[readers[k]] == 1 ? m == l : l < m + window[readers[k]] && m < l + stride[readers[k]];
    }
    ways += fits ? 1 : 0;
  } while (std::ranges::next_permutation(readers).found);
  const EdgeRanks found = edge_ranks(n, n.edges[0]);
  RC_ASSERT(found.fused() == (ways == 1));
  if (ways != 1) return;
  // What was found may be stated, and says the same.
  Edge stated = n.edges[0];
  stated.ranks.stated = true;
  for (const RankMatch& match : found.matches) stated.ranks.pairs.push_back({match.maker, match.reader});
  if (found.matches.empty()) return;
  RC_ASSERT(ranks_text(n, edge_ranks(n, stated)) == ranks_text(n, found));
}

// Every edge of the networks with edges has its ranks or a reason.
TEST(EdgeRanks, OfPresetsAreResolved) {
  for (const char* name : {"gpt3_6.7b_block", "bert_base_block", "llama3_8b_block", "llama3_8b_prefill_block",
                           "llama3_8b_decode_block", "vit_b16", "resnet18_unrolled", "resnet50_unrolled",
                           "mobilenet_v2_unrolled", "unet", "conv_pair", "inverted_bottleneck"}) {
    const auto preset = load_network(name);
    ASSERT_TRUE(preset.ok()) << to_string(preset.errors());
    for (const std::string& text : ranks(*preset))
      EXPECT_THAT(text, ::testing::AnyOf(HasSubstr(": "), "through pool", "one of several parts",
                                         "no ranks correspond, as its 'ranks' say"))
          << name;
    const Network again = network(write_network(*preset, {}));
    EXPECT_THAT(ranks(again), ::testing::ElementsAreArray(ranks(*preset))) << name;
  }
  for (const char* name : {"gpt3_6.7b_block", "bert_base_block", "llama3_8b_prefill_block", "llama3_8b_decode_block",
                           "vit_b16", "conv_pair", "inverted_bottleneck"}) {
    const auto preset = load_network(name);
    ASSERT_TRUE(preset.ok()) << to_string(preset.errors());
    for (const Edge& edge : preset->edges) EXPECT_EQ(edge_ranks(*preset, edge).why_not, "") << name;
  }
}

}  // namespace
}  // namespace heliolite::edge_ranks_test
