// Fused chains: the front of all plans against plans executed word by word, and the templates of the papers.
#include "engine/bounds/fusion/fusion.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/fusion_fronts.h"

namespace heliolite::fusion_test {
namespace {

using testing::expect_executed;
using testing::expect_front;
using testing::kSmallChains;
using testing::links_of;
using testing::SimulatedChain;

// The curve of plans that gain word by word is the least of them at every capacity.
RC_GTEST_PROP(FusedCurveOf, PlansIsTheLeastOfThem, ()) {
  FusedCurve curve;
  std::vector<u64> least(80, ~u64{0});
  const auto below = [](u64 end) { return *rc::gen::inRange<u64>(0, end); };
  for (u64 plans = below(8) + 1; plans > 0; --plans) {
    const u64 buffer = below(30);
    std::vector<Gain> gains;
    u64 saved = below(9), accesses = below(40);
    for (u8 link = 0; link < 3; ++link, saved = below(saved + 1)) gains.push_back({link, below(12), saved, below(3)});
    for (const Gain& gain : gains) accesses += gain.words * gain.saved + gain.bonus;
    curve.add(buffer, accesses, {}, gains);
    std::size_t capacity = buffer;
    for (const Gain& gain : gains) {
      for (u64 word = 0; word < gain.words; ++word, accesses -= gain.saved)
        least[capacity] = std::min(least[capacity], accesses), ++capacity;
      accesses -= gain.bonus;
    }
    for (; capacity < least.size(); ++capacity) least[capacity] = std::min(least[capacity], accesses);
  }
  for (std::size_t capacity = 0; capacity < least.size(); ++capacity) {
    const auto point = curve.at(capacity);
    RC_ASSERT(point.has_value() == (least[capacity] != ~u64{0}));
    if (point) RC_ASSERT(point->accesses == least[capacity]);
    if (point) RC_ASSERT(point->buffer <= capacity);
  }
}

const std::vector<SimulatedChain> kChains{
    {1, 4, {3, 4, 2}}, {1, 6, {2, 6, 2}},    {1, 5, {1, 4, 4}},    {2, 5, {2, 4, 3}},    {1, 6, {4, 2, 4}},
    {3, 2, {2, 5, 2}}, {1, 4, {2, 4, 2, 3}}, {1, 4, {3, 2, 4, 1}}, {2, 3, {2, 3, 2, 4}}, {1, 3, {2, 3, 2, 4, 1}},
};
TEST(Fusion, IsTheFrontOfAllExecutedPlans) {
  for (const SimulatedChain& chain : kChains) expect_front(chain, {.weights = Staying::Wholes});
  for (const std::size_t c : {0, 3, 5}) expect_front(kChains[c], {.perfect = true, .weights = Staying::Wholes});
  for (const SimulatedChain& chain : kSmallChains)
    for (const Staying staying : {Staying::Parts, Staying::None}) expect_front(chain, {.weights = staying});
}

TEST(Fusion, EveryPointIsExecutedAsItSays) {
  for (const SimulatedChain& chain : kChains) {
    const auto curve = tiled_fusion(links_of(chain));
    ASSERT_TRUE(curve);
    for (u64 capacity = 0; capacity <= curve->capacities().back(); ++capacity)
      if (const auto point = curve->at(capacity)) {
        EXPECT_LE(point->buffer, capacity);
        expect_executed(chain, *point);
      }
  }
}

RC_GTEST_PROP(Fusion, EveryPointOfARandomChainIsExecutedAsItSays, ()) {
  const SimulatedChain chain = testing::random_chain();
  const auto curve = tiled_fusion(links_of(chain));
  RC_ASSERT(curve.has_value());
  const u64 capacity = *rc::gen::inRange<u64>(0, curve->capacities().back() + 2);
  if (const auto point = curve->at(capacity)) {
    RC_ASSERT(point->buffer <= capacity);
    expect_executed(chain, *point);
  }
}

// Pictures of 6 lines, weights shared by 12: blocks end with a picture or hold whole ones.
TEST(Fusion, BlocksKeepPicturesWhole) {
  const FusedRows segment{{{.group_rows = 12}}, 24, 12, 6};
  std::vector<std::pair<u64, u64>> rows;
  for (const RowBlocks& blocks : row_blocks(segment, false)) {
    rows.emplace_back(blocks.rows, blocks.span);
    EXPECT_EQ(blocks.in(24), 24 / blocks.span * ((blocks.span + blocks.rows - 1) / blocks.rows));
  }
  EXPECT_EQ(rows, (std::vector<std::pair<u64, u64>>{{1, 6}, {2, 6}, {3, 6}, {6, 6}, {12, 12}, {24, 24}}));
}

// Two heads of 3 words in a row of 6: with weights of their own each word is a column, else the heads' words together.
TEST(Fusion, WeightsAreUsedOnceForAColumn) {
  for (const auto& [groups, columns] : {std::pair{u64{1}, u64{3}}, {u64{2}, u64{6}}}) {
    std::vector<ChainLink> links = links_of({1, 4, {2, 6, 1}});
    links[1].rows = links[1].input_rows = links[1].output_words = 8;
    links[1].groups = groups;
    links[1].input_columns = 3;
    links[1].weight_words = groups * 3;
    const auto rows = common_rows(links);
    ASSERT_TRUE(rows);
    EXPECT_EQ(rows->links[1].input_columns, columns);
  }
}

// The feed-forward pair of GPT-3 6.7B with 30 million words: blocks of 3 641 rows, the last one smaller, and some
// weights stay. Perfect blocks with whole weights move half as much again.
TEST(Fusion, UsesEveryWord) {
  const SimulatedChain pair{1, 32768, {4096, 16384, 4096}};
  const u64 capacity = 30'000'000;
  const auto least = tiled_fusion(links_of(pair))->at(capacity);
  ASSERT_TRUE(least);
  EXPECT_LE(least->accesses, 1'476'000'000u);
  EXPECT_LE(least->buffer, capacity);
  EXPECT_EQ(tiled_fusion(links_of(pair), kPublishedTemplates)->at(capacity)->accesses, 2'281'701'376u);
}

}  // namespace
}  // namespace heliolite::fusion_test
