#include "engine/space/order_dot.h"

#include "engine/space/dot_graph.h"
#include "engine/space/order_text.h"

namespace heliolite {
namespace {

// What every tensor is kept over, one a line.
std::string reuse_lines(const OrderNode& node, const Workload& workload) {
  std::string lines;
  for (std::size_t v = 0; v < workload.tensors.size(); ++v) {
    const std::string reuse = reuse_text(node.reuse[v], workload);
    if (!reuse.empty()) lines += "\n" + workload.tensors[v].name + ": " + reuse;
  }
  return lines;
}

}  // namespace

std::string order_trie_dot(const OrderTrie& trie, const Workload& workload) {
  DotGraph graph;
  for (const OrderNode& node : trie.nodes) {
    const std::string own = node.parent < 0 ? "innermost" : workload.dimensions[node.dimension].name;
    int n = 0;
    switch (node.fate) {
      case OrderFate::Inner: n = graph.add_node(own, DotStyle::Inner); break;
      case OrderFate::Kept: n = graph.add_node(own + reuse_lines(node, workload), DotStyle::Kept); break;
      default: n = graph.add_node(own + "\n" + reason_text(trie, node, workload), DotStyle::Cut);
    }
    if (node.parent >= 0) graph.add_edge(node.parent, n);
  }
  return graph.to_string(workload.name);
}

}  // namespace heliolite
