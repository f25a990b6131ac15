// The bounds of the search over all tile sizes, against the cost of random mappings.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <optional>

#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/model/true_counts/tally.h"
#include "engine/search/all_tiles/flows.h"
#include "engine/search/all_tiles/partial_cost.h"
#include "engine/search/core/compulsory.h"
#include "engine/search/map.h"
#include "tests/support/fitting_mapping.h"

namespace heliolite::any_bounds_test {
namespace {

using testing::any_loops;
using testing::bound_of_whole;
using testing::each_prefix;
using testing::FittingMapping;
using testing::kRandomMappings;

TEST(AnyBounds, NoMappingIsBelowTheBoundOfItsInnerLoops) {
  for (u64 seed = 0; seed < kRandomMappings && !HasFailure(); ++seed) {
    const FittingMapping m(seed, seed % 3 != 0, seed % 5 == 0, seed % 7 < 4);
    if (!m.fits) continue;
    SCOPED_TRACE(seed);
    ClassUnrolling unrolling = seed % 2 == 0   ? m.unrolling()
                               : seed % 3 == 0 ? m.unrolling_of_the_others()
                                               : m.split_unrolling();
    if (seed % 8 < 5) unrolling.most_steps = m.cost.cycles;
    KeptFlows costs(m.c, m.keep(), seed % 4 < 2 ? Unrollable::all() : m.unrolled());
    const CostModel model(m.problem.workload, m.problem.architecture);
    PartialCost partial(costs, compulsory_cost(model, {m.keep(), m.keep()}).whole.cycles);
    // Few points: most of them stand for several numbers of tiles.
    const TileRanges ranges(m.c, seed % 2 == 0 ? 60 : TileRanges::kMostPoints);
    // Tiles of no use are those that make every mapping dearer than this one.
    const auto worth = [&](int, const Rest& outside) { return outside.energy <= m.cost.energy.units; };
    const TileRanges fewer(ranges, 25);
    const BoundaryTable of_fewer(partial, costs, fewer, any_loops());
    const KnownBefore known_of_fewer{of_fewer, worth};
    const RestTable rest(partial, costs, ranges, seed % 11 < 5 ? m.limits() : any_loops(),
                         seed % 13 < 7 ? &known_of_fewer : nullptr, FurtherOut::Yes);
    const TileRanges few(m.c, 30);
    const TileRanges& own = seed % 3 == 0 ? ranges : few;
    const BoundaryTable boundaries(partial, costs, own, any_loops());
    if (seed % 7 < 4) costs.unroll(&unrolling);
    const KnownBefore known{boundaries, worth};
    const RestTable of_unrolling(partial, costs, own, any_loops(), seed % 5 < 3 ? &known : nullptr);
    const Cost whole = bound_of_whole(partial, m.c, m.mapping);
    Trail nothing(m.c);
    nothing.begin(0);
    const OnceCost once = partial.once(nothing);
    EXPECT_LE(once.whole.energy.picojoules(), whole.energy.picojoules());
    EXPECT_LE(once.whole.cycles, whole.cycles);
    EXPECT_LE(whole.energy.picojoules(), m.cost.energy.picojoules());
    EXPECT_LE(whole.cycles, m.cost.cycles);
    std::optional<Trail> before;
    Reach reach_before{};
    each_prefix(m.c, m.mapping, [&](const Trail& trail, const Reach& reach) {
      const std::size_t point = rest.point(costs, trail, reach);
      const std::size_t own_point = of_unrolling.point(costs, trail, reach);
      for (int d = 0; d < m.c.dimension_count && reach.level > 0; ++d)
        ASSERT_LE(trail.at_begin(reach.level)[d].tiles, m.limits().most_tiles[reach.level - 1][d]);
      Rest outside = rest(reach.level, point);
      outside.raise_to(of_unrolling(reach.level, own_point));
      for (int level = reach.level + 1; level + 1 < m.c.level_count; ++level)
        outside.raise_to(rest.further_out(costs, trail, reach, level).all);
      ASSERT_FALSE(outside.energy == Rest::kNone);
      outside.energy = std::max(outside.energy, once.outside[reach.level]);
      Rest proxies = outside;
      if (costs.passes(reach.level)) {
        proxies = rest.with_proxies(reach.level, point);
        proxies.raise_to(of_unrolling.with_proxies(reach.level, own_point));
        for (int level = reach.level + 1; level + 1 < m.c.level_count; ++level)
          proxies.raise_to(rest.further_out(costs, trail, reach, level).with_proxies);
      }
      const u128 hops_to_come = costs.hops_to_come(trail, reach);
      outside.energy += hops_to_come, proxies.energy += hops_to_come;
      const double hops = Energy{hops_to_come}.picojoules();
      const auto expect_below = [&](const Cost& least) {
        EXPECT_LE(least.energy.picojoules(), m.cost.energy.picojoules());
        // Dominance compares bounds of whole mappings, so what prunes must not be above them either; but hops to come,
        // which are the same for all that it compares.
        EXPECT_LE(least.energy.picojoules() - hops, whole.energy.picojoules() * (1 + 1e-12));
        EXPECT_LE(least.cycles, whole.cycles);
      };
      // By what is known before the last loop is placed.
      if (before && before->size() + 1 == trail.size() && reach_before.level == reach.level) {
        const TrailLoop& loop = trail[trail.size() - 1];
        partial.look_ahead(*before, reach_before);
        for (const int d : {loop.is_spatial() ? kAnyDimension : int{loop.dimension}, kAnyDimension}) {
          expect_below(partial.ahead(trail, reach, d, outside, Asking::Themselves));
          if (costs.passes(reach.level)) expect_below(partial.ahead(trail, reach, d, proxies, Asking::Proxies));
        }
        partial.unsettle();
      }
      before = trail, reach_before = reach;
      const Cost least = partial(trail, reach, outside);
      expect_below(least);
      if (!costs.passes(reach.level)) return;
      if (trail.size() == 0 && reach.level == 0) partial.once(nothing);  // changes nothing
      expect_below(partial.with_proxies(trail, reach, proxies));
    });
  }
}

// The same flow by flow: words of one do not make up for those of another.
TEST(AnyBounds, NoFlowIsBelowTheBoundOfItsWords) {
  const UnitDigits everywhere{};
  u64 compared = 0;
  for (u64 seed = 0; seed < kRandomMappings && !HasFailure(); ++seed) {
    const FittingMapping m(seed, seed % 4 != 0, seed % 5 == 0, seed % 7 < 4);
    if (!m.fits) continue;
    SCOPED_TRACE(seed);
    const TrueNest nest(m.c, m.mapping);
    const ClassUnrolling unrolling = seed % 2 == 0 ? m.unrolling() : m.split_unrolling();
    KeptFlows costs(m.c, m.keep(), seed % 3 == 0 ? Unrollable::all() : m.unrolled());
    if (seed % 7 < 5) costs.unroll(&unrolling);
    std::vector<FlowTraffic> words;
    for (const Flow& f : costs.flows()) {
      TrueStream stream(m.c, f.tensor, nest, everywhere);
      stream.start(f.boundary);
      words.push_back({f.to_compute ? 0 : stream.crossing(), stream.accesses(f.outer)});
    }
    each_prefix(m.c, m.mapping, [&](const Trail& trail, const Reach& reach) {
      for (std::size_t k = 0; k < words.size(); ++k) {
        const Flow& f = costs.flows()[k];
        if (f.boundary > reach.level || f.by_network) continue;
        const FlowTraffic least = OpenFlow(costs, f, trail, reach, costs.units_along(trail, reach)).least();
        EXPECT_LE(least.fetched, words[k].fetched);
        EXPECT_LE(least.shared, words[k].shared);
        ++compared;
      }
    });
  }
  EXPECT_GT(compared, 1'000u);
}

// No unit idles, so the hops of all words are known.
TEST(AnyBounds, HopsOfUnitsThatShareEvenlyAreExact) {
  const auto network = load_network("gemm:64x64x64");
  const auto machine = load_architecture("simba");
  ASSERT_TRUE(network.ok() && machine.ok());
  const Workload& workload = network->layers[0].workload;
  SearchOptions options;
  options.strategy = Strategy::Sunstone;
  const auto answer = map_workload(workload, *machine, options);
  ASSERT_TRUE(answer.ok());
  const Compiled c(workload, *machine);
  const Mapping& m = answer->mapping;
  KeepMasks keep{};
  for (int i = 0; i < c.level_count; ++i) keep[i] = m.keep[i];
  const KeptFlows costs(c, keep, Unrollable::all());
  PartialCost partial(costs, 1);
  const Cost whole = bound_of_whole(partial, c, m);
  EXPECT_EQ(whole.energy.picojoules(), true_cost_of(c, m).cost.energy.picojoules());
}

// Of whole mappings without sliding ranks only blocks and bandwidths are bounded, all else is exact; of networks see
// above.
RC_GTEST_PROP(AnyBounds, TheBoundOfAWholeMappingIsItsCost, (const u64 seed)) {
  FittingMapping m(seed, false, seed % 3 == 0);
  RC_PRE(m.fits);
  for (StorageLevel& level : m.problem.architecture.levels) {
    level.block_words = 1;
    level.bandwidth = {};
    level.network = {};
  }
  const Compiled c(m.problem.workload, m.problem.architecture);
  const KeptFlows costs(c, m.keep(), Unrollable::all());
  PartialCost partial(costs, 1);
  const Cost whole = bound_of_whole(partial, c, m.mapping);
  const Cost cost = true_cost_of(c, m.mapping).cost;
  RC_ASSERT(whole.cycles == cost.cycles);
  RC_ASSERT(whole.energy.picojoules() >= cost.energy.picojoules() * (1 - 1e-9));
}

// Units idle and tiles are cut, and still the hops of all words are known, but where some words stay in place.
TEST(AnyBounds, HopsOfUnitsThatIdleAreExact) {
  int exact = 0, all = 0;
  for (u64 seed = 0; all < 300; ++seed) {
    FittingMapping m(seed, false);
    for (StorageLevel& level : m.problem.architecture.levels) {
      level.block_words = 1;
      level.bandwidth = {};
      level.network = {.hop_pj = 0.5, .router_pj = 0, .ingress_pj = 0.25};
    }
    if (!m.fits || m.unrolled().x == Unrollable{}.x) continue;
    const Compiled c(m.problem.workload, m.problem.architecture);
    const KeptFlows costs(c, m.keep(), Unrollable::all());
    PartialCost partial(costs, 1);
    const Cost whole = bound_of_whole(partial, c, m.mapping);
    const double cost = true_cost_of(c, m.mapping).cost.energy.picojoules();
    EXPECT_LE(whole.energy.picojoules(), cost) << seed;
    exact += whole.energy.picojoules() > cost * (1 - 1e-9);
    ++all;
  }
  EXPECT_GT(exact, all * 9 / 10);
}

// 16 rows on the 4 x 4 cells of a network: of A and C each goes to one, 2.5 hops on average; the word of B goes to 13
// of them at least, as the fourth row may have one unit at work: 12 hops.
TEST(AnyBounds, UnitsThatAreKnownSayHowFarWordsGo) {
  const auto network = load_network("gemm:16x1x1");
  const auto machine = load_architecture("simba");
  ASSERT_TRUE(network.ok() && machine.ok());
  const Compiled c(network->layers[0].workload, *machine);
  const int level = 4;
  ASSERT_TRUE(c.level[level].fanout_x == 4 && c.level[level].fanout_y == 4 && c.dimension_count == 3);
  TilesInFanouts tiles{};
  HopsToCome hops;
  EXPECT_EQ(hops.least(c, level, tiles, kAllDimensions, kAllDimensions), 0u);
  tiles[0].units = 16;
  const u64 half_hop = c.level[level].units[0].hop / 2;
  EXPECT_EQ(hops.least(c, level, tiles, kAllDimensions, kAllDimensions), u128{2 * 16 * 5 + 24} * half_hop);
  EXPECT_EQ(hops.least(c, level, tiles, kAllDimensions, 0), 0u);  // no loop makes 16 of 4
}

// Rule 36 of all loops around u units of a number of elements; also if the units are not known to be several, but their
// tile.
TEST(AnyBounds, NoUnitsLeaveMoreThanIsKnownOfTheirTile) {
  for (u64 size = 2; size <= 30; ++size)
    for (u64 t = 1; t < size; ++t)
      for (u64 u = 1, tiles = ceil_div(size, t); u < tiles; ++u)
        for (u64 end = 2; end <= ceil_div(tiles, u); ++end) {
          const u64 group = u * end, rest = tiles - (tiles - 1) / group * group;
          const u64 last = size - (tiles - 1) * t;
          const u64 stays = rest >= 2 * u ? 0 : rest > u ? (2 * u - rest) * t : (rest - 1) * t + last;
          for (u64 more = 0; more < 3; ++more) {
            const u64 fewer = more < tiles ? tiles - more : 1;
            EXPECT_LE(stays, most_that_stay(size, fewer, tiles - fewer, u + more, t));
          }
          EXPECT_LE(stays, most_that_stay(size, ceil_div(size, u * t), 0, 1, u * t));
          if (end == ceil_div(tiles, u)) {
            EXPECT_LE(stays, most_left_by_units(size, u));
          }
        }
}

// Partial sums pass by gemmini's scratchpad: the accumulator is too small for all that inputs need there.
TEST(AnyBounds, ATensorThatPassesByABufferIsCountedByItsTile) {
  const auto network = load_network("gemm:509x521x523");
  const auto machine = load_architecture("gemmini");
  ASSERT_TRUE(network.ok() && machine.ok());
  const Compiled c(network->layers[0].workload, *machine);
  ASSERT_TRUE(c.level_count == 4 && c.tensor_count == 3 && c.tensor[2].is_output);
  const KeepMasks keep{0b001, 0b100, 0b011, 0b111};
  const KeptFlows costs(c, keep, Unrollable::all());
  ASSERT_EQ(costs.passing().size(), 2u);
  PartialCost partial(costs, 1);
  const TileRanges ranges(c, 10'000);
  const RestTable rest(partial, costs, ranges, any_loops());
  Trail trail(c);
  trail.begin(0);
  const Reach reach{0, 1, 1};
  const std::size_t point = rest.point(costs, trail, reach);
  const Cost least = partial(trail, reach, rest(0, point));
  const Cost other = partial.with_proxies(trail, reach, rest.with_proxies(0, point));
  EXPECT_GT(other.energy.picojoules(), 1.1 * least.energy.picojoules());
  EXPECT_TRUE(KeptFlows(c, keep, Unrollable::all(), Proxies::No).passing().empty());
}

}  // namespace
}  // namespace heliolite::any_bounds_test
