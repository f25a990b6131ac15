#pragma once
// A fully associative cache that knows the future: Belady, A study of replacement algorithms, 1966.
#include <span>

#include "engine/execution/cache_traffic.h"
#include "engine/execution/line_map.h"

namespace heliolite {

// One touch of an execution.
struct Touch {
  u32 line = 0;
  u8 array = 0;
  TouchKind kind = TouchKind::Read;
  bool last = false;  // of its iteration
};

// What the cache moves when of the lines that the present iteration does not touch the one leaves that is used again
// last. No order of leaving has fewer loads as long as all operands of an iteration must be in the cache together, for
// which it must have room. `trace`: all touches in order, fewer than 2^32 - 1; `values` as in ListCache.
CacheTraffic optimal_traffic(const LineMap& lines, CacheShape shape, std::span<const Touch> trace, bool values);

}  // namespace heliolite
