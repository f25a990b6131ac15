#pragma once
// The mappings of a network's layers with which the objective of the network's own energy and cycles is least
// (docs/rules/network.md): layers are searched again, for energy + lambda x cycles, where that can matter.
#include <vector>

#include "arch/architecture.h"
#include "engine/search/core/answer.h"
#include "engine/search/core/options.h"
#include "engine/search/layer_search.h"
#include "engine/search/network/least_product.h"

namespace heliolite {

// All layers of one shape.
struct ShapeOfNetwork {
  const LayerSearch* search = nullptr;
  double runs = 1;               // how often the network has layers of the shape, times their weights
  MappingResult* own;            // the result for its own objective; replaced where the network's wants another mapping
  std::optional<Cost> before{};  // then the cost of its own
};

// Chooses among all mappings of the shapes' mapspaces. Layers keep to the budget of the options, of which their own
// search has used what its result says. `tell` hears of the network's value and bound; it may be empty.
NetworkOptimum search_for_network(std::vector<ShapeOfNetwork>& shapes, const Architecture& machine,
                                  const SearchOptions& options, const NetworkProgress& tell);

}  // namespace heliolite
