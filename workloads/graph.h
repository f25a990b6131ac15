#pragma once
// The network as a graph of Einsums: orders and paths along its edges.
#include <optional>
#include <span>
#include <vector>

#include "workloads/network.h"

namespace heliolite {

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
