// The exact search with less time than it needs: always a legal mapping if it has one, and never a bound above the
// optimum or a claim too much.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/model/mapping_check.h"
#include "engine/search/exact/layered_pass.h"
#include "engine/search/map.h"
#include "engine/space/mapspace.h"
#include "tests/support/exact_problem.h"
#include "tests/support/exact_toy.h"
#include "tests/support/load.h"

namespace heliolite::exact_budget_test {
namespace {

using testing::exact_alone;
using testing::kObjectives;
using testing::layer_problem;
using testing::random_search_problem;
using testing::SearchProblem;

void expect_legal(const Mapping& mapping, const Cost& cost, const SearchProblem& p) {
  EXPECT_TRUE(check(mapping, p.workload, p.architecture).empty());
  EXPECT_TRUE(violations(*resolve(p.workload, p.architecture), mapping).empty());
  const Evaluation e = CostModel(p.workload, p.architecture).evaluate(mapping);
  EXPECT_EQ(e.verdict, Verdict::Fits);
  EXPECT_EQ(e.cost, cost);
}

// What the mapper says of a problem whose optimum is known.
void expect_truth(const MappingResult& r, const SearchProblem& p, Objective objective) {
  const Cost& best = p.answer.best[at(objective)].cost;
  const double optimum = objective_number(objective, best);
  expect_legal(r.mapping, r.cost, p);
  EXPECT_EQ(r.value, objective_number(objective, r.cost));
  EXPECT_GE(r.value, optimum * (1 - 1e-12));
  EXPECT_LE(r.lower_bound, optimum * (1 + 1e-9));
  EXPECT_NEAR(r.gap, r.value / r.lower_bound - 1, 1e-12);
  if (r.status == Status::Optimal) {
    EXPECT_TRUE(Value::of(objective, r.cost) == Value::of(objective, best) ||
                (objective == Objective::Delay && r.cost.cycles == best.cycles));
    EXPECT_EQ(r.gap, 0);
  } else {
    EXPECT_EQ(r.status, Status::Bounded);
    EXPECT_GT(r.gap, 0);
  }
}

// A step that begins late leaves the next one as much as it gets itself.
TEST(ExactBudget, SharesAreOfWhatIsLeft) {
  SearchOptions options;
  options.budget_seconds = 0.4;
  options.budget_evaluations = 101;
  const SearchBudget budget(options);
  std::this_thread::sleep_for(std::chrono::milliseconds(250));
  const double left = *budget.seconds_left(), half = *budget.half().seconds_left();
  EXPECT_LE(half, left / 2 + 1e-6);
  EXPECT_EQ(half > 0, *budget.seconds_left() > 0);
  EXPECT_EQ(budget.half().evaluations_left(0), 51u);
  EXPECT_EQ(budget.after(51).half().evaluations_left(0), 25u);
}

TEST(ExactBudget, ThroughTheMapper) {
  int bounded = 0;
  for (u64 seed = 0; seed < 40 && !HasFailure(); ++seed) {
    const SearchProblem p = random_search_problem(seed + 7'000, {.max_mappings = 5'000});
    if (p.answer.legal == 0) continue;
    for (const Objective objective : kObjectives)
      for (const u64 budget : {u64{1}, u64{10}, u64{100}, u64{1'000}, u64{1'000'000'000}}) {
        SCOPED_TRACE(fmt::format("seed {}, {}, budget {}", seed, name(objective), budget));
        SearchOptions options;
        options.objective = objective;
        options.budget_evaluations = budget;
        const auto r = map_workload(p.workload, p.architecture, options);
        ASSERT_TRUE(r.ok());
        if (r->status == Status::Infeasible) {  // none found so far
          EXPECT_LE(budget, 10u);
          continue;
        }
        expect_truth(*r, p, objective);
        bounded += r->status == Status::Bounded;
        if (budget == 1'000'000'000) {
          EXPECT_EQ(r->status, Status::Optimal);
        }
      }
  }
  EXPECT_GT(bounded, 0);
}

// Nothing to start from: then a small budget ends the search before it has found anything.
TEST(ExactBudget, FromNothing) {
  int nothing = 0, incomplete = 0;
  for (u64 seed = 0; seed < 100 && !HasFailure(); ++seed) {
    const SearchProblem p = seed % 2 == 0 ? random_search_problem(seed + 8'000, {.max_mappings = 3'000})
                                          : testing::unusual_search_problem(seed + 8'000, {.max_mappings = 3'000});
    for (const Objective objective : kObjectives) {
      double last_value = std::numeric_limits<double>::infinity();
      const Cost& best = p.answer.best[at(objective)].cost;
      const double optimum =
          p.answer.legal == 0 ? std::numeric_limits<double>::infinity() : objective_number(objective, best);
      for (const u64 budget : {u64{1}, u64{10}, u64{100}, u64{1'000}, u64{1'000'000'000}}) {
        SCOPED_TRACE(fmt::format("seed {}, {}, budget {}", seed, name(objective), budget));
        LayerProblem problem = layer_problem(p, objective);
        problem.options.budget_evaluations = budget;
        const LayerAnswer answer = exact_alone(problem);
        nothing += !answer.found;
        incomplete += !answer.complete;
        if (answer.lower_bound) {
          EXPECT_LE(*answer.lower_bound, optimum * (1 + 1e-9));
        }
        if (answer.complete) {
          EXPECT_EQ(answer.found, p.answer.legal > 0);
          EXPECT_TRUE(!answer.found || answer.value == Value::of(objective, best));
        }
        if (answer.found) expect_legal(answer.mapping, answer.cost, p);
        last_value = answer.found ? objective_number(objective, answer.cost) : last_value;
      }
      if (p.answer.legal > 0) {
        EXPECT_NEAR(last_value, optimum, 1e-12 * optimum);
      }
    }
  }
  EXPECT_GT(nothing, 0);
  EXPECT_GT(incomplete, 0);
}

