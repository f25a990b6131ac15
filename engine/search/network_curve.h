#pragma once
// The trade-off of energy and cycles that the mappings of a network's layers leave on one machine, with its proof
// (docs/rules/network.md, "The trade-off curve").
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "engine/search/core/options.h"
#include "engine/search/network/trade_off.h"
#include "workloads/network.h"

namespace heliolite {

// The curve of one layer, for one run of it.
struct LayerTradeOff {
  std::string name;
  u64 count = 1;                  // how often the network has the layer
  std::vector<Mapping> mappings;  // [point of the curve]; empty: the layer has no mapping
  TradeOff curve;
  Diagnostics why_infeasible;
};

struct NetworkCurve {
  std::vector<LayerTradeOff> layers;  // in the network's order
  TradeOff network;    // [layer]: TradeOffPoint::mapping is a point of the layer's curve; empty: a layer has
                       // no mapping
  u64 searches = 0;    // of layers for the least energy + lambda x cycles
  u64 evaluated = 0;   // mappings that were priced
  double seconds = 0;  // wall time
};

// The curve of the mappings that the options allow; their objective plays no part. Layers keep to the options' budget,
// each by itself. `options.progress` hears of layers that are done. Errors: as map_network(), and a network that the
// sums cannot count.
Result<NetworkCurve> map_curve(const Network& network, const Architecture& machine, const SearchOptions& options);

}  // namespace heliolite
