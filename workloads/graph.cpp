#include "workloads/graph.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/topological_sort.hpp>
#include <iterator>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;

Graph graph_of(std::size_t layers, std::span<const Edge> edges) {
  Graph graph(layers);
  for (const Edge& e : edges)
    if (!e.from_input) boost::add_edge(at(e.from), at(e.to), graph);
  return graph;
}

}  // namespace

std::optional<std::vector<int>> topological_order(std::size_t layers, std::span<const Edge> edges) {
  // Boost's order is a depth-first one; only whether there is one is asked of it.
  const Graph graph = graph_of(layers, edges);
  std::vector<std::size_t> any;
  try {
    boost::topological_sort(graph, std::back_inserter(any));
  } catch (const boost::not_a_dag&) {
    return std::nullopt;
  }
  std::vector<std::size_t> missing(layers);
  for (std::size_t v = 0; v < layers; ++v) missing[v] = boost::in_degree(v, graph);
  std::vector<int> order;
  std::vector<bool> placed(layers, false);
  while (order.size() < layers) {
    std::size_t next = 0;
    while (placed[next] || missing[next] > 0) ++next;
    placed[next] = true;
    order.push_back(static_cast<int>(next));
    for (auto [e, end] = boost::out_edges(next, graph); e != end; ++e) --missing[boost::target(*e, graph)];
  }
  return order;
}

std::vector<Edge> edges_into(const Network& network, int layer, int tensor) {
  std::vector<Edge> edges;
  std::ranges::copy_if(network.edges, std::back_inserter(edges),
                       [&](const Edge& e) { return e.to == layer && e.tensor == tensor; });
  return edges;
}

TensorPlace edge_source(const Network& network, const Edge& edge) {
  const auto workload = [&](int layer) -> const Workload& { return network.layers[at(layer)].workload; };
  if (!edge.from_input) return {edge.from, workload(edge.from).output()};
  const u64 words = network.inputs[at(edge.from)].words;
  const auto reader = std::ranges::find_if(network.edges, [&](const Edge& e) {
    return e.from_input && e.from == edge.from && reads_whole(e) && workload(e.to).tensor_words(e.tensor) == words;
  });
  return {reader->to, reader->tensor};
}

std::vector<LayerPath> layer_paths(const Network& network, std::span<const int> usable) {
  const std::size_t layers = network.layers.size();
  std::vector<int> consumers(layers, 0);
  for (const Edge& e : network.edges)
    if (!e.from_input) ++consumers[at(e.from)];
  std::vector<int> before(layers, -1), after(layers, -1);  // edges
  for (const int k : usable) {
    const Edge& e = network.edges[at(k)];
    int& in = before[at(e.to)];
    int& out = after[at(e.from)];
    if (in < 0 && out < 0 && consumers[at(e.from)] == 1) in = out = k;
  }
  std::vector<LayerPath> paths;
  const auto order = topological_order(layers, network.edges);
  if (!order) return paths;
  for (int layer : *order) {
    if (before[at(layer)] >= 0) continue;
    LayerPath& path = paths.emplace_back();
    path.layers.push_back(layer);
    for (int e; (e = after[at(layer)]) >= 0; path.layers.push_back(layer)) {
      path.edges.push_back(e);
      layer = network.edges[at(e)].to;
    }
  }
  return paths;
}

}  // namespace heliolite
