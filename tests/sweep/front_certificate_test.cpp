// Fronts that are certain: the same as those of a sweep that searches every point, whatever is excluded on the way, and
// whatever ends a run in between.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>

#include "engine/sweep/front.h"
#include "engine/sweep/store.h"
#include "engine/sweep/totals.h"
#include "tests/support/random_problem.h"
#include "tests/support/sweep_problem.h"

namespace heliolite::front_certificate_test {
namespace {

using testing::chance;
using testing::content_of;
using testing::pick;
using testing::Rng;
using testing::run_into;
using testing::small_sweep;
using testing::store_for;
using testing::sweep_of;

std::string random_grid(Rng& rng) {
  std::string out = "  parameters:\n    pe: {set: GLB.fanout, values: [1, 2x2, 4x4]}\n";
  out += "    spad: {set: Spad.entries, values: [8, 32, 128]}\n";
  if (chance(rng, 60)) out += "    glb: {set: GLB.capacity, values: [256 B, 1 KB, 4 KB]}\n";
  if (chance(rng, 60)) out += "    node: {set: technology_nm, values: [45, 7]}\n";
  if (chance(rng, 30)) out += "    pj: {set: compute.energy, values: [0.1, 20]}\n";
  return out;
}

SweepSpec random_sweep(u64 seed, const TempFolder& folder) {
  Rng rng(seed);
  const std::string front = chance(rng, 50) ? "  front: [energy, delay]\n" : "";
  SweepSpec spec = sweep_of(small_sweep(folder, front, random_grid(rng)));
  spec.options.strategy = Strategy::Exact;
  spec.options.objective = static_cast<Objective::Kind>(pick(rng, 0, 4));
  spec.options.network = spec.options.objective == Objective::Edp && chance(rng, 50);
  spec.rank = spec.options.network || chance(rng, 70) ? SweepRank::Totals : SweepRank::Layers;
  spec.goal = SweepGoal::Front;
  spec.pilots = pick(rng, 0, 3);
  spec.options.threads = 1;
  return spec;
}

using Goods = std::array<double, 4>;
Goods goods(const PointRecord& p) { return {p.energy_pj, p.cycles, p.area_um2, static_cast<double>(p.id)}; }

std::vector<Goods> goods(const std::vector<PointRecord>& points) {
  std::vector<Goods> out;
  for (const PointRecord& p : points) out.push_back(goods(p));
  return out;
}

// Says of each point what a search of all points says.
void expect_certain(const Store& store, const SweepSummary& all, u64 seed) {
  const auto found = summarize(store);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(goods(found->front), goods(all.front)) << seed;
  EXPECT_EQ(found->best.front().value, all.best.front().value) << seed;
  for (const PointRecord& p : found->front) EXPECT_EQ(front_status(p, store.sweep()), "front") << seed;
  std::size_t fronts = 0;
  EXPECT_TRUE(store
                  .visit_points([&](const PointRecord& p) {
                    const std::string status = front_status(p, store.sweep());
                    EXPECT_NE(status, "open") << seed << " " << p.id << " " << p.reason;
                    fronts += status == "front";
                    return true;
                  })
                  .empty());
  EXPECT_EQ(fronts, all.front.size()) << seed;
  EXPECT_TRUE(store.check().empty()) << seed;
}

TEST(FrontCertificate, IsTheFrontOfASearchOfAllPoints) {
  u64 searched = 0, of = 0;
  for (u64 seed = 0; seed < 6; ++seed) {
    const TempFolder folder;
    const SweepSpec spec = random_sweep(seed, folder);
    SweepSpec whole = spec;
    whole.goal = SweepGoal::All;
    Store every = store_for(folder.path("all.db"), whole);
    run_into(every, whole);
    const auto all = summarize(every);
    ASSERT_TRUE(all.ok() && !all->front.empty());
    Store store = store_for(folder.path("front.db"), spec);
    run_into(store, spec);
    expect_certain(store, *all, seed);
    EXPECT_TRUE(store
                    .visit_points([&](const PointRecord& p) {
                      ++of, searched += p.state == PointState::Done && !p.reason.ends_with("whatever its mappings");
                      return true;
                    })
                    .empty());
    // Any number of threads.
    SweepSpec parallel = spec;
    parallel.options.threads = 4;
    Store other = store_for(folder.path("threads.db"), parallel);
    run_into(other, parallel);
    EXPECT_EQ(content_of(other), content_of(store)) << seed;
  }
  EXPECT_LT(searched, of);
}

TEST(FrontCertificate, GoesOnAfterInterruptions) {
  for (u64 seed = 20; seed < 22; ++seed) {
    const TempFolder folder;
    SweepSpec spec = random_sweep(seed, folder);
    SweepSpec whole = spec;
    whole.goal = SweepGoal::All;
    Store every = store_for(folder.path("all.db"), whole);
    run_into(every, whole);
    const auto all = summarize(every);
    ASSERT_TRUE(all.ok());
    const SweepRecord record = sweep_record(spec, {}, "test");
    std::atomic<bool> stop = false;
    spec.options.stop = &stop;
    for (u64 run = 0; run < 40; ++run) {
      auto store = Store::resume(folder.path("front.db"), record);
      ASSERT_TRUE(store.ok());
      stop = false;
      u64 news = 0;
      const auto done = run_sweep(spec, *store, {}, [&](const SweepNews&) { stop = ++news > 3 + 4 * run; });
      ASSERT_TRUE(done.ok());
      EXPECT_TRUE(store->check().empty()) << seed << " " << run;
      // What a run that was ended calls certain stays so.
      const auto is_on_front = [&](u64 id) {
        return std::ranges::any_of(all->front, [&](const PointRecord& p) { return p.id == id; });
      };
      EXPECT_TRUE(store
                      ->visit_points([&](const PointRecord& point) {
                        const bool certain = front_status(point, record) == "front";
                        EXPECT_TRUE(!certain || is_on_front(point.id)) << seed << run;
                        return true;
                      })
                      .empty());
      if (!done->interrupted) break;
    }
    stop = false;
    auto store = Store::resume(folder.path("front.db"), record);
    ASSERT_TRUE(store.ok());
    run_into(*store, spec);
    expect_certain(*store, *all, seed);
  }
}

// Searches that a budget ends prove nothing, and the point says so.
TEST(FrontCertificate, SaysWhatABudgetLeavesOpen) {
  const TempFolder folder;
  const SweepSpec spec = random_sweep(3, folder);
  PointRecord point;
  point.value = 2, point.lower_bound = 1;
  LayerRecord layer;
  layer.name = "conv1", layer.status = "optimal";
  SearchOptions options;
  EXPECT_EQ(open_reason(point, {layer}, options), "");
  options.network = true;
  EXPECT_TRUE(open_reason(point, {layer}, options).starts_with(kOpenPoint));
  options.network = false;
  layer.status = "bounded", layer.reason = "the time is up";
  EXPECT_EQ(open_reason(point, {layer}, options), "open: conv1 is not proven: the time is up");
  options.strategy = Strategy::Sunstone;
  EXPECT_TRUE(open_reason(point, {layer}, options).starts_with(kOpenPoint));
  // An open point that may come below keeps a proven one from being called certain.
  FrontCertificate front(spec);
  PointRecord proven = point;
  proven.id = 1, proven.energy_pj = proven.cycles = proven.area_um2 = 10, proven.cycle_ns = 1;
  PointRecord open = proven;
  open.id = 2, open.energy_pj = 20, open.reason = "open: not yet";
  front.add(proven), front.add(open);
  Totals below;
  below.energy_pj = 5, below.cycles = 10;
  EXPECT_TRUE(front.conclusions([&](u64) { return below; }).empty());
  below.energy_pj = 15;
  const std::vector<PointRecord> concluded = front.conclusions([&](u64) { return below; });
  ASSERT_EQ(concluded.size(), 1u);
  EXPECT_TRUE(concluded.front().reason.starts_with(kFrontPoint));
}

}  // namespace
}  // namespace heliolite::front_certificate_test
