// The co-search of memories: one traversal for a family of machines finds the best of all machines' optima; with
// several layers the best sum. Against exhaustive enumeration on every machine, and against a search of every machine.
#include "engine/search/co_search/co_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/formats/load_network.h"
#include "tests/support/load.h"
#include "tests/support/machine_families.h"

namespace heliolite::co_search_test {
namespace {

using testing::exact_alone;
using testing::family_problem;
using testing::kObjectives;
using testing::random_family_of;
using testing::random_search_problem;
using testing::SearchProblem;
using testing::split_buffers;
using testing::unusual_search_problem;
using testing::workload;

constexpr u64 kMappings = 2'000;  // of one machine's mapspace

SearchProblem small_problem(u64 seed) {
  testing::SearchProblemOptions options;
  options.max_mappings = kMappings;
  return seed % 2 == 0 ? random_search_problem(seed, options) : unusual_search_problem(seed, options);
}

// The least value of any machine, by looking at every mapping.
Value best_of_all(const Workload& workload, const MachineFamily& family, Objective objective) {
  Value best = Value::worst();
  for (const Architecture& machine : family.machines()) {
    const auto answer = testing::enumerate_mapspace(workload, machine, {.limit = 10 * kMappings});
    if (answer->legal > 0) best = std::min(best, Value::of(objective, answer->best[at(objective)].cost));
  }
  return best;
}

void expect_best_of_all(const RuleSet& rules, u64 seeds) {
  for (u64 seed = 0; seed < seeds; ++seed) {
    const SearchProblem p = small_problem(seed);
    const MachineFamily family = random_family_of(seed, p.architecture, 9, seed % 3 == 0);
    const Objective objective = kObjectives[seed % kObjectives.size()];
    SearchOptions options;
    options.objective = objective;
    options.rules = rules;
    const LayerAnswer answer = exact_alone(family_problem(p.workload, family, options));
    const Value best = best_of_all(p.workload, family, objective);
    ASSERT_TRUE(answer.complete) << seed;
    ASSERT_EQ(answer.found, best < Value::worst()) << seed;
    if (!answer.found) continue;
    ASSERT_TRUE(answer.value == best) << "seed " << seed << ": " << objective_number(objective, answer.cost);
    const CostModel model(p.workload, family.machine(answer.machine));
    const Evaluation e = model.evaluate(answer.mapping);
    ASSERT_EQ(e.verdict, Verdict::Fits) << seed;
    ASSERT_TRUE(Value::of(objective, e.cost) == best) << seed;
  }
}

TEST(CoSearch, OneTraversalFindsTheBestOfAllMachines) { expect_best_of_all({}, 150); }

TEST(CoSearch, NoRuleChangesTheAnswer) {
  std::vector<Rule> rules = testing::sound_rules(RuleUser::CoSearch);
  for (const Rule of_exact : {Rule::StateDominance, Rule::LatticeBound}) rules.push_back(of_exact);
  for (const Rule rule : rules) expect_best_of_all(RuleSet().set(rule, false), 40);
}

// Layers that fit the machine's constraints: the problem's own in two sizes of one dimension.
std::vector<WeightedLayer> some_layers(const SearchProblem& p, u64 seed) {
  std::vector<WeightedLayer> out{{p.workload, 1 + static_cast<double>(seed % 3)}};
  for (std::size_t d = 0; d < p.workload.dimensions.size() && out.size() < 3; ++d) {
    WeightedLayer other{p.workload, 0.5 + static_cast<double>(d)};
    other.workload.dimensions[d].size = other.workload.dimensions[d].size % 3 + 2;
    if (resolve(other.workload, p.architecture)) out.push_back(other);
  }
  return out;
}

TEST(CoSearch, EqualsTheGridForNetworks) {
  for (u64 seed = 0; seed < 60; ++seed) {
    const SearchProblem p = small_problem(1000 + seed);
    const MachineFamily family = random_family_of(seed, p.architecture, 8, seed % 2 == 0);
    const std::vector<WeightedLayer> layers = some_layers(p, seed);
    SearchOptions options;
    options.objective = kObjectives[seed % kObjectives.size()];
    options.threads = 1;
    const auto grid = grid_search(layers, family, options);
    const auto found = co_search(layers, family, options);
    ASSERT_TRUE(grid && found) << seed;
    ASSERT_EQ(found->status == Status::Infeasible, grid->status == Status::Infeasible) << seed;
    if (found->status == Status::Infeasible) continue;
    EXPECT_EQ(found->status, Status::Optimal) << seed;
    EXPECT_NEAR(found->value, grid->value, 1e-9 * grid->value) << seed;
    EXPECT_NEAR(grid->machines[found->best].value, grid->value, 1e-9 * grid->value) << seed;
    for (std::size_t m = 0; m < family.size(); ++m) {
      if (grid->machines[m].state != CoSearchMachine::State::Searched) continue;
      EXPECT_LE(found->machines[m].lower_bound, grid->machines[m].value * (1 + 1e-9)) << seed << " machine " << m;
    }
    double sum = 0;
    for (std::size_t j = 0; j < layers.size(); ++j) sum += layers[j].weight * found->layers[j].value;
    EXPECT_NEAR(sum, found->value, 1e-9 * sum) << seed;
  }
}

// The network's own objective: the machine that the search of every machine finds, with the same proof, whatever the
// number of threads; a machine that was left out is no better.
TEST(CoSearch, EqualsTheGridForANetworksOwnObjective) {
  u64 cut = 0;
  for (u64 seed = 0; seed < 40; ++seed) {
    const SearchProblem p = small_problem(1000 + seed);
    const MachineFamily family = random_family_of(seed, p.architecture, 6, seed % 2 == 0);
    const std::vector<WeightedLayer> layers = some_layers(p, seed);
    SearchOptions options;
    options.objective = seed % 2 == 0 ? Objective::Edp : Objective::Ed2p;
    options.network = true;
    options.threads = 1;
    const auto grid = grid_search(layers, family, options);
    const auto found = co_search(layers, family, options);
    options.threads = 8;
    const auto again = co_search(layers, family, options);
    ASSERT_TRUE(grid && found && again) << seed;
    ASSERT_EQ(found->status, grid->status) << seed;
    if (found->status == Status::Infeasible) continue;
    EXPECT_EQ(found->status, Status::Optimal) << seed;
    EXPECT_EQ(found->best, grid->best) << seed;
    EXPECT_EQ(found->value, grid->value) << seed;
    EXPECT_EQ(again->best, found->best) << seed;
    EXPECT_EQ(again->value, found->value) << seed;
    double energy = 0, cycles = 0;
    for (std::size_t j = 0; j < layers.size(); ++j) {
      energy += layers[j].weight * found->layers[j].cost.energy.picojoules();
      cycles += layers[j].weight * static_cast<double>(found->layers[j].cost.cycles);
    }
    EXPECT_NEAR(objective_number(options.objective, energy, cycles), found->value, 1e-12 * found->value) << seed;
    for (std::size_t m = 0; m < family.size(); ++m) {
      if (found->machines[m].state == CoSearchMachine::State::Cut) ++cut;
      if (grid->machines[m].state != CoSearchMachine::State::Searched) continue;
      EXPECT_LE(found->machines[m].lower_bound, grid->machines[m].value * (1 + 1e-12)) << seed << " machine " << m;
    }
  }
  EXPECT_GT(cut, 0u);
  SearchOptions thesis;
  thesis.strategy = Strategy::Thesis;
  thesis.network = true;
  const SearchProblem p = small_problem(1000);
  const auto refused = co_search(some_layers(p, 0), random_family_of(0, p.architecture, 2, false), thesis);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(to_string(refused.errors()).find("must be exact or sunstone"), std::string::npos);
}

// Objectives of areas weigh the machines too: whatever their areas, the co-search finds what the grid finds, and its
// value is that of energy, cycles, area and operations.
// Where no traversal serves all, machines are searched one by one: the grid's answer, with machines left out.
TEST(CoSearch, EqualsTheGridWhereRampsCount) {
  u64 cut = 0;
  for (u64 seed = 0; seed < 20; ++seed) {
    const SearchProblem p = random_search_problem(77'000 + seed, {.max_mappings = 500, .ramps = true});
    const MachineFamily family = random_family_of(seed, p.architecture, 6, seed % 2 == 0);
    const std::vector<WeightedLayer> layers = some_layers(p, seed);
    SearchOptions options;
    options.objective = kObjectives[seed % kObjectives.size()];
    options.threads = 1;
    const auto grid = grid_search(layers, family, options);
    const auto found = co_search(layers, family, options);
    ASSERT_TRUE(grid && found) << seed;
    ASSERT_EQ(found->status, grid->status) << seed;
    if (found->status == Status::Infeasible) continue;
    EXPECT_NEAR(found->value, grid->value, 1e-9 * grid->value) << seed;
    for (std::size_t m = 0; m < family.size(); ++m) {
      cut += found->machines[m].state == CoSearchMachine::State::Cut;
      if (grid->machines[m].state != CoSearchMachine::State::Searched) continue;
      EXPECT_LE(found->machines[m].lower_bound, grid->machines[m].value * (1 + 1e-9)) << seed << " machine " << m;
    }
  }
  EXPECT_GT(cut, 0u);
}

TEST(CoSearch, EqualsTheGridOnMachinesOfSeveralUnits) {
  const std::string text = R"(
architecture:
  name: two_units
  levels:
  - {name: DRAM, dram: true, energy: 200}
  - {name: SRAM, entries: 64, energy: 6, leak_pj_per_cycle: 1, fanout: 4}
  - {name: Regs, entries: 16, energy: 0.5}
  compute: {name: MXU, energy: 1}
  units:
  - {name: VPU, below: SRAM, fanout: 8, energy: 2, cycles_per_op: 2}
)";
  std::vector<Architecture> machines;
  for (const char* entries : {"64", "256", "1024"}) {
    std::string one = text;
    one.replace(one.find("64"), 2, entries);
    machines.push_back(parse_architecture(one, "two.yaml").value());
  }
  const MachineFamily family = MachineFamily::create(machines).value();
  EXPECT_FALSE(family.has_envelope());
  const Network network = *parse_network(
      "layers:\n- {name: product, gemm: 32x16x8}\n"
      "- {name: exp, einsum: \"Z[m,n] = A[m,n]; m=32,n=16\", operation: softmax, operations: 6}\n",
      "layers");
  const std::vector<WeightedLayer> layers{{network.layers[0].workload, 1}, {network.layers[1].workload, 2}};
  for (const Objective objective : {Objective::Edp, Objective::Energy}) {
    SearchOptions options;
    options.objective = objective;
    const auto grid = grid_search(layers, family, options);
    const auto found = co_search(layers, family, options);
    ASSERT_TRUE(grid && found);
    EXPECT_EQ(found->best, grid->best);
    EXPECT_DOUBLE_EQ(found->value, grid->value);
    EXPECT_EQ(found->status, Status::Optimal);
    EXPECT_EQ(found->layers[0].unit, 0u);
    EXPECT_EQ(found->layers[1].unit, 1u);
  }
}

TEST(CoSearch, EqualsTheGridForEveryObjectiveWhateverTheAreas) {
  for (const ObjectiveInfo& objective : kObjectiveTable)
    for (u64 seed = 0; seed < 8; ++seed) {
      const SearchProblem p = small_problem(4000 + seed);
      const MachineFamily shapes = random_family_of(seed, p.architecture, 6, seed % 2 == 0);
      std::vector<Architecture> machines(shapes.machines().begin(), shapes.machines().end());
      testing::Rng rng(seed);
      for (Architecture& machine : machines)
        machine.levels.front().area_um2 = static_cast<double>(testing::pick(rng, 1, 400));
      const MachineFamily family = *MachineFamily::create(machines);
      const std::vector<WeightedLayer> layers = some_layers(p, seed);
      SearchOptions options;
      options.objective = objective.objective;
      options.threads = 1;
      const auto grid = grid_search(layers, family, options);
      ASSERT_TRUE(grid.ok()) << to_string(grid.errors());
      for (const Strategy strategy : {Strategy::Exact, Strategy::Sunstone, Strategy::Thesis}) {
        options.strategy = strategy;
        const auto found = co_search(layers, family, options);
        ASSERT_TRUE(found.ok()) << to_string(found.errors());
        if (strategy == Strategy::Exact) {
          ASSERT_EQ(found->status == Status::Infeasible, grid->status == Status::Infeasible) << seed;
        }
        if (found->status == Status::Infeasible) continue;
        SCOPED_TRACE(std::string(objective.name) + ", seed " + std::to_string(seed));
        if (strategy == Strategy::Exact) {
          EXPECT_EQ(found->status, Status::Optimal);
          EXPECT_NEAR(found->value, grid->value, 1e-9 * grid->value);
        }
        EXPECT_GE(found->value, grid->value * (1 - 1e-9));
        EXPECT_LE(found->lower_bound, grid->value * (1 + 1e-9));
        double sum = 0;
        for (std::size_t j = 0; j < layers.size(); ++j) {
          const Cost& cost = found->layers[j].cost;
          sum += layers[j].weight * std::pow(cost.energy.picojoules(), objective.energy_power) *
                 std::pow(static_cast<double>(cost.cycles), objective.cycles_power) *
                 std::pow(family.machine(found->best).area_um2(), objective.area_power) /
                 (objective.per_operation ? static_cast<double>(layers[j].workload.macs()) : 1);
        }
        EXPECT_NEAR(sum, found->value, 1e-9 * sum);
      }
    }
}

TEST(CoSearch, RefusesAnObjectiveOfTheAreaWhereAMachineHasNone) {
  const SearchProblem p = small_problem(1);
  const MachineFamily family = random_family_of(1, p.architecture, 4, true);
  SearchOptions options;
  options.objective = Objective::Edap;
  const auto found = co_search(std::vector<WeightedLayer>{{p.workload, 1}}, family, options);
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.errors().front().message.find("edap needs the area"), std::string::npos);
}

TEST(CoSearch, CaseStudyOfTheThesis) {
  const MachineFamily family = split_buffers();
  const std::vector<WeightedLayer> layers{{workload("conv:k=512,c=512,p=7,r=3"), 1}};
  SearchOptions options;
  options.strategy = Strategy::Exact;
  const auto exact = co_search(layers, family, options);
  const auto exact_grid = grid_search(layers, family, options);
  options.strategy = Strategy::Sunstone;
  const auto sunstone = co_search(layers, family, options);
  const auto sunstone_grid = grid_search(layers, family, options);
  ASSERT_TRUE(exact && exact_grid && sunstone && sunstone_grid);
  EXPECT_EQ(exact->status, Status::Optimal);
  EXPECT_EQ(exact->value, exact_grid->value);
  EXPECT_LE(sunstone->value, sunstone_grid->value * 1.001);
  EXPECT_LT(exact->statistics.tiles[0] * 5, exact_grid->statistics.tiles[0]);
  EXPECT_LT(sunstone->statistics.tiles[0] * 3, sunstone_grid->statistics.tiles[0]);
  EXPECT_LT(sunstone->configurations, family.size());
}

// The search of the thesis on every machine finds what its one traversal finds, with fewer tiles; with rules off too.
TEST(CoSearch, TaggedTilesFindWhatTheGridFinds) {
  const MachineFamily family = split_buffers();
  const std::vector<WeightedLayer> one{{workload("conv:k=512,c=512,p=7,r=3"), 1}};
  const std::vector<WeightedLayer> two{{workload("conv:k=512,c=512,p=7,r=3"), 3},
                                       {workload("conv:k=64,c=32,p=28,r=1"), 1}};
  for (const std::vector<WeightedLayer>& layers : {one, two}) {
    SearchOptions options;
    options.strategy = Strategy::Thesis;
    const auto grid = grid_search(layers, family, options);
    const auto found = co_search(layers, family, options);
    ASSERT_TRUE(grid && found);
    EXPECT_NEAR(found->value, grid->value, 1e-12 * grid->value);
    EXPECT_EQ(found->best, grid->best);
    EXPECT_LT(found->statistics.tiles[0] * 3, grid->statistics.tiles[0]);
    EXPECT_LT(found->configurations, family.size());
    options.rules.set(Rule::SmallestMemory, false).set(Rule::MemoryBound, false);
    const auto all = co_search(layers, family, options);
    ASSERT_TRUE(all);
    EXPECT_EQ(all->value, found->value);
    EXPECT_EQ(all->configurations, family.size());
  }
}

// Random families, whose machines differ anywhere: never below the best of all machines' mappings, and what is said of
// the best machine holds there.
TEST(CoSearch, TaggedTilesAreNeverBelowTheBestOfAll) {
  u64 found_any = 0;
  for (u64 seed = 0; seed < 60; ++seed) {
    const SearchProblem p = small_problem(seed);
    const MachineFamily family = random_family_of(seed, p.architecture, 9, seed % 3 == 0);
    SearchOptions options;
    options.objective = kObjectives[seed % kObjectives.size()];
    options.strategy = Strategy::Thesis;
    const auto found = co_search(std::vector<WeightedLayer>{{p.workload, 1}}, family, options);
    ASSERT_TRUE(found) << seed;
    if (found->status == Status::Infeasible) continue;
    ++found_any;
    const MappingResult& layer = found->layers.front();
    const Evaluation e = CostModel(p.workload, family.machine(found->best)).evaluate(layer.mapping);
    EXPECT_EQ(e.verdict, Verdict::Fits) << seed;
    EXPECT_EQ(e.cost, layer.cost) << seed;
    EXPECT_FALSE(Value::of(options.objective, e.cost) < best_of_all(p.workload, family, options.objective)) << seed;
  }
  EXPECT_GT(found_any, 20u);
}

TEST(CoSearch, RefusesOtherStrategies) {
  SearchOptions options;
  options.strategy = Strategy::Random;
  const std::vector<WeightedLayer> layers{{workload("gemm:8x8x8"), 1}};
  const MachineFamily family = *MachineFamily::create({testing::machine("eyeriss")});
  EXPECT_FALSE(co_search(layers, family, options));
}

TEST(CoSearch, SaysWhyNothingFits) {
  Architecture tiny = testing::machine("eyeriss");
  for (StorageLevel& level : tiny.levels)
    if (level.name == "GLB") level.entries = 1;
  const MachineFamily family = *MachineFamily::create({tiny, tiny});
  const std::vector<WeightedLayer> layers{{workload("conv:k=8,c=8,p=8,r=3"), 1}};
  for (const char* strategy : {"exact", "sunstone", "thesis"}) {
    SearchOptions options;
    options.strategy = *parse_strategy(strategy);
    const auto found = co_search(layers, family, options);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->status, Status::Infeasible);
    ASSERT_FALSE(found->layers.empty());
    EXPECT_FALSE(found->layers.front().why_infeasible.empty());
  }
}

