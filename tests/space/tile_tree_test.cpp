// The tiles of a level as a graph: the thesis' figure, the search's own enumeration, limits of the machine.
#include "engine/space/dot_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "engine/formats/load_architecture.h"
#include "engine/space/divisors.h"
#include "engine/space/factor_tree.h"
#include "tests/support/random_problem.h"
#include "tests/support/space_workloads.h"

namespace heliolite::tile_tree_test {
namespace {

using namespace heliolite::testing;  // NOLINT(google-build-using-namespace)

Architecture machine(u64 words) {
  const auto loaded = load_architecture("edge_unified");
  EXPECT_TRUE(loaded.ok());
  Architecture a = *loaded;
  a.levels.front().entries = words;
  return a;
}

std::vector<std::string> kept(const TileTree& tree, const Workload& workload) {
  std::vector<std::string> out;
  for (const TileNode& node : tree.nodes)
    if (node.fate == TileFate::Kept) out.push_back(tile_text(node.tile, workload));
  std::sort(out.begin(), out.end());
  return out;
}

TEST(TileTree, TheFigureOfTheThesis) {
  const Workload w = conv1d(4, 14, 4, 3);
  const Architecture a = machine(8);
  const TileTree tree = build_tile_tree(w, a, *resolve(w, a), 0, 1000);
  EXPECT_TRUE(tree.complete);
  EXPECT_EQ(kept(tree, w), (std::vector<std::string>{"K 2, C 2", "K 2, P 2", "P 2, C 2", "R 3"}));
  for (const TileNode& node : tree.nodes) {
    if (node.fate == TileFate::Kept) {
      EXPECT_EQ(node.kept_words, node.tile[3] == 3 ? 7u : 8u);
    }
  }
  EXPECT_EQ(tile_text(tree.nodes.front().tile, w), "1");
}

TEST(TileTree, ABufferThatHoldsEverythingKeepsTheWholeTile) {
  const Workload w = gemm(8, 6, 4);
  const Architecture a = machine(1000);
  const TileTree tree = build_tile_tree(w, a, *resolve(w, a), 0, 1000);
  EXPECT_EQ(kept(tree, w), (std::vector<std::string>{"M 8, N 6, K 4"}));
  EXPECT_EQ(tree.nodes.size(), 4u * 4 * 3);
}

TEST(TileTree, OneTooSmallKeepsNothing) {
  const Workload w = gemm(8, 6, 4);
  const Architecture a = machine(2);
  const TileTree tree = build_tile_tree(w, a, *resolve(w, a), 0, 1000);
  ASSERT_EQ(tree.nodes.size(), 1u);
  EXPECT_EQ(tree.nodes[0].fate, TileFate::TooLarge);
  EXPECT_EQ(tree.nodes[0].too_large_for, 0);
}

TEST(TileTree, OuterLevelsLimitTheTilesToo) {
  const Workload w = gemm(16, 16, 16);
  Architecture a = machine(512);
  a.levels[1].entries = 40;
  const TileTree tree = build_tile_tree(w, a, *resolve(w, a), 0, 1000);
  bool outside = false;
  for (const TileNode& node : tree.nodes) {
    EXPECT_EQ(node.fate == TileFate::TooLarge, node.kept_words > 40);
    outside |= node.too_large_for == 1;
  }
  EXPECT_TRUE(outside);
}

TEST(TileTree, FactorsTheMachineForbidsAreNotTried) {
  const Workload w = gemm(16, 16, 16);
  Architecture a = machine(64);
  a.constraints_for_channels_only = false;
  a.levels[0].constraints.temporal.factors = {{"M", Relation::Equal, 4}, {"N", Relation::AtMost, 2}};
  const auto space = resolve(w, a);
  ASSERT_TRUE(space.ok()) << to_string(space.errors());
  const TileTree tree = build_tile_tree(w, a, *space, 0, 1000);
  for (const TileNode& node : tree.nodes) {
    EXPECT_EQ(node.tile[0], 4u);
    EXPECT_LE(node.tile[1], 2u);
  }
  EXPECT_EQ(kept(tree, w), (std::vector<std::string>{"M 4, N 2, K 8"}));
}

TEST(TileTree, TheLimitOfNodesIsSaid) {
  const Workload w = gemm(64, 64, 64);
  const Architecture a = machine(1 << 20);
  EXPECT_TRUE(build_tile_tree(w, a, *resolve(w, a), 0, 343).complete);
  const TileTree cut = build_tile_tree(w, a, *resolve(w, a), 0, 100);
  EXPECT_FALSE(cut.complete);
  EXPECT_LE(cut.nodes.size(), 100u + 3);
}

// What the searches enumerate by their own code, with rule T1.
TEST(TileTree, KeptTilesAreThoseOfTheSearches) {
  for (u64 seed = 0; seed < 200; ++seed) {
    Rng rng(seed);
    const Workload w = random_workload(rng);
    const Architecture a = machine(pick(rng, w.tensors.size(), 300));
    const auto space = resolve(w, a, {.free = true});
    ASSERT_TRUE(space.ok());
    const TileTree tree = build_tile_tree(w, a, *space, 0, 100'000);
    ASSERT_TRUE(tree.complete);
    std::set<Extents> mine, theirs;
    for (const TileNode& node : tree.nodes)
      if (node.fate == TileFate::Kept) mine.insert(node.tile);
    const Footprint footprint(w);
    CapacityTest fits(footprint);
    fits.add(a.levels[0], tree.kept);
    fits.add(a.levels[1], tree.kept);
    std::vector<DivisorTable> tables;
    Extents sizes = unit_extents();
    for (std::size_t d = 0; d < w.dimensions.size(); ++d) {
      tables.emplace_back(w.dimensions[d].size);
      sizes[d] = static_cast<u32>(w.dimensions[d].size);
    }
    for_each_tile(make_tile_space(tables, unit_extents(), sizes, space->levels[0].temporal.factor), {.maximal = true},
                  fits, [&](const Extents& tile) { theirs.insert(tile); });
    EXPECT_EQ(mine, theirs) << seed;
  }
}

}  // namespace
}  // namespace heliolite::tile_tree_test
