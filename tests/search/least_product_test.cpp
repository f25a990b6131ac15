// The optimum of a network's own objective: against every choice of one point for each layer, where layers are sets of
// points; and of real layers on random machines, against all their mappings.
#include "engine/search/network/least_product.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <limits>
#include <map>

#include "engine/search/layer_search.h"
#include "engine/search/map.h"
#include "tests/support/cost_sums.h"
#include "tests/support/exact_problem.h"
#include "tests/support/search_problem.h"

namespace heliolite::least_product_test {
namespace {

using testing::Rng;

constexpr std::array kProducts{Objective::Edp, Objective::Ed2p};
const std::vector<Rule> kNetworkRules = testing::sound_rules(RuleUser::Network);

Cost cost(double pj, u64 cycles) { return {Energy::from_picojoules(pj), cycles}; }

double sum_at(const Cost& c, double lambda) {
  return static_cast<double>(c.energy.units) + lambda * static_cast<double>(c.cycles);
}

// A network whose layers' mappings are points.
struct Points {
  std::vector<std::vector<Cost>> layer;
  std::vector<u64> runs;

  double value(Objective objective, const std::vector<std::size_t>& chosen) const {
    Cost sum;
    for (std::size_t l = 0; l < layer.size(); ++l)
      sum.energy += layer[l][chosen[l]].energy * runs[l], sum.cycles += layer[l][chosen[l]].cycles * runs[l];
    return objective_number(objective, sum);
  }

  // Over every choice.
  double least(Objective objective) const {
    double out = std::numeric_limits<double>::infinity();
    std::vector<std::size_t> chosen(layer.size(), 0);
    while (true) {
      out = std::min(out, value(objective, chosen));
      std::size_t l = 0;
      while (l < layer.size() && ++chosen[l] == layer[l].size()) chosen[l++] = 0;
      if (l == layer.size()) return out;
    }
  }

  // What is known before: the best point for the layer alone.
  std::vector<NetworkLayer> known(Objective objective) const {
    std::vector<NetworkLayer> out;
    for (std::size_t l = 0; l < layer.size(); ++l) {
      const Cost own =
          *std::ranges::min_element(layer[l], {}, [&](const Cost& c) { return objective_number(objective, c); });
      const Cost least{std::ranges::min(layer[l], {}, &Cost::energy).energy * 1, 1};
      NetworkLayer known{LayerHull({Energy{least.energy.units / 2}, 1}, runs[l]), {}};
      known.hull.add_mapping(own);
      known.known.push_back({{}, own});
      known.least_value = objective_number(objective, own);
      out.push_back(std::move(known));
    }
    return out;
  }

