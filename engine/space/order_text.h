#pragma once
// Loop orders and the trie they come from, in words.
#include <string>

#include "engine/space/order_trie.h"
#include "workloads/workload.h"

namespace heliolite {

// "P Q, overlap R"; "" without reuse.
std::string reuse_text(const OrderReuse& reuse, const Workload& workload);

// Outermost first; the loops whose place does not matter in parentheses.
std::string order_text(const LoopOrder& order, const Workload& workload);

// The loops from the root to the node, outermost first.
std::string path_text(const OrderTrie& trie, int node, const Workload& workload);

// Why the node was cut; "" for those that were not.
std::string reason_text(const OrderTrie& trie, const OrderNode& node, const Workload& workload);

}  // namespace heliolite
