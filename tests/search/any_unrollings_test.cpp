// The unrollings by which the search over all tile sizes divides its mappings.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "engine/search/all_tiles/sliding_words.h"
#include "engine/space/mapspace.h"
#include "tests/support/fitting_mapping.h"

namespace heliolite::any_unrollings_test {
namespace {

using testing::FittingMapping;
using testing::kRandomMappings;

// Every mapping belongs to one of the unrollings that the search divides them by, and takes its steps at least.
TEST(AnyUnrollings, EveryMappingHasOneOfTheUnrollings) {
  int found = 0;
  for (u64 seed = 0; seed < kRandomMappings / 5 && !HasFailure(); ++seed) {
    const FittingMapping m(seed, seed % 2 == 0, false, seed % 3 != 0);
    if (!m.fits) continue;
    SCOPED_TRACE(seed);
    const auto space = resolve(m.problem.workload, m.problem.architecture, {.free = true});
    ASSERT_TRUE(space.ok());
    if (!violations(*space, m.mapping).empty()) continue;
    ClassUnrolling mine = m.unrolling();
    const auto steps = [&](u64 least) { return least <= m.cost.cycles; };
    const std::vector<ClassUnrolling> all = unrollings(m.c, *space, 100'000, steps);
    if (all.empty()) continue;  // too many
    const std::size_t classes = mine.steps.size();
    for (std::size_t k = 0; k < mine.units.size(); ++k)
      if (contains(all[0].free, k % classes)) mine.units[k] = 1;
    const auto it = std::ranges::find(all, mine.units, &ClassUnrolling::units);
    ASSERT_NE(it, all.end());
    EXPECT_LE(it->least_steps, m.cost.cycles);
    ++found;
  }
  EXPECT_GT(found, 10);
}

// The parts of an unrolling are all ways to spread its units, and one of them is each mapping's own.
TEST(AnyUnrollings, AnUnrollingIsTheSumOfItsParts) {
  for (u64 seed = 1; seed < kRandomMappings / 5 && !HasFailure(); ++seed) {
    const FittingMapping m(seed, true, false, seed % 3 != 0);
    if (!m.fits) continue;
    SCOPED_TRACE(seed);
    const auto space = resolve(m.problem.workload, m.problem.architecture, {.free = true});
    ASSERT_TRUE(space.ok());
    if (!violations(*space, m.mapping).empty()) continue;
    const ClassUnrolling mine = m.split_unrolling();
    if (mine.steps.empty()) continue;
    const ClassUnrolling whole = seed % 2 == 0 ? m.unrolling() : m.unrolling_of_the_others();
    const auto parts = splits(m.c, *space, whole, mine.split, 1'000'000).value();
    const auto it = std::ranges::find(parts, mine.along, &ClassUnrolling::along);
    ASSERT_NE(it, parts.end());
    EXPECT_EQ(it->working, mine.working);
    EXPECT_LE(it->least_steps, m.cost.cycles);
  }
}

// No choice of whole numbers of units meets more often.
RC_GTEST_PROP(AnyUnrollings, MoreUnitsCannotMeet, ()) {
  const auto few = [](u64 most) { return *rc::gen::inRange<u64>(1, most + 1); };
  std::vector<MulticastRank> ranks(few(3));
  for (MulticastRank& rank : ranks) rank = {few(5), few(12)};
  const u64 along_a = few(20), along_b = few(60), together = few(200);
  double most = 1;
  const auto choose = [&](auto& self, std::size_t k, u64 a, u64 b, double multicast) -> void {
    if (a > along_a || b > along_b || a * b > together) return;
    if (k == ranks.size()) {
      most = std::max(most, multicast);
      return;
    }
    for (u64 x = 1; x <= ranks[k].a; ++x)
      for (u64 y = 1; y <= ranks[k].b; ++y)
        self(self, k + 1, a * x, b * y, multicast * static_cast<double>(x * y) / static_cast<double>(x + y - 1));
  };
  choose(choose, 0, 1, 1, 1);
  RC_ASSERT(most_multicast(ranks, static_cast<double>(along_a), static_cast<double>(along_b),
                           static_cast<double>(together)) >= most);
}

}  // namespace
}  // namespace heliolite::any_unrollings_test
