#include "workloads/graph.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/topological_sort.hpp>
#include <iterator>
#include <limits>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

constexpr u64 kMany = std::numeric_limits<u64>::max();

u64 times(u64 a, u64 b) { return b != 0 && a > kMany / b ? kMany : a * b; }

WordRange times(const WordRange& a, const WordRange& b) { return {times(a.least, b.least), times(a.most, b.most)}; }

WordRange pooled(u64 size, const Through& pool) {
  const auto windows = [&](u64 pad, bool up) {
    const u64 all = size + 2 * pad;
    if (all < pool.window) return u64{1};
    const u64 steps = all - pool.window;
    return 1 + (up ? ceil_div(steps, pool.stride) : steps / pool.stride);
  };
  return {windows(pool.pad.value_or(0), false), windows(pool.pad.value_or(pool.window - 1), true)};
}

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;

Graph graph_of(std::size_t layers, std::span<const Edge> edges) {
  Graph graph(layers);
  for (const Edge& e : edges)
    if (!e.from_input) boost::add_edge(at(e.from), at(e.to), graph);
  return graph;
}

}  // namespace

u64 rank_size(const Workload& workload, const Rank& rank) {
  u64 size = 1;
  for (const Term& term : rank.terms) size += term.coefficient * (workload.dimensions[term.dimension].size - 1);
  return size;
}

std::optional<int> find_rank(const Workload& workload, int tensor, std::string_view dimension) {
  const std::vector<Rank>& ranks = workload.tensors[tensor].ranks;
  for (std::size_t r = 0; r < ranks.size(); ++r)
    for (const Term& term : ranks[r].terms)
      if (workload.dimensions[term.dimension].name == dimension) return static_cast<int>(r);
  return std::nullopt;
}

u32 image_ranks(const Workload& workload, int tensor) {
  DimensionMask slides = 0;
  for (const Tensor& t : workload.tensors)
    for (const Rank& rank : t.ranks)
      for (const Term& term : rank.terms)
        if (rank.terms.size() > 1) slides |= dimension_bit(term.dimension);
  u32 mask = 0;
  const std::vector<Rank>& ranks = workload.tensors[tensor].ranks;
  for (std::size_t r = 0; r < ranks.size(); ++r)
    if (std::ranges::any_of(ranks[r].terms, [&](const Term& t) { return contains(slides, t.dimension); }))
      mask |= u32{1} << r;
  return mask;
}

WordRange read_width(const Workload& workload, const Rank& rank) {
  const DimensionMask in_output = workload.indexing(workload.output());
  const u64 extent = rank_size(workload, rank);
  u64 window = 1, stride = 0;
  for (const Term& term : rank.terms) {
    if (contains(in_output, term.dimension))
      stride = stride == 0 ? term.coefficient : std::min(stride, term.coefficient);
    else window += term.coefficient * (workload.dimensions[term.dimension].size - 1);
  }
  const u64 border = 2 * (window - 1);
  if (rank.terms.size() < 2 && stride <= 1) return {extent, extent};
  return {extent > border ? extent - border : 1, extent + std::max<u64>(stride, 1) - 1};
}

WordRange wanted_words(const Workload& workload, int operand) {
  WordRange words{1, 1};
  for (const Rank& rank : workload.tensors[operand].ranks) words = times(words, read_width(workload, rank));
  return words;
}

WordRange made_words(const Workload& workload, int tensor, const Edge& edge) {
  WordRange words{1, 1};
  const std::vector<Rank>& ranks = workload.tensors[tensor].ranks;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const bool sliced = edge.slice && edge.slice->rank == static_cast<int>(r);
    const u64 size = sliced ? edge.slice->words : rank_size(workload, ranks[r]);
    WordRange width{size, size};
    if (contains(edge.through.ranks, r)) {
      if (edge.through.op == Operator::Pool) width = pooled(size, edge.through);
      if (edge.through.op == Operator::Resize) width.least = width.most = times(size, edge.through.factor);
    }
    words = times(words, width);
  }
  return {times(words.least, edge.outputs) / edge.shares, times(words.most, edge.outputs) / edge.shares};
}

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
  const auto workload = [&](int layer) -> const Workload& { return network.layers[layer].workload; };
  if (!edge.from_input) return {edge.from, workload(edge.from).output()};
  const u64 words = network.inputs[edge.from].words;
  const auto reader = std::ranges::find_if(network.edges, [&](const Edge& e) {
    return e.from_input && e.from == edge.from && reads_whole(e) && workload(e.to).tensor_words(e.tensor) == words;
  });
  return {reader->to, reader->tensor};
}

std::vector<LayerPath> layer_paths(const Network& network, std::span<const int> usable) {
  const std::size_t layers = network.layers.size();
  std::vector<int> consumers(layers, 0);
  for (const Edge& e : network.edges)
    if (!e.from_input) ++consumers[e.from];
  std::vector<int> before(layers, -1), after(layers, -1);  // edges
  for (const int k : usable) {
    const Edge& e = network.edges[k];
    int& in = before[e.to];
    int& out = after[e.from];
    if (in < 0 && out < 0 && consumers[e.from] == 1) in = out = k;
  }
  std::vector<LayerPath> paths;
  const auto order = topological_order(layers, network.edges);
  if (!order) return paths;
  for (int layer : *order) {
    if (before[layer] >= 0) continue;
    LayerPath& path = paths.emplace_back();
    path.layers.push_back(layer);
    for (int e; (e = after[layer]) >= 0; path.layers.push_back(layer)) {
      path.edges.push_back(e);
      layer = network.edges[e].to;
    }
  }
  return paths;
}

}  // namespace heliolite
