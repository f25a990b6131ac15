// The best mappings of a network within limits: against every choice, where layers are sets of costs; and of real
// layers on random machines, against all their mappings. Lists of mappings against all that the machine has.
#include "engine/search/network/trade_off.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/search/network_search.h"
#include "tests/support/cost_sums.h"
#include "tests/support/exact_problem.h"

namespace heliolite::limited_choice_test {
namespace {

using testing::Rng;

// Layers that are sets of costs; the second and the third may be of one shape.
struct Toy {
  std::vector<std::vector<Cost>> shapes;
  std::vector<LimitedLayer> layers;

  std::vector<Cost> sums() const {
    std::vector<std::vector<Cost>> costs;
    std::vector<u64> runs;
    for (const LimitedLayer& l : layers) costs.push_back(shapes[l.shape]), runs.push_back(u64(l.runs));
    return testing::all_sums(costs, runs);
  }
};

Toy random_toy(Rng& rng) {
  Toy out;
  for (std::size_t l = 0, n = 1 + rng() % 3; l < n; ++l) {
    if (l < 2 || rng() % 2 == 0) out.shapes.push_back(testing::random_costs(rng));
    out.layers.push_back({out.shapes.size() - 1, static_cast<double>(1 + rng() % 5)});
  }
  return out;
}

// The corners of the lower left side of the hull.
std::vector<Cost> hull_of(const std::vector<Cost>& costs) {
  LayerHull hull({Energy{1}, 1}, 1);
  for (const Cost& c : costs) hull.add_mapping(c);
  std::vector<Cost> out;
  for (const std::size_t k : hull.upper().mapping) out.push_back(hull.mappings()[k]);
  return out;
}

LimitedQuestion question_of(const Toy& toy, Objective objective, const CostLimits& limits) {
  LimitedQuestion out{
      .objective = objective, .limits = limits, .layers = toy.layers, .corners = {}, .choices = {}, .curve = {}};
  std::vector<CostChain> chains;
  std::vector<double> runs;
  for (const std::vector<Cost>& costs : toy.shapes) {
    out.corners.emplace_back();
    for (const Cost& c : hull_of(costs)) out.corners.back().push_back({{}, c});
  }
  for (const LimitedLayer& l : toy.layers) {
    LayerHull hull({Energy{1}, 1}, l.runs);
    for (const Cost& c : toy.shapes[l.shape]) hull.add_mapping(c);
    chains.push_back(hull.upper()), runs.push_back(l.runs);
  }
  out.curve = corners_of_sum(chains, runs, objective);
  for_each_corner_of_sum(chains, runs, [&](const CostPoint&, const CornerChoice& c) { out.choices.push_back(c); });
  return out;
}

// All costs that are asked for; of `gives_up` percent of the questions half of them, as not complete.
ListMappings lists(const Toy& toy, u64 gives_up) {
  return [&toy, gives_up](const ListQuestion& asked) {
    ListAnswer out{{}, true};
    const double lambda = asked.lambda / Energy::kUnitsPerPicojoule;
    for (const Cost& c : testing::lowest(toy.shapes[asked.shape])) {
      const double pj = c.energy.picojoules(), cycles = static_cast<double>(c.cycles);
      if (pj <= asked.most_pj && cycles <= asked.most_cycles && pj + lambda * cycles < asked.below_pj)
        out.mappings.push_back({{}, c});
    }
    if (Rng(std::bit_cast<u64>(asked.below_pj))() % 100 >= gives_up) return out;
    out.mappings.resize(out.mappings.size() / 2), out.complete = false;
    return out;
  };
}

double value_of(const LimitedChoice& choice, const Toy& toy, Objective objective, const CostLimits& limits) {
  Cost sum;
  for (std::size_t l = 0; l < toy.layers.size(); ++l) {
    sum.energy += choice.layers[l].cost.energy * u64(toy.layers[l].runs);
    sum.cycles += choice.layers[l].cost.cycles * u64(toy.layers[l].runs);
  }
  EXPECT_TRUE(limits.meets(sum.energy.picojoules(), static_cast<double>(sum.cycles)));
  return objective_number(objective, sum);
}

// Of limits of energy and cycles the best choice is found and proven; of a limit of power nothing is above a bound.
TEST(LimitedChoice, IsTheBestOfAllChoices) {
  int closed = 0, without = 0, gaps = 0;
  for (u64 seed = 0; seed < 600; ++seed) {
    Rng rng(seed);
    const Toy toy = random_toy(rng);
    const std::vector<Cost> sums = toy.sums();
    for (const Objective objective : testing::kObjectives) {
      const CostLimits limits = testing::random_limits(rng, sums);
      const double least = testing::least_sum(sums, objective, limits);
      LimitedQuestion question = question_of(toy, objective, limits);
      const LimitedChoice found = find_limited_choice(question, lists(toy, 0));
      EXPECT_LE(found.lower_bound, least * (1 + 1e-9)) << seed << " " << name(objective);
      if (!found.layers.empty()) {
        EXPECT_NEAR(found.value / value_of(found, toy, objective, limits), 1, 1e-9) << seed;
        EXPECT_GE(found.value, least * (1 - 1e-9)) << seed;
        EXPECT_LE(found.lower_bound, found.value);
      }
      const bool power = limits.pj_per_cycle < kNever;
      if (!power && !found.layers.empty()) {
        EXPECT_NEAR(found.value / least, 1, 1e-9) << seed << " " << name(objective);
        EXPECT_NEAR(found.lower_bound / least, 1, 1e-9) << seed << " " << name(objective);
        closed += found.lists > 0;
      }
      without += found.layers.empty() && least == kNever;
      gaps += power && found.lower_bound < found.value * (1 - 1e-9);
      question.rules.set(Rule::ReducedCost, false);
      const LimitedChoice again = find_limited_choice(question, lists(toy, 0));
      EXPECT_EQ(again.value, found.value) << seed;
      EXPECT_TRUE(again.lower_bound == found.lower_bound || std::abs(again.lower_bound / found.lower_bound - 1) < 1e-9)
          << seed;
      EXPECT_EQ(again.rules.cuts[at(Rule::ReducedCost)], 0u);
    }
  }
  EXPECT_GT(closed, 300);
  EXPECT_GT(without, 30);
  EXPECT_LT(gaps, 400);
}

TEST(LimitedChoice, ClaimsNothingThatListsHaveLeftOpen) {
  int open = 0;
  for (u64 seed = 0; seed < 600; ++seed) {
    Rng rng(seed);
    const Toy toy = random_toy(rng);
    const std::vector<Cost> sums = toy.sums();
    const CostLimits limits = testing::random_limits(rng, sums);
    for (const Objective objective : testing::kObjectives) {
      const double least = testing::least_sum(sums, objective, limits);
      const LimitedChoice found = find_limited_choice(question_of(toy, objective, limits), lists(toy, 10 + seed % 90));
      EXPECT_LE(found.lower_bound, least * (1 + 1e-9)) << seed;
      EXPECT_GE(found.value, least * (1 - 1e-9)) << seed;
      open += found.lists > 0 && !found.complete;
    }
  }
  EXPECT_GT(open, 100);
}

// What exact_list() lists is all below a line that has at most some energy and cycles, whatever rules are on.
TEST(ExactList, HasEveryMappingThatNoOtherIsNowhereAbove) {
  int problems = 0, listed = 0;
  for (u64 seed = 0; problems < 80; ++seed) {
    const testing::SearchProblem p = testing::random_search_problem(seed, {.max_mappings = 5'000});
    const std::vector<Cost> all = testing::lowest(testing::all_costs(p.workload, p.architecture));
    if (all.empty()) continue;
    ++problems;
    Rng rng(seed);
    const double slope = (all.front().energy.picojoules() + 1) / static_cast<double>(all.back().cycles);
    const Objective sum = Objective::weighted_sum(std::ldexp(slope, 30 + static_cast<int>(rng() % 6)));
    const Cost &some = all[rng() % all.size()], &other = all[rng() % all.size()];
    const CostBound most{static_cast<double>(other.energy.units), static_cast<double>(all[rng() % all.size()].cycles)};
    const double below = objective_number(sum, some) * (1 + static_cast<double>(rng() % 3) / 8) * (1 + 1e-9);
    std::vector<Cost> expected;
    for (const Cost& c : all)
      if (objective_number(sum, c) < below && static_cast<double>(c.energy.units) <= most.energy &&
          static_cast<double>(c.cycles) <= most.cycles)
        expected.push_back(c);
    LayerProblem problem = testing::layer_problem(p, sum);
    std::optional<Rule> off;
    if (const auto rules = testing::sound_rules(RuleUser::Exact); seed % 2 == 1) off = rules[seed / 2 % rules.size()];
    if (off) problem.options.rules.set(*off, false);
    problem.options.threads = seed % 3 == 0 ? 4 : 1;
    const LayerAnswer found = exact_list(problem, most, key_of_number(sum, below), SearchBudget(problem.options));
    EXPECT_TRUE(found.complete) << seed;
    std::vector<Cost> costs;
    const CostModel model(p.workload, p.architecture);
    for (const PricedMapping& m : found.listed) {
      costs.push_back(m.cost);
      EXPECT_EQ(model.evaluate(m.mapping).cost, m.cost) << seed;
    }
    EXPECT_EQ(costs, expected) << seed << (off ? fmt::format(" without {}", kRuleTable[at(*off)].name) : "");
    listed += static_cast<int>(expected.size());
  }
  EXPECT_GT(listed, 80);
}

// Two layers, the second of which is run twice, against all pairs of mappings.
TEST(MapWithin, IsTheBestOfAllMappings) {
  int problems = 0, closed = 0, above_corners = 0;
  for (u64 seed = 0; problems < 40; ++seed) {
    const testing::SearchProblem p = testing::random_search_problem(seed, {.max_mappings = 2'000});
    const std::vector<Cost> all = testing::lowest(testing::all_costs(p.workload, p.architecture));
    if (all.size() < 2) continue;
    ++problems;
    Rng rng(seed);
    SearchOptions options;
    options.threads = 1;
    const Network network{"n", {{p.workload, 1}, {p.workload, 2}}};
    const std::vector<Cost> sums = testing::all_sums({all, all}, {1, 2});
    CostLimits limits;
    limits.cycles = static_cast<double>(sums[rng() % sums.size()].cycles);
    const double least = testing::least_sum(sums, Objective::Energy, limits);
    const Result<NetworkWithin> found = map_within(network, p.architecture, options, Objective::Energy, limits);
    ASSERT_TRUE(found.ok()) << seed;
    ASSERT_EQ(found->choice.layers.size(), 2u) << seed;
    EXPECT_NEAR(found->choice.value / least, 1, 1e-9) << seed;
    EXPECT_NEAR(found->choice.lower_bound / least, 1, 1e-9) << seed;
    closed += found->choice.complete;
    for (const KnownMapping& m : found->choice.layers)
      EXPECT_EQ(CostModel(p.workload, p.architecture).evaluate(m.mapping).cost, m.cost) << seed;
    above_corners += found->choice.lists > 0;
    options.threads = 4;
    options.rules.set(Rule::ReducedCost, false);
    const Result<NetworkWithin> again = map_within(network, p.architecture, options, Objective::Energy, limits);
    EXPECT_EQ(again->choice.value, found->choice.value) << seed;
    EXPECT_EQ(again->choice.lower_bound, found->choice.lower_bound) << seed;
    options.budget_evaluations = 200;
    const Result<NetworkWithin> limited = map_within(network, p.architecture, options, Objective::Energy, limits);
    if (!limited.ok() || limited->curve.network.points.empty()) continue;
    EXPECT_LE(limited->choice.lower_bound, least * (1 + 1e-9));
  }
  EXPECT_GT(closed, 10);
  EXPECT_GT(above_corners, 10);
}

}  // namespace
}  // namespace heliolite::limited_choice_test
