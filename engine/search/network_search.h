#pragma once
// The mappings of a network's layers with which the objective of the network's own energy and cycles is least
// (docs/rules/network.md): layers are searched again, for energy + lambda x cycles, where that can matter.
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "engine/search/core/answer.h"
#include "engine/search/core/options.h"
#include "engine/search/network/least_product.h"
#include "engine/search/network/trade_off.h"
#include "workloads/network.h"

namespace heliolite {

class LayerSearch;

// All layers of one shape.
struct ShapeOfNetwork {
  // A compute unit that can run them.
  struct Unit {
    std::size_t number = 0;  // of Architecture::chain()
    const LayerSearch* search = nullptr;
    MappingResult* own = nullptr;  // the result there for the layer's own objective; infeasible: none was found
  };

  // The first runs the layers best, by their own objective and bounded for all units. Its result is replaced where the
  // network's objective wants another mapping, of any unit.
  std::vector<Unit> units;
  double runs = 1;               // how often the network has layers of the shape, times their weights
  std::optional<Cost> before{};  // the cost of their own optimum, where it is replaced
  CostLines proven{};            // what the searches have proven of all its mappings
};

// Chooses among all mappings of the shapes' mapspaces. Layers keep to the budget of the options, of which their own
// search has used what its result says. `report` hears of the network's value and bound; it may be empty.
NetworkOptimum search_for_network(std::vector<ShapeOfNetwork>& shapes, const Architecture& machine,
                                  const SearchOptions& options, const NetworkProgress& report);

// The trade-off of energy and cycles that the mappings of a network's layers leave on one machine, with its proof
// (docs/rules/network.md, "The trade-off curve").

// The curve of one layer, for one run of it.
struct LayerTradeOff {
  std::string name;
  u64 count = 1;                   // how often the network has the layer
  std::vector<Mapping> mappings;   // [point of the curve]; empty: the layer has no mapping
  std::vector<std::size_t> units;  // [point of the curve]: the compute unit, a number of Architecture::chain()
  TradeOff curve;
  Diagnostics why_infeasible;
  u64 evaluated = 0;   // mappings of its shape that were priced
  double seconds = 0;  // of searches of its shape
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

// The mappings of a network's layers with the least value within limits (docs/rules/network.md, "Within limits").
struct NetworkWithin {
  NetworkCurve curve;    // without mappings: `choice` has those
  LimitedChoice choice;  // [layer]: in the network's order
};

// As map_curve(), of which it begins with the curve. Strategy exact proves the choice.
Result<NetworkWithin> map_within(const Network& network, const Architecture& machine, const SearchOptions& options,
                                 Objective objective, const CostLimits& limits);

}  // namespace heliolite
