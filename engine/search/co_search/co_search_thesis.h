#pragma once
// The co-search of the thesis (Ng, UBC 2022, algorithm 9), strategy `thesis`: tiles tagged with the smallest memories
// that hold them (tagged_tiles.h), machines in the order of their cheapest tiles.
#include "engine/search/co_search/co_search.h"

namespace heliolite {

// Under a budget the best so far. A status Infeasible says only that nothing was found; `layers` is empty then. Errors
// as co_search().
Result<CoSearchResult> co_search_thesis(std::span<const WeightedLayer> layers, const MachineFamily& family,
                                        const SearchOptions& options);

}  // namespace heliolite
