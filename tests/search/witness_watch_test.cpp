// The exact search says what removes a mapping, and whether rightly: by a rule with a name, never by a bound above its
// cost or for a dearer mapping.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/search/exact/exact.h"
#include "engine/search/exact/layered_pass.h"
#include "engine/search/exact/witness.h"
#include "engine/space/mapspace.h"
#include "tests/support/exact_problem.h"
#include "tests/support/exact_toy.h"
#include "tests/support/random_mappings.h"

namespace heliolite::witness_watch_test {
namespace {

using testing::kObjectives;
using testing::layer_problem;
using testing::RandomMappings;
using testing::SearchProblem;

// What the search says of the mapping; the answer is no worse than it. The search knows `start`, if that is given.
WitnessReport report_of(LayerProblem problem, const Mapping& witness, const Mapping* start = nullptr) {
  problem.options.witness = witness;
  LayerAnswer known;
  if (start != nullptr) known.offer(problem.options.objective, *start, problem.model.evaluate(*start).cost);
  const LayerAnswer answer = exact_search(problem, known, SearchBudget(problem.options));
  EXPECT_TRUE(answer.complete);
  EXPECT_LE(answer.value, Value::of(problem.options.objective, problem.model.evaluate(witness).cost));
  return answer.witness.value_or(WitnessReport{});
}

// A random mapping is removed by a rule that is named, or is as good as the answer; the best one, too, goes by rules
// that keep an equal. No rule is at fault.
void expect_explained(const LayerProblem& problem, const Mapping& witness, std::map<Rule, int>& removed,
                      int& to_the_end, const Mapping* start = nullptr) {
  const WitnessReport report = report_of(problem, witness, start);
  EXPECT_THAT(report.errors, ::testing::IsEmpty());
  EXPECT_EQ(report.value, objective_number(problem.options.objective, problem.model.evaluate(witness).cost));
  for (const WitnessEvent& event : report.events) {
    // What the narrow pass left out need not be looked at when the answer is no dearer than its bounds.
    if (event.rule) ++removed[*event.rule];
    else EXPECT_THAT(event.what, ::testing::AnyOf("width or memory", ::testing::HasSubstr("is not followed")));
    if (event.bound) {
      EXPECT_GE(*event.bound, *event.limit * (1 - 1e-9)) << event.what;
    }
  }
  if (report.kept || report.events.empty()) ++to_the_end;
}

TEST(Witness, IsRemovedByARuleWithAName) {
  std::map<Rule, int> removed;
  int to_the_end = 0;
  for (u64 seed = 0; seed < 160 && !HasFatalFailure(); ++seed) {
    const SearchProblem p = seed >= 120     ? testing::square_search_problem(seed + 9'000, {.max_mappings = 2'000})
                            : seed % 2 == 0 ? testing::random_search_problem(seed + 9'000, {.max_mappings = 2'000})
                                            : testing::unusual_search_problem(seed + 9'000, {.max_mappings = 2'000});
    if (p.answer.legal == 0) continue;
    for (const Objective objective : kObjectives) {
      const LayerProblem problem = layer_problem(p, objective);
      SCOPED_TRACE(fmt::format("seed {}, {}", seed, name(objective)));
      const Mapping& best = p.answer.best[at(objective)].mapping;
      expect_explained(problem, best, removed, to_the_end);
      RandomMappings walk(problem, seed);
      for (int k = 0; k < 2; ++k)
        if (const auto mapping = walk.next(50))
          expect_explained(problem, *mapping, removed, to_the_end, k == 0 ? nullptr : &best);
    }
  }
  EXPECT_GT(to_the_end, 0);
  for (const RuleInfo& rule : kRuleTable) {
    if ((rule.notes & kRemovesWitness) != 0) {
      EXPECT_GT(removed[rule.rule], 0) << rule.name;
    } else {
      EXPECT_EQ(removed[rule.rule], 0) << rule.name;
    }
  }
}

