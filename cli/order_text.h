#pragma once
// Loop orders and the trie they come from, in words and as a graph.
#include <string>

#include "engine/space/order_trie.h"
#include "workloads/workload.h"

namespace heliolite::cli {

// "P Q, overlap R"; "" without reuse.
std::string reuse_text(const OrderReuse& reuse, const Workload& workload);

// Outermost first; the loops whose place does not matter in parentheses.
std::string order_text(const LoopOrder& order, const Workload& workload);

// The loops from the root to the node, outermost first.
std::string path_text(const OrderTrie& trie, int node, const Workload& workload);

// Why the node was cut; "" for those that were not.
std::string reason_text(const OrderTrie& trie, const OrderNode& node, const Workload& workload);

// For Graphviz; needs the trie's nodes. Innermost loops hang from the root, kept orders are boxes, what was cut is
// dashed and says why.
std::string order_trie_dot(const OrderTrie& trie, const Workload& workload);

}  // namespace heliolite::cli
