#pragma once
// bound --simulate: the best tilings executed, and what they measure beside what was claimed.
#include <optional>
#include <string>

#include "cli/ui/json.h"
#include "engine/bounds/tiling/iotile_parts.h"

namespace heliolite::cli {

// What one tiling moves when it runs with a memory of the capacity that it was made for.
struct ExecutedTiling {
  std::string why_not;        // it did not run; empty: it did
  double scratchpad = 0;      // words that its boxes move; the model says at least as many
  std::optional<double> opt;  // of a cache that knows the future; none: too many touches to remember
  double lru = 0;             // of a cache that drops what was used longest ago
  // The best tiling known whose reuse window such a cache holds: what it says, and what the cache measures.
  std::optional<double> lru_tiling, lru_tiling_measured;
};

// Executes the tiling where that takes seconds.
ExecutedTiling execute_tiling(const Workload& workload, const PartTiling& tiling, double capacity, TrafficRule rule);

struct SymbolicAnswer;

// The table of all places, and docs/json.md: `executed` of a tiling.
std::string executed_table(const SymbolicAnswer& answer);
Json executed_json(const ExecutedTiling& executed);

}  // namespace heliolite::cli
