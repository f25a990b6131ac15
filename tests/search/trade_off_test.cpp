// The trade-off curve of a network: against all choices of one point for each layer, where layers are sets of points;
// and of real layers on random machines, against all their mappings.
#include "engine/search/network/trade_off.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "engine/search/network/layer_hull.h"
#include "engine/search/network_search.h"
#include "tests/support/cost_sums.h"
#include "tests/support/exact_problem.h"
#include "tests/support/search_problem.h"

namespace heliolite::trade_off_test {
namespace {

using testing::all_costs;
using testing::all_sums;
using testing::random_limits;
using testing::Rng;

double sum_at(const Cost& c, double lambda) { return c.energy.picojoules() + lambda * static_cast<double>(c.cycles); }

double least_at(const std::vector<Cost>& costs, double lambda) {
  double out = sum_at(costs.front(), lambda);
  for (const Cost& c : costs) out = std::min(out, sum_at(c, lambda));
  return out;
}

// Whether the curve is the lower left side of the hull of `sums`: at its ends, and for lambdas over all sizes.
void expect_hull(const TradeOff& curve, const std::vector<Cost>& sums, u64 seed) {
  ASSERT_FALSE(curve.points.empty()) << seed;
  EXPECT_TRUE(curve.certain) << seed;
  const auto by_cycles = [](const Cost& c) { return std::pair(c.cycles, c.energy); };
  const auto by_energy = [](const Cost& c) { return std::pair(c.energy, c.cycles); };
  EXPECT_EQ(curve.points.front().cost, *std::ranges::min_element(sums, {}, by_cycles)) << seed;
  EXPECT_EQ(curve.points.back().cost, *std::ranges::min_element(sums, {}, by_energy)) << seed;
  std::vector<Cost> corners;
  for (const TradeOffPoint& p : curve.points) {
    EXPECT_NE(std::ranges::find(sums, p.cost), sums.end()) << seed;
    corners.push_back(p.cost);
  }
  for (std::size_t k = 0; k + 1 < corners.size(); ++k) {
    EXPECT_LT(corners[k].cycles, corners[k + 1].cycles) << seed;
    EXPECT_GT(corners[k].energy, corners[k + 1].energy) << seed;
    const TradeOffEdge& edge = curve.edges[k];
    EXPECT_NEAR(edge.lower_bound_pj / least_at(sums, edge.lambda), 1, 1e-9) << seed;
  }
  for (int power = -20; power < 40; ++power) {
    const double lambda = std::ldexp(1.0, power);
    EXPECT_NEAR(least_at(corners, lambda) / least_at(sums, lambda), 1, 1e-12) << seed << " " << lambda;
  }
}

struct ToyNetwork {
  std::vector<std::vector<Cost>> costs;
  std::vector<u64> runs;
  std::vector<Cost> compulsory;
  std::vector<NetworkLayer> layers;
};

ToyNetwork random_network(u64 seed) {
  Rng rng(seed);
  ToyNetwork out;
  for (std::size_t l = 0, n = 1 + rng() % 3; l < n; ++l) {
    out.costs.push_back(testing::random_costs(rng));
    out.runs.push_back(1 + rng() % 5);
    out.compulsory.push_back({Energy{1}, 1});
    NetworkLayer layer{LayerHull(out.compulsory.back(), static_cast<double>(out.runs.back())), {}};
    layer.hull.add_mapping(out.costs.back().front());
    layer.known.push_back({{}, out.costs.back().front()});
    out.layers.push_back(std::move(layer));
  }
  return out;
}

// Looks at all costs; `gives_up` percent of the searches know a bound only.
SearchForSum searches(const ToyNetwork& toy, u64 gives_up) {
  return [&toy, gives_up](std::size_t l, double lambda, const KnownMapping&) {
    const Objective objective = Objective::weighted_sum(lambda);
    const Cost best =
        *std::ranges::min_element(toy.costs[l], {}, [&](const Cost& c) { return Value::of(objective, c); });
    SumAnswer out{KnownMapping{{}, best}, true, sum_at(best, lambda / Energy::kUnitsPerPicojoule)};
    Rng rng(std::bit_cast<u64>(lambda) + l);
    if (rng() % 100 >= gives_up) return out;
    out.complete = false, out.found.reset();
    out.lower_bound_pj *= static_cast<double>(rng() % 100) / 100;
    return out;
  };
}

TEST(TradeOff, IsTheHullOfAllChoices) {
  for (u64 seed = 0; seed < 1'000; ++seed) {
    ToyNetwork toy = random_network(seed);
    const NetworkTradeOff found = find_trade_off(toy.layers, toy.compulsory, searches(toy, 0), {});
    expect_hull(found.network, all_sums(toy.costs, toy.runs), seed);
    for (std::size_t l = 0; l < toy.costs.size(); ++l) expect_hull(found.layers[l], toy.costs[l], seed);
  }
}

std::vector<LimitedPoint> corners_of(const TradeOff& curve, Objective objective, double scale = 1) {
  std::vector<LimitedPoint> out;
  for (const TradeOffPoint& p : curve.points) {
    const double pj = p.cost.energy.picojoules() * scale, cycles = static_cast<double>(p.cost.cycles) * scale;
    out.push_back({pj, cycles, objective_number(objective, pj, cycles)});
  }
  return out;
}

std::vector<std::vector<LimitedPoint>> points_of(const NetworkTradeOff& found, const std::vector<u64>& runs) {
  std::vector<std::vector<LimitedPoint>> out(runs.size());
  for (std::size_t l = 0; l < runs.size(); ++l)
    for (const TradeOffPoint& p : found.layers[l].points)
      out[l].push_back(
          {static_cast<double>(runs[l]) * p.cost.energy.picojoules(), static_cast<double>(runs[l] * p.cost.cycles)});
  return out;
}

// The least value within the limits of the corners of the sum.
double least_corner(const NetworkTradeOff& found, Objective objective, const CostLimits& limits) {
  double least = kNever;
  for (const TradeOffPoint& p : found.network.points)
    if (limits.meets(p.cost.energy.picojoules(), static_cast<double>(p.cost.cycles)))
      least = std::min(least, objective_number(objective, p.cost));
  return least;
}

// Of all choices of corners of the layers' curves.
double least_choice(const std::vector<std::vector<LimitedPoint>>& layers, Objective objective,
                    const CostLimits& limits) {
  double least = kNever;
  const std::function<void(std::size_t, double, double)> from = [&](std::size_t l, double pj, double cycles) {
    if (l == layers.size() && limits.meets(pj, cycles))
      least = std::min(least, objective_number(objective, pj, cycles));
    if (l < layers.size())
      for (const LimitedPoint& p : layers[l]) from(l + 1, pj + p.energy_pj, cycles + p.cycles);
  };
  from(0, 0, 0);
  return least;
}

// No choice that keeps to the limits is below, nor below what a curve with less of everything has; the choice that is
// found is not above the best corner of the sum, and is nearly always the best of all choices of corners.
TEST(TradeOff, WithinLimitsNoChoiceIsBelow) {
  int tight = 0, none = 0, chosen = 0, best_of_all = 0, below_corner = 0;
  for (u64 seed = 0; seed < 400; ++seed) {
    ToyNetwork toy = random_network(seed);
    Rng rng(seed);
    const NetworkTradeOff found = find_trade_off(toy.layers, toy.compulsory, searches(toy, 0), {});
    const std::vector<Cost> sums = all_sums(toy.costs, toy.runs);
    for (const Objective objective : {Objective::Energy, Objective::Delay, Objective::Edp, Objective::Ed2p}) {
      const CostLimits limits = random_limits(rng, sums);
      const double least = testing::least_sum(sums, objective, limits);
      const std::vector<LimitedPoint> corners = corners_of(found.network, objective);
      const auto bound = least_within(corners, objective, limits);
      const auto points = points_of(found, toy.runs);
      std::vector<CornerChoice> sums_corners;
      for (const TradeOffPoint& p : found.network.points) sums_corners.push_back(p.mapping);
      const auto best = choose_within(points, sums_corners, objective, limits);
      if (least < kNever) {
        ASSERT_TRUE(bound) << seed;
        EXPECT_LE(bound->value, least) << seed;
        const auto lower = least_within(corners_of(found.network, objective, 0.9), objective, limits);
        ASSERT_TRUE(lower) << seed;
        EXPECT_LE(lower->value, bound->value) << seed;
      }
      none += bound ? 0 : 1;
      const double corner = least_corner(found, objective, limits), all = least_choice(points, objective, limits);
      EXPECT_TRUE(best || corner == kNever) << seed;
      if (!best) continue;
      double pj = 0, cycles = 0;
      for (std::size_t l = 0; l < points.size(); ++l)
        pj += points[l][(*best)[l]].energy_pj, cycles += points[l][(*best)[l]].cycles;
      const double value = objective_number(objective, pj, cycles);
      EXPECT_TRUE(limits.meets(pj, cycles)) << seed;
      EXPECT_GE(value, least * (1 - 1e-9)) << seed;
      EXPECT_GE(value, bound->value) << seed;
      EXPECT_LE(value, corner * (1 + 1e-9)) << seed;
      tight += value <= bound->value * (1 + 1e-9);
      ++chosen, best_of_all += value <= all * (1 + 1e-9), below_corner += value < corner * (1 - 1e-9);
    }
  }
  EXPECT_GT(best_of_all * 100, chosen * 99);
  EXPECT_GT(below_corner, 50);
  EXPECT_GT(tight, 200);
  EXPECT_GT(none, 40);
}

// Whatever searches leave undone: no choice is below what is said to be proven.
TEST(TradeOff, ClaimsNothingThatSearchesHaveLeftOpen) {
  int open = 0;
  for (u64 seed = 0; seed < 1'000; ++seed) {
    ToyNetwork toy = random_network(seed);
    const NetworkTradeOff found = find_trade_off(toy.layers, toy.compulsory, searches(toy, 10 + seed % 90), {});
    const std::vector<Cost> sums = all_sums(toy.costs, toy.runs);
    open += found.network.certain ? 0 : 1;
    if (found.network.certain) expect_hull(found.network, sums, seed);
    for (const TradeOffEdge& edge : found.network.edges) {
      EXPECT_LE(edge.lower_bound_pj, least_at(sums, edge.lambda) * (1 + 1e-9)) << seed;
    }
    for (const Cost& c : sums) {
      EXPECT_GE(c.cycles, found.network.least.cycles) << seed;
      EXPECT_GE(c.energy, found.network.least.energy) << seed;
    }
  }
  EXPECT_GT(open, 200);
}

TEST(NetworkCurve, IsTheHullOfAllMappings) {
  int problems = 0, corners = 0;
  for (u64 seed = 0; problems < 60; ++seed) {
    const testing::SearchProblem p = testing::random_search_problem(seed, {.max_mappings = 5'000});
    const std::vector<Cost> all = all_costs(p.workload, p.architecture);
    if (all.empty()) continue;
    ++problems;
    SearchOptions options;
    options.threads = 1;
    const Network network{"n", {{p.workload, 1}, {p.workload, 2}}};
    const Result<NetworkCurve> found = map_curve(network, p.architecture, options);
    ASSERT_TRUE(found.ok()) << seed;
    expect_hull(found->layers[0].curve, all, seed);
    EXPECT_EQ(found->network.points.size(), found->layers[0].curve.points.size());
    EXPECT_EQ(found->network.points.back().cost.energy, found->layers[1].curve.points.back().cost.energy * 3);
    const CostModel model(p.workload, p.architecture);
    for (std::size_t k = 0; k < found->layers[0].mappings.size(); ++k)
      EXPECT_EQ(model.evaluate(found->layers[0].mappings[k]).cost, found->layers[0].curve.points[k].cost) << seed;
    corners += static_cast<int>(found->layers[0].curve.points.size());
    options.threads = 4;
    const Result<NetworkCurve> again = map_curve(network, p.architecture, options);
    ASSERT_EQ(again->network.points.size(), found->network.points.size());
    for (std::size_t k = 0; k < found->network.points.size(); ++k)
      EXPECT_EQ(again->network.points[k].cost, found->network.points[k].cost);
    options.budget_evaluations = 100;
    const Result<NetworkCurve> limited = map_curve(network, p.architecture, options);
    if (!limited.ok()) continue;
    for (const TradeOffEdge& edge : limited->layers[0].curve.edges) {
      EXPECT_LE(edge.lower_bound_pj, least_at(all, edge.lambda) * (1 + 1e-9)) << seed;
    }
  }
  EXPECT_GT(corners, 70);
}

// Of a layer that several units can run, whose energies and speeds differ by chance, the curve is that of the mappings
// of all of them.
TEST(NetworkCurve, OfSeveralUnitsIsTheHullOfAll) {
  int problems = 0, both = 0;
  for (u64 seed = 0; problems < 30; ++seed) {
    const testing::SearchProblem p = testing::random_search_problem(seed, {.max_mappings = 3'000});
    testing::Rng rng(seed);
    Architecture machine = p.architecture;
    Architecture& other = machine.units.emplace_back(p.architecture);
    other.compute.name = "other";
    other.compute.op_pj *= static_cast<double>(testing::pick(rng, 1, 8)) / 4;
    other.compute.cycles_per_op = testing::pick(rng, 1, 3);
    other.levels.front().energy.read_pj *= static_cast<double>(testing::pick(rng, 1, 8)) / 4;
    std::vector<Cost> all = all_costs(p.workload, machine.chain(0));
    const std::vector<Cost> more = all_costs(p.workload, machine.chain(1));
    if (all.empty() || more.empty()) continue;
    all.insert(all.end(), more.begin(), more.end());
    ++problems;
    SearchOptions options;
    options.threads = 1 + static_cast<int>(seed % 3);
    const Network network{"n", {{p.workload, 2}}};
    const Result<NetworkCurve> found = map_curve(network, machine, options);
    ASSERT_TRUE(found.ok()) << seed << to_string(found.errors());
    const LayerTradeOff& layer = found->layers[0];
    expect_hull(layer.curve, all, seed);
    EXPECT_TRUE(layer.curve.certain) << seed;
    for (std::size_t k = 0; k < layer.mappings.size(); ++k)
      EXPECT_EQ(CostModel(p.workload, machine.chain(layer.units[k])).evaluate(layer.mappings[k]).cost,
                layer.curve.points[k].cost)
          << seed;
    both += std::ranges::count(layer.units, 0u) > 0 && std::ranges::count(layer.units, 1u) > 0 ? 1 : 0;
    options.budget_evaluations = 100;
    const Result<NetworkCurve> limited = map_curve(network, machine, options);
    if (!limited.ok()) continue;
    for (const TradeOffEdge& edge : limited->layers[0].curve.edges)
      EXPECT_LE(edge.lower_bound_pj, least_at(all, edge.lambda) * (1 + 1e-9)) << seed;
  }
  EXPECT_GT(both, 1);
}

}  // namespace
}  // namespace heliolite::trade_off_test
