#pragma once
// The exact co-search: branch and bound over sets of machines. What a set costs at least is, for every layer, the
// optimum over its machines and mappings together, found in one traversal (exact.h with a family).
// Proofs: docs/rules/co_search.md.
#include "engine/search/co_search/co_search.h"

namespace heliolite {

// Starts from `start`, the answer of Sunstone. Under a budget returns the best so far with a proven gap. Errors as
// co_search().
Result<CoSearchResult> co_search_exact(std::span<const WeightedLayer> layers, const MachineFamily& family,
                                       const SearchOptions& options, const CoSearchResult& start);

}  // namespace heliolite
