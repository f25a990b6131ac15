#pragma once
// Many machines at once: a sweep from its file, its results in a database that survives interruptions, and what they
// say together.
//
//   auto sweep = heliolite::load_sweep("configs/sweeps/quick.yaml");
//   auto store = heliolite::Store::resume("quick.db", heliolite::sweep_record(*sweep, {}, "my program 1.0"));
//   auto run = heliolite::run_sweep(*sweep, *store, {});
//   auto summary = heliolite::summarize(*store);
//   for (const heliolite::PointRecord& point : summary->front)            // Pareto: energy, cycles, area
//     std::printf("%g pJ, %g cycles, %g um2\n", point.energy_pj, point.cycles, point.area_um2);
//
// Store::read() opens results while they are written; merge_shards() unites those of several computers.
#include <heliolite/map.h>  // IWYU pragma: export

#include "engine/sweep/export.h"      // IWYU pragma: export
#include "engine/sweep/front.h"       // IWYU pragma: export
#include "engine/sweep/merge.h"       // IWYU pragma: export
#include "engine/sweep/question.h"    // IWYU pragma: export
#include "engine/sweep/records.h"     // IWYU pragma: export
#include "engine/sweep/runner.h"      // IWYU pragma: export
#include "engine/sweep/store.h"       // IWYU pragma: export
#include "engine/sweep/sweep_spec.h"  // IWYU pragma: export
#include "engine/sweep/sweep_yaml.h"  // IWYU pragma: export
