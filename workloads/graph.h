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
