#pragma once
// Executes a nest in front of caches and counts the words that go in and out of each.
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/execution/cache_traffic.h"
#include "engine/execution/loop_nest.h"

namespace heliolite {

std::string_view name(CachePolicy policy);  // "lru", "fifo", "opt", "scratchpad"

// A cache that sees every touch of the nest; caches of one simulation know nothing of each other.
struct SimulatedCache {
  CacheShape shape;
  CachePolicy policy = CachePolicy::Lru;
  u8 level = 1;  // of a scratchpad: the loops that run over its tiles (BoxLoop::level), and those outside
};

// Refused beyond these, so that nobody waits for an answer that needs days or all of the machine's memory.
struct SimulationLimits {
  u64 touches = 4'000'000'000;    // of words by all iterations
  u64 opt_touches = 200'000'000;  // for CachePolicy::Opt, which remembers each in 8 bytes
  u64 words = 1'000'000'000;      // of all arrays
};

// Why the nest cannot be simulated with these caches; empty if it can. The field says which cache or limit.
Diagnostics check_simulation(const LoopNest& nest, std::span<const SimulatedCache> caches,
                             SimulationLimits limits = {});

// [cache]: what it moved. The question must have passed check_simulation(). `outputs_read`: outputs start as words to
// be read, otherwise as zeros that need no load. Deterministic.
std::vector<CacheTraffic> simulate(const LoopNest& nest, std::span<const SimulatedCache> caches, bool outputs_read);

}  // namespace heliolite
