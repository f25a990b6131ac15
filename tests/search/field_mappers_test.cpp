// The mappers of the field as baselines: what they return is legal, priced right, never below the optimum, the same for
// any number of threads; they end when their papers say, and budgets end all of them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/model/compiled.h"
#include "engine/model/mapping_check.h"
#include "engine/search/baseline/directed_walk.h"
#include "engine/search/baseline/genome.h"
#include "engine/search/baseline/relaxed_model.h"
#include "engine/search/core/budget.h"
#include "engine/search/core/option_kinds.h"
#include "engine/search/core/option_table.h"
#include "engine/search/map.h"
#include "engine/space/footprint.h"
#include "tests/support/random_problem.h"
#include "tests/support/space_workloads.h"

namespace heliolite::field_mappers_test {
namespace {

using namespace heliolite::testing;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;

constexpr std::array kMappers{Strategy::RandomPruned, Strategy::Hybrid,       Strategy::Annealing, Strategy::Genetic,
                              Strategy::DMazeRunner,  Strategy::Interstellar, Strategy::Gradient};

SearchOptions of(Strategy strategy, int threads = 1) {
  SearchOptions options;
  options.strategy = strategy;
  options.threads = threads;
  return options;
}

MappingResult found(const Workload& w, const Architecture& a, const SearchOptions& options) {
  const auto result = map_network({"n", {{w, 1}}}, a, options);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : to_string(result.errors()));
  return result->layers.front().result;
}

Workload gemm(u64 m, u64 n, u64 k) {
  return make_workload("gemm", {{"M", m}, {"N", n}, {"K", k}}, {{"Z", "M,N"}, {"A", "M,K"}, {"B", "K,N"}});
}

LayerProblem problem_of(const Workload& w, const Architecture& a, const SearchOptions& options = {}) {
  auto space = resolve(w, a);
  EXPECT_TRUE(space.ok());
  return {w, a, options, *std::move(space), CostModel(w, a)};
}

// A buffer of 64 words, 4 x 2 units below DRAM.
Architecture small_machine() {
  Rng rng(7);
  Architecture a;
  while (a.levels.size() != 2) a = random_architecture(rng, {.max_levels = 2});
  a.levels[0].fanout_x = a.levels[0].fanout_y = 1;
  a.levels[1].fanout_x = 4;
  a.levels[1].fanout_y = 2;
  for (StorageLevel& level : a.levels) {
    level.keep.keep = {"all"};
    level.multiple_buffering = level.block_words = level.cluster_size = 1;
  }
  a.levels[0].entries = 64;
  a.levels[0].instances = 8;
  a.levels[0].mesh_x = 4;
  a.levels[1].instances = a.levels[1].mesh_x = 1;
  a.levels[1].entries.reset();
  a.compute.instances = 8;
  a.compute.mesh_x = 4;
  return a;
}

TEST(Strategies, AreDocumentedAsTheTableSays) {
  std::ifstream in(std::string(HELIOLITE_TEST_DATA) + "/../docs/commands.md");
  std::stringstream page;
  page << in.rdbuf();
  for (const StrategyInfo& s : kStrategyTable)
    EXPECT_THAT(page.str(), HasSubstr(fmt::format("\n| `{}` | {} | {} |\n", s.name, s.help, s.source)));
  for (std::size_t k = 0; k < kStrategyTable.size(); ++k) EXPECT_EQ(at(kStrategyTable[k].strategy), k);
}

TEST(Strategies, RefuseWhatTheyDoNotHave) {
  SearchOptions options = of(Strategy::Exact);
  options.sampling.victory = 7;
  options.directed.inner = 0.5;
  const Diagnostics out = misplaced_options(options);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].field, "victory");
  EXPECT_EQ(out[0].message, "strategy exact has no such option; random, random-pruned and hybrid have");
  EXPECT_EQ(out[1].field, "least-inner");
  EXPECT_FALSE(map_workload(gemm(4, 4, 4), small_machine(), options).ok());
  for (const Strategy strategy : kMappers) {
    SearchOptions any = of(strategy);
    any.factors = Factors::Any;
    const auto refused = map_workload(gemm(4, 4, 4), small_machine(), any);
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(to_string(refused.errors()), HasSubstr("knows factors that divide the sizes only"));
  }
}

