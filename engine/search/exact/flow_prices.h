#pragma once
// What one word of a flow costs on one machine, by channel.
#include <span>
#include <vector>

#include "engine/search/exact/flow_costs.h"

namespace heliolite {

// Which sums of the flows the exact search keeps apart: the channels of a FlowCosts, and through which of them each
// level's accesses count.

// The channels of one level.
struct LevelChannels {
  int energy = 0;                          // 0: with that of other levels
  int read = -1, write = -1, shared = -1;  // of each bandwidth; -1: no mapping exceeds it, or no channel was left
};

// Lists m.channels and returns those of each level. Sets how clusters share accesses at least, and m.exact to false if
// something has no channel. `machines`: the problem's, or those of its family. Which levels share memory must be known.
std::vector<LevelChannels> list_channels(FlowCosts& m, std::span<const Compiled* const> machines);

// The prices on `machine`, the problem's or one of its family. `channels`: of each level, as list_channels() gives
// them.
FlowPrices flow_prices(const FlowCosts& m, const std::vector<LevelChannels>& channels, const Compiled& machine);

}  // namespace heliolite
