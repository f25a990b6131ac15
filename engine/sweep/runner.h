#pragma once
// Runs a sweep: one task per design point and layer, made as threads become free, answered from what is known already
// where an equal question was asked before, and written to the store as they end. The store's content does not depend
// on the number of threads, nor on interruptions, nor on how the points are dealt to shards.
#include <functional>
#include <optional>

#include "engine/sweep/best_machine.h"
#include "engine/sweep/design_points.h"
#include "engine/sweep/sweep_spec.h"

namespace heliolite {

class Store;

// How far a sweep is.
struct SweepNews {
  u64 points = 0;              // looked at, those of earlier runs included
  u64 kept = 0;                // points done by earlier runs
  std::optional<double> best;  // least PointRecord::value so far
  // Where a front is certified: points on it so far, and those that may still come onto it (then front is above 0).
  u64 front = 0, open = 0;
  // Where the best machine is searched for: machines not decided yet, the least value, and what none has less.
  std::optional<u64> undecided;
  double least_value = 0, lower_bound = 0;
};

// Called from the threads of the sweep, by one at a time; it must return soon.
using SweepHook = std::function<void(const SweepNews&)>;

// What goal explore has done, earlier runs included; nothing is proven of the other points.
struct Explored {
  u64 points = 0;    // evaluated
  u64 unmapped = 0;  // of these have no costs
  u64 wanted = 0;    // asked for
  u64 grid = 0;      // of the grid
  bool all = false;  // no point is left that could be evaluated
};

// What a run did.
struct SweepRun {
  // SearchOptions::stop was set, or the sweep's budget used up; what was being searched then is not written.
  bool interrupted = false;
  bool out_of_time = false;           // it was the budget
  u64 points = 0;                     // rows of points that this run wrote
  u64 searched = 0;                   // layers that were searched
  u64 reused = 0;                     // layers whose question had been answered before
  std::optional<BestMachine> best{};  // of goal best by sets of machines: what is proven
  std::optional<Explored> explored{};
};

// Maps the points of the shard that the store does not have. Errors: those of the store, a shard of goal explore.
Result<SweepRun> run_sweep(const SweepSpec& spec, Store& store, const Shard& shard, const SweepHook& progress = {});

// Excluded points of larger sweeps are not written: they would be most of the database.
inline constexpr u64 kMaxPlannedWithExclusions = 1'000'000;

}  // namespace heliolite
