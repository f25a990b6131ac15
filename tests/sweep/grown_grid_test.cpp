// A sweep whose parameters take more values: what is known of the old points stays, the answer is that of a fresh run,
// and only new points are searched.
#include "engine/sweep/merge.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>

#include "engine/sweep/front.h"
#include "engine/sweep/store.h"
#include "tests/support/sweep_problem.h"

namespace heliolite::grown_grid_test {
namespace {

using testing::content_of;
using testing::run_into;
using testing::small_sweep;
using testing::store_for;
using testing::sweep_of;

// A value more in the middle, one at the beginning, one at the end.
constexpr std::array kGrids{
    "  parameters:\n    pe: {set: GLB.fanout, values: [1x2, 4x4]}\n    spad: {set: Spad.entries, values: [16, 256]}\n"
    "    glb: {set: GLB.capacity, values: [1 KB, 2 KB]}\n  constraints: [\"spad * pe < 4096\"]\n",
    "  parameters:\n    pe: {set: GLB.fanout, values: [1x2, 2x2, 4x4]}\n    spad: {set: Spad.entries, values: [16, "
    "256]}\n"
    "    glb: {set: GLB.capacity, values: [1 KB, 2 KB]}\n  constraints: [\"spad * pe < 4096\"]\n",
    "  parameters:\n    pe: {set: GLB.fanout, values: [1x2, 2x2, 4x4]}\n    spad: {set: Spad.entries, values: [2, 16, "
    "256]}\n"
    "    glb: {set: GLB.capacity, values: [1 KB, 2 KB]}\n  constraints: [\"spad * pe < 4096\"]\n",
    "  parameters:\n    pe: {set: GLB.fanout, values: [1x2, 2x2, 4x4]}\n    spad: {set: Spad.entries, values: [2, 16, "
    "256]}\n"
    "    glb: {set: GLB.capacity, values: [1 KB, 2 KB, 8 KB]}\n  constraints: [\"spad * pe < 4096\"]\n"};

SweepSpec grown(const TempFolder& folder, std::size_t grid, const std::string& extra) {
  SweepSpec spec = sweep_of(small_sweep(folder, extra, kGrids[grid]));
  spec.options.threads = 1;
  return spec;
}

Result<GrownStore> grow(const TempFolder& folder, const SweepSpec& spec, const std::atomic<bool>* stop = nullptr) {
  return grow_store(folder.path("r.db"), spec, sweep_record(spec, {}, "test"), folder.path("sweep.yaml"), stop);
}

std::vector<u64> ids(const std::vector<PointRecord>& points) {
  std::vector<u64> out;
  for (const PointRecord& p : points) out.push_back(p.id);
  return out;
}

TEST(GrownGrid, OfAllPointsHasTheRowsOfAFreshRun) {
  const TempFolder folder;
  SweepRun before;
  {
    Store store = store_for(folder.path("r.db"), grown(folder, 0, ""));
    before = run_into(store, grown(folder, 0, ""));
  }
  for (std::size_t grid = 1; grid < kGrids.size(); ++grid) {
    const SweepSpec spec = grown(folder, grid, "");
    const auto taken = grow(folder, spec);
    ASSERT_TRUE(taken.ok()) << to_string(taken.errors());
    ASSERT_TRUE(taken->grown);
    EXPECT_EQ(taken->points, before.points);
    EXPECT_TRUE(std::filesystem::exists(taken->old_copy));
    Store store = store_for(folder.path("r.db"), spec);
    const SweepRun run = run_into(store, spec);
    Store fresh = store_for(folder.path(fmt::format("fresh{}.db", grid)), spec);
    const SweepRun whole = run_into(fresh, spec);
    EXPECT_EQ(content_of(store), content_of(fresh)) << grid;
    EXPECT_EQ(run.points + taken->points, whole.points);
    EXPECT_LT(run.searched, whole.searched);
    EXPECT_EQ(to_string(store.check()), "");
    before = whole;
  }
}

TEST(GrownGrid, HasTheFrontOfAFreshRun) {
  const std::string extra = "  goal: front\n  pilots: 2\n";
  const TempFolder folder;
  {
    SweepSpec spec = grown(folder, 0, extra);
    spec.options.strategy = Strategy::Exact;
    Store store = store_for(folder.path("r.db"), spec);
    run_into(store, spec);
  }
  for (std::size_t grid = 1; grid < kGrids.size(); ++grid) {
    SweepSpec spec = grown(folder, grid, extra);
    spec.options.strategy = Strategy::Exact;
    const auto taken = grow(folder, spec);
    ASSERT_TRUE(taken.ok() && taken->grown);
    Store store = store_for(folder.path("r.db"), spec);
    EXPECT_TRUE(store
                    .visit_points([&](const PointRecord& p) {
                      EXPECT_NE(front_status(p, store.sweep()), "front") << p.id;
                      return true;
                    })
                    .empty());
    const SweepRun run = run_into(store, spec);
    Store fresh = store_for(folder.path(fmt::format("fresh{}.db", grid)), spec);
    const SweepRun whole = run_into(fresh, spec);
    EXPECT_LT(run.searched, whole.searched);
    const auto a = summarize(store), b = summarize(fresh);
    ASSERT_TRUE(a.ok() && b.ok());
    EXPECT_EQ(ids(a->front), ids(b->front)) << grid;
    for (const PointRecord& p : a->front) EXPECT_EQ(front_status(p, store.sweep()), "front");
    EXPECT_EQ(a->best.front().id, b->best.front().id);
    EXPECT_EQ(to_string(store.check()), "");
  }
}

TEST(GrownGrid, HasTheBestMachineOfAFreshRun) {
  const std::string extra = "  goal: best\n  objective: network_edp\n";
  const TempFolder folder;
  const auto sweep = [&](std::size_t grid) {
    SweepSpec spec = grown(folder, grid, extra);
    spec.options.strategy = Strategy::Exact;
    return spec;
  };
  {
    Store store = store_for(folder.path("r.db"), sweep(0));
    run_into(store, sweep(0));
  }
  for (std::size_t grid = 1; grid < kGrids.size(); ++grid) {
    const SweepSpec spec = sweep(grid);
    const auto taken = grow(folder, spec);
    ASSERT_TRUE(taken.ok() && taken->grown);
    Store store = store_for(folder.path("r.db"), spec);
    const SweepRun run = run_into(store, spec);
    Store fresh = store_for(folder.path(fmt::format("fresh{}.db", grid)), spec);
    const SweepRun whole = run_into(fresh, spec);
    ASSERT_TRUE(run.best && whole.best && run.best->proven);
    EXPECT_EQ(run.best->point, whole.best->point) << grid;
    EXPECT_NEAR(run.best->value / whole.best->value, 1, 1e-9);
    EXPECT_EQ(run.best->machines, whole.best->machines);
    EXPECT_EQ(to_string(store.check()), "");
  }
}

// What is not the same sweep with more values stays as it is, and so does everything when a take-over is stopped.
TEST(GrownGrid, TouchesNothingElse) {
  const TempFolder folder;
  {
    Store store = store_for(folder.path("r.db"), grown(folder, 1, ""));
    run_into(store, grown(folder, 1, ""));
  }
  const auto before = content_of(folder.path("r.db"));
  const auto same = grow(folder, grown(folder, 1, ""));
  EXPECT_TRUE(same.ok() && !same->grown);
  const auto fewer = grow(folder, grown(folder, 0, ""));
  EXPECT_TRUE(fewer.ok() && !fewer->grown);
  const auto other = grow(folder, grown(folder, 2, "  objective: energy\n"));
  EXPECT_TRUE(other.ok() && !other->grown);
  const auto sample = grow(folder, grown(folder, 2, "  sample: 5\n"));
  EXPECT_TRUE(sample.ok() && !sample->grown);
  std::atomic<bool> stop = true;
  const auto stopped = grow(folder, grown(folder, 2, ""), &stop);
  EXPECT_FALSE(stopped.ok() && stopped->grown);
  EXPECT_EQ(content_of(folder.path("r.db")), before);
  EXPECT_FALSE(std::filesystem::exists(folder.path("r.db.before")));
  const auto grown_now = grow(folder, grown(folder, 3, ""));
  ASSERT_TRUE(grown_now.ok() && grown_now->grown);
  EXPECT_EQ(content_of(grown_now->old_copy), before);
}

// Damage is said, not taken over.
TEST(GrownGrid, RefusesDamage) {
  const TempFolder folder;
  {
    Store store = store_for(folder.path("r.db"), grown(folder, 0, ""));
    run_into(store, grown(folder, 0, ""));
  }
  const u64 size = std::filesystem::file_size(folder.path("r.db"));
  {
    std::fstream file(folder.path("r.db"), std::ios::in | std::ios::out | std::ios::binary);
    for (u64 k = size / 2; k < size; k += 97) file.seekp(static_cast<std::streamoff>(k)), file.put('x');
  }
  const auto taken = grow(folder, grown(folder, 1, ""));
  EXPECT_FALSE(taken.ok() && taken->grown);
  EXPECT_FALSE(std::filesystem::exists(folder.path("r.db.before")));
}

}  // namespace
}  // namespace heliolite::grown_grid_test
