#pragma once
// Curves of fused chains of matrix products against all plans, executed word by word.
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "engine/bounds/fusion/fusion.h"
#include "tests/support/fusion_simulator.h"

namespace heliolite::testing {

using Front = std::map<u64, u64>;  // accesses by buffer

inline std::vector<ChainLink> links_of(const SimulatedChain& chain) {
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
    link.input_size = SimulatedChain::size(chain.read, e);
    link.weight_size = SimulatedChain::size(chain.weight, e);
    link.output_size = SimulatedChain::size(chain.made, e);
    links.push_back(link);
  }
  return links;
}

// Whether pairs are disjoint and inside the chain, the first pair having its input rows.
inline bool pairs_fit(const SimulatedChain& chain, const SimulatedPlan& plan) {
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
inline Front front_of_all(const SimulatedChain& chain, const FusionOptions& options) {
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
inline Front front_of(const FusedCurve& curve) {
  Front front;
  u64 best = ~u64{0};
  for (u64 capacity = 0; capacity <= curve.capacities().back(); ++capacity)
    if (const auto point = curve.at(capacity); point && point->accesses < best)
      front[capacity] = best = point->accesses;
  return front;
}

inline const std::vector<SimulatedChain> kSmallChains{{1, 5, {2, 3, 1}}, {2, 3, {1, 3, 2}}, {1, 4, {1, 2, 1, 2}}};

inline void expect_front(const SimulatedChain& chain, const FusionOptions& options) {
  const auto curve = tiled_fusion(links_of(chain), options);
  ASSERT_TRUE(curve);
  EXPECT_EQ(front_of(*curve), front_of_all(chain, options))
      << fmt::format("{} groups of {} rows, widths {}, perfect {}", chain.groups, chain.rows,
                     fmt::join(chain.width, " "), options.perfect);
}

// The schedule of a point of the curve, executed: it holds and moves what the point says.
inline void expect_executed(const SimulatedChain& chain, const FusedCurve::Point& point) {
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

inline SimulatedChain random_chain() {
  SimulatedChain chain;
  chain.groups = *rc::gen::inRange<u64>(1, 4);
  chain.rows = *rc::gen::inRange<u64>(1, 8);
  chain.width =
      *rc::gen::container<std::vector<u64>>(*rc::gen::inRange<std::size_t>(3, 6), rc::gen::inRange<u64>(1, 6));
  return chain;
}

}  // namespace heliolite::testing
