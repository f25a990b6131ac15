// Fused chains: the front of all plans against plans executed word by word, and the templates of the papers.
#include "engine/bounds/fusion.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/fusion_simulator.h"

namespace heliolite {
namespace {

using testing::FusionSimulator;
using testing::SimulatedChain;
using testing::SimulatedCost;
using testing::SimulatedPlan;

using Front = std::map<u64, u64>;

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

template <class Body>
void for_each_plan(const SimulatedChain& chain, Body body) {
  using How = SimulatedPlan::How;
  for (const How how : {How::Rows, How::InputAgain, How::OutputSpilled, How::WeightsOuter}) {
    if (chain.links() > 2 && (how == How::OutputSpilled || how == How::WeightsOuter)) continue;
    for (u64 rows = 1; rows <= chain.all_rows(); ++rows)
      for (u64 part = 1; part <= chain.width[1]; ++part)
        for (u64 kept = 0; kept < u64{1} << chain.links(); ++kept)
          for (u64 pairs = 0; pairs < u64{1} << chain.links(); ++pairs)
            for (const bool whole_input : {false, true})
              for (const bool whole_output : {false, true}) {
                const SimulatedPlan plan{how, rows, part, kept, pairs, whole_input, whole_output};
                const bool divides = chain.all_rows() % rows == 0 && (chain.rows % rows == 0 || rows % chain.rows == 0);
                if (!divides || chain.width[1] % part != 0 || !pairs_fit(chain, plan)) continue;
                if (how == How::Rows ? part != 1 : part == chain.width[1]) continue;
                if (how == How::InputAgain && whole_input) continue;
                if (how == How::WeightsOuter ? kept != 0 || rows != 1 || whole_input || pairs != 0 : whole_output)
                  continue;
                if (kept != 0 && rows > chain.rows) continue;  // nothing to keep them for
                body(plan);
              }
  }
}

Front front_of_all(const SimulatedChain& chain) {
  Front all;
  for_each_plan(chain, [&](const SimulatedPlan& plan) {
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

Front front_of(const FusedCurve& curve) {
  Front front;
  for (const auto& point : curve.points()) front[point.buffer] = point.accesses;
  return front;
}

const std::vector<SimulatedChain> kChains{
    {1, 4, {3, 4, 2}}, {1, 6, {2, 6, 2}},    {1, 4, {1, 4, 4}},    {2, 4, {2, 4, 3}},    {1, 8, {4, 2, 4}},
    {3, 2, {2, 6, 2}}, {1, 4, {2, 4, 2, 3}}, {1, 4, {3, 2, 4, 1}}, {2, 2, {2, 3, 2, 4}}, {1, 4, {2, 3, 2, 4, 1}},
};

TEST(Fusion, IsTheFrontOfAllExecutedPlans) {
  for (const SimulatedChain& chain : kChains) {
    const auto curve = tiled_fusion(links_of(chain));
    ASSERT_TRUE(curve);
    EXPECT_EQ(front_of(*curve), front_of_all(chain))
        << fmt::format("{} groups of {} rows, widths {}", chain.groups, chain.rows, fmt::join(chain.width, " "));
  }
}

TEST(Fusion, EveryPointIsExecutedAsItSays) {
  for (const SimulatedChain& chain : kChains) {
    const auto curve = tiled_fusion(links_of(chain));
    ASSERT_TRUE(curve);
    for (const auto& point : curve->points()) {
      const FusedTiles& t = point.how;
      SimulatedPlan plan{
          static_cast<SimulatedPlan::How>(t.how), t.rows, 1, t.kept, t.pairs, t.whole_input, t.whole_output};
      if (t.how != FusionTemplate::Rows) {
        plan.part = chain.width[1] / t.parts;
        plan.pairs &= ~u64{1};
      }
      const SimulatedCost cost = FusionSimulator(chain, plan).run();
      EXPECT_EQ(cost.buffer, point.buffer);
      EXPECT_EQ(cost.accesses, point.accesses);
    }
  }
}

}  // namespace
}  // namespace heliolite
