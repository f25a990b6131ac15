#pragma once
// Executes a nest in front of caches and counts the words that go in and out of each.
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/execution/cache_bank.h"
#include "engine/execution/loop_nest.h"

namespace heliolite {

// Why the nest cannot be simulated with these caches; empty if it can. The field says which cache or limit.
Diagnostics check_simulation(const LoopNest& nest, std::span<const SimulatedCache> caches,
                             SimulationLimits limits = {});

// [cache]: what it moved. The question must have passed check_simulation(). `outputs_read`: outputs start as words to
// be read, otherwise as zeros that need no load. Deterministic.
std::vector<CacheTraffic> simulate(const LoopNest& nest, std::span<const SimulatedCache> caches, bool outputs_read);

}  // namespace heliolite
