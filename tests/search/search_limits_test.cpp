// Answers under limits: a usable mapping from the first evaluation on, and never a dearer one for more of them, for
// every strategy of our own.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "engine/search/map.h"
#include "tests/support/load.h"
#include "tests/support/search_problem.h"

namespace heliolite::search_limits_test {
namespace {

using testing::machine;
using testing::random_search_problem;
using testing::SearchProblem;
using testing::workload;

constexpr std::array kObjectives{Objective::Energy, Objective::Delay, Objective::Edp, Objective::Ed2p};
constexpr std::array<u64, 7> kLimits{1, 3, 10, 30, 100, 1'000, 3'000};

MappingResult answer(const Workload& layer, const Architecture& machine, SearchOptions options, u64 evaluations) {
  options.budget_evaluations = evaluations;
  const auto r = map_workload(layer, machine, options);
  EXPECT_TRUE(r.ok());
  return r.ok() ? *r : MappingResult{};
}

// What comes under each limit; checks that more evaluations lose nothing and that no limit is passed by much.
std::vector<MappingResult> answers(const Workload& layer, const Architecture& machine, const SearchOptions& options) {
  std::vector<MappingResult> out;
  for (const u64 limit : kLimits) {
    SCOPED_TRACE(fmt::format("{} on {}, {} of {}, {} evaluations", layer.name, machine.name, name(options.strategy),
                             name(options.objective), limit));
    out.push_back(answer(layer, machine, options, limit));
    const MappingResult& now = out.back();
    EXPECT_LE(now.statistics.evaluated, limit + 256);
    if (out.size() == 1) continue;
    const MappingResult& before = out[out.size() - 2];
    if (before.status == Status::Infeasible) continue;
    EXPECT_NE(now.status, Status::Infeasible);
    EXPECT_LE(Value::of(options.objective, now.cost), Value::of(options.objective, before.cost));
  }
  return out;
}

// Values over the optimum under each limit, as a geometric mean and at worst.
struct Ratios {
  std::array<double, kLimits.size()> log_sum{}, worst{};
  int count = 0;

