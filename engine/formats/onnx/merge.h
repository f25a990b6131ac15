#pragma once
// Equal layers as one layer with a count, so that a network of 97 nodes is the eight layers that an architect sees.
#include <compare>
#include <cstddef>
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

// Runs of equal blocks in a list of layers with edges, in time linear in the list.

// `repeats` equal blocks of `length` layers each, one after the other.
struct Repetition {
  std::size_t first = 0, length = 0, repeats = 1;

  std::size_t end() const { return first + length * repeats; }
  std::size_t saving() const { return length * (repeats - 1); }

  bool operator==(const Repetition&) const = default;
};

// An edge seen from its reader: from `back` layers before, or from an input.
struct Link {
  std::size_t back = 0;
  int tensor = 0, input = -1, op = 0, combine = 0;
  StatedRanks ranks{};

  auto operator<=>(const Link&) const = default;
};

// Runs of at least two blocks of 2 to 512 layers each with equal tokens and equal links from layer to layer within the
// block, at least one. Where a run of some length may begin at several layers, the first one whose blocks have the most
// links. By length, then by place; runs overlap. links[i] is sorted.
std::vector<Repetition> equal_runs(const std::vector<int>& tokens, const std::vector<std::vector<Link>>& links);

// Runs of these that do not overlap: the largest saving first, of equal ones the shortest block, then the first place.
std::vector<Repetition> disjoint(std::vector<Repetition> runs, std::size_t layers);

}  // namespace heliolite::onnx
