#pragma once
// The trie of loop orders as a picture (Ng, UBC 2022, fig. 4.2).
#include <string>

#include "engine/space/order_trie.h"
#include "workloads/workload.h"

namespace heliolite {

// The trie for Graphviz; it must have been built with OrderOptions::keep_nodes. Innermost loops hang from the root.
// Kept orders are boxes that say over which loops each tensor is kept; what was cut is dashed and says why.
std::string order_trie_dot(const OrderTrie& trie, const Workload& workload);

}  // namespace heliolite
