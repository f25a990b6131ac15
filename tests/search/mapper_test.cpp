// The mapper through its door: legal, reproducible, within the constraints, never below the bound.
#include "engine/search/map.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/model/cost_model.h"
#include "engine/model/mapping_check.h"
#include "engine/search/core/budget.h"
#include "engine/space/mapspace.h"
#include "tests/support/load.h"
#include "tests/support/random_problem.h"

namespace heliolite::mapper_test {
namespace {

using testing::machine;
using testing::workload;

constexpr const char* kSmallConv = "conv:k=16,c=8,p=14,q=14,r=3,s=3";

// What every answer must satisfy.
void expect_sound(const MappingResult& r, const Workload& w, const Architecture& a, Objective objective) {
  ASSERT_NE(r.status, Status::Infeasible);
  EXPECT_TRUE(check(r.mapping, w, a).empty()) << to_string(check(r.mapping, w, a));
  const auto space = resolve(w, a);
  ASSERT_TRUE(space.ok());
  EXPECT_TRUE(violations(*space, r.mapping).empty()) << to_string(violations(*space, r.mapping));
  EXPECT_EQ(CostModel(w, a).evaluate(r.mapping).cost, r.cost);
  EXPECT_EQ(r.value, objective_number(objective, r.cost));
  EXPECT_GE(r.value, r.lower_bound);
  EXPECT_GT(r.lower_bound, 0);
}

TEST(Mapper, EveryMachineEveryKindOfWorkloadEveryObjective) {
  for (const char* name : {"eyeriss", "edge_unified", "simba", "gemmini", "dc_split", "snowcat", "edge_split"}) {
    const Architecture a = machine(name);
    for (const char* text : {kSmallConv, "gemm:64x48x96", "mttkrp:16x12x20x18"}) {
      const Workload w = workload(text);
      for (Objective objective : {Objective::Energy, Objective::Delay, Objective::Edp, Objective::Ed2p}) {
        if (objective != Objective::Edp && std::string(text) != kSmallConv) continue;  // time
        SearchOptions options;
        options.objective = objective;
        const auto r = map_workload(w, a, options);
        ASSERT_TRUE(r.ok()) << to_string(r.errors());
        SCOPED_TRACE(std::string(name) + " " + text);
        expect_sound(*r, w, a, objective);
      }
    }
  }
}

// No mapping is priced outside a step, whatever is asked for; a step that is run again is in the first's sum.
TEST(Mapper, StepsTellWhereAllMappingsWerePriced) {
  for (const StrategyInfo& strategy : kStrategyTable)
    for (const bool links : {false, true})
      for (const Factors factors : {Factors::Perfect, Factors::Any}) {
        if (strategy.strategy == Strategy::Cosa ||
            (factors == Factors::Any && strategy.factors == OtherFactors::Refuses))
          continue;
        Architecture a = machine("eyeriss");
        a.peer_channel = links;
        SearchOptions options;
        options.strategy = strategy.strategy;
        options.factors = factors;
        options.budget_evaluations = strategy.strategy == Strategy::Bayes ? 50 : 3'000;
        const auto r = map_workload(workload("conv:k=4,c=4,p=7,r=3,s=3"), a, options);
        ASSERT_TRUE(r.ok()) << to_string(r.errors());
        u64 evaluated = 0;
        for (const StepReport& step : r->statistics.steps) evaluated += step.evaluated;
        EXPECT_EQ(evaluated, r->statistics.evaluated) << strategy.name << links << static_cast<int>(factors);
      }
}

// Where its own climbs for energy end 1.6 times above the optimum.
TEST(Mapper, SunstoneForEnergyIsNoWorseThanForEdp) {
  const Network layer = *load_network("inception_v3_wu/7b_3x3_2b");
  SearchOptions options;
  options.strategy = Strategy::Sunstone;
  options.objective = Objective::Energy;
  const Cost energy = map_network(layer, machine("simba"), options)->total;
  options.objective = Objective::Edp;
  EXPECT_LE(energy.energy, map_network(layer, machine("simba"), options)->total.energy);
}

// On these layers climbs alone end 1.14 and 1.07 times above the optimum.
TEST(Mapper, ANarrowPassFindsWhatClimbsMiss) {
  struct Case {
    const char *machine, *layer;
  };
  for (const Case c : {Case{"sunstone_arch", "resnet18/conv3_down"}, Case{"edge_unified", "resnet50/conv4_1a"}}) {
    SearchOptions options;
    options.strategy = Strategy::Sunstone;
    const auto fast = map_workload(workload(c.layer), machine(c.machine), options);
    options.strategy = Strategy::Exact;
    const auto exact = map_workload(workload(c.layer), machine(c.machine), options);
    ASSERT_TRUE(fast.ok() && exact.ok());
    EXPECT_LT(fast->value, 1.05 * exact->value) << c.layer;
    expect_sound(*fast, workload(c.layer), machine(c.machine), Objective::Edp);
  }
}

TEST(Mapper, SameAnswerForAnyNumberOfThreads) {
  const Architecture a = machine("eyeriss");
  Network network{
      "n", {{workload(kSmallConv), 2}, {workload("gemm:64x48x96"), 1}, {workload("conv:k=8,c=8,p=7,q=7,r=1,s=1"), 3}}};
  SearchOptions options;
  options.threads = 1;
  const auto one = map_network(network, a, options);
  ASSERT_TRUE(one.ok());
  for (int threads : {2, 8}) {
    options.threads = threads;
    const auto many = map_network(network, a, options);
    ASSERT_TRUE(many.ok());
    for (std::size_t k = 0; k < network.layers.size(); ++k) {
      EXPECT_EQ(one->layers[k].result.mapping, many->layers[k].result.mapping);
      EXPECT_EQ(one->layers[k].result.cost, many->layers[k].result.cost);
      EXPECT_EQ(one->layers[k].result.statistics, many->layers[k].result.statistics);
    }
    EXPECT_EQ(one->total, many->total);
  }
}

TEST(Mapper, LayersOfOneShapeAreMappedOnceAndTotalsAreWeighted) {
  const Architecture a = machine("edge_unified");
  Workload again = workload("gemm:64x48x96");
  again.name = "again";
  const Network network{"n", {{workload("gemm:64x48x96"), 2}, {again, 3}}};
  const auto r = map_network(network, a, {});
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(r->layers[1].name, "again");
  EXPECT_EQ(r->layers[0].result.mapping, r->layers[1].result.mapping);
  EXPECT_EQ(r->layers[1].result.seconds, 0);
  EXPECT_EQ(r->total.cycles, 5 * r->layers[0].result.cost.cycles);
  EXPECT_EQ(r->total.energy, r->layers[0].result.cost.energy * 5);
}

// The order rules lose nothing: without them the search looks at more orders and ends at the same cost.
TEST(Mapper, SoundRulesOffGiveTheSameValue) {
  const Architecture a = machine("edge_unified");
  const Workload w = workload("gemm:64x48x96");
  const auto with = map_workload(w, a, {});
  for (const RuleInfo& rule : kRuleTable) {
    if (rule.soundness == Soundness::Heuristic) continue;  // a GEMM has no halos
    SearchOptions options;
    options.rules.set(rule.rule, false);
    const auto without = map_workload(w, a, options);
    ASSERT_TRUE(without.ok());
    EXPECT_EQ(with->value, without->value) << rule.name;
  }
}

TEST(Mapper, SaysWhatDoesNotFit) {
  Architecture a = machine("eyeriss");
  a.levels[1].entries = 0;
  const auto r = map_workload(workload(kSmallConv), a, {});
  ASSERT_TRUE(r.ok());
  ASSERT_EQ(r->status, Status::Infeasible);
  EXPECT_NE(to_string(r->why_infeasible).find("WeightSpad: holds 0 words, the smallest tile needs 1 (Weights 1)"),
            std::string::npos)
      << to_string(r->why_infeasible);
}

// A buffer that has to hold whole reductions leaves few mappings. Where the starts of sunstone find none of them, it
// looks on; only a complete search says that there is none.
TEST(Mapper, FastSearchesKnowThatTheyMayHaveMissedAll) {
  const Architecture a = machine("nvdla");
  const auto answer = [&](const char* layer, Strategy strategy) {
    SearchOptions options;
    options.strategy = strategy;
    return *map_workload(workload(layer), a, options);
  };
  const Workload some = workload("inception_v3_wu/5b_1x1");
  expect_sound(answer("inception_v3_wu/5b_1x1", Strategy::Sunstone), some, a, Objective::Edp);
  EXPECT_EQ(answer("inception_v3_wu/5b_1x1", Strategy::Exact).status, Status::Optimal);
  const MappingResult thesis = answer("inception_v3_wu/5b_1x1", Strategy::Thesis);
  ASSERT_EQ(thesis.status, Status::Infeasible);
  EXPECT_NE(to_string(thesis.why_infeasible).find("there may be one; exact looks at all"), std::string::npos);
  for (const Strategy strategy : {Strategy::Sunstone, Strategy::Exact}) {
    const MappingResult none = answer("inception_v3_wu/1a", strategy);
    ASSERT_EQ(none.status, Status::Infeasible);
    EXPECT_NE(to_string(none.why_infeasible).find("leave no mapping that fits"), std::string::npos);
  }
}

// Classes of channels mean nothing to a depthwise layer: the others are mapped, that one says why it is not.
TEST(Mapper, ALayerThatCannotObeyDoesNotRefuseTheOthers) {
  Architecture a = machine("eyeriss");
  a.levels[3].constraints.spatial.allowed_x = {{"input_channel"}};
  Network network{"n", {{workload("depthwise:r=3,s=3,p=7,q=7,c=16"), 1}, {workload("gemm:8x8x8"), 2}}};
  const auto r = map_network(network, a, {});
  ASSERT_TRUE(r.ok());
  EXPECT_FALSE(r->all_feasible());
  EXPECT_EQ(r->layers[0].result.status, Status::Infeasible);
  EXPECT_NE(to_string(r->layers[0].result.why_infeasible).find("'constraints_for: channels'"), std::string::npos);
  EXPECT_EQ(r->layers[1].result.status, Status::Optimal);
  EXPECT_EQ(r->total.cycles, 2 * r->layers[1].result.cost.cycles);
  network.layers.pop_back();
  EXPECT_FALSE(map_network(network, a, {}).ok());
}

TEST(Mapper, StopsAtOnceAndStillAnswers) {
  const std::atomic<bool> stop{true};
  SearchOptions options;
  options.stop = &stop;
  const Workload w = workload("resnet18/conv2_x");
  const Architecture a = machine("eyeriss");
  const auto r = map_workload(w, a, options);
  ASSERT_TRUE(r.ok());
  EXPECT_LT(r->statistics.evaluated, 100u);
  expect_sound(*r, w, a, options.objective);
}

TEST(Mapper, StrategiesHaveNames) {
  for (const std::string& word : strategy_names()) EXPECT_EQ(name(*parse_strategy(word)), word);
  EXPECT_FALSE(parse_strategy("sunstne"));
}

// Random machines with everything open: whatever is returned is sound, and something is whenever all tiles of one fit.
TEST(Mapper, RandomMachines) {
  for (u64 seed = 0; seed < 60; ++seed) {
    testing::RandomOptions options;
    options.capacities = true;
    options.max_dimensions = 3;
    options.max_levels = 3;
    const testing::RandomProblem p = testing::random_problem(seed, options);
    Architecture a = p.architecture;
    a.name = "random";
    const auto r = map_workload(p.workload, a, {});
    ASSERT_TRUE(r.ok()) << to_string(r.errors());
    SCOPED_TRACE(seed);
    expect_sound(*r, p.workload, a, Objective::Edp);
    EXPECT_LE(r->cost.energy.units, ~u128{0} >> 1);
  }
}

// Three levels, of which each may keep each tensor or pass it by.
Architecture open_machine() {
  Architecture a = machine("eyeriss");
  for (StorageLevel& level : a.levels)
    if (&level != &a.levels.back()) level.keep = {};
  return a;
}

TEST(Mapper, EvaluationsAreALimitOfEveryStrategyForAnyNumberOfThreads) {
  struct Case {
    const char* strategy;
    Factors factors;
  };
  for (const Case c : {Case{"exact", Factors::Perfect}, Case{"exact", Factors::Any}, Case{"sunstone", Factors::Perfect},
                       Case{"sunstone", Factors::Any}, Case{"thesis", Factors::Perfect},
                       Case{"random", Factors::Perfect}, Case{"exhaustive", Factors::Perfect}})
    for (const bool open : {false, true})
      for (const u64 evaluations : {1, 100, 2'000}) {
        SCOPED_TRACE(fmt::format("{} {}{}, {}", c.strategy, name(c.factors), open ? ", open" : "", evaluations));
        SearchOptions options;
        options.strategy = *parse_strategy(c.strategy);
        options.factors = c.factors;
        options.budget_evaluations = evaluations;
        options.threads = 1;
        const Architecture a = open ? open_machine() : machine("eyeriss");
        const Network network{"n", {{workload("gemm:60x44x96"), 1}}};
        const MappingResult one = map_network(network, a, options)->layers[0].result;
        EXPECT_LE(one.statistics.evaluated, evaluations + kEvaluationSlack);
        if (evaluations == 2'000) {
          EXPECT_NE(one.status, Status::Infeasible);
          EXPECT_TRUE(one.statistics.evaluated > 1'000u || one.end == SearchEnd::Done);
        }
        for (const int threads : {2, 8}) {
          options.threads = threads;
          const MappingResult many = map_network(network, a, options)->layers[0].result;
          EXPECT_EQ(many.mapping, one.mapping);
          EXPECT_EQ(many.lower_bound, one.lower_bound);
          EXPECT_EQ(many.statistics, one.statistics);
        }
      }
}

}  // namespace
}  // namespace heliolite::mapper_test