// Without a rule it is not the one that removes anything.
TEST(Witness, IsNotRemovedByARuleThatIsOff) {
  for (u64 seed = 0; seed < 10; ++seed) {
    const SearchProblem p = testing::random_search_problem(seed + 9'500, {.max_mappings = 500});
    if (p.answer.legal == 0) continue;
    LayerProblem problem = layer_problem(p, Objective::Edp);
    for (const RuleInfo& info : kRuleTable) problem.options.rules.set(info.rule, false);
    RandomMappings walk(problem, seed);
    const auto mapping = walk.next(50);
    if (!mapping) continue;
    const WitnessReport report = report_of(problem, *mapping);
    for (const WitnessEvent& event : report.events) EXPECT_FALSE(event.rule.has_value());
    EXPECT_THAT(report.errors, ::testing::IsEmpty());
  }
}

// The witness in a search for the least energy whose prices of flows are not those of the cost model: the energy of
// tensor v's flows is `factor` times as much. The search knows `start`, if that is given.
WitnessReport report_with_wrong_prices(const LayerProblem& problem, const Mapping& witness, double factor, int v,
                                       const std::optional<Mapping>& start) {
  const Compiled& c = problem.model.compiled();
  const Lattice lattice(c.size, c.dimension_count);
  const auto fanouts = make_fanout_choices(problem, lattice);
  FlowCosts model = make_flow_costs(problem, {witness.keep, witness.keep}, lattice, fanouts);
  for (FlowPrices* prices : {&model.least, &model.machine.front()})
    for (FlowPrices::Level& level : prices->level)
      for (Channels* price : {&level.fill[v], &level.serve[v]}) (*price)[0] *= factor;
  Incumbent incumbent(Objective::Energy, {});
  if (start) incumbent.offer(*start, problem.model.evaluate(*start).cost, 0);
  WitnessWatch watch(problem, witness);
  LayeredPass pass(problem, std::move(model), u64{1} << 30);
  pass.run(LayeredPass::kAnyWidth, SearchBudget(problem.options), incumbent, {},
           [&](const PassStage& stage) { watch.observe(stage); });
  LayerAnswer answer = incumbent.answer();
  answer.complete = true;
  return watch.report(answer);
}

bool says(const WitnessReport& report, std::string_view begin, std::string_view middle) {
  return std::ranges::any_of(report.errors, [&](const std::string& error) {
    return error.starts_with(begin) && error.find(middle) != error.npos;
  });
}

TEST(Witness, FindsABoundThatIsTooHigh) {
  int problems = 0, found = 0;
  for (u64 seed = 9'700; seed < 9'740; ++seed) {
    const SearchProblem p = testing::random_search_problem(seed, {.max_mappings = 1'000});
    if (p.answer.legal == 0) continue;
    ++problems;
    const LayerProblem problem = layer_problem(p, Objective::Energy);
    const auto start = RandomMappings(problem, seed).next(50);
    found += says(report_with_wrong_prices(problem, p.answer.best[0].mapping, 1.5, 0, start), "rule ",
                  "says that nothing is below");
  }
  EXPECT_GT(problems, 20);
  EXPECT_GT(found, problems * 3 / 4);  // elsewhere the tensor costs little
}

TEST(Witness, FindsADominanceThatKeepsTheDearerOne) {
  SearchOptions options;
  options.objective = Objective::Energy;
  options.rules.set(Rule::PushIn, false);  // it would drop the witnesses first
  const LayerProblem problem =
      layer_problem(load_network("gemm:8x8x8")->layers.front().workload, *load_architecture("gemmini"), options);
  RandomMappings walk(problem, 1);
  int found = 0;
  for (int k = 0; k < 4; ++k)
    if (const auto witness = walk.next(1'000)) {
      EXPECT_FALSE(says(report_with_wrong_prices(problem, *witness, 1, 0, {}), "", ""));
      for (int v = 0; v < 3; ++v)
        found += says(report_with_wrong_prices(problem, *witness, 0, v, {}), "rule state-dominance at ",
                      "what it keeps instead costs");
    }
  EXPECT_GT(found, 0);
}

}  // namespace
}  // namespace heliolite::witness_watch_test
