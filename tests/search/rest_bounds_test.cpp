// The exact search's tables of the rest are below every completion of a toy.
#include "engine/search/exact/rest_bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "tests/support/exact_toy.h"
#include "tests/support/named_toys.h"

namespace heliolite::rest_bounds_test {
namespace {

using testing::ExactToy;
using testing::for_each_completion;
using testing::gemm;
using testing::named_toys;
using testing::NamedToy;
using testing::toy_machine;
using testing::toy_problem;
using testing::Walk;

// [channel] of the cheapest completion, each for itself; infinity: there is none.
using Least = std::vector<double>;

bool possible(const Least& least) { return least[0] < std::numeric_limits<double>::infinity(); }

// What the flows that start outside `level`, or with `own` at the level too, cost at least over the tile.
Least least_rest(const ExactToy& toy, int level, const LatticePoint& tile, bool own) {
  Least least(toy.model.channels.size(), std::numeric_limits<double>::infinity());
  Walk walk(toy, 0);
  PartialMapping& s = walk.state;
  s.tile = tile;
  s.sum = {};
  s.pending = {};
  for (int d = 0; d < toy.compiled().dimension_count; ++d) s.iterations /= tile.extent[d];
  const auto complete = [&](const Walk& done) {
    for (std::size_t k = 0; k < least.size(); ++k) least[k] = std::min(least[k], done.state.sum[k]);
  };
  if (own && !toy.model.fits(level, toy.model.keep.may[level], tile.extent)) return least;
  if (level == toy.top()) {
    if (toy.full(tile)) complete(walk);
    return least;
  }
  if (own) toy.steps.start(s, level, 0);
  for_each_completion(toy, walk, level + 1, complete);
  return least;
}

void expect_at_most(double bound, const Least& least, std::size_t channel) {
  if (!possible(least)) {
    EXPECT_GE(bound, kImpossible);
  } else {
    EXPECT_LE(bound, least[channel] * (1 + 1e-12));
  }
}

TEST(RestBounds, AreAtMostTheCheapestCompletionAndImpossibleWhereThereIsNone) {
  int none = 0, tight = 0;
  for (const NamedToy& given : named_toys()) {
    SCOPED_TRACE(given.name);
    const ExactToy toy(toy_problem(given.workload, given.machine, given.objective));
    const RestBounds bounds(toy.model);
    for (int level = 0; level <= toy.top(); ++level) {
      std::vector<Least> with;
      toy.lattice.grid().visit([&](u64, const LatticePoint& tile, const LatticePoint&) {
        with.push_back(least_rest(toy, level, tile, true));
        const Least after = least_rest(toy, level, tile, false);
        for (std::size_t k = 0; k < after.size(); ++k) {
          expect_at_most(bounds.with(level, 0, k, tile.index), with.back(), k);
          expect_at_most(bounds.after(level, 0, k, tile.index), after, k);
        }
        none += !possible(with.back());
        tight += possible(with.back()) && bounds.with(level, 0, 0, tile.index) >= with.back()[0] * (1 - 1e-12);
      });
      double lowest = kImpossible;
      toy.lattice.grid().visit([&](u64, const LatticePoint& inner, const LatticePoint&) {
        Least below(toy.model.channels.size(), std::numeric_limits<double>::infinity());
        toy.lattice.grid().visit([&](u64, const LatticePoint& tile, const LatticePoint&) {
          for (int d = 0; d < toy.compiled().dimension_count; ++d)
            if (tile.extent[d] != inner.extent[d] && !(toy.problem.space.levels[level].temporal.allowed >> d & 1))
              return;
          if (!toy.divides(inner, tile)) return;
          for (std::size_t k = 0; k < below.size(); ++k) below[k] = std::min(below[k], with[tile.index][k]);
        });
        for (std::size_t k = 0; k < below.size(); ++k) expect_at_most(bounds.below(level, 0, k, inner.index), below, k);
        lowest = std::min(lowest, bounds.below(level, 0, 0, inner.index));
      });
      EXPECT_EQ(bounds.least_below(level, 0), lowest);
    }
  }
  EXPECT_GT(none, 50);
  EXPECT_GT(tight, 50);
}

// The tile of AFlowWaitsForTheFirstLoopThatMovesIt at a unit a word: 64 + 16 + 16 with m inside, 16 + 16 + 32 with k
// inside. The innermost tile may be any: the whole problem inside costs 48.
TEST(RestBounds, KnownCase) {
  const ExactToy toy(toy_problem(gemm(4, 4, 4), toy_machine({{}, {.read = 1}})));
  const RestBounds bounds(toy.model);
  EXPECT_EQ(bounds.with(0, 0, 0, toy.tile({2, 4, 1}).index), 64);
  EXPECT_EQ(bounds.after(0, 0, 0, toy.tile({2, 4, 1}).index), 0);
  EXPECT_EQ(bounds.below(0, 0, 0, 0), 48);
  EXPECT_EQ(bounds.least_below(0, 0), 48);
  EXPECT_GE(bounds.with(1, 0, 0, toy.tile({2, 4, 1}).index), kImpossible) << "the outermost tile is all";
}

}  // namespace
}  // namespace heliolite::rest_bounds_test
