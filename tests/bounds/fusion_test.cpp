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

#include "engine/bounds/fusion/fusion_blocks.h"
#include "tests/support/fusion_simulator.h"

namespace heliolite::fusion_test {
namespace {

using testing::FusionSimulator;
using testing::SimulatedChain;
using testing::SimulatedCost;
using testing::SimulatedPlan;

using Front = std::map<u64, u64>;

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

std::vector<ChainLink> links_of(const SimulatedChain& chain) {
  std::vector<ChainLink> links;
  for (u64 e = 0; e < chain.links(); ++e) {
    ChainLink link;
    link.name = fmt::format("link{}", e);
    link.rows = link.input_rows = chain.all_rows();
    link.groups = chain.groups;
    link.input_columns = chain.width[e];
    link.output_columns = chain.width[e + 1];
    link.input_words = link.rows * link.input_columns;
    link.output_words = link.rows * link.output_columns;
    link.weight_words = link.groups * link.input_columns * link.output_columns;
    links.push_back(link);
  }
  return links;
}

// Whether pairs are disjoint and inside the chain, the first pair having its input rows.
bool pairs_fit(const SimulatedChain& chain, const SimulatedPlan& plan) {
  const u64 first = plan.how == SimulatedPlan::How::Rows ? 0 : 2;
  if ((plan.pairs & (plan.pairs >> 1)) != 0 || plan.pairs >> (chain.links() - 1) != 0) return false;
  if (first == 2 && (plan.pairs & 3) != 0) return false;
  return (plan.pairs & 1) == 0 || plan.whole_input;
}

// Calls `body` with every choice of weights that stay: of each link any number of words, or all or none.
template <class Body>
void for_each_stay(const SimulatedChain& chain, Staying staying, std::vector<u64>& stay, Body body) {
  const std::size_t e = stay.size();
  if (e == chain.links()) return body(stay);
  const u64 weights = chain.width[e] * chain.width[e + 1];
  for (u64 words = 0; words <= weights; words += staying == Staying::Parts ? 1 : weights) {
    stay.push_back(words);
    for_each_stay(chain, staying, stay, body);
    stay.pop_back();
    if (staying == Staying::None) return;
  }
}

template <class Body>
void for_each_plan(const SimulatedChain& chain, const FusionOptions& options, Body body) {
  using How = SimulatedPlan::How;
  for (const How how : {How::Rows, How::InputAgain, How::OutputSpilled, How::WeightsOuter}) {
    if (chain.links() > 2 && (how == How::OutputSpilled || how == How::WeightsOuter)) continue;
    for (u64 rows = 1; rows <= chain.all_rows(); ++rows)
      for (u64 part = 1; part <= chain.width[1]; ++part)
        for (u64 pairs = 0; pairs < u64{1} << chain.links(); ++pairs)
          for (const bool whole_input : {false, true})
            for (const bool whole_output : {false, true}) {
              SimulatedPlan plan{how, rows, part, {}, pairs, whole_input, whole_output};
              if ((rows > chain.rows && rows % chain.rows != 0) || !pairs_fit(chain, plan)) continue;
              if (options.perfect && (chain.all_rows() % rows != 0 || (rows < chain.rows && chain.rows % rows != 0)))
                continue;
              if (options.perfect && chain.width[1] % part != 0) continue;
              if (how == How::Rows ? part != 1 : part == chain.width[1]) continue;
              if (how == How::InputAgain && whole_input) continue;
              const bool outer = how == How::WeightsOuter;
              if (outer ? rows != 1 || whole_input || pairs != 0 : whole_output) continue;
              // Nothing to keep weights for.
              const Staying staying = outer || rows > chain.rows ? Staying::None : options.weights;
              for_each_stay(chain, staying, plan.stay, [&](const std::vector<u64>& stay) {
                SimulatedPlan one = plan;
                one.stay = stay;
                body(one);
              });
            }
  }
}

// The fewest accesses for every capacity up to the last that matters.
Front front_of_all(const SimulatedChain& chain, const FusionOptions& options) {
  Front all;
  for_each_plan(chain, options, [&](const SimulatedPlan& plan) {
    const SimulatedCost cost = FusionSimulator(chain, plan).run();
    const auto [it, fresh] = all.emplace(cost.buffer, cost.accesses);
    if (!fresh) it->second = std::min(it->second, cost.accesses);
  });
  Front front;
  u64 best = ~u64{0};
  for (const auto& [buffer, accesses] : all)
    if (accesses < best) front[buffer] = best = accesses;
  return front;
}

// The same of the curve, whose slopes fall with every word.
Front front_of(const FusedCurve& curve) {
  Front front;
  u64 best = ~u64{0};
  for (u64 capacity = 0; capacity <= curve.capacities().back(); ++capacity)
    if (const auto point = curve.at(capacity); point && point->accesses < best)
      front[capacity] = best = point->accesses;
  return front;
}

const std::vector<SimulatedChain> kChains{
    {1, 4, {3, 4, 2}}, {1, 6, {2, 6, 2}},    {1, 5, {1, 4, 4}},    {2, 5, {2, 4, 3}},    {1, 6, {4, 2, 4}},
    {3, 2, {2, 5, 2}}, {1, 4, {2, 4, 2, 3}}, {1, 4, {3, 2, 4, 1}}, {2, 3, {2, 3, 2, 4}}, {1, 3, {2, 3, 2, 4, 1}},
};
const std::vector<SimulatedChain> kSmallChains{{1, 5, {2, 3, 1}}, {2, 3, {1, 3, 2}}, {1, 4, {1, 2, 1, 2}}};

void expect_front(const SimulatedChain& chain, const FusionOptions& options) {
  const auto curve = tiled_fusion(links_of(chain), options);
  ASSERT_TRUE(curve);
  EXPECT_EQ(front_of(*curve), front_of_all(chain, options))
      << fmt::format("{} groups of {} rows, widths {}, perfect {}", chain.groups, chain.rows,
                     fmt::join(chain.width, " "), options.perfect);
}

TEST(Fusion, IsTheFrontOfAllExecutedPlans) {
  for (const SimulatedChain& chain : kChains) expect_front(chain, {.weights = Staying::Wholes});
  for (const std::size_t c : {0, 3, 5}) expect_front(kChains[c], {.perfect = true, .weights = Staying::Wholes});
  for (const SimulatedChain& chain : kSmallChains)
    for (const Staying staying : {Staying::Parts, Staying::None}) expect_front(chain, {.weights = staying});
}

void expect_executed(const SimulatedChain& chain, const FusedCurve::Point& point) {
  const FusedTiles& t = point.how;
  SimulatedPlan plan{static_cast<SimulatedPlan::How>(t.how), t.rows, 1, {}, t.pairs, t.whole_input, t.whole_output};
  for (u64 e = 0; e < chain.links(); ++e) {
    const u64 all = chain.width[e] * chain.width[e + 1];
    plan.stay.push_back((t.kept >> e & 1) != 0 ? all : t.partly == e ? t.partly_words : 0);
  }
  if (t.how != FusionTemplate::Rows) {
    plan.part = t.part;
    plan.pairs &= ~u64{1};
  }
  const SimulatedCost cost = FusionSimulator(chain, plan).run();
  EXPECT_EQ(std::pair(cost.buffer, cost.accesses), std::pair(point.buffer, point.accesses))
      << fmt::format("widths {}; {} of {} rows, part {}, pairs {}, {}{}; stay {}", fmt::join(chain.width, " "),
                     template_names(t, chain.links()), t.rows, t.part, t.pairs, t.whole_input ? "whole input " : "",
                     t.whole_output ? "whole output" : "", fmt::join(plan.stay, " "));
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
  SimulatedChain chain;
  chain.groups = *rc::gen::inRange<u64>(1, 4);
  chain.rows = *rc::gen::inRange<u64>(1, 8);
  chain.width =
      *rc::gen::container<std::vector<u64>>(*rc::gen::inRange<std::size_t>(3, 6), rc::gen::inRange<u64>(1, 6));
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
