#include "engine/space/factor_tree.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "tests/support/space_workloads.h"

namespace heliolite::factor_tree_test {
namespace {

using namespace heliolite::testing;  // NOLINT(google-build-using-namespace)

using Tile = std::vector<u32>;

// A workload's tile space from the unit tile, all limits open.
struct Fixture {
  Workload workload;
  Footprint footprint;
  std::vector<DivisorTable> tables;
  Extents sizes = unit_extents();
  FactorLimits limits{};

  explicit Fixture(Workload w) : workload(std::move(w)), footprint(workload) {
    for (std::size_t d = 0; d < workload.dimensions.size(); ++d) {
      tables.emplace_back(workload.dimensions[d].size);
      sizes[d] = static_cast<u32>(workload.dimensions[d].size);
      limits[d] = {1, sizes[d]};
    }
  }
  TileSpace space() const { return make_tile_space(tables, unit_extents(), sizes, limits); }
  Tile tile(const Extents& e) const { return {e.begin(), e.begin() + static_cast<int>(tables.size())}; }
  TensorMask all() const { return static_cast<TensorMask>((1u << workload.tensors.size()) - 1); }
};

std::vector<Tile> tiles(const Fixture& f, const TileSpace& space, TileRules rules, const CapacityTest& fits) {
  std::vector<Tile> out;
  for_each_tile(space, rules, fits, [&](const Extents& e) { out.push_back(f.tile(e)); });
  return out;
}

// All tiles by an odometer over the divisors, with the rules straight from their definitions.
std::map<Tile, int> brute_force(const Fixture& f, const TileSpace& space, bool maximal, auto&& tag) {
  std::map<Tile, int> all;
  std::vector<std::size_t> place(f.tables.size(), 0);
  const auto extents = [&](const std::vector<std::size_t>& at) {
    Extents e = space.start;
    for (std::size_t d = 0; d < at.size(); ++d) e[d] *= space.factor[d][at[d]];
    return e;
  };
  while (true) {
    const int mine = tag(extents(place));
    bool keep = mine != kDoesNotFit;
    for (std::size_t d = 0; keep && maximal && d < place.size(); ++d) {
      auto child = place;
      if (++child[d] < space.factor[d].size() && tag(extents(child)) == mine) keep = false;
    }
    if (keep) all[f.tile(extents(place))] = mine;
    std::size_t d = 0;
    while (d < place.size() && ++place[d] == space.factor[d].size()) place[d++] = 0;
    if (d == place.size()) return all;
  }
}

TEST(Divisors, SmallNumbers) {
  EXPECT_EQ(divisors(1), (std::vector<u64>{1}));
  EXPECT_EQ(divisors(12), (std::vector<u64>{1, 2, 3, 4, 6, 12}));
  EXPECT_EQ(factorize(360), (std::vector<PrimePower>{{2, 3}, {3, 2}, {5, 1}}));
  EXPECT_EQ(factorize(2147483647), (std::vector<PrimePower>{{2147483647, 1}}));
  EXPECT_EQ(factorize(46337u * 46337u), (std::vector<PrimePower>{{46337, 2}}));
  EXPECT_EQ(divisors(2095133040).size(), 1600u);  // the most below 2^31
  for (u64 n = 1; n <= 2000; ++n) {
    std::vector<u64> slow;
    for (u64 d = 1; d <= n; ++d)
      if (n % d == 0) slow.push_back(d);
    ASSERT_EQ(divisors(n), slow);
  }
}

TEST(Divisors, TableOfTables) {
  const DivisorTable table(720);
  for (u64 d : divisors(720)) {
    const auto of = table.of(d);
    EXPECT_EQ((std::vector<u64>{of.begin(), of.end()}), divisors(d));
  }
  EXPECT_EQ(DivisorTable(2095133040).all().size(), 1600u);
}

TEST(Footprint, SlidingWindowsAndStrides) {
  Workload w = conv1d(4, 14, 4, 3);
  w.tensors[1].ranks[1].terms[0].coefficient = 2;  // 2p + r
  const Footprint f(w);
  Extents tile = unit_extents();
  tile[0] = 2, tile[1] = 7, tile[2] = 4, tile[3] = 3;  // K P C R
  EXPECT_EQ(f.words(0, tile), 14u);
  EXPECT_EQ(f.words(1, tile), 4u * (2 * 6 + 2 + 1));
  EXPECT_EQ(f.words(2, tile), 24u);
  tile = {4, 14, 4, 3, 1, 1, 1, 1, 1, 1, 1, 1};
  for (int v = 0; v < 3; ++v) EXPECT_EQ(f.words(v, tile), w.tensor_words(v));
}

TEST(FactorTree, MaximalTilesOfTheThesis) {  // Fig. 4.3: C=4, P=14, K=4, R=3, unified L1 of 8 entries
  const Fixture f(conv1d(4, 14, 4, 3));      // K P C R
  CapacityTest fits(f.footprint);
  fits.add(f.all(), 8);
  const auto found = tiles(f, f.space(), {}, fits);
  EXPECT_EQ((std::set<Tile>{found.begin(), found.end()}),
            (std::set<Tile>{{1, 2, 2, 1}, {2, 1, 2, 1}, {2, 2, 1, 1}, {1, 1, 1, 3}}));
  EXPECT_EQ(found.size(), 4u);
}

TEST(FactorTree, TagsOfSeveralMemorySizes) {  // Fig. 5.2: L1 of 3, 4 or 8 entries
  const Fixture f(conv1d(4, 14, 4, 3));
  const std::array<u64, 3> choices{3, 4, 8};
  const auto tag = [&](const Extents& e) -> int {
    u64 words = 0;
    for (int v = 0; v < 3; ++v) words += f.footprint.words(v, e);
    for (int c = 0; c < 3; ++c)
      if (words <= choices[static_cast<std::size_t>(c)]) return c;
    return kDoesNotFit;
  };
  std::map<Tile, int> found;
  for_each_tagged_tile(f.space(), {}, tag, [&](const Extents& e, int t) { found[f.tile(e)] = t; });
  EXPECT_EQ(found, (std::map<Tile, int>{
                       {{1, 1, 1, 1}, 0}, {{1, 2, 2, 1}, 2}, {{2, 1, 2, 1}, 2}, {{2, 2, 1, 1}, 2}, {{1, 1, 1, 3}, 2}}));
}

TEST(FactorTree, WithoutT1EveryTileThatFits) {
  const Fixture f(conv1d(4, 14, 4, 3));
  CapacityTest fits(f.footprint);
  fits.add(f.all(), 60);
  const auto found = tiles(f, f.space(), {.maximal = false}, fits);
  const auto tag = [&](const Extents& e) { return fits(e) ? 0 : kDoesNotFit; };
  const auto expected = brute_force(f, f.space(), false, tag);
  EXPECT_EQ(found.size(), expected.size());  // each once
  for (const Tile& t : found) EXPECT_TRUE(expected.contains(t));
}

TEST(FactorTree, UnboundedAndHopeless) {
  const Fixture f(conv(1, 64, 64, 56, 56, 3, 3));
  CapacityTest none(f.footprint);
  EXPECT_EQ(tiles(f, f.space(), {}, none), (std::vector<Tile>{{1, 64, 64, 56, 56, 3, 3}}));
  CapacityTest tiny(f.footprint);
  tiny.add(f.all(), 2);
  const TileCounts counts = for_each_tile(f.space(), {}, tiny, [](const Extents&) { FAIL(); });
  EXPECT_EQ(counts.over_capacity, 1u);
}

TEST(FactorTree, ChainOfSingleTensorLevelsAndAnOuterOne) {
  const Fixture f(conv1d(4, 14, 4, 3));
  CapacityTest fits(f.footprint);
  fits.add(0b001, 4);
  fits.add(0b010, 12);
  fits.add(0b100, 8);
  Extents fanout = unit_extents();
  fanout[0] = 2;
  fits.add(0b011, 20, fanout);  // two of them share a buffer
  const auto check = [&](const Extents& e) {
    Extents outer = e;
    outer[0] *= 2;
    return f.footprint.words(0, e) <= 4 && f.footprint.words(1, e) <= 12 && f.footprint.words(2, e) <= 8 &&
           f.footprint.words(0, outer) + f.footprint.words(1, outer) <= 20;
  };
  const auto tag = [&](const Extents& e) { return check(e) ? 0 : kDoesNotFit; };
  const auto found = tiles(f, f.space(), {}, fits);
  EXPECT_EQ((std::set<Tile>{found.begin(), found.end()}).size(), found.size());
  EXPECT_EQ(found.size(), brute_force(f, f.space(), true, tag).size());
}

TEST(FactorTree, LimitsAndStart) {
  Fixture f(gemm(12, 8, 30));
  f.limits[0] = {2, 6};
  f.limits[1] = {8, 8};
  Extents start = unit_extents();
  start[2] = 5;
  Extents left = f.sizes;
  left[2] = 6;
  CapacityTest none(f.footprint);
  std::set<Tile> found;
  for (const Tile& t : tiles(f, make_tile_space(f.tables, start, left, f.limits), {.maximal = false}, none))
    found.insert(t);
  EXPECT_EQ(found.size(), 4u * 1 * 4);  // M in 2 3 4 6, K in 5 10 15 30
  EXPECT_TRUE(found.contains(Tile{6, 8, 30}));
  f.limits[0] = {5, 5};  // no divisor of 12
  EXPECT_TRUE(tiles(f, make_tile_space(f.tables, start, left, f.limits), {}, none).empty());
}

TEST(FactorTree, AVisitorCanStop) {
  const Fixture f(gemm(64, 64, 64));
  CapacityTest fits(f.footprint);
  fits.add(f.all(), 100);
  for (bool maximal : {true, false}) {
    int seen = 0;
    for_each_tile(f.space(), {.maximal = maximal}, fits, [&](const Extents&) { return ++seen < 3; });
    EXPECT_EQ(seen, 3);
  }
}

RC_GTEST_PROP(FactorTreeProperty, AgreesWithBruteForce, ()) {
  const auto size = [] { return static_cast<u64>(*rc::gen::inRange(1, 31)); };
  const Fixture f(*rc::gen::arbitrary<bool>() ? conv1d(size(), size(), size(), *rc::gen::inRange(1, 6))
                                              : gemm(size(), size(), size()));
  // Per-tensor memories of several sizes: the tag is a triple.
  std::array<std::vector<u64>, 3> choices;
  for (auto& c : choices) {
    u64 words = 0;
    for (int i = *rc::gen::inRange(1, 4); i > 0; --i) c.push_back(words += static_cast<u64>(*rc::gen::inRange(1, 60)));
  }
  const auto tag = [&](const Extents& e) -> int {
    int code = 0;
    for (int v = 0; v < 3; ++v) {
      const auto& c = choices[static_cast<std::size_t>(v)];
      std::size_t i = 0;
      while (i < c.size() && f.footprint.words(v, e) > c[i]) ++i;
      if (i == c.size()) return kDoesNotFit;
      code = code * 4 + static_cast<int>(i);
    }
    return code;
  };
  for (bool maximal : {true, false}) {
    std::map<Tile, int> found;
    const TileCounts counts = for_each_tagged_tile(f.space(), {.maximal = maximal}, tag,
                                                   [&](const Extents& e, int t) { found[f.tile(e)] = t; });
    RC_ASSERT(counts.tiles == found.size());
    RC_ASSERT(found == brute_force(f, f.space(), maximal, tag));
  }
}

}  // namespace
}  // namespace heliolite::factor_tree_test
