#include "engine/bounds/fusion/joined.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <vector>

#include "engine/base/integers.h"
#include "workloads/graph.h"

namespace heliolite {
namespace {

// Who makes an operand, how, and through what: operands with the same key are one tensor.
using Key = std::vector<std::tuple<int, bool, Combine, Operator, u64, u64>>;

Key key_of(const std::vector<Edge>& edges) {
  Key key;
  for (const Edge& e : edges)
    key.emplace_back(e.from, e.from_input, e.combine, e.through.op, e.slice ? e.slice->from : 0,
                     e.slice ? e.slice->words : 0);
  std::ranges::sort(key);
  return key;
}

// Whether a chain's link takes its operand along the edge.
bool in_a_chain(const Edge& edge, std::span<const Chain> chains) {
  return std::ranges::any_of(chains, [&](const Chain& chain) {
    const auto to = std::ranges::find(chain.links, edge.to, &ChainLink::layer);
    return to != chain.links.end() && to != chain.links.begin() && to->input == edge.tensor &&
           std::prev(to)->layer == edge.from;
  });
}

// Units in a word of the array that the edge brings, as it is stored.
u64 stored_size(const Network& network, const Edge& edge, const WordUnit& unit) {
  const Workload& from = network.layers[at(edge.from_input ? edge.to : edge.from)].workload;
  return unit.sizes(from)[at(edge.from_input ? edge.tensor : from.output())];
}

}  // namespace

u64 joined_words(const Network& network, std::span<const Chain> chains, const WordUnit& unit) {
  u64 moved = 0;
  std::vector<Key> done;
  for (const Edge& first : network.edges) {
    if (first.combine != Combine::Add && first.combine != Combine::Multiply) continue;
    const std::vector<Edge> edges = edges_into(network, first.to, first.tensor);
    const Key key = key_of(edges);
    if (std::ranges::find(done, key) != done.end()) continue;
    done.push_back(key);
    const auto is_same = [&](const Edge& e) { return key_of(edges_into(network, e.to, e.tensor)) == key; };
    // A producer all of whose words go nowhere else need not store them.
    const auto may_be_last = [&](const Edge& e) {
      return !e.from_input && !e.slice && std::ranges::all_of(network.edges, [&](const Edge& other) {
        return other.from_input || other.from != e.from || is_same(other);
      });
    };
    u64 units = 0, last = 0;
    bool passed_on = false;
    for (const Edge& e : edges) {
      const u64 size = stored_size(network, e, unit);
      units += size;
      if (passed_on || !may_be_last(e)) continue;
      passed_on = in_a_chain(e, chains);
      last = passed_on ? size : std::max(last, size);
    }
    u64 result = 0;  // the largest of its readers' words
    for (const Edge& e : network.edges)
      if (last == 0 && is_same(e))
        result = std::max<u64>(result, unit.sizes(network.layers[at(e.to)].workload)[at(e.tensor)]);
    const Layer& layer = network.layers[at(first.to)];
    moved += layer.count * (units - last + result) * layer.workload.tensor_words(first.tensor);
  }
  return moved;
}

}  // namespace heliolite