  void add(const std::vector<MappingResult>& found, double optimum) {
    for (std::size_t k = 0; k < kLimits.size(); ++k) {
      const double ratio = found[k].status == Status::Infeasible ? 1e9 : found[k].value / optimum;
      log_sum[k] += std::log(ratio);
      worst[k] = std::max(worst[k], ratio);
    }
    ++count;
  }
  double mean(std::size_t k) const { return std::exp(log_sum[k] / count); }
};

// The goals are 2 in the mean and 10 at worst after 100 evaluations, 1.2 in the mean after 1,000; reached: 1.04 in the
// mean after one.
TEST(SearchLimits, FewEvaluationsAreNearTheOptimum) {
  for (const Objective objective : kObjectives) {
    Ratios ratios;
    const bool large = objective == Objective::Edp;
    for (const char* m : {"eyeriss", "simba", "gemmini", "tpu_v1", "nvdla", "edge_unified"})
      for (const char* text : {"resnet18/conv3_x", "resnet18/fc", "mobilenet_v2/b3_dw"}) {
        if (!large && std::string_view(text) != "resnet18/fc") continue;
        const Workload layer = workload(text);
        const Architecture arch = machine(m);
        SearchOptions options;
        options.objective = objective;
        const auto best = map_workload(layer, arch, options);
        ASSERT_TRUE(best.ok());
        const std::vector<MappingResult> exact = answers(layer, arch, options);
        options.strategy = Strategy::Sunstone;
        const std::vector<MappingResult> fast = answers(layer, arch, options);
        for (std::size_t k = 0; k < kLimits.size(); ++k)
          EXPECT_LE(exact[k].value, fast[k].value) << m << " " << text << " " << kLimits[k];
        ratios.add(exact, best->value);
      }
    EXPECT_LE(ratios.mean(0), 1.2) << name(objective);
    EXPECT_LE(ratios.worst[0], 3) << name(objective);
    EXPECT_LE(ratios.mean(4), 1.1) << name(objective);
    EXPECT_LE(ratios.worst[4], 1.5) << name(objective);
    EXPECT_LE(ratios.mean(5), 1.05) << name(objective);
  }
}

TEST(SearchLimits, RandomProblemsLoseNothingByMore) {
  int found = 0;
  for (u64 seed = 0; seed < 60; ++seed) {
    // Of every third machine words pass interconnects; on that of seed 290'083 no unrolling that uses all units fits.
    const bool passing = seed % 3 == 2;
    const SearchProblem p =
        random_search_problem(seed + (passing ? 290'033 : 90'000), {.max_mappings = 3'000, .interconnects = passing});
    if (p.answer.legal == 0) continue;
    SCOPED_TRACE(fmt::format("seed {}", seed));
    for (const Objective objective : kObjectives) {
      SearchOptions options;
      options.objective = objective;
      const std::vector<MappingResult> exact = answers(p.workload, p.architecture, options);
      options.strategy = Strategy::Sunstone;
      const std::vector<MappingResult> fast = answers(p.workload, p.architecture, options);
      for (std::size_t k = 0; k < kLimits.size(); ++k) {
        if (fast[k].status == Status::Infeasible) continue;
        EXPECT_LE(exact[k].value, fast[k].value) << kLimits[k];
      }
      EXPECT_NE(exact[0].status, Status::Infeasible);
      ++found;
    }
  }
  EXPECT_GT(found, 100);
}

// Words may cross by links: then a search without links says nothing of what more evaluations with them find.
TEST(SearchLimits, WithLinksNothingIsLostByMore) {
  int linked = 0;
  for (u64 seed = 0; seed < 60; ++seed) {
    // Seeds at which some strategy was once dearer with more, and others.
    constexpr std::array<u64, 8> kHard{1'637, 2'094, 5'020, 5'264, 8, 1'287, 1'739, 54};
    const SearchProblem p =
        random_search_problem(seed < kHard.size() ? kHard[seed] : seed,
                              {.max_mappings = seed >= 2 && seed <= 3 ? 100'000u : 3'000u, .links = true});
    if (p.answer.legal == 0) continue;
    SCOPED_TRACE(fmt::format("seed {}", seed));
    SearchOptions plain;
    plain.objective = seed % 2 == 0 ? Objective::Energy : Objective::Edp;
    plain.probe_other_tiles = false;
    SearchOptions fast = plain, any = plain, open = plain, uneven = plain;
    fast.strategy = Strategy::Sunstone;
    any.factors = Factors::Any;
    open.open = true;
    uneven.tiles = Tiles::Uneven;
    const std::vector<MappingResult> exact = answers(p.workload, p.architecture, plain);
    if (!exact.back().without_peers) continue;
    ++linked;
    const std::vector<MappingResult> sunstone = answers(p.workload, p.architecture, fast);
    for (std::size_t k = 0; k < kLimits.size(); ++k)
      if (sunstone[k].status != Status::Infeasible) {
        EXPECT_LE(exact[k].value, sunstone[k].value) << kLimits[k];
      }
    for (const SearchOptions& options : {any, open, uneven}) {
      SearchOptions once = options;
      once.budget_evaluations = 1;
      if (!map_workload(p.workload, p.architecture, once).ok()) continue;  // true counts are not defined
      answers(p.workload, p.architecture, options);
    }
  }
  EXPECT_GT(linked, 20);
}

// Factors that need not divide: of few evaluations some find where the perfect ones stand.
TEST(SearchLimits, FewEvaluationsAreNearWithOtherFactors) {
  double log_sum = 0;
  int count = 0;
  for (const char* m : {"eyeriss", "gemmini", "edge_split"})
    for (const char* text : {"resnet18/conv3_x", "resnet18/fc", "mobilenet_v2/b3_dw"}) {
      const Workload layer = workload(text);
      const Architecture arch = machine(m);
      SearchOptions options;
      options.factors = Factors::Any;
      double before = 0;
      std::array<double, 3> value{};
      for (std::size_t k = 0; k < value.size(); ++k) {
        value[k] = answer(layer, arch, options, std::array<u64, 3>{10, 100, 3'000}[k]).value;
        EXPECT_TRUE(before == 0 || value[k] <= before) << m << " " << text;
        before = value[k];
      }
      EXPECT_LE(value[1], 2 * value[2]) << m << " " << text;
      log_sum += std::log(value[1] / value[2]);
      ++count;
    }
  EXPECT_LE(std::exp(log_sum / count), 1.1);
}

// Whatever the strategy, if it is our own: the first mapping priced is the same.
TEST(SearchLimits, OurStrategiesBeginAlike) {
  for (const char* m : {"eyeriss", "gemmini", "tpu_v1", "edge_unified"})
    for (const char* text : {"resnet18/conv3_x", "gemm:127x1021x640"}) {
      const Workload layer = workload(text);
      const Architecture arch = machine(m);
      SearchOptions options;
      const MappingResult first = answer(layer, arch, options, 1);
      EXPECT_EQ(first.statistics.evaluated, 1u);
      for (const Strategy strategy : {Strategy::Sunstone, Strategy::Bayes}) {
        options.strategy = strategy;
        EXPECT_EQ(answer(layer, arch, options, 1).mapping, first.mapping) << m << " " << text;
      }
    }
}

// The larger mapspaces: their searches have several steps, each of which begins where the one before ends.
TEST(SearchLimits, LargerMapspacesLoseNothingByMore) {
  int found = 0;
  for (u64 seed = 0; seed < 8; ++seed) {
    const SearchProblem p = random_search_problem(seed + 190'000, {.max_mappings = 20'000});
    if (p.answer.legal == 0) continue;
    for (const Objective objective : {Objective::Energy, Objective::Edp})
      for (const Strategy strategy : {Strategy::Exact, Strategy::Sunstone}) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        SearchOptions plain;
        plain.objective = objective;
        plain.strategy = strategy;
        SearchOptions any = plain, uneven = plain, open = plain;
        any.factors = Factors::Any;
        uneven.tiles = Tiles::Uneven;
        open.open = true;
        for (const SearchOptions& options : {any, uneven, open}) {
          if (options.tiles == Tiles::Uneven && strategy != Strategy::Exact) continue;
          SearchOptions once = options;
          once.budget_evaluations = 1;
          if (!map_workload(p.workload, p.architecture, once).ok()) continue;  // true counts are not defined
          answers(p.workload, p.architecture, options);
          ++found;
        }
      }
  }
  EXPECT_GT(found, 30);
}

}  // namespace
}  // namespace heliolite::search_limits_test
