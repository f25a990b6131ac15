// Mappings that the search over all tile sizes leaves out for another one (rules push-in, free-loops and
// columns-first), against that one: neither its cost nor its bound is higher.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/model/multicast.h"
#include "engine/model/true_counts/nest.h"
#include "engine/search/all_tiles/partial_cost.h"
#include "tests/support/fitting_mapping.h"

namespace heliolite::any_stand_ins_test {
namespace {

using testing::bound_of_whole;
using testing::each_prefix;
using testing::FittingMapping;
using testing::kRandomMappings;
using testing::pick;
using testing::Rng;

// What the rules know of a mapping.
struct Known {
  std::array<DimensionMask, kMaxLevels> not_plain{};  // [level]
  std::array<bool, kMaxLevels> loops_inside{};        // [level]
  std::vector<DimensionMask> moves;  // [loop]: before a temporal one, dimensions that move words in place

  Known(const KeptFlows& costs, PartialCost& partial, const FittingMapping& m) : moves(m.mapping.loop_count) {
    for (int i = 0; i < m.c.level_count; ++i)
      not_plain[i] = costs.not_plain_inside(i), loops_inside[i] = costs.loops_inside(i);
    each_prefix(m.c, m.mapping, [&](const Trail& trail, const Reach& reach) {
      const int next = trail.size();
      if (next == m.mapping.loop_count) return;
      const Loop& loop = m.mapping.loop[next];
      if (loop.is_spatial() || loop.level != reach.level || reach.room_x * reach.room_y != 1) return;
      partial(trail, reach);
      moves[next] = partial.moves();
    });
  }
};

// The same loops with what they leave in the last context (rule 32 of docs/cost_model.md).
Mapping with_last(const Compiled& c, Mapping m) {
  Extents tiles = c.size;
  for (int l = 0; l < m.loop_count; ++l) {
    Loop& loop = m.loop[l];
    u32& left = tiles[loop.dimension];
    loop.residual = (left - 1) % loop.end + 1;
    left = (left - 1) / loop.end + 1;
  }
  return m;
}

// Whether part of temporal loop l may be in the level inside; `inner`: the one over its dimension there, or -1.
bool may_be_inside(const Known& known, const Mapping& m, int l, int& inner) {
  const Loop loop = m.loop[l];
  inner = -1;
  if (!known.loops_inside[loop.level] || contains(known.not_plain[loop.level], loop.dimension)) return false;
  for (int k = 0; k < l; ++k) {
    const Loop& other = m.loop[k];
    if (other.is_spatial()) {
      if (other.level == loop.level && other.dimension == loop.dimension) return false;
    } else if (other.level == loop.level) {
      if (contains(known.not_plain[loop.level], other.dimension) || contains(known.moves[k], loop.dimension))
        return false;
    } else if (other.level + 1 == loop.level) {
      if (other.dimension == loop.dimension) inner = k;
      else if (inner >= 0 && (contains(known.not_plain[other.level], other.dimension) ||
                              contains(known.moves[inner], other.dimension)))
        return false;
    }
  }
  return true;
}

// The mapping with `part` iterations of loop l outermost in the level inside, and the rest innermost in its own.
Mapping pushed_in(const Compiled& c, const Mapping& m, int l, int inner, u32 part) {
  const Loop loop = m.loop[l];
  Mapping out;
  out.level_count = m.level_count, out.keep = m.keep;
  const u32 there = inner < 0 ? 1 : m.loop[inner].end;
  bool in = false, rest = false;
  const auto put = [&](int level, LoopKind kind) {
    if (!in && level >= loop.level) {
      out.add(LoopKind::Temporal, loop.level - 1, loop.dimension, u64{there} * part);
      in = true;
    }
    if (!rest && (level > loop.level || (level == loop.level && kind == LoopKind::Temporal))) {
      out.add(LoopKind::Temporal, loop.level, loop.dimension, (loop.end - 1) / part + 1);
      rest = true;
    }
  };
  for (int k = 0; k < m.loop_count; ++k) {
    const Loop& other = m.loop[k];
    put(other.level, other.kind);
    if (k != l && k != inner) out.add(other.kind, other.level, other.dimension, other.end);
  }
  return with_last(c, out);
}

// Whether it is no worse, if it fits.
void expect_no_worse(const FittingMapping& m, PartialCost& partial, const Mapping& other) {
  const Evaluation e = true_cost_of(m.c, other);
  if (e.verdict != Verdict::Fits) return;
  EXPECT_LE(e.cost.energy.picojoules(), m.cost.energy.picojoules() * (1 + 1e-12));
  EXPECT_LE(e.cost.cycles, m.cost.cycles);
  const Cost bound = bound_of_whole(partial, m.c, m.mapping), least = bound_of_whole(partial, m.c, other);
  EXPECT_LE(least.energy.picojoules(), bound.energy.picojoules() * (1 + 1e-12));
  EXPECT_LE(least.cycles, bound.cycles);
}

// A mapping on whose machine the hops of what passes an interconnect are averages, which the order of loops changes.
constexpr u64 kAverageHops = 3795;

// Calls visit(mapping, flows, bounds) for random mappings that fit, until a test fails.
template <class Visit>
void each_mapping(Visit&& visit) {
  const auto look = [&](u64 seed) {
    const FittingMapping m(seed, seed % 3 == 0, seed % 5 == 0);
    if (!m.fits) return;
    SCOPED_TRACE(seed);
    const KeptFlows costs(m.c, m.keep(), Unrollable::all());
    PartialCost partial(costs, 1);
    visit(m, costs, partial);
  };
  look(kAverageHops);
  for (u64 seed = 0; seed < kRandomMappings && !::testing::Test::HasFailure(); ++seed) look(seed);
}

TEST(AnyStandIns, PartOfALoopIsNoWorseInTheLevelInside) {
  u64 compared = 0, around = 0;
  each_mapping([&](const FittingMapping& m, const KeptFlows& costs, PartialCost& partial) {
    const Known known(costs, partial, m);
    for (int l = 0; l < m.mapping.loop_count; ++l) {
      const Loop& loop = m.mapping.loop[l];
      int inner = -1;
      if (loop.is_spatial() || !may_be_inside(known, m.mapping, l, inner)) continue;
      bool is_last = true;  // of its dimension
      for (int k = l + 1; k < m.mapping.loop_count; ++k) is_last &= m.mapping.loop[k].dimension != loop.dimension;
      for (u32 part = 2; part <= loop.end; ++part) {
        if (loop.end % part != 0 && !is_last) continue;
        expect_no_worse(m, partial, pushed_in(m.c, m.mapping, l, inner, part));
        ++compared;
        const int before = std::max(l - 1, 0);
        around += before < l && m.mapping.loop[before].level == loop.level && !m.mapping.loop[before].is_spatial();
      }
    }
  });
  EXPECT_GT(compared, 1'000u);
  EXPECT_GT(around, 100u);
}

TEST(AnyStandIns, ALoopThatMovesNothingIsNoWorseInsideTheOneBefore) {
  u64 compared = 0;
  each_mapping([&](const FittingMapping& m, const KeptFlows& costs, PartialCost& partial) {
    const Known known(costs, partial, m);
    for (int l = 0; l + 1 < m.mapping.loop_count; ++l) {
      const Loop &loop = m.mapping.loop[l], &outer = m.mapping.loop[l + 1];
      if (loop.is_spatial() || outer.level != loop.level || contains(known.moves[l], outer.dimension)) continue;
      const DimensionMask ordered = known.not_plain[loop.level];
      if (contains(ordered, loop.dimension) || contains(ordered, outer.dimension)) continue;
      Mapping other = m.mapping;
      std::swap(other.loop[l], other.loop[l + 1]);
      expect_no_worse(m, partial, other);
      ++compared;
    }
  });
  EXPECT_GT(compared, 300u);
}

// Each temporal loop inside the outermost level whose end is none of rule candidate-ends, with the end that the rule
// keeps for it: visit(mapping).
template <class Visit>
void each_candidate(const FittingMapping& m, Visit&& visit) {
  Extents inside{};  // tiles
  inside.fill(1);
  for (int l = 0; l < m.mapping.loop_count; ++l) {
    const Loop& loop = m.mapping.loop[l];
    const u32 size = m.c.size[loop.dimension], tile = inside[loop.dimension];
    inside[loop.dimension] *= loop.end;
    if (loop.is_spatial() || loop.level + 1 == m.c.level_count) continue;
    PlacedLoop placed{(size - 1) / tile + 1, size % tile == 0};
    for (int k = 0; k < m.mapping.loop_count; ++k)
      if (m.mapping.loop[k].is_spatial() && m.mapping.loop[k].dimension == loop.dimension)
        (k < l ? placed.spatial_inside : placed.spatial_outside) = true;
    const std::vector<u32> ends = candidate_ends(placed);
    if (std::ranges::find(ends, loop.end) != ends.end()) continue;
    const auto groups = [&](u32 end) { return (placed.tiles - 1) / end + 1; };
    Mapping other = m.mapping;
    other.loop[l].end = *std::ranges::find_if(ends, [&](u32 end) { return groups(end) == groups(loop.end); });
    visit(with_last(m.c, other));
  }
}

// What networks cost alone, by hops or by routers.
Architecture networks_of(Architecture machine, bool hops) {
  for (StorageLevel& level : machine.levels) {
    level.energy = {};
    level.leak_pj_per_cycle = level.address_generation_pj = 0;
    level.network = {.hop_pj = hops ? 1.0 : 0, .router_pj = hops ? 0 : 1.0, .ingress_pj = 0};
  }
  machine.compute.op_pj = 0;
  return machine;
}

// No bound is higher than that of what rule candidate-ends leaves out. Nor is a cost, but where an average prices the
// way of words: there what is left out has its turn.
TEST(AnyStandIns, ACandidateIsNoWorseThanAnotherEnd) {
  u64 compared = 0, dearer = 0;
  for (u64 seed = 0; seed < 10 * kRandomMappings && !HasFailure(); ++seed) {
    const FittingMapping m(seed, false, seed % 2 == 0);
    if (!m.fits) continue;
    SCOPED_TRACE(seed);
    each_candidate(m, [&](const Mapping& other) {
      for (const int prices : {0, 1, 2}) {
        const Architecture& own = m.problem.architecture;
        const Compiled c(m.problem.workload, prices == 0 ? own : networks_of(own, prices == 1));
        bool average = false;
        for (int i = 0; i < c.level_count; ++i) average |= hops_follow_order(c, i) || averages_routers(c.level[i]);
        const Evaluation of = true_cost_of(c, m.mapping), candidate = true_cost_of(c, other);
        ASSERT_EQ(candidate.verdict, Verdict::Fits);
        EXPECT_LE(candidate.cost.cycles, of.cost.cycles);
        const KeptFlows costs(c, m.keep(), Unrollable::all());
        PartialCost partial(costs, 1);
        const Cost bound = bound_of_whole(partial, c, m.mapping), least = bound_of_whole(partial, c, other);
        EXPECT_LE(least.energy.picojoules(), bound.energy.picojoules() * (1 + 1e-12));
        EXPECT_LE(least.cycles, bound.cycles);
        const bool is_dearer = candidate.cost.energy.picojoules() > of.cost.energy.picojoules() * (1 + 1e-12);
        EXPECT_TRUE(average || !is_dearer);
        ++compared, dearer += is_dearer;
      }
    });
  }
  EXPECT_GT(compared, 1'000u);
}

// The mapping with this many units of a level along X, and as many in all.
Mapping with_columns(const Compiled& c, const Mapping& m, int level, const Extents& units, const Extents& columns) {
  Mapping out;
  out.level_count = m.level_count, out.keep = m.keep;
  bool put = false;
  const auto add_units = [&] {
    for (int d = 0; d < c.dimension_count; ++d) out.add(LoopKind::SpatialX, level, d, columns[d]);
    for (int d = 0; d < c.dimension_count; ++d) out.add(LoopKind::SpatialY, level, d, units[d] / columns[d]);
    put = true;
  };
  for (const Loop& loop : m.loops()) {
    if (!put && (loop.level > level || (loop.level == level && !loop.is_spatial()))) add_units();
    if (loop.level != level || !loop.is_spatial()) out.add(loop.kind, loop.level, loop.dimension, loop.end);
  }
  if (!put) add_units();
  return with_last(c, out);
}

// Random divisions of the same units: none is better than another one.
TEST(AnyStandIns, UnitsCostTheSameAlongEitherAxis) {
  u64 compared = 0;
  Rng rng(7);
  each_mapping([&](const FittingMapping& m, const KeptFlows&, PartialCost& partial) {
    const Cost bound = bound_of_whole(partial, m.c, m.mapping);
    for (int i = 0; i < m.c.level_count; ++i) {
      if (m.c.level[i].network_costs) continue;
      Extents units{}, columns{};
      units.fill(1), columns.fill(1);
      for (const Loop& loop : m.mapping.loops())
        if (loop.level == i && loop.is_spatial()) units[loop.dimension] *= loop.end;
      for (int d = 0; d < m.c.dimension_count; ++d)
        for (u32 n = static_cast<u32>(pick(rng, 1, units[d])); n >= 1 && columns[d] == 1; --n)
          if (units[d] % n == 0) columns[d] = n;
      u64 x = 1, y = 1;
      for (int d = 0; d < m.c.dimension_count; ++d) x *= columns[d], y *= units[d] / columns[d];
      if (x > m.c.level[i].fanout_x || y > m.c.level[i].fanout_y) continue;
      const Mapping other = with_columns(m.c, m.mapping, i, units, columns);
      if (other == m.mapping || true_cost_of(m.c, other).verdict != Verdict::Fits) continue;
      EXPECT_EQ(true_cost_of(m.c, other).cost.energy.picojoules(), m.cost.energy.picojoules());
      EXPECT_EQ(true_cost_of(m.c, other).cost.cycles, m.cost.cycles);
      const Cost least = bound_of_whole(partial, m.c, other);
      EXPECT_EQ(least.energy.picojoules(), bound.energy.picojoules());
      EXPECT_EQ(least.cycles, bound.cycles);
      ++compared;
    }
  });
  EXPECT_GT(compared, 20u);
}

}  // namespace
}  // namespace heliolite::any_stand_ins_test
