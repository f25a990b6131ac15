#pragma once
// The network as a graph of Einsums: orders and paths along its edges.
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "workloads/network.h"

namespace heliolite {

// How many words an edge brings and how many its operand takes. Neither is one number: the borders of convolutions and
// poolings are unknown, and a stride may leave lines unread.

// A range of numbers of positions or words; numbers beyond 64 bits become the largest u64.
struct WordRange {
  u64 least = 0, most = 0;

  bool meets(const WordRange& other) const { return least <= other.most && other.least <= most; }
};

// Positions of one rank: 1 + sum coefficient*(size-1).
u64 rank_size(const Workload& workload, const Rank& rank);

// The rank of a tensor that the dimension indexes.
std::optional<int> find_rank(const Workload& workload, int tensor, std::string_view dimension);

// The ranks of lines and columns, as a mask: those with a dimension that slides in some tensor.
u32 image_ranks(const Workload& workload, int tensor);

// Positions of an array that a rank of an operand e = stride*(p-1) + window wide reads: at least e - 2*(window-1) (the
// border on either side is smaller than the window) and at most e + stride-1 (the remainder of the stride).
WordRange read_width(const Workload& workload, const Rank& rank);

// Words that an array may have to be the operand: read_width() of all ranks together.
WordRange wanted_words(const Workload& workload, int operand);

// Words that the edge, with its slice and operator, and joined or divided among repetitions, makes of a tensor (an
// output, or an operand that is read as a whole). A pooling without a stated pad may have any up to window-1 on either
// side, and round up or down.
WordRange made_words(const Workload& workload, int tensor, const Edge& edge);

// The layers 0 .. layers - 1 in an order in which every edge leads forward; of several possible ones the layer that
// comes first in the network is next. None if the edges close a circle.
std::optional<std::vector<int>> topological_order(std::size_t layers, std::span<const Edge> edges);

// The edges that make the operand; empty: it is an array of its own.
std::vector<Edge> edges_into(const Network& network, int layer, int tensor);

// A tensor of a layer.
struct TensorPlace {
  int layer = 0;
  int tensor = 0;

  bool operator==(const TensorPlace&) const = default;
};

// The tensor that the edge comes from: a layer's output, or for an input the operand that reads all of it.
TensorPlace edge_source(const Network& network, const Edge& edge);

// A path of layers, each but the first fed by the one before through `edges[k]`, an index into Network::edges.
struct LayerPath {
  std::vector<int> layers;
  std::vector<int> edges;  // one fewer
};

// Splits the layers into paths along the edges of `usable` (indices into Network::edges): an intermediate that others
// than the next layer need ends its path. Every layer is on one path, alone if need be; paths and their layers are in
// topological order. Where several edges enter a layer, the first one whose producer is free goes on.
std::vector<LayerPath> layer_paths(const Network& network, std::span<const int> usable);

}  // namespace heliolite
