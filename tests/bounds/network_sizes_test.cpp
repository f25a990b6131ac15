// What a network must move whose tensors have words of several sizes: never more than any execution does.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "engine/bounds/fusion/cut.h"
#include "engine/bounds/network/network_bound.h"
#include "engine/formats/load_network.h"
#include "tests/support/network_game.h"
#include "tests/support/network_schedule.h"
#include "tests/support/random_network.h"

namespace heliolite::network_sizes_test {
namespace {

Network network(const std::string& text) { return *parse_network(text, "net.yaml"); }

// Every tensor states a size, drawn by `bits()`.
template <class Bits>
Network with_sizes(const std::string& text, Bits bits) {
  Network net = network(text);
  for (Layer& layer : net.layers)
    for (Tensor& t : layer.workload.tensors)
      t.word_bits = t.access_of ? layer.workload.tensors[*t.access_of].word_bits : bits();
  return net;
}

TEST(NetworkSizes, BoundsAreBelowTheLeastOfAllSchedules) {
  std::mt19937 random(1);
  for (const std::string& text : testing::tiny_networks()) {
    const Network net = with_sizes(text, [&] { return u64{1} + random() % 3; });
    const WordUnit unit = *word_unit(net);
    const testing::NetworkExecution run(net, unit);
    const testing::NetworkGame game(run);
    ASSERT_TRUE(game.fits());
    // In the smallest of these memories that is large enough, and in one that holds everything.
    const int small = game.least_words(7) < 0 ? 9 : 7;
    for (const int capacity : {small, 30}) {
      const int least = game.least_words(capacity);
      ASSERT_GE(least, 0);
      for (const Unnamed unnamed : {Unnamed::Apart, Unnamed::Anything})
        EXPECT_LE(network_bound(net, capacity, unnamed, unit).words, static_cast<u64>(least)) << text << capacity;
    }
  }
}

RC_GTEST_PROP(NetworkSizes, BoundsAreBelowRandomSchedules, ()) {
  const Network net = with_sizes(testing::random_network(), [] { return *rc::gen::element<u64>(8, 16, 32, 64); });
  const WordUnit unit = *word_unit(net);
  const testing::NetworkExecution run(net, unit);
  const std::vector<std::size_t> order = testing::random_order(run);
  testing::NetworkSchedule schedule(run, order);
  for (const std::size_t capacity : {40u, 64u, 130u, 800'000u}) {
    const auto moved = schedule.words(capacity);
    RC_ASSERT(moved.has_value());
    RC_ASSERT(network_bound(net, static_cast<double>(capacity), Unnamed::Apart, unit).words <= *moved);
  }
}

TEST(NetworkSizes, BoundsAreBelowEveryFusedSchedule) {
  const WordBits sizes{WordBitsSource::Given, {{"weights", 4}, {"inputs", 8}, {"outputs", 32}}};
  for (const char* name : {"bert_base_block", "conv_pair", "inverted_bottleneck"}) {
    const Network block = *load_network(name, {.word_bits = sizes});
    const auto segmented = SegmentedNetwork::create(block);
    ASSERT_TRUE(segmented.ok());
    for (const u64 capacity : {u64{1'000}, u64{100'000}, u64{1} << 40}) {
      const u64 bound = network_bound(block, static_cast<double>(capacity), Unnamed::Apart, segmented->unit()).words;
      EXPECT_LE(bound, segmented->fused(capacity)) << name;
      EXPECT_GT(bound, 0u) << name;
    }
  }
}

// Equal sizes give the bound of words times the size, but for its whole numbers and the steps of its exponents.
TEST(NetworkSizes, EqualOnesGiveAMultiple) {
  const Network words = *load_network("bert_base_block");
  for (const WordLength bits : {WordLength(16), WordLength(12), WordLength::of_parts(17, 4)}) {
    const Network block = *load_network("bert_base_block", {.word_bits = {WordBitsSource::Given, {{"all", bits}}}});
    const WordUnit unit = *word_unit(block);
    const u64 size = bits.in_units(unit.bits);
    for (const double capacity : {1e3, 1e5, 1e12}) {
      const auto expected = static_cast<double>(size * network_bound(words, capacity).words);
      const u64 found = network_bound(block, capacity * static_cast<double>(size), Unnamed::Apart, unit).words;
      EXPECT_NEAR(static_cast<double>(found) / expected, 1, 1e-3) << text_of(bits) << " " << capacity;
    }
    EXPECT_EQ(network_bound(block, 1e15, Unnamed::Apart, unit).words, size * network_bound(words, 1e15).words);
  }
}

// With room for all: operands that both layers read count once, in the smaller of the two sizes; a's sums of 32 bits
// are read in 8, and are of 32 until then.
TEST(NetworkSizes, OfEdgesAreTheSmallest) {
  const Network net = network(
      "inputs: [X]\nlayers:\n- {name: a, gemm: 8x4x6, word_bits: {A: 4, B: 16, Z: 32}, reads: {B: X}}\n"
      "- {name: b, gemm: 12x4x8, word_bits: {A: 4, B: 8, Z: 16}, reads: {B: a}}\n"
      "- {name: c, gemm: 6x4x6, word_bits: {A: 4, B: 8, Z: 32}, reads: {B: X}}\n");
  const NetworkSizes sizes = network_sizes(net, Unnamed::Apart, *word_unit(net));
  EXPECT_EQ(sizes.tensor, (std::vector<std::vector<u64>>{{4, 8, 32}, {4, 8, 16}, {4, 8, 32}}));
  EXPECT_EQ(sizes.input, std::vector<u64>{8});
  const u64 weights = 4 * (8 * 6 + 12 * 8 + 6 * 6);
  EXPECT_EQ(network_bound(net, 1e9, Unnamed::Apart, *word_unit(net)).words, 8 * 24 + weights + 16 * 48 + 32 * 24);
}

}  // namespace
}  // namespace heliolite::network_sizes_test
