// No bound of the exact search is ever above the cost of a mapping that it speaks of: along random legal mappings and
// the best ones, at every step of the way (engine/search/exact/witness.h).
#include "engine/search/exact/partial_bounds.h"
#include "engine/search/map.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/search/exact/fanout.h"
#include "engine/search/exact/witness.h"
#include "engine/search/uneven/uneven.h"
#include "engine/space/mapspace.h"
#include "tests/support/exact_problem.h"
#include "tests/support/exact_toy.h"
#include "tests/support/random_mappings.h"

namespace heliolite::exact_bounds_test {
namespace {

using testing::exact_alone;
using testing::kObjectives;
using testing::layer_problem;
using testing::RandomMappings;
using testing::SearchProblem;

// Every bound on the way of a perfect mapping in the search of a range of keep choices with its own, beginning with
// "root". Empty if the search cannot meet it.
std::vector<WitnessStep> trace_bounds(const LayerProblem& problem, const Mapping& mapping, const KeepRange& keep,
                                      const GridLimits& tables = {}) {
  const Compiled& c = problem.model.compiled();
  const Lattice lattice(c.size, c.dimension_count, tables);
  const std::vector<FanoutChoices> fanouts = make_fanout_choices(problem, lattice);
  const FlowCosts model = make_flow_costs(problem, keep, lattice, fanouts);
  const PartialBounds bounds(model);
  WitnessWalk walk(model, bounds, mapping);
  std::vector<WitnessStep> out{{0, "root", Rule::KeepBound, bounds.at_root(walk.state())}};
  for (int level = 0; level < model.levels(); ++level)
    if (!walk.add_level(out)) return {};
  return out;
}

struct Seen {
  int mappings = 0, exact = 0;
};

// Energy units that the sums may lack: a block begun for each tensor and kind of access, and leakage of a cycle.
double rounding(const LayerProblem& problem, const Mapping& mapping) {
  const Compiled& c = problem.model.compiled();
  double sum = 0;
  u64 instances = 1;
  for (std::size_t i = static_cast<std::size_t>(c.level_count); i-- > 0;) {
    const CompiledLevel& level = c.level[i];
    for (const int v : bits(c.counted(static_cast<int>(i), mapping.keep[i]))) {
      const ValueUnits& units = level.units[static_cast<std::size_t>(v)];
      sum += static_cast<double>((units.read + units.fill + units.update) * std::min(instances, level.clusters));
    }
    sum += static_cast<double>(level.leak_units * instances);
    instances *= level.fanout_x * level.fanout_y;
  }
  return sum;
}

void expect_below(const LayerProblem& problem, const Mapping& mapping, Seen& seen) {
  const Cost cost = problem.price(0, mapping).cost;
  const auto energy = static_cast<double>(cost.energy.units), cycles = static_cast<double>(cost.cycles);
  const auto steps = trace_bounds(problem, mapping, {mapping.keep, mapping.keep});
  ASSERT_FALSE(steps.empty()) << "a mapping that the search cannot meet";
  // Bounds of all keep choices at once are bounds of each.
  auto all = trace_bounds(problem, mapping, problem.keep_range());
  all.insert(all.end(), steps.begin(), steps.end());
  // And those of coarse tables.
  constexpr std::array<u64, 5> kCells{1, 2, 6, 20, 80};
  const auto coarse = trace_bounds(problem, mapping, problem.keep_range(),
                                   {0, kCells[static_cast<std::size_t>(seen.mappings) % kCells.size()]});
  all.insert(all.end(), coarse.begin(), coarse.end());
  for (const WitnessStep& step : all) {
    ASSERT_LE(step.value.energy, energy * (1 + 1e-9)) << "bound " << step.bound << " of level " << step.level;
    ASSERT_LE(step.value.cycles, cycles * (1 + 1e-9)) << "bound " << step.bound << " of level " << step.level;
  }
  ++seen.mappings;
  const Compiled& c = problem.model.compiled();
  const Lattice lattice(c.size, c.dimension_count);
  const auto fanouts = make_fanout_choices(problem, lattice);
  const FlowCosts model = make_flow_costs(problem, {mapping.keep, mapping.keep}, lattice, fanouts);
  bool links_further_out = false;
  for (int i = 1; i < c.level_count; ++i) links_further_out |= tensors_with_peers(problem.space, c, i) != 0;
  if (!model.exact || links_further_out) return;
  ++seen.exact;
  const CostBound& sum = steps.back().value;
  ASSERT_EQ(steps.back().bound, "sum");
  ASSERT_GE(sum.energy + rounding(problem, mapping), energy * (1 - 1e-8));
  if (model.timed) {
    ASSERT_GE(sum.cycles * (1 + 1e-8) + 1, cycles);
  }
}

void expect_below(const SearchProblem& p, u64 seed, int random_mappings, Seen& seen) {
  for (const Objective objective : kObjectives) {
    const LayerProblem problem = layer_problem(p, objective);
    SCOPED_TRACE(fmt::format("seed {}, {}", seed, name(objective)));
    if (p.answer.legal == 0) return;
    expect_below(problem, p.answer.best[at(objective)].mapping, seen);
    RandomMappings walk(problem, seed);
    for (int k = 0; k < random_mappings && !::testing::Test::HasFatalFailure(); ++k) {
      const auto mapping = walk.next(50);
      if (mapping) expect_below(problem, *mapping, seen);
    }
  }
}

// Most instances of the fan-outs from `level` on, over all ways to unroll each of them that together divide `left`.
double most_together(const Lattice& lattice, std::span<const FanoutChoices> fanouts, std::size_t level, u128 left) {
  while (level < fanouts.size() && !fanouts[level].exists) ++level;
  if (level == fanouts.size()) return 1;
  double most = 1;
  for (const SpatialChoice& choice : fanouts[level].choices)
    if (lattice.divides(choice.factor.packed, left))
      most = std::max(most, choice.instances * most_together(lattice, fanouts, level + 1, left - choice.factor.packed));
  return most;
}

TEST(PartialBounds, FanoutsShareWhatIsLeft) {
  int apart = 0;  // places where each fan-out for itself could use more
  for (u64 seed = 0; seed < 60; ++seed) {
    const SearchProblem p = testing::random_search_problem(seed + 20'000, {.max_mappings = 2'000});
    const LayerProblem problem = layer_problem(p, Objective::Edp);
    const Compiled& c = problem.model.compiled();
    const Lattice lattice(c.size, c.dimension_count);
    const auto fanouts = make_fanout_choices(problem, lattice);
    for (std::size_t i = 0; i < fanouts.size(); ++i) {
      if (!fanouts[i].exists) continue;
      lattice.grid().visit([&](u64, const LatticePoint& left, const LatticePoint&) {
        const double most = fanouts[i].most_instances[left.index];
        ASSERT_EQ(most, most_together(lattice, fanouts, i, left.packed)) << seed;
        double product = most_together(lattice, {&fanouts[i], 1}, 0, left.packed);
        for (std::size_t k = i + 1; k < fanouts.size(); ++k)
          product *= most_together(lattice, {&fanouts[k], 1}, 0, left.packed);
        apart += product > most;
      });
    }
  }
  EXPECT_GT(apart, 0);
}

TEST(PartialBounds, NeverAboveARealCost) {
  Seen seen;
  for (u64 seed = 0; seed < 400 && !HasFatalFailure(); ++seed)
    expect_below(testing::random_search_problem(seed, {.max_mappings = 3'000}), seed, 6, seen);
  EXPECT_GT(seen.mappings, 5'000);
  EXPECT_GT(seen.exact, 1'000);
}

TEST(PartialBounds, NeverAboveARealCostOfOperators) {
  Seen seen;
  for (u64 seed = 0; seed < 150 && !HasFatalFailure(); ++seed)
    expect_below(testing::random_search_problem(seed + 700, {.max_mappings = 2'000, .operators = true}), seed, 6, seen);
  EXPECT_GT(seen.mappings, 1'000);
}

TEST(PartialBounds, NeverAboveARealCostWhereUnitsPassWordsToEachOther) {
  Seen seen;
  for (u64 seed = 0; seed < 250 && !HasFatalFailure(); ++seed)
    expect_below(testing::random_search_problem(seed, {.max_mappings = 2'000, .links = true, .units = true}), seed, 6,
                 seen);
  EXPECT_GT(seen.mappings, 2'500);
  EXPECT_GT(seen.exact, 500);
}

TEST(PartialBounds, NeverAboveARealCostThroughInterconnects) {
  Seen seen;
  for (u64 seed = 0; seed < 150 && !HasFatalFailure(); ++seed)
    expect_below(testing::random_search_problem(seed, {.max_mappings = 2'000, .interconnects = true}), seed, 6, seen);
  EXPECT_GT(seen.mappings, 1'500);
  EXPECT_GT(seen.exact, 100);
}

TEST(PartialBounds, NeverAboveARealCostWhereTensorsHaveSizes) {
  Seen seen;
  for (u64 seed = 0; seed < 60 && !HasFatalFailure(); ++seed)
    expect_below(testing::random_search_problem(seed + 800, {.max_mappings = 2'000, .word_bits = true}), seed, 6, seen);
  EXPECT_GT(seen.mappings, 500);
  EXPECT_GT(seen.exact, 40);
}

TEST(PartialBounds, NeverAboveARealCostWithRamps) {
  Seen seen;
  for (u64 seed = 0; seed < 80 && !HasFatalFailure(); ++seed)
    expect_below(testing::random_search_problem(seed + 1'700,
                                                {.max_mappings = 2'000, .interconnects = seed % 4 == 1, .ramps = true}),
                 seed, 6, seen);
  EXPECT_GT(seen.mappings, 700);
  EXPECT_GT(seen.exact, 60);
}

TEST(PartialBounds, NeverAboveARealCostWhereLevelsDoNotReduce) {
  Seen seen;
  for (u64 seed = 0; seed < 300 && !HasFatalFailure(); ++seed)
    expect_below(testing::random_search_problem(seed + 900, {.max_mappings = 2'000, .reductions = true}), seed, 6,
                 seen);
  EXPECT_GT(seen.mappings, 3'000);
  EXPECT_GT(seen.exact, 100);
}

// Four units below a buffer whose network asks 2 units for each word that enters it, sums that are read back among them
// if it does not reduce: the sums are the cost.
TEST(PartialBounds, SumsHoldTheEnergyOfIngress) {
  for (const bool reduction : {true, false}) {
    Architecture machine = testing::toy_machine({{.read = 1}, {.fanout_x = 4}, {.read = 1}});
    machine.levels[1].network.ingress_pj = 2;
    machine.levels[1].reduction = reduction;
    const testing::ExactToy toy(testing::toy_problem(testing::gemm(4, 4, 4), machine));
    EXPECT_TRUE(toy.model.exact);
    const LayerAnswer best = testing::exact_alone(toy.problem);
    ASSERT_TRUE(best.found);
    const auto steps = trace_bounds(toy.problem, best.mapping, toy.problem.keep_range());
    ASSERT_EQ(steps.back().bound, "sum");
    EXPECT_DOUBLE_EQ(steps.back().value.energy, static_cast<double>(best.cost.energy.units));
  }
}

TEST(PartialBounds, NeverAboveARealCostWhereOneKindOfCostIsAll) {
  Seen seen;
  for (u64 seed = 0; seed < 400 && !HasFatalFailure(); ++seed)
    expect_below(testing::unusual_search_problem(seed, {.max_mappings = 2'000}), seed, 6, seen);
  EXPECT_GT(seen.mappings, 5'000);
  EXPECT_GT(seen.exact, 1'000);
}

// Uneven tiles: on machines with a level for every tensor, against the cost of the uneven mapping, whose stores share
// room, bandwidth and leakage.
TEST(PartialBounds, NeverAboveARealCostOfUnevenMappings) {
  Seen seen;
  for (u64 seed = 0; seed < 400 && !HasFatalFailure(); ++seed) {
    SearchProblem p = testing::random_search_problem(seed, {.max_mappings = 2'000, .constraints = seed % 2 == 0});
    if (seed % 4 != 0)
      for (StorageLevel& level : p.architecture.levels) level.network = {};
    const LayerProblem problem = layer_problem(p, kObjectives[seed % kObjectives.size()]);
    const auto orders = store_orders(problem, 256);
    if (!orders) continue;
    for (u64 k = 0; k < 3; ++k) {
      SCOPED_TRACE(fmt::format("seed {}, {}", seed, k));
      const LayerProblem stacked = stacked_problem(problem, (*orders)[(seed * 7 + k * 5) % orders->size()]);
      RandomMappings walk(stacked, seed + k);
      for (int n = 0; n < 6 && !HasFatalFailure(); ++n)
        if (const auto mapping = walk.next(50)) expect_below(stacked, *mapping, seen);
    }
  }
  EXPECT_GT(seen.mappings, 3'000);
  EXPECT_GT(seen.exact, 500);
}

// Real layers on real machines, along what the searches find there.
void expect_below_on_presets(const char* machine, const std::vector<const char*>& layers) {
  const auto architecture = load_architecture(machine);
  ASSERT_TRUE(architecture.ok());
  Seen seen;
  for (const char* layer : layers) {
    const auto network = load_network(layer);
    ASSERT_TRUE(network.ok());
    const Workload& workload = network->layers.front().workload;
    SearchOptions options;
    for (const char* strategy : {"random", "sunstone"}) {
      options.strategy = *parse_strategy(strategy);
      options.budget_evaluations = 300;
      const auto found = map_workload(workload, *architecture, options);
      ASSERT_TRUE(found.ok());
      if (found->status == Status::Infeasible) continue;
      SCOPED_TRACE(fmt::format("{} on {}, {}", layer, machine, strategy));
      expect_below(layer_problem(workload, *architecture, options), found->mapping, seen);
    }
  }
  EXPECT_GE(seen.mappings, static_cast<int>(layers.size()));
}

const std::vector<const char*> kLayers{"resnet18/conv1", "resnet18/conv4_1", "mobilenet_v2/b2_dw", "mttkrp:64x32x60x72",
                                       "sddmm:96x100x64"};
TEST(PartialBounds, NeverAboveARealCostOnEyeriss) { expect_below_on_presets("eyeriss", kLayers); }
TEST(PartialBounds, NeverAboveARealCostOnSimba) { expect_below_on_presets("simba", kLayers); }
TEST(PartialBounds, NeverAboveARealCostOnGemmini) { expect_below_on_presets("gemmini", kLayers); }
TEST(PartialBounds, NeverAboveARealCostOnEdgeUnified) { expect_below_on_presets("edge_unified", kLayers); }

}  // namespace
}  // namespace heliolite::exact_bounds_test
