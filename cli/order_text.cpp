#include "cli/order_text.h"

#include <fmt/format.h>

#include <vector>

namespace heliolite::cli {
namespace {

std::string names(DimensionMask mask, const Workload& workload) {
  std::vector<std::string> found;
  for (std::size_t d = 0; d < workload.dimensions.size(); ++d)
    if (mask >> d & 1) found.push_back(workload.dimensions[d].name);
  return fmt::format("{}", fmt::join(found, " "));
}

// A DOT string in quotes.
std::string dot_string(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return out + '"';
}

// What every tensor is kept over, one a line.
std::string leaf_label(const OrderNode& node, const Workload& workload) {
  std::string label = workload.dimensions[node.dimension].name;
  for (std::size_t v = 0; v < workload.tensors.size(); ++v) {
    const std::string reuse = reuse_text(node.reuse[v], workload);
    if (!reuse.empty()) label += "\n" + workload.tensors[v].name + ": " + reuse;
  }
  return label;
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

std::string order_trie_dot(const OrderTrie& trie, const Workload& workload) {
  std::string dot = fmt::format("digraph orders {{\n  label={};\n  node [shape=ellipse];\n", dot_string(workload.name));
  for (std::size_t n = 0; n < trie.nodes.size(); ++n) {
    const OrderNode& node = trie.nodes[n];
    std::string label = "innermost";
    std::string style;
    if (node.parent >= 0) label = workload.dimensions[node.dimension].name;
    if (node.fate == OrderFate::Kept) {
      label = leaf_label(node, workload);
      style = ", shape=box, style=bold";
    } else if (node.fate != OrderFate::Inner) {
      style = fmt::format(", style=dashed, fontcolor=gray, color=gray, tooltip={}",
                          dot_string(reason_text(trie, node, workload)));
    }
    dot += fmt::format("  n{} [label={}{}];\n", n, dot_string(label), style);
    if (node.parent >= 0) dot += fmt::format("  n{} -> n{};\n", node.parent, n);
  }
  return dot + "}\n";
}

}  // namespace heliolite::cli