TEST(MachineFamily, HasAnEnvelopeAndSmallerMachines) {
  Architecture small = testing::machine("eyeriss_45nm"), large = small, other = small;
  large.levels[0].entries = 2 * *small.levels[0].entries;
  large.levels[0].energy.read_pj *= 2;
  other.levels[1].energy.read_pj /= 2;
  const MachineFamily family = *MachineFamily::create({small, large, other});
  EXPECT_EQ(family.envelope().levels[0].entries, large.levels[0].entries);
  EXPECT_EQ(family.envelope().levels[0].energy.read_pj, small.levels[0].energy.read_pj);
  EXPECT_EQ(family.envelope().levels[1].energy.read_pj, other.levels[1].energy.read_pj);
  EXPECT_EQ(family.swept(), (std::vector<int>{0, 1}));
  EXPECT_EQ(family.held_by_smaller(1, 0), *small.levels[0].entries);
  EXPECT_EQ(family.held_by_smaller(0, 0), 0u);
  EXPECT_EQ(family.held_by_smaller(2, 0), 0u);
}

TEST(MachineFamily, NamesWhatDiffersInShape) {
  Architecture other = testing::machine("eyeriss");
  other.levels[3].fanout_x = 7;
  const auto family = MachineFamily::create({testing::machine("eyeriss"), other});
  ASSERT_FALSE(family);
  EXPECT_THAT(to_string(family.errors()), ::testing::HasSubstr("level GLB"));
}

}  // namespace
}  // namespace heliolite::co_search_test
