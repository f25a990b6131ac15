#pragma once
// Where the energy of a whole network goes: the breakdowns of its layers, added up by level.
#include <optional>
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "cli/ui/json.h"
#include "engine/base/energy.h"
#include "engine/model/breakdown.h"

namespace heliolite::cli {

// Of all instances of a level, in all runs of all layers.
struct LevelTotal {
  std::string name;
  Energy accesses;  // addresses included
  Energy network;   // the network below
  Energy leakage;
  double read = 0, written = 0;  // words of the level

  Energy energy() const { return accesses + network + leakage; }
};

struct NetworkBreakdown {
  std::vector<LevelTotal> levels;  // outermost first
  Energy compute;
  u64 cycles = 0;

  // Adds a layer that runs `count` times.
  void add(const Breakdown& layer, u64 count);
};

std::string network_breakdown_table(const NetworkBreakdown& breakdown, const Architecture& architecture);
Json network_breakdown_json(const NetworkBreakdown& breakdown);  // "levels" of docs/json.md

}  // namespace heliolite::cli
