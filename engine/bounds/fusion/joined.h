#pragma once
// Words that sums and products of several arrays (residuals, gates) move beside the Einsums of a network.
#include "workloads/network.h"

namespace heliolite {

// Words of one run of the network, fused or not, for operands that are sums or products of several arrays (residuals,
// gates): the layer that makes one of these arrays last adds the others as its own words leave, so each of the others
// is read once. Where other layers need that layer's own words too, the result is stored as well. Operands of the same
// arrays are made together. What is stored word by word passes no buffer.
u64 joined_words(const Network& network);

}  // namespace heliolite