  // Looks at all points; one of `gives_up` percent of the searches only knows a bound.
  SearchForSum search(int gives_up = 0) const {
    return [this, gives_up](std::size_t l, double lambda, const KnownMapping& known) {
      const Cost best = *std::ranges::min_element(layer[l], {}, [&](const Cost& c) { return sum_at(c, lambda); });
      SumAnswer out;
      out.lower_bound_pj = sum_at(best, lambda) / Energy::kUnitsPerPicojoule;
      Rng rng(std::bit_cast<u64>(lambda) + l);
      if (static_cast<int>(rng() % 100) < gives_up) {
        out.lower_bound_pj *= static_cast<double>(rng() % 100) / 100;
        return out;
      }
      out.complete = true;
      if (sum_at(best, lambda) < sum_at(known.cost, lambda)) out.found = KnownMapping{{}, best};
      return out;
    };
  }
};

// Along a falling curve, so that many points are corners, with some noise.
Points random_points(u64 seed) {
  Rng rng(seed);
  Points out;
  const std::size_t layers = 1 + rng() % 4;
  for (std::size_t l = 0; l < layers; ++l) {
    const double scale = std::pow(10.0, static_cast<double>(rng() % 4)),
                 steep = 0.2 + static_cast<double>(rng() % 20) / 10;
    std::vector<Cost> points;
    for (std::size_t k = 0, n = 1 + rng() % 8; k < n; ++k) {
      const double cycles = 10.0 + static_cast<double>(rng() % 1000);
      const double noise = 1 + static_cast<double>(rng() % 100) / 200;
      points.push_back(cost(scale * noise * 1e4 / std::pow(cycles, steep), static_cast<u64>(cycles)));
    }
    out.layer.push_back(points);
    out.runs.push_back(1 + rng() % 5);
  }
  return out;
}

// A line with lambda 0 says of energy alone what no mapping is below, as the least energy does.
TEST(LayerHull, TakesBoundsOfEnergyAlone) {
  LayerHull hull({Energy{100}, 10}, 1);
  hull.add_mapping({Energy{400}, 20});
  hull.add_line(5, 450);
  for (const auto& [bound, least] : {std::pair(50, 100), std::pair(300, 300), std::pair(200, 300)}) {
    hull.add_line(0, bound);
    const CostChain chain = hull.lower();
    EXPECT_EQ(chain.corner.back().energy, least);
    EXPECT_EQ(chain.corner.back().cycles, (450 - least) / 5);
    EXPECT_EQ(hull.open_at(5), 400 + 5 * 20 - 450);
  }
}

// Of a chain of tangents of random costs, less a part of each: along both edges from the least corner the value is
// nowhere far above that of the lift's point, which is the first such; and a line there lifts the corner.
TEST(LayerHull, SaysHowFarTheLeastCornerIsWorthLifting) {
  Rng rng(26);
  int lifted = 0;
  for (int seed = 0; seed < 300; ++seed) {
    const Objective objective = kProducts[rng() % kProducts.size()];
    const double power = info(objective).cycles_power;
    LayerHull hull(cost(200, 8), 1);
    for (const Cost& c : testing::random_costs(rng)) hull.add_mapping(c);
    double best = kNever;
    for (const Cost& c : hull.mappings()) best = std::min(best, objective_number(objective, c));
    for (int k = 0; k < 3; ++k) {
      const Cost& c = hull.mappings()[rng() % hull.mappings().size()];
      const double lambda = power * static_cast<double>(c.energy.units) / static_cast<double>(c.cycles);
      const double missing = 1 - static_cast<double>(rng() % 100) / 400;
      hull.add_line(lambda, hull.value_at(hull.best_at(lambda), lambda) * missing);
    }
    const std::vector<LimitedPoint> corners = corners_of_sum({hull.lower()}, {1}, objective);
    const auto least = std::ranges::min_element(corners, {}, &LimitedPoint::value);
    const auto lift = lift_of_least(hull.lower(), objective, best);
    EXPECT_EQ(lift.has_value(), least->value < best) << seed;
    if (!lift) continue;
    std::size_t tops = 0;
    for (const auto& [point, step] : {std::pair(lift->fewer_cycles, -1), std::pair(lift->less_energy, 1)}) {
      const bool is_end = step < 0 ? least == corners.begin() : std::next(least) == corners.end();
      LimitedPoint end = *least;
      if (!is_end) end = *std::next(least, step);
      else if (step < 0) end.energy_pj *= best / least->value;
      else end.cycles *= std::pow(best / least->value, 1 / power);
      double most = 0;
      for (int k = 0; k <= 1000; ++k) {
        const double part = k / 1000.0, pj = least->energy_pj + part * (end.energy_pj - least->energy_pj),
                     cycles = least->cycles + part * (end.cycles - least->cycles);
        const bool is_before = std::abs(pj - least->energy_pj) < std::abs(point.energy_pj - least->energy_pj) ||
                               std::abs(cycles - least->cycles) < std::abs(point.cycles - least->cycles);
        const double value = std::min(objective_number(objective, pj, cycles), best);
        most = std::max(most, value);
        EXPECT_TRUE(!is_before || value <= point.value * (1 + 1e-9)) << seed;
      }
      EXPECT_GE(point.value, (most - 0.1 * (best - most)) * (1 - 1e-5)) << seed;
      tops += !is_end && point == *least ? 1 : 0;
    }
    EXPECT_EQ(lift->edges_first.size(), tops) << seed;
    // A line through the farther of the points lifts what is least.
    const double lambda = power * least->energy_pj / least->cycles;
    if (lift->sum_pj(lambda) <= (least->energy_pj + lambda * least->cycles) * (1 + 1e-9)) continue;
    const double units = Energy::kUnitsPerPicojoule;
    hull.add_line(lambda * units, Wide(lift->sum_pj(lambda) * units));
    const auto after = corners_of_sum({hull.lower()}, {1}, objective);
    double second = best;
    for (const LimitedPoint& c : corners)
      if (&c != &*least) second = std::min(second, c.value);
    EXPECT_GT(std::ranges::min(after, {}, &LimitedPoint::value).value, std::min(least->value, second) * (1 - 1e-9))
        << seed;
    ++lifted;
  }
  EXPECT_GT(lifted, 100);
}

TEST(LeastProduct, IsTheLeastOfAllChoices) {
  for (u64 seed = 0; seed < 1'000; ++seed) {
    const Points points = random_points(seed);
    for (const Objective objective : kProducts) {
      SCOPED_TRACE(seed);
      auto layers = points.known(objective);
      const LeastProduct found = find_least_product(layers, points.search(), {objective});
      const double least = points.least(objective);
      EXPECT_TRUE(found.optimal);
      EXPECT_NEAR(found.value / least, 1, 1e-12);
      EXPECT_EQ(found.lower_bound, found.value);
    }
  }
}

TEST(LeastProduct, StaysWithEachRuleSwitchedOff) {
  for (u64 seed = 0; seed < 500; ++seed) {
    const Points points = random_points(seed);
    for (const Rule rule : kNetworkRules) {
      auto layers = points.known(Objective::Edp);
      const LeastProduct found =
          find_least_product(layers, points.search(), {Objective::Edp, RuleSet().set(rule, false)});
      EXPECT_TRUE(found.optimal) << seed;
      EXPECT_NEAR(found.value / points.least(Objective::Edp), 1, 1e-12) << seed << " " << kRuleTable[at(rule)].name;
      EXPECT_EQ(found.rules.calls[at(rule)], 0u);
    }
  }
}

// Whatever searches leave undone: the value is one of the network's, the bound is below all of them.
TEST(LeastProduct, IsBoundedWhereSearchesGiveUp) {
  int bounded = 0;
  for (u64 seed = 0; seed < 2'000; ++seed) {
    const Points points = random_points(seed);
    auto layers = points.known(Objective::Ed2p);
    const LeastProduct found =
        find_least_product(layers, points.search(20 + static_cast<int>(seed % 80)), {Objective::Ed2p});
    const double least = points.least(Objective::Ed2p);
    EXPECT_LE(found.lower_bound, least * (1 + 1e-12)) << seed;
    EXPECT_GE(found.value, least * (1 - 1e-12)) << seed;
    if (found.optimal) {
      EXPECT_NEAR(found.value / least, 1, 1e-12) << seed;
    }
    bounded += found.optimal ? 0 : 1;
  }
  EXPECT_GT(bounded, 200);
}

// Searches that go on where they ended, each a part of the way, some for a lambda close to the one that is asked for.
TEST(LeastProduct, IsFoundBySearchesThatGoOn) {
  for (u64 seed = 0; seed < 100; ++seed) {
    const Points points = random_points(seed);
    auto layers = points.known(Objective::Edp);
    for (NetworkLayer& layer : layers) layer.goes_on = true;
    std::map<std::pair<std::size_t, double>, int> visits;
    const SearchForSum search = [&](std::size_t l, double lambda, const KnownMapping&) {
      for (const auto& [known, times] : visits)
        if (known.first == l && times < 3 && std::abs(std::log(known.second / lambda)) < 0.2) lambda = known.second;
      const Cost best =
          *std::ranges::min_element(points.layer[l], {}, [&](const Cost& c) { return sum_at(c, lambda); });
      SumAnswer out{.found = KnownMapping{{}, best}, .lambda = lambda};
      const int times = ++visits[{l, lambda}];
      out.complete = times >= 3;
      out.lower_bound_pj = sum_at(best, lambda) / Energy::kUnitsPerPicojoule * 0.3 * times;
      return out;
    };
    const LeastProduct found = find_least_product(layers, search, {Objective::Edp});
    EXPECT_TRUE(found.optimal) << seed;
    EXPECT_NEAR(found.value / points.least(Objective::Edp), 1, 1e-12) << seed;
  }
}

TEST(LeastProduct, EndsWhenToldTo) {
  const Points points = random_points(12);
  auto layers = points.known(Objective::Edp);
  const LeastProduct found =
      find_least_product(layers, points.search(99), {Objective::Edp, {}, 1, [] { return true; }});
  EXPECT_LE(found.lower_bound, points.least(Objective::Edp));
}

// Exact integers order weighted sums as rational numbers do.
TEST(WeightedSum, OrdersAsRationalNumbersDo) {
  namespace mp = boost::multiprecision;
  Rng rng(5);
  const auto exact = [](const Cost& c, double lambda) {
    const mp::cpp_int energy =
        (mp::cpp_int(static_cast<u64>(c.energy.units >> 64)) << 64) + static_cast<u64>(c.energy.units);
    return mp::cpp_rational(energy) + mp::cpp_rational(lambda) * c.cycles;
  };
  const auto random_cost = [&] {
    const u128 units = (static_cast<u128>(rng()) << 39) >> (rng() % 100);
    return Cost{Energy{units}, rng() >> (rng() % 63)};
  };
  for (int k = 0; k < 20'000; ++k) {
    const double lambda = std::ldexp(1 + static_cast<double>(rng() % 1000) / 1000, static_cast<int>(rng() % 160) - 62);
    const Objective objective = Objective::weighted_sum(lambda);
    ASSERT_EQ(objective.lambda(), lambda);
    const Cost a = random_cost();
    Cost b = random_cost();
    if (rng() % 2 == 0) b = {Energy{a.energy.units + rng() % 3}, a.cycles + rng() % 3 - 1};
    EXPECT_EQ(Value::of(objective, a) < Value::of(objective, b), exact(a, lambda) < exact(b, lambda)) << k;
  }
}

TEST(WeightedSum, OfTheLeastLambdaOrdersByEnergyThenCycles) {
  const Objective energy_first = Objective::weighted_sum(0);
  EXPECT_LT(Value::of(energy_first, Cost{Energy{7}, ~u64{0}}), Value::of(energy_first, Cost{Energy{8}, 1}));
  EXPECT_LT(Value::of(energy_first, Cost{Energy{7}, 1}), Value::of(energy_first, Cost{Energy{7}, 2}));
}

// The costs of all mappings of a problem that are not above another's in both.
std::vector<Cost> front_of(const Workload& workload, const Architecture& machine) {
  return testing::lowest(testing::all_costs(workload, machine, 30'000));
}

TEST(WeightedSum, ExactFindsTheLeastOfAllMappings) {
  for (u64 seed = 0; seed < 150; ++seed) {
    const testing::SearchProblem p = testing::random_search_problem(seed, {.max_mappings = 20'000});
    const std::vector<Cost> front = front_of(p.workload, p.architecture);
    if (front.empty()) continue;
    Rng rng(seed);
    for (int k = 0; k < 3; ++k) {
      const Cost &a = front[rng() % front.size()], &b = front.back();
      const double lambda =
          std::max(1.0, static_cast<double>(a.energy.units) / static_cast<double>(b.cycles)) * std::pow(4.0, k - 1);
      const Objective objective = Objective::weighted_sum(lambda);
      const LayerAnswer found = testing::exact_alone(testing::layer_problem(p, objective));
      const Cost best = *std::ranges::min_element(front, {}, [&](const Cost& c) { return Value::of(objective, c); });
      ASSERT_TRUE(found.complete) << seed;
      EXPECT_NEAR(sum_at(found.cost, lambda) / sum_at(best, lambda), 1, 1e-12) << seed << " " << lambda;
    }
  }
}

// One search that keeps its tables, against a new one for each lambda: the same steps, and the same answer.
TEST(WeightedSum, KeptTablesChangeNothing) {
  u64 searched = 0;
  for (u64 seed = 0; seed < 60; ++seed) {
    const testing::SearchProblem p = testing::random_search_problem(seed, {.max_mappings = 20'000});
    SearchOptions options;
    options.network = seed % 2 == 0;  // the layer's own search keeps tables, too
    options.threads = 1;
    const SearchBudget budget(options);
    const auto kept = LayerSearch::create(p.workload, p.architecture, options);
    if (!kept) continue;
    const LayerAnswer own = kept->search(budget);
    if (!own.found) continue;
    for (const double share : {0.0, 0.1, 1.0, 10.0}) {
      const double lambda =
          share * static_cast<double>(own.cost.energy.units) / static_cast<double>(std::max<u64>(1, own.cost.cycles));
      const MappingResult with = kept->search_for_sum(lambda, own.mapping, budget);
      const MappingResult without =
          LayerSearch::create(p.workload, p.architecture, options)->search_for_sum(lambda, own.mapping, budget);
      EXPECT_EQ(with.mapping, without.mapping) << seed << " " << lambda;
      EXPECT_EQ(with.cost, without.cost) << seed << " " << lambda;
      EXPECT_EQ(with.status, without.status) << seed << " " << lambda;
      EXPECT_EQ(with.lower_bound, without.lower_bound) << seed << " " << lambda;
      EXPECT_EQ(with.statistics.evaluated, without.statistics.evaluated) << seed << " " << lambda;
      searched += with.statistics.evaluated;
    }
  }
  EXPECT_GT(searched, 100U);
}

// Networks of two or three layers on one random machine, each layer one of other sizes.
TEST(NetworkOptimum, IsThatOfAllMappingsOfAllLayers) {
  int networks = 0, differ = 0;
  for (u64 seed = 0; networks < 40; ++seed) {
    const testing::SearchProblem p = testing::random_search_problem(seed, {.max_mappings = 5'000});
    Points points;
    Network network{"n", {}};
    Rng rng(seed);
    for (int l = 0; l < 3; ++l) {
      Workload w = p.workload;
      w.name = fmt::format("l{}", l);
      if (l > 0)
        for (Dimension& d : w.dimensions) d.size = 1 + rng() % std::max<u64>(2, d.size + 1);
      std::vector<Cost> front = check(w).empty() ? front_of(w, p.architecture) : std::vector<Cost>{};
      if (front.empty()) continue;
      points.layer.push_back(std::move(front));
      points.runs.push_back(1 + rng() % 3);
      network.layers.push_back({w, points.runs.back()});
    }
    if (network.layers.size() < 2) continue;
    ++networks;
    for (const Objective objective : kProducts) {
      SearchOptions options;
      options.objective = objective;
      options.network = true;
      options.threads = 1;
      const Result<NetworkResult> found = map_network(network, p.architecture, options);
      ASSERT_TRUE(found.ok() && found->optimum) << seed;
      EXPECT_EQ(found->optimum->status, Status::Optimal) << seed;
      EXPECT_NEAR(found->optimum->value / points.least(objective), 1, 1e-12) << seed;
      EXPECT_EQ(objective_number(objective, found->total), found->optimum->value) << seed;
      for (const auto& own : found->optimum->own) differ += own ? 1 : 0;
      options.threads = 4;
      const Result<NetworkResult> again = map_network(network, p.architecture, options);
      EXPECT_EQ(again->total, found->total) << seed;
      EXPECT_EQ(again->optimum->searches, found->optimum->searches) << seed;
      options.budget_evaluations = 200;
      const Result<NetworkResult> limited = map_network(network, p.architecture, options);
      if (!limited.ok() || !limited->optimum) continue;
      EXPECT_LE(limited->optimum->lower_bound, found->optimum->value * (1 + 1e-12)) << seed;
      EXPECT_GE(limited->optimum->value, found->optimum->value * (1 - 1e-12)) << seed;
    }
  }
  EXPECT_GT(differ, 0);
}

}  // namespace
}  // namespace heliolite::least_product_test
