#pragma once
// The curve on which a network trades energy for cycles: the lower left side of the hull of all sums of one mapping for
// each layer, with its proof (docs/rules/network.md, "The trade-off curve").
//
// The hull of sums is the sum of the layers' hulls, so each layer's is found by itself: its fastest and its cheapest
// mapping first, then for each edge between two neighbours the least energy + lambda x cycles, lambda being the edge's
// slope. Either a mapping below the edge is found, which is a new corner, or nothing is below the edge.
#include <functional>
#include <vector>

#include "engine/search/network/least_product.h"

namespace heliolite {

// A corner of the curve of one layer or of the network's.
struct TradeOffPoint {
  Cost cost;                         // of one run
  std::vector<std::size_t> mapping;  // of a layer: its number; of the network: [layer], the point of its curve
};

// What lies between two neighbouring points: energy + lambda x cycles has the same value on the line through both.
struct TradeOffEdge {
  double lambda = 0;          // pJ a cycle
  double value_pj = 0;        // on the line
  double lower_bound_pj = 0;  // no mappings have less
  bool certain = false;       // nothing is below the line
};

struct TradeOff {
  std::vector<TradeOffPoint> points;  // from the fewest cycles to the least energy
  std::vector<TradeOffEdge> edges;    // [k]: from point k to point k + 1
  Cost least;                         // no mappings have fewer cycles, and none less energy
  bool certain = false;               // nothing is below the curve, and it ends where nothing is faster or cheaper
};

struct TradeOffQuestion {
  int threads = 1;                                              // 0: every core
  std::function<bool()> stop = nullptr;                         // asked between searches; null: never
  std::function<void(std::size_t layers_done)> tell = nullptr;  // by one thread at a time; null: nobody is told
};

struct NetworkTradeOff {
  std::vector<TradeOff> layers;
  TradeOff network;
  u64 searches = 0;  // of layers
};

// `layers`: each with at least one known mapping; more become known. `compulsory`: [layer], energy and cycles that
// every mapping has at least. Runs are whole numbers.
NetworkTradeOff find_trade_off(std::vector<NetworkLayer>& layers, const std::vector<Cost>& compulsory,
                               const SearchForSum& search, const TradeOffQuestion& question);

}  // namespace heliolite
