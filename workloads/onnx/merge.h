#pragma once
// Equal layers as one layer with a count, so that a network of 97 nodes is the eight layers that an architect sees.
#include <vector>

#include "workloads/network.h"

namespace heliolite::onnx {

// For each layer a number, equal for layers with equal Einsums, roles and sizes.
std::vector<int> shape_tokens(const Network& network);

// Layers with equal Einsums, roles and sizes become the first of them, with the sum of their counts. No edges are left:
// their ends would not be equally often.
Network merge_shapes(Network network);

// Runs of equal blocks of layers, at least two with an edge among them, become one block with counts: the largest
// saving first, of equal ones the shortest block. Edges between blocks are left out; layers of a block that read one
// tensor from outside it read an input of the block.
Network merge_blocks(Network network);

}  // namespace heliolite::onnx
