// Searches that know costs without link transfers only, where links matter: their answers count links.
#include <gtest/gtest.h>

#include "engine/search/map.h"
#include "tests/support/exact_problem.h"
#include "tests/support/search_problem.h"

namespace heliolite::links_search_test {
namespace {

using testing::kObjectives;
using testing::random_search_problem;
using testing::SearchProblem;

// With links a mapping of the larger mapspace that is best without may cost more.
TEST(LinksSearch, NoAnswerIsAboveThatOfASmallerMapspace) {
  int compared = 0, searched = 0;
  for (u64 seed = 0; seed < 150; ++seed) {
    const SearchProblem p = random_search_problem(seed, {.max_mappings = 2'000, .links = true});
    if (p.answer.legal == 0) continue;
    SCOPED_TRACE(seed);
    SearchOptions options;
    options.objective = kObjectives[seed % kObjectives.size()];
    options.look_at_any = false;
    options.budget_evaluations = 20'000;
    const auto map = [&](const SearchOptions& with) { return map_workload(p.workload, p.architecture, with); };
    const auto perfect = map(options);
    ASSERT_TRUE(perfect.ok()) << to_string(perfect.errors());
    if (!perfect->without_links || perfect->status == Status::Infeasible) continue;
    const auto is_not_above = [&](const Result<MappingResult>& larger) {
      if (!larger.ok()) return;
      ++compared;
      EXPECT_LE(larger->value, perfect->value * (1 + 1e-12)) << larger->why_not_proven;
      EXPECT_LE(larger->lower_bound, perfect->value * (1 + 1e-12));
    };
    searched += perfect->status == Status::Optimal;
    SearchOptions any = options, uneven = options, open = options;
    any.factors = Factors::Any;
    uneven.tiles = Tiles::Uneven;
    open.open = true;
    // Where links are searched, with budgets that end no search: of less each would spend another part.
    for (SearchOptions* o : {&any, &uneven, &open}) o->budget_evaluations = 50'000;
    is_not_above(map(any));
    is_not_above(map(uneven));
    is_not_above(map(open));
  }
  EXPECT_GT(compared, 100);
  EXPECT_GT(searched, 5);
}

}  // namespace
}  // namespace heliolite::links_search_test
