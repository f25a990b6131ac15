#include "engine/bounds/fusion/joined.h"

#include <algorithm>
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

}  // namespace

u64 joined_words(const Network& network) {
  u64 words = 0;
  std::vector<Key> done;
  for (const Edge& first : network.edges) {
    if (first.combine != Combine::Add && first.combine != Combine::Multiply) continue;
    const std::vector<Edge> edges = edges_into(network, first.to, first.tensor);
    const Key key = key_of(edges);
    if (std::ranges::find(done, key) != done.end()) continue;
    done.push_back(key);
    // A producer all of whose words go nowhere else need not store them.
    const bool in_place = std::ranges::any_of(edges, [&](const Edge& e) {
      return !e.from_input && !e.slice && std::ranges::all_of(network.edges, [&](const Edge& other) {
        return other.from_input || other.from != e.from || key_of(edges_into(network, other.to, other.tensor)) == key;
      });
    });
    const Layer& layer = network.layers[at(first.to)];
    const u64 passes = in_place ? edges.size() - 1 : edges.size() + 1;
    words += layer.count * passes * layer.workload.tensor_words(first.tensor);
  }
  return words;
}

}  // namespace heliolite
