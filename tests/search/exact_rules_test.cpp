// Rules of the exact search that lose nothing: without any of them, or all, the answer is the oracle's, and each of
// them cuts something somewhere. The search starts from nothing, so that it has to find the optimum itself.
#include "engine/search/core/rules.h"
#include "engine/search/map.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/search/certify/reduced_problem.h"
#include "engine/search/exact/flow_costs.h"
#include "engine/search/exact/parts.h"
#include "engine/space/symmetry.h"
#include "tests/support/exact_problem.h"
#include "tests/support/load.h"

namespace heliolite::exact_rules_test {
namespace {

using testing::exact_alone;
using testing::kObjectives;
using testing::layer_problem;
using testing::SearchProblem;

// But for those that cut only where there are link transfers: exact_test.cpp and links_search_test.cpp hold them
// against the oracle.
const std::vector<Rule> kExactRules = testing::sound_rules(RuleUser::Exact, "exact.md");

struct RuleRun {
  std::string name;
  RuleSet rules;
};

// All rules, each one off, all off, each one alone.
std::vector<RuleRun> rule_runs() {
  std::vector<RuleRun> out{{"all rules", {}}, {"no rule", {}}};
  for (const Rule r : kExactRules) out[1].rules.set(r, false);
  for (const Rule r : kExactRules) {
    const std::string name(kRuleTable[static_cast<std::size_t>(r)].name);
    out.push_back({"without " + name, RuleSet().set(r, false)});
    out.push_back({"only " + name, RuleSet(out[1].rules).set(r, true)});
  }
  return out;
}

void expect_optimum(const SearchProblem& p, const RuleRun& run, Objective objective, RuleCounts& counts) {
  LayerProblem problem = layer_problem(p, objective);
  problem.options.rules = run.rules;
  const LayerAnswer answer = exact_alone(problem);
  counts += answer.statistics.rules;
  for (const Rule r : kExactRules)
    if (!run.rules[r]) {
      EXPECT_EQ(answer.statistics.rules.calls[static_cast<std::size_t>(r)], 0u) << "asked while off";
    }
  EXPECT_TRUE(answer.complete);
  ASSERT_EQ(answer.found, p.answer.legal > 0);
  if (!answer.found) return;
  const Cost& best = p.answer.best[at(objective)].cost;
  ASSERT_TRUE(answer.value == Value::of(objective, best))
      << objective_number(objective, answer.cost) << ", the oracle's is " << objective_number(objective, best);
}

template <class MakeProblem>
RuleCounts expect_optima(u64 seeds, MakeProblem make) {
  const std::vector<RuleRun> runs = rule_runs();
  RuleCounts counts;
  for (u64 seed = 0; seed < seeds && !::testing::Test::HasFatalFailure(); ++seed) {
    const SearchProblem p = make(seed);
    for (const RuleRun& run : runs)
      for (const Objective objective : kObjectives) {
        SCOPED_TRACE(fmt::format("seed {}, {}, {}", seed, run.name, name(objective)));
        expect_optimum(p, run, objective, counts);
      }
  }
  return counts;
}

TEST(ExactRules, AreAllThatTheTableSaysOfExact) {
  for (const RuleInfo& info : kRuleTable) {
    if (info.user != RuleUser::Exact || info.page == "link_transfers.md") continue;
    EXPECT_EQ(std::ranges::count(kExactRules, info.rule), 1) << info.name;
  }
}

TEST(ExactRules, LoseNothingAndEachCuts) {
  const RuleCounts counts =
      expect_optima(60, [](u64 seed) { return testing::random_search_problem(seed + 5'000, {.max_mappings = 800}); });
  for (const Rule r : kExactRules)
    if (r != Rule::Symmetry) {  // few of these layers are square
      EXPECT_GT(counts.cuts[static_cast<std::size_t>(r)], 0u) << kRuleTable[static_cast<std::size_t>(r)].name;
    }
}

TEST(ExactRules, LoseNothingWhereOneKindOfCostIsAll) {
  expect_optima(50, [](u64 seed) { return testing::unusual_search_problem(seed + 5'000, {.max_mappings = 800}); });
}

// From the first pass on the mapspace is searched in parts with other unrollings, and soon whole again.
TEST(ExactRules, LoseNothingInParts) {
  u64 in_parts = 0, whole_again = 0;
  for (u64 seed = 0; seed < 150; ++seed) {
    const SearchProblem p = seed % 2 == 0 ? testing::random_search_problem(seed + 9'000, {.max_mappings = 800})
                                          : testing::unusual_search_problem(seed + 9'000, {.max_mappings = 800});
    for (const Objective objective : kObjectives) {
      const LayerProblem problem = layer_problem(p, objective);
      const LayerAnswer answer = exact_search(problem, {}, SearchBudget(problem.options), {}, {0, 0});
      SCOPED_TRACE(fmt::format("seed {}, {}", seed, name(objective)));
      EXPECT_TRUE(answer.complete);
      ASSERT_EQ(answer.found, p.answer.legal > 0);
      if (!answer.found) continue;
      const Cost& best = p.answer.best[at(objective)].cost;
      ASSERT_TRUE(answer.value == Value::of(objective, best));
      in_parts += exact_alone(problem).statistics.evaluated != answer.statistics.evaluated;
      const LayerAnswer whole = exact_search(problem, {}, SearchBudget(problem.options), {}, {0, 0, 1});
      EXPECT_TRUE(whole.complete);
      ASSERT_TRUE(whole.value == answer.value);
      whole_again += whole.statistics.evaluated != answer.statistics.evaluated;
    }
  }
  EXPECT_GT(in_parts, 100u);
  EXPECT_GT(whole_again, 20u);
}

// Also with the one that it is when dimensions change places.
TEST(ExactRules, AnUnrollingIsInOnePart) {
  const LayerProblem problem = layer_problem(testing::workload("resnet18/conv3_x"), testing::machine("eyeriss"), {});
  const Compiled& c = problem.model.compiled();
  const Lattice lattice(c.size, c.dimension_count);
  const std::vector<FanoutChoices> all = make_fanout_choices(problem, lattice);
  const std::optional<Symmetry> symmetry = make_flow_costs(problem, problem.keep_range(), lattice, all).symmetry;
  ASSERT_TRUE(symmetry.has_value());
  constexpr std::size_t kFanout = 3;  // below the global buffer, the only one
  std::vector<int> part_of(all[kFanout].choices.size(), -1);
  std::vector<SearchRange> open{{problem.keep_range()}};
  int parts = 0;
  while (!open.empty()) {
    const SearchRange range = open.back();
    open.pop_back();
    if (const auto split = split_unrollings(c, all, range)) {
      open.insert(open.end(), split->begin(), split->end());
      continue;
    }
    for (const u32 k : range.unrollings[kFanout]) EXPECT_EQ(std::exchange(part_of[k], parts), -1);
    ++parts;
  }
  EXPECT_GT(parts, 10);
  for (std::size_t k = 0; k < part_of.size(); ++k) {
    EXPECT_NE(part_of[k], -1);
    const Extents swapped = symmetry->swapped(all[kFanout].choices[k].factor.extent);
    for (std::size_t other = 0; other < part_of.size(); ++other)
      if (all[kFanout].choices[other].factor.extent == swapped) {
        EXPECT_EQ(part_of[k], part_of[other]);
      }
  }
}

// A contraction in which several dimensions index the same tensors, so that they are merged or stand outermost.
SearchProblem contraction_problem(u64 seed) {
  using testing::chance;
  using testing::pick;
  testing::Rng rng(seed);
  for (;;) {
    std::array<std::string, 3> ranks;
    std::vector<Dimension> dimensions;
    for (const char* name : {"a", "b", "c", "d", "e"}) {
      constexpr std::array<unsigned, 5> kTensors{0b011, 0b011, 0b101, 0b110, 0b111};  // that the dimension indexes
      const unsigned tensors = kTensors[pick(rng, 0, kTensors.size() - 1)];
      dimensions.push_back({name, std::array<u64, 6>{1, 2, 2, 2, 3, 4}[pick(rng, 0, 5)]});
      for (const int v : bits(tensors)) ranks[v] += (ranks[v].empty() ? "" : ",") + std::string(name);
    }
    SearchProblem p;
    p.workload = testing::make_workload(
        "contraction", dimensions,
        {{"Z", ranks[0], Role::Output}, {"A", ranks[1], Role::Input}, {"B", ranks[2], Role::Weight}});
    p.architecture = testing::detail::random_search_machine(rng, p.workload, {.open_keep = false});
    if (!check(p.workload).empty() || !check(p.architecture).empty()) continue;
    const auto answer = testing::enumerate_mapspace(p.workload, p.architecture, {.limit = 3'000});
    if (!answer || answer->legal == 0 || !ReducedProblem(layer_problem(p, Objective::Edp), Factors::Perfect).changed())
      continue;
    p.answer = *answer;
    return p;
  }
}

TEST(ExactRules, LoseNothingOnContractions) {
  const RuleCounts counts = expect_optima(40, contraction_problem);
  for (const Rule r : {Rule::MergeDimensions, Rule::BatchOutermost, Rule::PushIn})
    EXPECT_GT(counts.cuts[static_cast<std::size_t>(r)], 20u) << kRuleTable[static_cast<std::size_t>(r)].name;
}

// Loops over d and e are alike; a tensor may slide past them.
SearchProblem sliding_contraction(u64 seed) {
  using testing::chance;
  using testing::pick;
  testing::Rng rng(seed);
  for (;;) {
    std::vector<Dimension> dimensions;
    for (const char* name : {"p", "r", "d", "e"}) dimensions.push_back({name, pick(rng, 2, 4)});
    const bool outputs = chance(rng, 50);
    const std::string slides = chance(rng, 30) ? "d,e,p+r" : "p+r";
    std::vector<testing::TensorText> tensors{
        {"Z", outputs ? "d,e,p" : "p", Role::Output}, {"I", slides, Role::Input}, {"W", "d,e,r", Role::Weight}};
    if (chance(rng, 50)) tensors.push_back({"U", "p", Role::Input});
    SearchProblem p;
    p.workload = testing::make_workload("sliding", dimensions, tensors);
    p.architecture =
        testing::detail::random_search_machine(rng, p.workload, {.open_keep = false, .constraints = false});
    if (!check(p.workload).empty() || !check(p.architecture).empty()) continue;
    const auto answer = testing::enumerate_mapspace(p.workload, p.architecture, {.limit = 6'000});
    if (!answer || answer->legal == 0) continue;
    p.answer = *answer;
    return p;
  }
}

TEST(ExactRules, LoseNothingWhereATensorSlidesPastLoopsThatAreAlike) { expect_optima(12, sliding_contraction); }

TEST(ExactRules, LoseNothingOnSquareLayers) {
  const RuleCounts counts =
      expect_optima(60, [](u64 seed) { return testing::square_search_problem(seed, {.max_mappings = 800}); });
  EXPECT_GT(counts.cuts[static_cast<std::size_t>(Rule::Symmetry)], 500u);
}

// Through the mapper's door, from another strategy's answer.
TEST(ExactRules, LoseNothingWithAStart) {
  for (u64 seed = 0; seed < 20; ++seed) {
    const SearchProblem p = testing::random_search_problem(seed + 6'000, {.max_mappings = 2'000});
    if (p.answer.legal == 0) continue;
    for (const Objective objective : kObjectives) {
      SearchOptions options;
      options.objective = objective;
      for (const Rule r : kExactRules) {
        options.rules = RuleSet().set(r, false);
        const auto found = map_workload(p.workload, p.architecture, options);
        ASSERT_TRUE(found.ok());
        ASSERT_EQ(found->status, Status::Optimal);
        const Cost& best = p.answer.best[at(objective)].cost;
        ASSERT_TRUE(Value::of(objective, found->cost) == Value::of(objective, best)) << seed;
      }
    }
  }
}

}  // namespace
}  // namespace heliolite::exact_rules_test
