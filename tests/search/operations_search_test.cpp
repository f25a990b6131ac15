// Searches of layers that are no products, on compute units that take some cycles for what they do at a point, against
// all mappings; and machines of several compute units.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/search/map.h"
#include "tests/support/load.h"
#include "tests/support/optimum_checks.h"
#include "tests/support/random_problem.h"

namespace heliolite::operations_search_test {
namespace {

using testing::random_search_problem;
using testing::SearchProblem;

SearchProblem problem(u64 seed) {
  return random_search_problem(seed + 90'000, {.max_mappings = 3'000, .operators = true});
}

TEST(OperationsSearch, ExactFindsTheOptimum) {
  int slow = 0;
  const int compared = testing::compare_exact_optima(120, problem, [&](const SearchProblem& p, const LayerAnswer& a) {
    slow += a.cost.cycles > p.workload.macs() * p.workload.operations * p.architecture.compute.cycles_per_op;
  });
  EXPECT_GT(compared, 300);
  EXPECT_GT(slow, 0);  // where bandwidths are what takes the time
}

TEST(OperationsSearch, NoStrategyIsBelowTheOptimum) { EXPECT_GT(testing::compare_strategies(3, problem), 15); }

TEST(OperationsSearch, MoreMappingsAreNoWorse) { EXPECT_GT(testing::compare_larger_mapspaces(25, problem, 20'000), 8); }

// A matrix array and a vector unit beside it, whose words come past a buffer of its own.
constexpr const char* kTwoUnits = R"(
architecture:
  name: two
  levels:
  - {name: DRAM, dram: true, energy: 200, bandwidth: {shared: 8}}
  - {name: SRAM, entries: 4096, energy: 6, leak_pj_per_cycle: 1, fanout: 4x4}
  - {name: Regs, entries: 16, energy: 0.5, leak_pj_per_cycle: 0.25, area_um2: 10}
  compute: {name: MXU, energy: 1, area_um2: 5}
  units:
  - name: VPU
    below: SRAM
    fanout: 8
    energy: 2
    cycles_per_op: 2
    area_um2: 7
    levels:
    - {name: VRegs, entries: 32, energy: 0.25, leak_pj_per_cycle: 0.5, area_um2: 3}
)";

constexpr const char* kLayers = R"(
layers:
- {name: product, gemm: 32x16x8}
- {name: gate, einsum: "Z[m,n] = A[m,n]*B[m,n]; m=32,n=16", operation: elementwise}
- {name: exp, einsum: "Z[m,n] = A[m,n]; m=32,n=16", operation: softmax, operations: 6}
)";

TEST(ComputeUnits, EachLayerRunsWhereItCan) {
  const Architecture machine = *parse_architecture(kTwoUnits, "two");
  ASSERT_EQ(machine.units.size(), 1u);
  // What stands beside the array is the vector unit, and the other way round.
  EXPECT_EQ(machine.beside_um2, 8 * (7 + 3));
  EXPECT_EQ(machine.units[0].beside_um2, 16 * (10 + 5));
  EXPECT_EQ(machine.area_um2(), machine.units[0].area_um2());
  EXPECT_EQ(machine.beside_pj_per_cycle, 8 * 0.5);
  EXPECT_EQ(machine.units[0].beside_pj_per_cycle, 16 * 0.25);
  const Network network = *parse_network(kLayers, "layers");
  for (const int threads : {1, 2, 8}) {
    SearchOptions options;
    options.threads = threads;
    const auto answer = map_network(network, machine, options);
    ASSERT_TRUE(answer.ok()) << to_string(answer.errors());
    EXPECT_EQ(answer->layers[0].result.unit, 0u);
    EXPECT_EQ(answer->layers[1].result.unit, 1u);
    EXPECT_EQ(answer->layers[2].result.unit, 1u);
    // 512 points of 6 operations of 2 cycles on 8 units.
    EXPECT_EQ(answer->layers[2].result.cost.cycles, 512u * 6 * 2 / 8);
    EXPECT_EQ(answer->layers[2].result.utilization, 1);
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
      const MappingResult& r = answer->layers[i].result;
      EXPECT_EQ(r.status, Status::Optimal) << i;
      const CostModel model(network.layers[i].workload, machine.chain(r.unit));
      EXPECT_EQ(model.evaluate(r.mapping).cost, r.cost) << i;
    }
  }
}

// Where several units can run a layer, the search takes the best, and proves it by the bounds of all.
TEST(ComputeUnits, TheSearchChoosesTheBest) {
  Architecture machine = *parse_architecture(kTwoUnits, "two");
  machine.compute.runs = machine.units[0].compute.runs = kAllOperations;
  Network network = *parse_network(kLayers, "layers");
  std::array<std::vector<MappingResult>, 2> on;
  for (std::size_t unit = 0; unit < 2; ++unit)
    for (Layer layer : network.layers) {
      layer.workload.unit = machine.chain(unit).compute.name;
      const auto answer = map_workload(layer.workload, machine, {});
      ASSERT_TRUE(answer.ok()) << to_string(answer.errors());
      EXPECT_EQ(answer->unit, unit);
      on[unit].push_back(*answer);
    }
  for (const int threads : {1, 8}) {
    SearchOptions options;
    options.threads = threads;
    const auto answer = map_network(network, machine, options);
    ASSERT_TRUE(answer.ok()) << to_string(answer.errors());
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
      const MappingResult& r = answer->layers[i].result;
      EXPECT_EQ(r.value, std::min(on[0][i].value, on[1][i].value)) << i;
      EXPECT_EQ(r.status, Status::Optimal) << i;
      EXPECT_LE(r.lower_bound, std::min(on[0][i].value, on[1][i].value)) << i;
    }
  }
}

