// The best machine of a grid by sets of machines: against a search of every machine, for all objectives; what is proven
// of an envelope is below what is best on each of its machines.
#include "engine/sweep/best_machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <numeric>

#include "engine/search/map.h"
#include "engine/sweep/design_points.h"
#include "engine/sweep/front.h"
#include "engine/sweep/machine_grid.h"
#include "engine/sweep/machine_value.h"
#include "engine/sweep/store.h"
#include "engine/sweep/totals.h"
#include "tests/support/part_of_cases.h"
#include "tests/support/random_problem.h"
#include "tests/support/sweep_problem.h"

namespace heliolite::best_machine_test {
namespace {

using testing::chance;
using testing::pick;
using testing::Rng;
using testing::run_into;
using testing::small_sweep;
using testing::store_for;
using testing::sweep_of;

constexpr std::array kObjectives{
    "energy", "delay", "edp", "ed2p", "edap", "network_edp", "network_edap", "energy_per_op", "throughput_per_area"};

// Up to 48 machines: fan-outs of all shapes, sizes whose energies follow, bandwidths, nodes, what levels keep.
std::string random_grid(Rng& rng) {
  std::string out = "  parameters:\n    pe: {set: GLB.fanout, values: [1, 2x2, 1x8, 4x4]}\n";
  u64 machines = 4;
  const auto add = [&](u64 values, const char* line) {
    if (machines * values > 48 || !chance(rng, 60)) return;
    machines *= values;
    out += line;
  };
  add(3, "    spad: {set: Spad.entries, values: [8, 32, 128]}\n");
  add(2, "    hop: {set: GLB.network, values: [{hop_pj: 0.1}, {ingress_pj: 0.05}]}\n");
  add(3, "    kept: {set: Spad.keep, values: [all, [inputs], [weights, outputs]]}\n");
  add(3, "    glb: {set: GLB.capacity, values: [256 B, 1 KB, 4 KB]}\n");
  add(2, "    rate: {set: DRAM.bandwidth.read, values: [4, 0.5]}\n");
  add(2, "    node: {set: technology_nm, values: [45, 7]}\n");
  add(2, "    pj: {set: compute.energy, values: [0.1, 20]}\n");
  add(2, "    idle: {set: leakage, values: [used, all]}\n");
  add(2, "    leak: {set: [GLB.leak_pj_per_cycle, Spad.leak_pj_per_cycle], values: [0.5, 20]}\n");
  if (chance(rng, 40)) out += "  constraints: [\"pes * GLB_words <= 4096\", \"area_mm2 <= 100\"]\n";
  return out;
}

SweepSpec random_sweep(u64 seed, const TempFolder& folder, const std::string& more = "") {
  Rng rng(seed);
  const std::string objective = kObjectives[seed % kObjectives.size()];
  SweepSpec spec =
      sweep_of(small_sweep(folder, "  objective: " + objective + "\n  goal: best\n" + more, random_grid(rng)));
  spec.options.strategy = Strategy::Exact;
  if (!spec.options.network && chance(rng, 40)) spec.rank = SweepRank::Layers;
  if (chance(rng, 30)) spec.layers.resize(1);
  spec.options.threads = 1;
  return spec;
}

// By a search of every machine.
double least_of_all(const TempFolder& folder, SweepSpec spec) {
  spec.goal = SweepGoal::All;
  Store store = store_for(folder.path("all.db"), spec);
  run_into(store, spec);
  const auto summary = summarize(store, 1);
  EXPECT_TRUE(summary.ok());
  return summary->best.empty() ? 0 : summary->best.front().value;
}

// Machines, and those left out by what is proven of sets.
struct LeftOut {
  u64 machines = 0, left_out = 0;
};

// The best machine is that of a search of every machine, on one thread and on four.
void expect_best(const TempFolder& folder, const SweepSpec& spec, LeftOut& sum) {
  const double least = least_of_all(folder, spec);
  Store store = store_for(folder.path("best.db"), spec);
  const SweepRun run = run_into(store, spec);
  ASSERT_TRUE(run.best);
  const auto summary = summarize(store, 1);
  ASSERT_TRUE(summary.ok());
  if (least == 0) {
    EXPECT_TRUE(summary->best.empty());
    EXPECT_FALSE(run.best->point);
    return;
  }
  ASSERT_FALSE(summary->best.empty());
  EXPECT_TRUE(run.best->proven);
  EXPECT_NEAR(summary->best.front().value / least, 1, 1e-9);
  EXPECT_NEAR(run.best->value / least, 1, 1e-9);
  EXPECT_EQ(run.best->point, summary->best.front().id);
  EXPECT_EQ(to_string(store.check()), "");
  sum.machines += run.best->machines;
  const auto& excluded = run.best->excluded;
  sum.left_out += std::accumulate(excluded.begin(), excluded.end(), u64{0}) - excluded[3];
  SweepSpec parallel = spec;
  parallel.options.threads = 4;
  Store other = store_for(folder.path("threads.db"), parallel);
  EXPECT_EQ(run_into(other, parallel).best->searches, run.best->searches);
  EXPECT_EQ(testing::content_of(other), testing::content_of(store));
}

TEST(BestMachine, IsThatOfASearchOfEveryMachine) {
  LeftOut sum;
  for (u64 seed = 0; seed < 9; seed += testing::one_case_in(3)) {
    SCOPED_TRACE(seed);
    const TempFolder folder;
    expect_best(folder, random_sweep(seed, folder), sum);
  }
  EXPECT_GT(sum.left_out * 3, sum.machines);
}

// The mean of a value of each workload.
TEST(BestMachine, IsThatOfASearchOfEveryMachineForMeans) {
  LeftOut sum;
  for (u64 seed = 2; seed < 7; seed += testing::one_case_in(3)) {
    SCOPED_TRACE(seed);
    const TempFolder folder;
    SweepSpec spec = random_sweep(seed, folder, seed % 2 == 0 ? "  mean: geometric\n" : "  mean: weighted\n");
    EXPECT_EQ(networks_of(spec).size(), spec.layers.size());
    expect_best(folder, spec, sum);
  }
  EXPECT_GT(sum.left_out * 3, sum.machines);
}

// Limits about as tight as what machines have without: of delay, of power, of energy.
std::string tight_limits(const TempFolder& folder, SweepSpec spec, u64 seed) {
  spec.goal = SweepGoal::All;
  Store store = store_for(folder.path("loose.db"), spec);
  run_into(store, spec);
  std::vector<double> delays, powers, energies;
  EXPECT_TRUE(store
                  .visit_points([&](const PointRecord& p) {
                    if (p.state != PointState::Done) return true;
                    const double took = delay(ranking_of(spec), p);
                    delays.push_back(took), energies.push_back(p.energy_pj);
                    powers.push_back(p.energy_pj * 1e-12 / took);
                    return true;
                  })
                  .empty());
  if (delays.empty()) return "";
  const auto some = [&](std::vector<double> all) {
    std::ranges::sort(all);
    return all[seed * all.size() / 9] * 1.01;
  };
  std::string out = "  limits: {";
  if (seed % 3 != 1) out += fmt::format("delay: {:.6g}", some(delays));
  if (seed % 3 == 1) out += fmt::format("power: {:.6g}", some(powers));
  if (seed % 4 == 3) out += fmt::format(", energy: {:.6g}", some(energies));
  return out + "}\n";
}

// The least of a trade-off within limits.
TEST(BestMachine, IsThatOfASearchOfEveryMachineWithinLimits) {
  LeftOut sum;
  u64 some = 0;
  const u64 step = testing::one_case_in(2);
  for (u64 seed = step - 1; seed < 9; seed += step) {
    SCOPED_TRACE(seed);
    const TempFolder folder;
    const std::string mean = seed % 5 == 4 ? "  mean: geometric\n" : "";
    SweepSpec loose = random_sweep(seed, folder);
    loose.rank = SweepRank::Totals, loose.layers.resize(std::min<std::size_t>(loose.layers.size(), 1 + seed % 2));
    const std::string limits = tight_limits(folder, loose, seed);
    if (limits.empty()) continue;
    SweepSpec spec = random_sweep(seed, folder, mean + limits);
    spec.rank = SweepRank::Totals, spec.layers.resize(loose.layers.size());
    expect_best(folder, spec, sum);
    ++some;
  }
  EXPECT_GT(some, 4 / step);
  EXPECT_GT(sum.left_out * 4, sum.machines);
}

TEST(BestMachine, StaysWithItsRulesSwitchedOff) {
  for (u64 seed = 0; seed < 5; ++seed)
    for (const Rule rule : {Rule::MemoryBound, Rule::RoomReuse}) {
      const TempFolder folder;
      const std::string limits = seed == 4 ? "  limits: {delay: 1.2e-6}\n" : "";
      SweepSpec spec = random_sweep(seed, folder, limits);
      if (!limits.empty()) spec.rank = SweepRank::Totals;  // the reader refuses the other
      spec.layers.resize(1);
      Store on = store_for(folder.path("on.db"), spec);
      const SweepRun with = run_into(on, spec);
      spec.options.rules.set(rule, false);
      Store off = store_for(folder.path("off.db"), spec);
      const SweepRun without = run_into(off, spec);
      ASSERT_TRUE(with.best && without.best);
      EXPECT_NEAR(with.best->value / without.best->value, 1, 1e-9) << seed;
      if (rule == Rule::MemoryBound) {
        EXPECT_EQ(without.best->excluded[0] + without.best->excluded[1] + without.best->excluded[2], 0u) << seed;
      }
    }
}

// The bound of a set is below what is best on each of its machines, for random sets and with what is proven of larger
// ones.
TEST(BestMachine, EnvelopesAreBelowTheirMachines) {
  u64 sets = 0;
  for (u64 seed = 0; seed < 9; ++seed) {
    SCOPED_TRACE(seed);
    const TempFolder folder;
    const SweepSpec spec = random_sweep(seed, folder, seed % 3 == 1 ? "  mean: geometric\n" : "");
    const DesignPoints points(spec);
    const auto parts = MachineGrid::create(spec, points);
    ASSERT_TRUE(parts.ok()) << to_string(parts.errors());
    std::map<u64, std::vector<u64>> shapes;
    for (u64 id = 0; id < points.grid(); ++id)
      if (parts->shape(id) != 0) shapes[parts->shape(id)].push_back(id);
    Rng rng(seed);
    const MachineValues values(spec);
    for (auto& [shape, members] : shapes) {
      if (members.size() < 2 || sets > 8 * seed + 8) continue;
      ++sets;
      std::vector<u64> some;
      for (int k = 0; k < 4; ++k) some.push_back(members[rng() % members.size()]);
      const auto area = [&](const std::vector<u64>& ids) {
        double out = kNever;
        for (const u64 id : ids) out = std::min(out, parts->machine(id)->area_um2());
        return out;
      };
      const MachineValue all = values.search(parts->envelope(members), area(members), {}, kNever, ValueGoal::Exact, 1);
      const MachineValue set =
          values.search(parts->envelope(some), area(some), all.knowledge, kNever, ValueGoal::Exact, 1);
      for (const u64 id : some) {
        const auto machine = points.machine(id);
        ASSERT_TRUE(machine.ok());
        EXPECT_EQ(parts->machine(id)->area_um2(), machine->area_um2());
        const MachineValue one = values.search(*machine, machine->area_um2(), {}, kNever, ValueGoal::Exact, 1);
        if (one.infeasible) continue;
        EXPECT_FALSE(set.infeasible || all.infeasible);
        EXPECT_LE(set.lower_bound, one.lower_bound * (1 + 1e-9));
        EXPECT_LE(all.lower_bound, set.lower_bound * (1 + 1e-9));
        const MachineValue with =
            values.search(*machine, machine->area_um2(), set.knowledge, kNever, ValueGoal::Exact, 1);
        EXPECT_NEAR(with.lower_bound / one.lower_bound, 1, 1e-9);
        EXPECT_LE(with.least_energy_pj, with.value < kNever ? 1e30 : 0);
      }
    }
  }
  EXPECT_GT(sets, 8u);
}

// A budget of the whole sweep ends it with the best so far; more of it never ends with something dearer.
TEST(BestMachine, KeepsToTheBudgetOfTheSweep) {
  const TempFolder folder;
  SweepSpec spec = random_sweep(6, folder);
  const SweepRecord record = sweep_record(spec, {}, "test");
  double least = kNever;
  bool ended = false;
  for (int run = 0; run < 40 && !ended; ++run) {
    spec.budget_seconds = 0.02 * run;
    auto store = Store::resume(folder.path("best.db"), record);
    ASSERT_TRUE(store.ok());
    const SweepRun done = run_into(*store, spec);
    EXPECT_EQ(done.out_of_time, done.interrupted);
    ended = !done.interrupted;
    const auto summary = summarize(*store, 1);
    ASSERT_TRUE(summary.ok());
    if (done.best && done.best->point) {
      ASSERT_FALSE(summary->best.empty());
      EXPECT_LE(done.best->lower_bound, done.best->value * (1 + 1e-9));
    }
    if (!summary->best.empty()) {
      EXPECT_LE(summary->best.front().value, least);
      least = summary->best.front().value;
    }
  }
  EXPECT_TRUE(ended);
  spec.budget_seconds.reset();
  EXPECT_NEAR(least / least_of_all(folder, spec), 1, 1e-9);
}

// A run that is interrupted keeps what it has left out.
TEST(BestMachine, GoesOnAfterInterruptions) {
  for (u64 seed = 2; seed < 6; seed += 2) {
    const TempFolder folder;
    SweepSpec spec = random_sweep(seed, folder);
    const double least = least_of_all(folder, spec);
    const SweepRecord record = sweep_record(spec, {}, "test");
    std::atomic<bool> stop = false;
    spec.options.stop = &stop;
    for (u64 run = 0; run < 30; ++run) {
      auto store = Store::resume(folder.path("best.db"), record);
      ASSERT_TRUE(store.ok());
      stop = false;
      u64 news = 0;
      const auto done = run_sweep(spec, *store, {}, [&](const SweepNews&) { stop = ++news > 2 + 3 * run; });
      ASSERT_TRUE(done.ok());
      if (done->best && done->best->point) {
        EXPECT_LE(done->best->lower_bound, least * (1 + 1e-9)) << seed << " " << run;
        EXPECT_GE(done->best->value, least * (1 - 1e-9)) << seed << " " << run;
      }
      if (!done->interrupted) break;
    }
    stop = false;
    auto store = Store::resume(folder.path("best.db"), record);
    ASSERT_TRUE(store.ok());
    run_into(*store, spec);
    const auto summary = summarize(*store, 1);
    ASSERT_TRUE(summary.ok() && !summary->best.empty());
    EXPECT_NEAR(summary->best.front().value / least, 1, 1e-9) << seed;
    EXPECT_TRUE(store->check().empty());
  }
}

}  // namespace
}  // namespace heliolite::best_machine_test
