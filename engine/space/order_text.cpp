// Loop orders as text, and their trie as a picture.
#include "engine/space/order_trie.h"

#include <fmt/format.h>
#include <vector>

#include "engine/base/integers.h"
#include "engine/space/dot_graph.h"

namespace heliolite {
namespace {

std::string names(DimensionMask mask, const Workload& workload) {
  std::vector<std::string> found;
  for (std::size_t d = 0; d < workload.dimensions.size(); ++d)
    if (contains(mask, d)) found.push_back(workload.dimensions[d].name);
  return fmt::format("{}", fmt::join(found, " "));
}

}  // namespace

std::string reuse_text(const OrderReuse& reuse, const Workload& workload) {
  std::string text = names(reuse.full, workload);
  if (reuse.partial != 0) text += (text.empty() ? "overlap " : ", overlap ") + names(reuse.partial, workload);
  return text;
}

std::string order_text(const LoopOrder& order, const Workload& workload) {
  std::vector<std::string> free, fixed;
  for (int i = order.count - 1; i >= 0; --i)
    (i < order.gaining ? fixed : free).push_back(workload.dimensions[order.loop[i]].name);
  std::string text = free.empty() ? "" : fmt::format("({}) ", fmt::join(free, " "));
  return text + fmt::format("{}", fmt::join(fixed, " "));
}

std::string path_text(const OrderTrie& trie, int node, const Workload& workload) {
  std::vector<std::string> path;
  for (int n = node; n >= 0 && trie.nodes[n].parent >= 0; n = trie.nodes[n].parent)
    path.push_back(workload.dimensions[trie.nodes[n].dimension].name);
  return fmt::format("{}", fmt::join(path, " "));
}

std::string reason_text(const OrderTrie& trie, const OrderNode& node, const Workload& workload) {
  const std::string& dimension = workload.dimensions[node.dimension].name;
  switch (node.fate) {
    case OrderFate::NoGain: return fmt::format("no tensor gains from a loop over {} here", dimension);
    case OrderFate::NotNext:
      return fmt::format("a loop over {} comes first, every tensor still kept reuses it",
                         node.by >= 0 ? workload.dimensions[trie.nodes[node.by].dimension].name : "another dimension");
    case OrderFate::Dominated:
      if (node.by < 0) return "another order gives every tensor at least its reuse";
      return fmt::format("{} gives every tensor {}", path_text(trie, node.by, workload),
                         trie.nodes[node.by].reuse == node.reuse ? "the same reuse" : "at least its reuse");
    case OrderFate::Inner:
    case OrderFate::Kept: break;
  }
  return "";
}

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
