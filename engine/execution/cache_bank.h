#pragma once
// Caches of many shapes that see the same touches go by.
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/execution/caches.h"

namespace heliolite {

std::string_view name(CachePolicy policy);  // "lru", "fifo", "opt", "scratchpad"

// A cache that sees every touch; caches of one simulation know nothing of each other.
struct SimulatedCache {
  CacheShape shape;
  CachePolicy policy = CachePolicy::Lru;
  u8 level = 1;  // of a scratchpad: the loops that run over its tiles (BoxLoop::level), and those outside
};

// Refused beyond these, so that nobody waits for an answer that needs days or all of the machine's memory.
struct SimulationLimits {
  u64 touches = 4'000'000'000;    // words touched by all iterations
  u64 opt_touches = 200'000'000;  // for CachePolicy::Opt, which remembers each in 8 bytes
  u64 words = 1'000'000'000;      // words of all arrays
};

// Why these caches cannot be simulated; empty if they can. `operands`: the most words that one iteration touches;
// `touches`: of all iterations. The field says which cache or limit.
Diagnostics check_caches(std::span<const SimulatedCache> caches, std::size_t operands, double touches,
                         SimulationLimits limits);

// The caches of one execution, but for scratchpads, which follow tiles and not touches.
class CacheBank {
 public:
  // `values`: what is updated starts with values to be read, otherwise as zeros that need no load.
  CacheBank(std::span<const MemoryArray> arrays, std::span<const SimulatedCache> caches, bool values);

  // The word of this array, numbered as MemoryArray::first does. `last`: no other touch of the iteration follows.
  void touch(int array, u64 word, TouchKind kind, bool last);

  // [cache]: what it moved, once all is over; of scratchpads nothing.
  std::vector<CacheTraffic> answers();
  std::span<const SimulatedCache> caches() const { return caches_; }

 private:
  // Caches with lines of one size.
  struct Lines {
    Lines(std::span<const MemoryArray> arrays, u32 words) : map(arrays, words) {}

    LineMap map;
    std::vector<ListCache> caches;
    bool recorded = false;
    std::vector<Touch> trace;
  };
  Lines& of_size(u32 words);

  std::vector<MemoryArray> arrays_;
  std::vector<SimulatedCache> caches_;
  bool values_;
  std::map<u32, std::unique_ptr<Lines>> lines_;
};

}  // namespace heliolite