struct Layer {
  const char* machine;
  const char* workload;
};

using testing::workload;

// On real layers the gap closes as the budget grows.
TEST(ExactBudget, TheGapCloses) {
  for (const Layer& layer : {Layer{"eyeriss", "gemm:48x36x60"}, Layer{"gemmini", "conv:k=16,c=8,p=7,q=7,r=3,s=3"}}) {
    const Workload w = workload(layer.workload);
    const auto a = load_architecture(layer.machine);
    ASSERT_TRUE(a.ok());
    SearchOptions options;
    double value = std::numeric_limits<double>::infinity(), first_gap = -1, gap = 1;
    std::vector<double> bounds;
    for (u64 budget = 10; gap > 0; budget *= 10) {
      ASSERT_LE(budget, 100'000'000'000u) << layer.workload;
      options.budget_evaluations = budget;
      const auto r = map_workload(w, *a, options);
      ASSERT_TRUE(r.ok());
      ASSERT_NE(r->status, Status::Infeasible);
      EXPECT_EQ(r->status == Status::Optimal, r->gap == 0);
      // Smaller ones end the strategy that it starts from wherever that is.
      if (budget > 10'000) {
        EXPECT_LE(r->value, value * (1 + 1e-12)) << "a larger budget found less";
      }
      bounds.push_back(r->lower_bound);
      value = r->value;
      gap = r->gap;
      if (first_gap < 0) first_gap = gap;
    }
    EXPECT_GT(first_gap, 0);
    for (const double bound : bounds) EXPECT_LE(bound, value * (1 + 1e-9));
  }
}

// With less memory than the states need, or the tables: what is found is legal, bounds are bounds, it says what
// happened, and the answer does not depend on threads.
TEST(ExactBudget, MemoryIsALimitWithASoundBound) {
  const Workload w = workload("conv:k=16,c=8,p=14,q=14,r=3,s=3");
  const auto a = load_architecture("eyeriss");
  ASSERT_TRUE(a.ok());
  SearchOptions options;
  const double optimum = map_workload(w, *a, options)->value;
  options.rules.set(Rule::StateDominance, false).set(Rule::Symmetry, false);  // more states
  for (const u64 bytes : {u64{1} << 10, u64{1} << 22, u64{1} << 24}) {
    SCOPED_TRACE(bytes);
    options.memory_bytes = bytes;
    options.budget_evaluations = 100'000;  // time
    options.threads = 1;
    const MappingResult one = map_network({"n", {{w, 1}}}, *a, options)->layers[0].result;
    EXPECT_GE(one.value, optimum);
    EXPECT_LE(one.lower_bound, optimum);
    EXPECT_EQ(one.strategy, bytes == 1 << 10 ? Strategy::Sunstone : Strategy::Exact);
    if (one.status != Status::Optimal) {
      EXPECT_FALSE(one.why_not_proven.empty());
      EXPECT_TRUE(bytes > 1 << 10 || one.end == SearchEnd::Tables);
    }
    options.threads = 2;
    const MappingResult two = map_network({"n", {{w, 1}}}, *a, options)->layers[0].result;
    EXPECT_EQ(one.mapping, two.mapping);
    EXPECT_EQ(one.lower_bound, two.lower_bound);
    EXPECT_EQ(one.statistics, two.statistics);
  }
}

// Of a pass over the whole mapspace: in parts it may be searched with little memory.
TEST(ExactBudget, APassWithoutRoomLeavesABound) {
  const Workload w = workload("conv:k=16,c=8,p=14,q=14,r=3,s=3");
  const auto a = load_architecture("eyeriss");
  ASSERT_TRUE(a.ok());
  SearchOptions options;
  const double optimum = map_workload(w, *a, options)->value;
  const LayerProblem problem = layer_problem(w, *a, options);
  const Compiled& c = problem.model.compiled();
  const Lattice lattice(c.size, c.dimension_count);
  const std::vector<FanoutChoices> fanouts = make_fanout_choices(problem, lattice);
  LayeredPass pass(problem, make_flow_costs(problem, problem.keep_range(), lattice, fanouts), u64{1} << 17);
  Incumbent incumbent(options.objective, {});
  const PassEnd end = pass.run(LayeredPass::kAnyWidth, SearchBudget(options), incumbent, {});
  EXPECT_TRUE(end.by_memory);
  EXPECT_FALSE(end.complete);
  EXPECT_LE(key_number(options.objective, end.least_left), optimum);
}

// 36 million tiles; tables with a number for each would take 3 GB.
TEST(ExactBudget, TablesHaveFewerCellsThanThereAreTilesWhereTheMemoryHasNoRoom) {
  const Workload w = workload("Z[a,b,c,g] += A[a,d,e,g]*B[b,d,f,g]; a=60,b=60,c=60,d=60,e=60,f=60,g=60");
  SearchOptions options;
  options.threads = 1;
  options.memory_bytes = u64{1} << 23;
  options.budget_evaluations = 2'000;
  const auto r = map_workload(w, testing::toy_machine({{4'000, 1, 1}, {{}, 100}}), options);
  ASSERT_TRUE(r.ok()) << to_string(r.errors());
  EXPECT_EQ(r->strategy, Strategy::Exact);
  EXPECT_LT(r->gap, 0.5);
}

TEST(ExactBudget, AStopReturnsAtOnceWithASoundBound) {
  const std::atomic<bool> stop = true;
  SearchOptions options;
  options.stop = &stop;
  for (u64 seed = 0; seed < 40 && !HasFailure(); ++seed) {
    const SearchProblem p = random_search_problem(seed + 9'000, {.max_mappings = 3'000});
    for (const Objective objective : kObjectives) {
      SCOPED_TRACE(fmt::format("seed {}, {}", seed, name(objective)));
      options.objective = objective;
      const auto r = map_workload(p.workload, p.architecture, options);
      ASSERT_TRUE(r.ok());
      if (r->status == Status::Infeasible) {
        EXPECT_FALSE(r->why_infeasible.empty());
      } else {
        ASSERT_GT(p.answer.legal, 0u);
        expect_truth(*r, p, objective);
      }
      const LayerAnswer alone = exact_alone(layer_problem(p.workload, p.architecture, options));
      EXPECT_FALSE(alone.found);
      EXPECT_FALSE(alone.complete && p.answer.legal > 0);
      EXPECT_EQ(alone.statistics.evaluated, 0u);
    }
  }
  // Layers that take a while when nobody stops them.
  const auto a = load_architecture("simba");
  ASSERT_TRUE(a.ok());
  const auto r = map_workload(workload("resnet18/conv3_x"), *a, options);
  ASSERT_TRUE(r.ok());
  EXPECT_LT(r->statistics.evaluated, 1'000u);
  EXPECT_LE(r->lower_bound, r->value);
}

TEST(ExactBudget, InfeasibleProblemsAreCalledThat) {
  int infeasible = 0;
  for (u64 seed = 0; infeasible < 6; ++seed) {
    const SearchProblem p = random_search_problem(seed + 10'000, {.max_mappings = 500});
    if (p.answer.legal > 0) continue;
    ++infeasible;
    for (const Objective objective : kObjectives) {
      SearchOptions options;
      options.objective = objective;
      const auto r = map_workload(p.workload, p.architecture, options);
      ASSERT_TRUE(r.ok());
      EXPECT_EQ(r->status, Status::Infeasible) << seed;
      EXPECT_FALSE(r->why_infeasible.empty());
      EXPECT_TRUE(exact_alone(layer_problem(p, objective)).complete);
    }
  }
}

}  // namespace
}  // namespace heliolite::exact_budget_test
