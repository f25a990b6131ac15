#pragma once
// What one word of a flow costs on one machine, by channel.
#include <vector>

#include "engine/search/exact/flow_channels.h"

namespace heliolite {

// The prices on `machine`, the problem's or one of its family. `channels`: of each level, as list_channels() gives
// them.
FlowPrices flow_prices(const FlowCosts& m, const std::vector<LevelChannels>& channels, const Compiled& machine);

}  // namespace heliolite