TEST(Mappers, ReturnLegalMappingsThatAreNotBelowTheOptimum) {
  std::map<Strategy, int> best, mapped;
  int problems = 0;
  for (u64 seed = 0; seed < 20; ++seed) {
    const RandomProblem p =
        random_problem(seed, {.max_dimensions = 3, .max_size = 8, .max_levels = 3, .capacities = true});
    const MappingResult all = found(p.workload, p.architecture, of(Strategy::Exhaustive));
    problems += all.status == Status::Optimal ? 1 : 0;
    for (const Strategy strategy : kMappers) {
      SearchOptions options = of(strategy);
      options.budget_evaluations = 2'000;
      const MappingResult r = found(p.workload, p.architecture, options);
      if (r.status == Status::Infeasible) continue;
      ASSERT_EQ(all.status, Status::Optimal);
      ++mapped[strategy];
      best[strategy] += r.value == all.value ? 1 : 0;
      EXPECT_GE(Value::of(Objective::Edp, r.cost), Value::of(Objective::Edp, all.cost)) << name(strategy) << seed;
      EXPECT_TRUE(check(r.mapping, p.workload, p.architecture).empty()) << name(strategy) << seed;
      EXPECT_TRUE(violations(*resolve(p.workload, p.architecture), r.mapping).empty()) << name(strategy) << seed;
      EXPECT_EQ(CostModel(p.workload, p.architecture).evaluate(r.mapping).cost, r.cost);
      EXPECT_LE(r.statistics.evaluated, 2'000 + kEvaluationSlack) << name(strategy);
    }
  }
  for (const Strategy strategy : kMappers) EXPECT_GT(mapped[strategy], problems / 2) << name(strategy);
  for (const Strategy strategy : {Strategy::Annealing, Strategy::Genetic})
    EXPECT_GT(best[strategy], problems * 3 / 4) << name(strategy);
}

TEST(Mappers, OneSeedOneAnswerForAnyNumberOfThreads) {
  const Workload w = gemm(48, 60, 64);
  const Architecture a = small_machine();
  for (const Strategy strategy : kMappers) {
    SearchOptions options = of(strategy);
    options.budget_evaluations = 1'000;
    const MappingResult one = found(w, a, options);
    ASSERT_EQ(one.status, Status::Bounded) << name(strategy);
    for (const int threads : {2, 8}) {
      options.threads = threads;
      const MappingResult many = found(w, a, options);
      EXPECT_EQ(many.mapping, one.mapping) << name(strategy);
      EXPECT_EQ(many.statistics, one.statistics) << name(strategy);
    }
  }
}

TEST(Mappers, ABudgetOfSecondsEndsThem) {
  for (const Strategy strategy : {Strategy::DMazeRunner, Strategy::Interstellar, Strategy::Hybrid}) {
    SearchOptions options = of(strategy);
    options.budget_seconds = 0.002;
    if (strategy == Strategy::Hybrid) options.sampling.victory = kMaxCount, options.sampling.timeout = kMaxCount;
    Architecture roomy = small_machine();
    roomy.levels[0].entries = 1 << 16;
    const MappingResult r = found(gemm(7200, 7200, 7200), roomy, options);
    EXPECT_EQ(r.end, SearchEnd::Time) << name(strategy) << to_string(r.why_infeasible) << r.statistics.evaluated;
    EXPECT_LT(r.seconds, 2) << name(strategy);
  }
}

TEST(TimeloopMapper, TimeoutAndVictoryEndIt) {
  Architecture tight = small_machine();
  tight.levels[0].entries = 2;  // nothing fits
  for (const Strategy strategy : {Strategy::RandomPruned, Strategy::Hybrid}) {
    SearchOptions options = of(strategy);
    const MappingResult none = found(gemm(4, 4, 4), tight, options);
    EXPECT_EQ(none.status, Status::Infeasible);
    EXPECT_LE(none.statistics.evaluated, 1'000u);  // those that no fan-out holds are not priced
    options.sampling.timeout = 17;
    EXPECT_LE(found(gemm(4, 4, 4), tight, options).statistics.evaluated, 17u);
    SearchOptions quick = of(strategy), slow = of(strategy);
    quick.sampling.victory = 25;
    quick.sampling.timeout = 20'000;
    slow.sampling.victory = 1'500;
    slow.sampling.timeout = 80'000;
    const MappingResult first = found(gemm(48, 60, 64), small_machine(), quick);
    const MappingResult last = found(gemm(48, 60, 64), small_machine(), slow);
    EXPECT_LT(first.statistics.evaluated, last.statistics.evaluated);
    EXPECT_LE(last.value, first.value);
  }
}

// A workload with one split: hybrid then lists its orders and keep choices and nothing else.
TEST(TimeloopMapper, HybridListsEveryOrderAndKeepChoiceOfItsFactors) {
  Architecture a = small_machine();
  a.levels[0].constraints.temporal.allowed = std::vector<std::string>{};
  a.levels[1].fanout_x = a.levels[1].fanout_y = a.levels[0].instances = a.levels[0].mesh_x = 1;
  a.compute.instances = a.compute.mesh_x = 1;
  a.levels[0].keep = {};  // three tensors open
  SearchOptions options = of(Strategy::Hybrid);
  options.sampling.victory = 6;  // orders of the factors; keep choices beside the first do not count
  const MappingResult r = found(gemm(2, 3, 5), a, options);
  // The first order may improve; all six orders of eight keep choices come before the next factors, which are the same.
  EXPECT_GE(r.statistics.evaluated, 6u * 8u);
  EXPECT_LE(r.statistics.evaluated, 3u * 6u * 8u);
  EXPECT_EQ(r.value, found(gemm(2, 3, 5), a, of(Strategy::Exhaustive)).value);
}

TEST(Genome, ChangesStayInsideTheMapspace) {
  for (u64 seed = 0; seed < 40; ++seed) {
    const RandomProblem p = random_problem(seed, {.max_size = 12});
    const LayerProblem problem = problem_of(p.workload, p.architecture);
    const GenomeSpace space(problem);
    if (!space.possible()) continue;
    SplitMix random(seed, 0);
    Genome genome = space.smallest_tiles();
    for (int k = 0; k < 60; ++k) {
      const u64 kind = random.below(4);
      if (kind == 0) space.move_factor(random, genome);
      if (kind == 1) space.swap_loops(random, genome);
      if (kind == 2) space.toggle_keep(random, genome);
      if (kind == 3 && !space.dimensions().empty())
        space.draw_split(random, space.dimensions()[random.below(space.dimensions().size())], genome);
      Mapping mapping;
      if (!space.write(genome, mapping)) continue;
      EXPECT_TRUE(check(mapping, p.workload, p.architecture).empty()) << seed;
      EXPECT_TRUE(violations(problem.space, mapping).empty()) << seed;
    }
  }
}

using Tilings = std::multiset<std::string>;

std::string text_of(const PlaceFactors& f, const Mapspace& space) {
  std::string out;
  for (int p = 0; p < 2 * space.level_count(); ++p)
    for (int d = 0; d < space.dimension_count; ++d) out += fmt::format("{},{} ", f[p][d].x, f[p][d].y);
  return out;
}

// The walk against the list of all splits, filtered by the cost model and by hand.
TEST(DirectedWalk, VisitsTheTilingsThatUseEnoughEachOnce) {
  const Architecture a = small_machine();
  const LayerProblem problem = problem_of(gemm(4, 6, 8), a);
  const Splits splits(problem.space, false);
  const NestWriter writer(problem.space);
  for (const LeastUse least : {LeastUse{0, 0, 0}, LeastUse{1, 0, 0}, LeastUse{0.5, 0.8, 0}, LeastUse{0, 0.5, 0}}) {
    Tilings expected, seen;
    PlaceFactors f;
    for (auto& place : f) place.fill({});
    const auto take = [&] {
      LevelOrders orders;
      for (int i = 0; i < 2; ++i) writer.present(f, i, orders);
      Mapping m;
      m.keep = problem.keep_range().may;
      if (!writer.fits_fanouts(f)) return;
      writer.write(m, f, orders);
      if (problem.model.evaluate(m).verdict != Verdict::Fits) return;
      u64 units = 1, words = 0;
      Extents tile = unit_extents();
      for (int d = 0; d < 3; ++d) {
        units *= f[2][d].x * f[2][d].y;
        tile[d] = f[1][d].x;
      }
      for (int v = 0; v < 3; ++v) words += box_words(problem.model.compiled().tensor[v], tile);
      if (static_cast<double>(units) >= 8 * least.units && static_cast<double>(words) >= 64 * least.inner)
        expected.insert(text_of(f, problem.space));
    };
    const auto walk = [&](auto&& self, int d, int p, u32 left) -> void {
      if (d == 3) return take();
      if (p == splits.place_count())
        return self(self, d + 1, 0, d < 2 ? static_cast<u32>(problem.space.size[d + 1]) : 1);
      splits.for_each_run(d, p, left, [&](const FactorRun& run) {
        f[p][d] = {run.first, run.y};
        self(self, d, p + 1, run.left);
        f[p][d] = {};
        return true;
      });
    };
    walk(walk, 0, 0, 4);
    DirectedWalk directed(problem, [] { return false; });
    EXPECT_TRUE(directed.run(least, {}, [&](const PlaceFactors& tiling) {
      seen.insert(text_of(tiling, problem.space));
      return true;
    }));
    EXPECT_EQ(seen, expected);
    EXPECT_FALSE(seen.empty());
  }
}

TEST(DMazeRunner, LowersItsThresholdsWhereFewTilingsUseEnough) {
  // Four units with 20 of 64 words each are found at 30 %.
  EXPECT_EQ(found(gemm(4, 4, 4), small_machine(), of(Strategy::DMazeRunner)).status, Status::Bounded);
  // Two units hold 11 words each, less than 20 %; at 10 % the other threshold would be below 0.
  EXPECT_EQ(found(gemm(2, 3, 2), small_machine(), of(Strategy::DMazeRunner)).status, Status::Infeasible);
}

// Nested scratchpads of 16, 192 and 12 words: what the innermost takes must leave room in the others.
TEST(Gradient, AnswersWithFewerEvaluationsThanItsFirstRounding) {
  const auto machine = load_architecture("eyeriss");
  ASSERT_TRUE(machine.ok());
  SearchOptions options = of(Strategy::Gradient);
  options.budget_evaluations = 30;
  EXPECT_EQ(found(gemm(512, 512, 512), *machine, options).status, Status::Bounded);
}

// At whole factors the relaxed model is close to the real one, and its derivatives are those of differences.
TEST(RelaxedModel, IsNearTheModelAndKnowsItsDerivatives) {
  const auto machine = load_architecture("edge_unified");
  const auto network = load_network("gemm:48x64x96");
  ASSERT_TRUE(machine.ok() && network.ok());
  const LayerProblem problem = problem_of(network->layers[0].workload, *machine);
  const GenomeSpace space(problem);
  RelaxedModel model(problem, problem.keep_range().may);
  SplitMix random(1, 0);
  int compared = 0;
  for (int k = 0; k < 20'000 && compared < 40; ++k) {
    Genome genome = space.smallest_tiles();
    for (const u8 d : space.dimensions()) space.draw_split(random, d, genome);
    Mapping mapping;
    RelaxedModel::Stationary stationary{};
    const u8 tensor = static_cast<u8>(random.below(3));
    stationary.fill(tensor);
    const DimensionMask moves = problem.model.compiled().tensor[tensor].indexing;
    for (std::size_t i = 0; i < machine->levels.size(); ++i)
      std::stable_partition(genome.order[i].begin(), genome.order[i].begin() + 3,
                            [&](u8 d) { return !contains(moves, d); });
    if (!space.write(genome, mapping)) continue;
    const Evaluation real = problem.model.evaluate(mapping);
    if (real.verdict != Verdict::Fits) continue;
    ++compared;
    std::vector<double> logs, gradient(model.variables().size()), scratch(gradient.size());
    for (const auto& x : model.variables()) {
      const PlaceFactor& f = genome.factor[x.place][x.dimension];
      logs.push_back(std::log(static_cast<double>(f.x) * f.y));
    }
    const double loss = model.loss(logs, stationary, gradient);
    EXPECT_NEAR(loss - std::log(4294967296.0), std::log(objective_number(Objective::Edp, real.cost)), 0.4);
    // Inside of all limits, and away from loops that begin to move something.
    for (double& x : logs) x *= 0.9 - 0.01 * static_cast<double>(random.below(10));
    model.loss(logs, stationary, gradient);
    const std::size_t at = random.below(logs.size());
    if (logs[at] == 0) continue;
    constexpr double kStep = 1e-6;
    std::vector<double> more = logs, less = logs;
    more[at] += kStep;
    less[at] -= kStep;
    const double difference =
        (model.loss(more, stationary, scratch) - model.loss(less, stationary, scratch)) / (2 * kStep);
    EXPECT_NEAR(gradient[at], difference, 1e-4);
  }
  EXPECT_EQ(compared, 40);
}

}  // namespace
}  // namespace heliolite::field_mappers_test
