// A bound above a real cost would be the worst bug: against random mappings with imperfect factors, and against all of
// them where there are few.
#include "engine/search/imperfect/imperfect_bound.h"

#include <gtest/gtest.h>

#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/search/imperfect/imperfect_boundary.h"
#include "engine/search/imperfect/imperfect_search.h"
#include "tests/support/random_problem.h"

namespace heliolite::imperfect_bound_test {
namespace {

constexpr std::array kObjectives{Objective::Energy, Objective::Delay, Objective::Edp, Objective::Ed2p};

void expect_below(u64 seed, const testing::RandomOptions& options) {
  const testing::RandomProblem p = testing::random_problem(seed, options);
  const CostModel model(p.workload, p.architecture);
  const auto space = resolve(p.workload, p.architecture);
  ASSERT_TRUE(space.ok());
  KeepRange keep;
  keep.must = keep.may = p.mapping.keep;
  const Evaluation e = model.evaluate(p.mapping);
  if (e.verdict != Verdict::Fits) return;
  for (const Objective objective : kObjectives)
    ASSERT_LE(imperfect_lower_bound(model, *space, keep, objective), objective_number(objective, e.cost))
        << "seed " << seed << ", " << name(objective);
}

TEST(ImperfectBound, NoMappingCostsLess) {
  for (u64 seed = 0; seed < 3000 && !::testing::Test::HasFailure(); ++seed) {
    testing::RandomOptions options;
    options.imperfect = seed % 8 != 0;
    options.sliding = seed % 2 == 0;
    options.max_fanout = 2 + seed % 5;
    if (seed % 3 == 0) options.max_dimensions = 2, options.max_size = 60;
    expect_below(seed, options);
  }
}

// A buffer that cannot hold everything below a memory that can, with an array inside or below the buffer.
LayerProblem tight_buffer(u64 seed) {
  testing::RandomOptions options;
  options.sliding = seed % 4 == 0;
  options.max_size = 30;
  testing::Rng rng(seed);
  const Workload w = testing::random_workload(rng, options);
  Architecture a;
  do {
    a = testing::random_architecture(rng, options);
  } while (a.levels.size() < 2 || a.levels.back().fanout_x * a.levels.back().fanout_y > 1);
  for (StorageLevel& level : a.levels) level.keep.keep = {"all"};
  const u64 words = Compiled(w, a).level.front().whole;  // without sizes a part is a word
  StorageLevel& buffer = a.levels[a.levels.size() - 2];
  buffer.entries = testing::pick(rng, w.tensors.size(), std::max<u64>(w.tensors.size(), words / (1 + seed % 6)));
  buffer.multiple_buffering = 1;
  SearchOptions search;
  search.imperfect = true;
  search.objective = kObjectives[seed % kObjectives.size()];
  search.budget_evaluations = 1'500;
  return {w, a, search, *resolve(w, a), CostModel(w, a)};
}

// The search as the adversary: random mappings are far from any bound.
TEST(ImperfectBound, SearchedMappingsOfTightBuffersDoNotCostLess) {
  int tight = 0;
  for (u64 seed = 0; seed < 400; ++seed) {
    const LayerProblem p = tight_buffer(seed);
    const LayerAnswer found = imperfect_search(p, {}, SearchBudget(p.options));
    if (!found.found) continue;
    const KeepRange keep = p.keep_range();
    ASSERT_LE(imperfect_lower_bound(p.model, p.space, keep, p.options.objective),
              objective_number(p.options.objective, found.cost))
        << seed;
    tight += least_refetch_units(p.model, p.space, keep) > 0;
  }
  EXPECT_GT(tight, 20);
}

// Four tensors over twelve dimensions have more tiles and orders than anybody waits for: what is known when the time is
// up holds, too.
TEST(ImperfectBound, EndsWhenItIsTold) {
  const auto network = load_network(
      "o[a,b,c,d]+=x[a,b,e,f,g,h]*y[c,d,e,f,i,j]*z[g,h,i,j,k,l]*w[k,l];"
      "a=12,b=12,c=12,d=12,e=12,f=12,g=12,h=12,i=12,j=12,k=12,l=12");
  const auto machine = load_architecture("eyeriss");
  ASSERT_TRUE(network.ok() && machine.ok());
  const Workload& workload = network->layers.front().workload;
  SearchOptions options;
  options.imperfect = true;
  const LayerProblem p{workload, *machine, options, *resolve(workload, *machine), CostModel(workload, *machine)};
  int asked = 0;
  const double bound =
      imperfect_lower_bound(p.model, p.space, p.keep_range(), Objective::Energy, [&] { return ++asked == 3; });
  EXPECT_EQ(asked, 3);
  EXPECT_GT(bound, 0);
}

}  // namespace
}  // namespace heliolite::imperfect_bound_test
