#pragma once
// Loop orders, and the nodes of the trie they come from, as text.
#include <string>

#include "engine/space/order_trie.h"
#include "workloads/workload.h"

namespace heliolite {

// The dimensions over whose loops a tensor is kept: "P Q, overlap R"; "" without reuse.
std::string reuse_text(const OrderReuse& reuse, const Workload& workload);

// The loops of an order, outermost first; those whose position does not matter in parentheses.
std::string order_text(const LoopOrder& order, const Workload& workload);

// The loops from the root to the node, outermost first.
std::string path_text(const OrderTrie& trie, int node, const Workload& workload);

// Why the node was cut; "" if it was not.
std::string reason_text(const OrderTrie& trie, const OrderNode& node, const Workload& workload);

// The trie of loop orders as a picture (Ng, UBC 2022, fig. 4.2).

// The trie for Graphviz; it must have been built with OrderOptions::keep_nodes. Innermost loops hang from the root.
// Kept orders are boxes that say over which loops each tensor is kept; what was cut is dashed and says why.
std::string order_trie_dot(const OrderTrie& trie, const Workload& workload);

}  // namespace heliolite
