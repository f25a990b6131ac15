#pragma once
// The trie of loop orders as a picture (thesis Fig. 4.2).
#include <string>

#include "engine/space/order_trie.h"
#include "workloads/workload.h"

namespace heliolite {

// For Graphviz; needs the trie's nodes. Innermost loops hang from the root. Kept orders are boxes that say what each
// tensor is kept over; what was cut is dashed and says why.
std::string order_trie_dot(const OrderTrie& trie, const Workload& workload);

}  // namespace heliolite
