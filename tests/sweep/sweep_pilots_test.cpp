// Points that are cut: the front and the best point are those of the sweep that maps everything (docs/rules/sweep.md).
#include "engine/sweep/design_points.h"
#include "engine/sweep/families.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include <algorithm>

#include "engine/sweep/front.h"
#include "engine/sweep/store.h"
#include "engine/sweep/totals.h"
#include "tests/support/random_problem.h"
#include "tests/support/sweep_problem.h"

namespace heliolite::sweep_pilots_test {
namespace {

using testing::chance;
using testing::content_of;
using testing::pick;
using testing::Rng;
using testing::run_into;
using testing::small_sweep;
using testing::store_for;
using testing::sweep_of;

// Up to 40 points of the small machine, by a random choice of what varies.
std::string random_parameters(Rng& rng) {
  std::string out = "  parameters:\n    pe: {set: GLB.fanout, values: [1, 2x2, 4x4]}\n";
  if (chance(rng, 70)) out += "    spad: {set: Spad.entries, values: [8, 32, 128]}\n";
  if (chance(rng, 50)) out += "    glb: {set: GLB.capacity, values: [256 B, 4 KB]}\n";
  if (chance(rng, 50)) out += "    node: {set: technology_nm, values: [45, 7]}\n";
  if (chance(rng, 30)) out += "    pj: {set: compute.energy, values: [0.1, 20]}\n";
  return out;
}

SweepSummary summary_of(SweepSpec spec, SweepGoal goal, u64 pilots) {
  const TempFolder folder;
  spec.goal = goal;
  spec.pilots = pilots;
  Store store = store_for(folder.path("rows.db"), spec);
  run_into(store, spec);
  const auto summary = summarize(store);
  EXPECT_TRUE(summary.ok());
  return *summary;
}

TEST(Pilots, CutsLoseNothing) {
  u64 cut = 0;
  for (u64 seed = 0; seed < 8; ++seed) {
    Rng rng(seed);
    const TempFolder folder;
    SweepSpec spec = sweep_of(small_sweep(folder, "", random_parameters(rng)));
    spec.options.objective = static_cast<Objective::Kind>(pick(rng, 0, 3));
    const u64 pilots = pick(rng, 1, 6);
    const SweepSummary all = summary_of(spec, SweepGoal::All, 0);
    const SweepSummary front = summary_of(spec, SweepGoal::Front, pilots);
    EXPECT_EQ(front.front, all.front) << "seed " << seed;
    cut += front.count(PointState::Cut);
    EXPECT_EQ(front.points(), all.points());
  }
  EXPECT_GT(cut, 10u);
}

// With the co-search of memories on top, which in strategy exact proves what it cuts.
TEST(Pilots, TheBestPointStays) {
  u64 cut = 0;
  for (u64 seed = 0; seed < 4; ++seed) {
    Rng rng(seed);
    const TempFolder folder;
    SweepSpec spec = sweep_of(small_sweep(folder, "", random_parameters(rng)));
    spec.options.objective = static_cast<Objective::Kind>(pick(rng, 0, 3));
    spec.options.strategy = Strategy::Exact;
    const SweepSummary all = summary_of(spec, SweepGoal::All, 0);
    const SweepSummary best = summary_of(spec, SweepGoal::Best, pick(rng, 0, 3));
    ASSERT_FALSE(best.best.empty());
    EXPECT_NEAR(best.best.front().value / all.best.front().value, 1, 1e-9) << "seed " << seed;
    EXPECT_EQ(best.points(), all.points());
    cut += best.count(PointState::Cut);
  }
  EXPECT_GT(cut, 10u);
}

TEST(Pilots, AreThoseOfTheFileWhateverTheShard) {
  const TempFolder folder;
  const SweepSpec spec = sweep_of(small_sweep(folder, "  goal: front\n  pilots: 5\n"));
  const DesignPoints points(spec);
  const std::vector<u64> pilots = choose_pilots(spec, points);
  EXPECT_EQ(pilots.size(), 5u);
  EXPECT_TRUE(std::is_sorted(pilots.begin(), pilots.end()));
  EXPECT_EQ(choose_pilots(spec, points), pilots);
  for (u64 index = 0; index < 2; ++index) {
    Store store = store_for(folder.path(std::to_string(index) + ".db"), spec, {index, 2});
    run_into(store, spec, {index, 2});
    for (const u64 id : pilots) EXPECT_TRUE((*store.point(id)).has_value());
  }
}

TEST(Pilots, NoBoundIsAboveTheCost) {
  const TempFolder folder;
  const SweepSpec spec = sweep_of(small_sweep(folder));
  Store store = store_for(folder.path("rows.db"), spec);
  run_into(store, spec);
  const DesignPoints points(spec);
  for (const PointRecord& row : content_of(store).points) {
    if (row.state != PointState::Done) continue;
    const auto least = compulsory_totals(spec, *points.machine(row.id));
    ASSERT_TRUE(least.ok());
    EXPECT_LE(least->energy_pj, row.energy_pj);
    EXPECT_LE(least->cycles, row.cycles);
    EXPECT_LE(least->value, row.value);
  }
}

TEST(PilotRule, NeedsToBeStrictlyBetter) {
  PointRecord pilot, other;
  pilot.energy_pj = 10;
  pilot.cycles = 10;
  pilot.value = 100;
  pilot.area_um2 = 5;
  SweepSpec spec;
  const auto beaten = [&](SweepGoal goal, double energy_pj, double cycles, double area_um2) {
    spec.goal = goal;
    other.area_um2 = area_um2;
    const Totals least{.energy_pj = energy_pj, .cycles = cycles, .value = energy_pj * cycles};
    return PilotRule(spec, {pilot}).beaten_by(least, other) != nullptr;
  };
  EXPECT_FALSE(beaten(SweepGoal::Front, 10, 10, 5));
  EXPECT_TRUE(beaten(SweepGoal::Front, 10, 10, 6));
  EXPECT_FALSE(beaten(SweepGoal::Front, 10, 9, 6));
  EXPECT_FALSE(beaten(SweepGoal::Best, 10, 10, 6));
  EXPECT_TRUE(beaten(SweepGoal::Best, 10, 10.1, 1));
  EXPECT_FALSE(beaten(SweepGoal::All, 11, 11, 6));
  // Fewer cycles of a slower clock.
  spec.seconds = true;
  pilot.cycle_ns = 1, other.cycle_ns = 2;
  EXPECT_TRUE(beaten(SweepGoal::Front, 10, 6, 5));
  EXPECT_FALSE(beaten(SweepGoal::Front, 10, 4, 5));
  pilot.state = PointState::Infeasible;
  EXPECT_FALSE(beaten(SweepGoal::Best, 10, 10.1, 1));
}

// Whatever mappings the layers have: no point is below the bound that follows from those of its layers.
RC_GTEST_PROP(Totals, BoundsOfLayersBoundTheWhole, ()) {
  for (const ObjectiveInfo& objective : kObjectiveTable)
    for (const SweepRank rank : {SweepRank::Totals, SweepRank::Layers}) {
      const Ranking ranking{objective.objective, rank, true};
      const double area = *rc::gen::elementOf(std::vector<double>{0.5, 1, 3e6});
      std::vector<double> factor;
      std::vector<LayerRecord> layers(*rc::gen::inRange<std::size_t>(1, 6));
      for (LayerRecord& layer : layers) {
        layer.energy_pj = *rc::gen::inRange(1, 1000);
        layer.cycles = *rc::gen::inRange(1, 1000);
        layer.count = *rc::gen::inRange<u64>(1, 4);
        layer.weight = *rc::gen::elementOf(std::vector<double>{1, 0.1, 0.5, 3});
        factor.push_back(machine_factor(objective.objective, area, *rc::gen::inRange(1, 1000)));
        layer.value = layer.lower_bound =
            objective_number(objective.objective, layer.energy_pj, layer.cycles) * factor.back();
      }
      const Totals found = totals(layers, ranking, 0.5);
      RC_ASSERT(found.cycles == std::ceil(found.cycles));
      RC_ASSERT(found.lower_bound <= found.value);
      RC_ASSERT(found.lower_bound > 0);
      // Other mappings of the same or a larger value, whose energies and delays are traded against each other.
      for (std::size_t k = 0; k < layers.size(); ++k) {
        LayerRecord& layer = layers[k];
        const double trade = *rc::gen::elementOf(std::vector<double>{0.25, 0.5, 1, 2, 4});
        if (objective.cycles_power > 0 && objective.energy_power > 0) layer.energy_pj *= trade;
        layer.cycles = std::max(1.0, std::ceil(layer.cycles / trade));
        layer.value = objective_number(objective.objective, layer.energy_pj, layer.cycles) * factor[k];
        if (layer.value < layer.lower_bound) return;
      }
      RC_ASSERT(found.lower_bound <= totals(layers, ranking, 0.5).value * (1 + 1e-12));
    }
}

}  // namespace
}  // namespace heliolite::sweep_pilots_test
