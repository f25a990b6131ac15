// The unit of answers about tensors whose words have sizes.
#include "workloads/word_bits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "engine/formats/load_network.h"

namespace heliolite::word_unit_test {
namespace {

using ::testing::HasSubstr;

// The unit, and the sizes of the first three tensors of each layer.
std::string unit_of(const std::string& text, std::optional<WordLength> unstated = {}) {
  const Network network = *parse_network(text, "w.yaml");
  const Result<WordUnit> unit = word_unit(network, unstated);
  if (!unit) return to_string(unit.errors());
  std::string out(unit->name());
  for (const Layer& layer : network.layers) {
    const WordUnit::Sizes sizes = unit->sizes(layer.workload);
    for (int v = 0; v < 3; ++v) out += " " + std::to_string(sizes[static_cast<std::size_t>(v)]);
  }
  return out;
}

TEST(WordUnit, IsTheLargestInWhichSizesAreWhole) {
  EXPECT_EQ(unit_of("gemm: 4x4x4"), "words 1 1 1");
  EXPECT_EQ(unit_of("gemm: 4x4x4", 16), "words 1 1 1");
  EXPECT_EQ(unit_of("{gemm: 4x4x4, word_bits: {A: 8, B: 16, Z: 32}}"), "bytes 1 2 4");
  EXPECT_EQ(unit_of("{gemm: 4x4x4, word_bits: {A: 8, B: 4, Z: 32}}"), "bits 8 4 32");
  EXPECT_EQ(unit_of("{gemm: 4x4x4, word_bits: {A: 8}}", 16), "bytes 1 2 2");
  EXPECT_EQ(unit_of("{gemm: 4x4x4, word_bits: {A: 8}}", 12), "bits 8 12 12");
  EXPECT_EQ(unit_of("{gemm: 4x4x4, word_bits: {A: mxfp4, B: nvfp4, Z: bf16}}"), "0.25 bits 17 18 64");
  EXPECT_EQ(unit_of("{gemm: 4x4x4, word_bits: nvfp4}"), "0.5 bits 9 9 9");
}

TEST(WordUnit, IsOneForAllLayers) {
  EXPECT_EQ(unit_of("layers:\n- {name: a, gemm: 4x4x4, word_bits: 8}\n- {name: b, gemm: 4x4x4, word_bits: 12}\n"),
            "bits 8 8 8 12 12 12");
}

TEST(WordUnit, NeedsTheSizeOfEveryTensor) {
  const std::string text = unit_of("layers:\n- {name: a, gemm: 4x4x4, word_bits: 8}\n- {name: b, gemm: 4x4x4}\n");
  EXPECT_THAT(text, HasSubstr("A of b states no size"));
  EXPECT_THAT(text, HasSubstr("a does (A: 8, B: 8, Z: 8)"));
  EXPECT_THAT(text, HasSubstr("--word-bits A=BITS"));
}

TEST(WordUnit, HasBytes) {
  EXPECT_EQ(WordUnit{}.bytes(2), 2);
  EXPECT_EQ((WordUnit{.bits = 8}.bytes(2)), 1);
  EXPECT_EQ((WordUnit{.bits = 1}.bytes(2)), 0.125);
  EXPECT_EQ((WordUnit{.bits = WordLength::of_parts(1, 4)}.bytes(2)), 0.03125);
}

}  // namespace
}  // namespace heliolite::word_unit_test
