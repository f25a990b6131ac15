#pragma once
// Words that sums and products of several arrays (residuals, gates) move beside the Einsums of a network.
#include <span>

#include "engine/bounds/fusion/chain.h"
#include "workloads/network.h"
#include "workloads/word_unit.h"

namespace heliolite {

// What one run of the network moves, fused or not, for operands that are sums or products of several arrays (residuals,
// gates), in `unit`: the layer that makes one of these arrays last adds the others as its own words leave, so each of
// the others is read once, in words of the output that it is or, of an input, of the operand. Where other layers need
// that layer's own words too, the result is stored as well. Of several layers that may be last it is the one whose
// output a chain passes on, else one with the largest words. Operands of the same arrays are made together. What is
// stored word by word passes no buffer.
u64 joined_words(const Network& network, std::span<const Chain> chains, const WordUnit& unit);

}  // namespace heliolite
