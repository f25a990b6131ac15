// Searches of layers whose tensors state the sizes of their words, against all mappings.
#include <gtest/gtest.h>

#include "engine/search/map.h"
#include "tests/support/optimum_checks.h"

namespace heliolite::word_bits_search_test {
namespace {

using testing::random_search_problem;
using testing::SearchProblem;

SearchProblem problem(u64 seed, bool interconnects = false) {
  return random_search_problem(seed + 70'000,
                               {.max_mappings = 3'000, .interconnects = interconnects, .word_bits = true});
}

TEST(WordBitsSearch, ExactFindsTheOptimum) {
  const auto some_interconnects = [](u64 seed) { return problem(seed, seed % 4 == 0); };
  EXPECT_GT(testing::compare_exact_optima(60, some_interconnects), 150);
}

TEST(WordBitsSearch, NoStrategyIsBelowTheOptimum) {
  EXPECT_GT(testing::compare_strategies(2, [](u64 seed) { return problem(seed); }), 12);
}

TEST(WordBitsSearch, MoreMappingsAreNoWorse) {
  EXPECT_GT(testing::compare_larger_mapspaces(
                6, [](u64 seed) { return problem(seed); }, 5'000),
            2);
}

// Layers that differ in sizes alone are searched each for itself.
TEST(WordBitsSearch, LayersOfOtherSizesAreOthers) {
  Network network;
  for (const u64 bits : {u64{4}, u64{8}, u64{8}}) {
    Layer& layer = network.layers.emplace_back(Layer{testing::random_search_problem(7, {}).workload, 1});
    for (Tensor& t : layer.workload.tensors) t.word_bits = bits;
  }
  const auto answer = map_network(network, testing::random_search_problem(7, {}).architecture, {});
  ASSERT_TRUE(answer.ok()) << to_string(answer.errors());
  const auto energy = [&](std::size_t k) { return answer->layers[k].result.cost.energy.units; };
  EXPECT_LT(energy(0), energy(1));
  EXPECT_EQ(energy(1), energy(2));
}

}  // namespace
}  // namespace heliolite::word_bits_search_test
