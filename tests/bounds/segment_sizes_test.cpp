// Networks whose tensors have words of several sizes, fused and not.
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "engine/bounds/fusion/cut.h"
#include "engine/formats/load_network.h"

namespace heliolite::segment_sizes_test {
namespace {

constexpr u64 kLarge = u64{1} << 40;

SegmentedNetwork segmented(const Network& network) { return *SegmentedNetwork::create(network); }
SegmentedNetwork segmented(const std::string& text) { return segmented(*parse_network(text, "net.yaml")); }

// Words of 16 bits are two bytes, of 12 bits twelve bits: as many times the curves of words.
TEST(SegmentsOfSizes, EqualOnesAreAMultiple) {
  for (const char* name : {"conv_pair", "bert_base_block"}) {
    const SegmentedNetwork words = segmented(*load_network(name));
    EXPECT_EQ(words.unit().name(), "words");
    for (const auto& [bits, unit, size] : {std::tuple{u64{16}, "bytes", u64{2}}, {u64{12}, "bits", u64{12}}}) {
      const WordBits sizes{WordBitsSource::Given, {{"all", bits}}};
      const SegmentedNetwork units = segmented(*load_network(name, {.word_bits = sizes}));
      EXPECT_EQ(units.unit().name(), unit);
      for (const u64 capacity : {0, 7, 100, 5'000, 30'001, 1'000'000})
        for (const u64 more : {u64{0}, size - 1}) {
          EXPECT_EQ(units.unfused(capacity * size + more), words.unfused(capacity) * size) << name << capacity;
          EXPECT_EQ(units.fused(capacity * size + more), words.fused(capacity) * size) << name << capacity;
        }
    }
  }
}

// Layers a, 4 x 8 words from 4 x 6, and b, 4 x 12 words from a's. Each moves its own words: a stores sums of 32 bits, b
// reads them in 8. Fused, they stay inside.
TEST(SegmentsOfSizes, EdgesHaveTheSizesOfBothEnds) {
  const SegmentedNetwork pair = segmented(
      "layers:\n- {name: a, gemm: 8x4x6, word_bits: {A: 4, B: 8, Z: 32}}\n"
      "- {name: b, gemm: 12x4x8, word_bits: {A: 4, B: 8, Z: 16}, reads: {B: a}}\n");
  EXPECT_EQ(pair.unit().name(), "bits");
  const u64 ends = 6 * 4 * 8 + 8 * 6 * 4 + 12 * 8 * 4 + 12 * 4 * 16;
  EXPECT_EQ(pair.fused(kLarge), ends);
  EXPECT_EQ(pair.unfused(kLarge), ends + 8 * 4 * (32 + 8));
  // All weights stay, and one row: of a 6 words and sums for 8, or 8 words and, for b, one more.
  const u64 weights = 8 * 6 * 4 + 12 * 8 * 4, row = 8 * 32 + 1 * 8;
  EXPECT_EQ(pair.fused(weights + row), ends);
  EXPECT_GT(pair.fused(weights + row - 1), ends);
}

// c reads a + b, of which a comes along the chain: b is read, in the words in which it was stored.
TEST(SegmentsOfSizes, SumsReadWhatWasStored) {
  const auto sum = [](const char* first, const char* second) {
    const std::string edge = ", to: c, tensor: B, combine: add}\n";
    return segmented(std::string("layers:\n- {name: a, gemm: 8x4x6, word_bits: {A: 8, B: 8, Z: 16}}\n"
                                 "- {name: b, gemm: 8x4x6, word_bits: {A: 8, B: 8, Z: 32}}\n"
                                 "- {name: c, gemm: 12x4x8, word_bits: {A: 16, B: 8, Z: 8}}\nedges:\n- {from: ") +
                     first + edge + "- {from: " + second + edge);
  };
  const u64 words = 8 * 4, operands = 2 * (8 * 6 + 6 * 4) + 2 * 12 * 8 + 12 * 4;
  EXPECT_EQ(sum("a", "b").fused(kLarge), operands + 4 * words + 4 * words);
  EXPECT_EQ(sum("b", "a").fused(kLarge), operands + 2 * words + 2 * words);
  EXPECT_EQ(sum("a", "b").unfused(kLarge), operands + (2 + 4 + 1) * words + 4 * words);
}

TEST(SegmentsOfSizes, CountIn64Bits) {
  const std::string large = "layers:\n- {name: a, gemm: 100000x100000x100000, count: 900, word_bits: ";
  EXPECT_TRUE(SegmentedNetwork::create(*parse_network(large + "16}\n", "net.yaml")).ok());
  const auto found = SegmentedNetwork::create(*parse_network(large + "1023}\n", "net.yaml"));
  ASSERT_FALSE(found);
  EXPECT_NE(to_string(found.errors()).find("too many for accesses in bits"), std::string::npos);
}

TEST(SegmentsOfSizes, NeedAllSizes) {
  const auto found = SegmentedNetwork::create(
      *parse_network("layers:\n- {name: a, gemm: 8x4x6, word_bits: {A: 4, B: 8}}\n", "net.yaml"));
  ASSERT_FALSE(found);
  EXPECT_NE(to_string(found.errors()).find("Z of a states no size"), std::string::npos);
}

}  // namespace
}  // namespace heliolite::segment_sizes_test