// Of units that are equally fast the cheaper one runs a layer, also where the network's cycles are asked for.
TEST(ComputeUnits, EnergyDecidesBetweenEquallyFastUnits) {
  Architecture machine = *parse_architecture(kTwoUnits, "two");
  Architecture cheaper = machine;
  cheaper.units.clear();
  cheaper.compute.name = "cheaper";
  cheaper.compute.op_pj = 0.5;
  machine.units = {cheaper};
  for (Architecture* chain : {&machine, &machine.units[0]}) chain->compute.runs = kAllOperations;
  const Network network = *parse_network(kLayers, "layers");
  for (const bool whole : {false, true}) {
    SearchOptions options;
    options.objective = Objective::Delay;
    options.network = whole;
    const auto answer = map_network(network, machine, options);
    ASSERT_TRUE(answer.ok()) << to_string(answer.errors());
    for (const LayerResult& layer : answer->layers) EXPECT_EQ(layer.result.unit, 1U) << layer.name;
  }
}

// The network's own optimum is the least of all choices of a unit for each layer, on machines whose units are faster or
// cheaper by chance; in some a layer runs elsewhere than it would by itself.
TEST(ComputeUnits, TheNetworkChoosesTheBestOfAllUnits) {
  const Network network = *parse_network(kLayers, "layers");
  Architecture machine = *parse_architecture(kTwoUnits, "two");
  machine.compute.runs = machine.units[0].compute.runs = kAllOperations;
  std::size_t elsewhere = 0;
  for (u64 seed = 0; seed < 4; ++seed) {
    testing::Rng rng(seed);
    machine.compute.op_pj = static_cast<double>(testing::pick(rng, 1, 12));
    machine.units[0].compute.op_pj = static_cast<double>(testing::pick(rng, 1, 12));
    machine.units[0].compute.cycles_per_op = testing::pick(rng, 1, 3);
    for (const Objective objective : {Objective::Edp, Objective::Ed2p, Objective::Energy, Objective::Delay}) {
      SearchOptions options;
      options.network = true;
      options.objective = objective;
      const auto answer = map_network(network, machine, options);
      ASSERT_TRUE(answer.ok()) << to_string(answer.errors());
      ASSERT_TRUE(answer->optimum);
      double least = INFINITY;
      const std::size_t choices = std::size_t{1} << network.layers.size();
      for (std::size_t choice = 0; choice < choices; ++choice) {
        Network named = network;
        for (std::size_t k = 0; k < named.layers.size(); ++k)
          named.layers[k].workload.unit = machine.chain(choice >> k & 1).compute.name;
        least = std::min(least, map_network(named, machine, options)->optimum->value);
      }
      EXPECT_NEAR(answer->optimum->value, least, least * 1e-12) << "seed " << seed << " " << name(objective);
      EXPECT_EQ(answer->optimum->status, Status::Optimal);
      EXPECT_LE(answer->optimum->lower_bound, least * (1 + 1e-12));
      Cost sum;
      for (std::size_t k = 0; k < network.layers.size(); ++k) {
        const MappingResult& r = answer->layers[k].result;
        const CostModel model(network.layers[k].workload, machine.chain(r.unit));
        EXPECT_EQ(model.evaluate(r.mapping).cost, r.cost) << k;
        elsewhere += map_workload(network.layers[k].workload, machine, {})->unit != r.unit;
        sum.energy += r.cost.energy * network.layers[k].count, sum.cycles += r.cost.cycles * network.layers[k].count;
      }
      EXPECT_NEAR(objective_number(objective, sum), least, least * 1e-12);
    }
  }
  EXPECT_GT(elsewhere, 0u);
}

// What sweeps know of a layer before it is searched.
TEST(ComputeUnits, NothingIsBelowTheLeastOfAllUnits) {
  Architecture machine = *parse_architecture(kTwoUnits, "two");
  const Network network = *parse_network(kLayers, "layers");
  for (const bool several : {false, true}) {
    if (several) machine.compute.runs = machine.units[0].compute.runs = kAllOperations;
    for (const Layer& layer : network.layers) {
      const auto least = least_cost(layer.workload, machine, {});
      ASSERT_TRUE(least.ok()) << to_string(least.errors());
      for (const Objective objective : {Objective::Energy, Objective::Delay}) {
        SearchOptions options;
        options.objective = objective;
        const auto best = map_workload(layer.workload, machine, options);
        ASSERT_TRUE(best.ok()) << to_string(best.errors());
        EXPECT_LE(objective_number(objective, *least), best->value) << layer.workload.name;
      }
    }
  }
}

TEST(ComputeUnits, WhatNoUnitRunsIsRefused) {
  const Architecture machine = *parse_architecture(kTwoUnits, "two");
  Workload layer = parse_network(kLayers, "layers")->layers[2].workload;
  layer.unit = "MXU";
  const auto wrong = map_workload(layer, machine, {});
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(to_string(wrong.errors()).find("MXU does not run operation softmax"), std::string::npos);
  layer.unit = "VPX";
  const auto unknown = map_workload(layer, machine, {});
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(to_string(unknown.errors()).find("did you mean"), std::string::npos) << to_string(unknown.errors());
}

}  // namespace
}  // namespace heliolite::operations_search_test
