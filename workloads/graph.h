#pragma once
// The network as a graph of Einsums: orders and paths along its edges.
#include <optional>
#include <span>
#include <vector>

#include "workloads/network.h"

namespace heliolite {

// Layers so that every edge leads forward, the earliest possible in the network's order; none when the edges close a
// circle.
std::optional<std::vector<int>> topological_order(std::size_t layers, std::span<const Edge> edges);

// The edges that make the operand; none: it is an array of its own.
std::vector<Edge> edges_into(const Network& network, int layer, int tensor);

// A tensor of a layer.
struct TensorPlace {
  int layer = 0;
  int tensor = 0;

  bool operator==(const TensorPlace&) const = default;
};

// What the edge comes from: an output, or for an input the operand that is all of it.
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
