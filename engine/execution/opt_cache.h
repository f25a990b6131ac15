#pragma once
// A fully associative cache that knows the future: Belady, A study of replacement algorithms, 1966.
#include "engine/execution/cache_traffic.h"
#include "engine/execution/line_map.h"

namespace heliolite {

// Everything a nest touches, in order: `per_iteration` entries for each iteration, in the order of LoopNest::accesses.
struct TouchTrace {
  std::size_t per_iteration = 1;
  std::vector<u32> line;
};

// What the cache moves when of the lines that the present iteration does not touch the one leaves that is used again
// last, of those that are never used again one that need not be stored. No order of leaving has fewer loads as long as
// all operands of an iteration must be in the cache together, for which it must have room.
CacheTraffic optimal_traffic(const LoopNest& nest, const LineMap& lines, CacheShape shape, const TouchTrace& trace,
                             bool outputs_read);

}  // namespace heliolite
