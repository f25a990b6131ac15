#pragma once
// What goes in and out of a cache while a nest is executed.
#include <vector>

#include "engine/base/types.h"
#include "engine/bounds/traffic_rule.h"

namespace heliolite {

enum class CachePolicy : u8 {
  Lru,         // what was used longest ago leaves
  Fifo,        // what came first leaves
  Opt,         // what is used again last leaves (Belady, A study of replacement algorithms, 1966)
  Scratchpad,  // no cache: boxes of the tiling are loaded and stored as its tiles change
};

// What one touch does to a word.
enum class TouchKind : u8 {
  Read,
  Write,   // whatever it was before: nothing need be loaded
  Update,  // read, unless nothing was written there yet and it does not start with a value, and written
};

// A cache. Lines of more than one word load and store whole lines; arrays begin on a line of their own.
struct CacheShape {
  u64 capacity_words = 0;
  u32 line_words = 1;
  u32 ways = 0;  // lines that a line may take; 0: any of the cache

  u64 lines() const { return capacity_words / line_words; }
};

// Words that cross the outer boundary of the cache, by array.
struct CacheTraffic {
  explicit CacheTraffic(std::size_t arrays = 0) : loads(arrays, 0), stores(arrays, 0) {}

  std::vector<u64> loads;
  std::vector<u64> stores;  // of lines that were written, when they leave and at the end

  u64 all_loads() const {
    u64 sum = 0;
    for (const u64 words : loads) sum += words;
    return sum;
  }
  u64 all_stores() const {
    u64 sum = 0;
    for (const u64 words : stores) sum += words;
    return sum;
  }
  // What a bound by this rule is held against.
  u64 words(TrafficRule rule) const { return all_loads() + (rule.stores ? all_stores() : 0); }
};

}  // namespace heliolite
