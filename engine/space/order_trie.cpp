#include "engine/space/order_trie.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "engine/base/mapped.h"
#include "engine/space/dot_graph.h"
#include "engine/space/mapspace.h"

namespace heliolite {

ReuseTable infer_reuse(const Workload& workload, UnitDimensions unit) {
  ReuseTable table;
  table.tensor_count = static_cast<u8>(workload.tensors.size());
  table.dimension_count = static_cast<u8>(workload.dimensions.size());
  table.dimensions = unit == UnitDimensions::Skip ? non_unit_dimensions(workload)
                                                  : static_cast<DimensionMask>((1u << table.dimension_count) - 1);
  for (std::size_t v = 0; v < workload.tensors.size(); ++v) {
    unsigned indexing = 0, sliding = 0;
    for (const Rank& rank : workload.tensors[v].ranks) {
      unsigned in_rank = 0;
      for (const Term& term : rank.terms) in_rank |= 1u << term.dimension;
      in_rank &= table.dimensions;
      indexing |= in_rank;
      if (std::popcount(in_rank) > 1) sliding |= in_rank;
    }
    TensorReuse& reuse = table.tensor[v];
    reuse.full = static_cast<DimensionMask>(table.dimensions & ~indexing);
    reuse.partial = static_cast<DimensionMask>(sliding);
    reuse.none = static_cast<DimensionMask>(indexing & ~sliding);
  }
  return table;
}

namespace {

// A leaf of the trie; its order is completed when it is kept.
struct Leaf {
  LoopOrder order;
  int node = -1;
  int weight = 0;  // reuse bits over all tensors
};

int weight(const OrderSignature& reuse) {
  return sum_of<int>(reuse, [&](const OrderReuse& r) { return std::popcount(r.full) + std::popcount(r.partial); });
}

bool covers(const OrderSignature& a, const OrderSignature& b) {
  for (std::size_t v = 0; v < a.size(); ++v)
    if (!a[v].covers(b[v])) return false;
  return true;
}

class OrderTrieBuilder {
 public:
  OrderTrieBuilder(const ReuseTable& reuse, const OrderOptions& options) : table_(reuse), options_(options) {
    loops_ = static_cast<DimensionMask>(options.loops & reuse.dimensions);
    for (u8 d : options.innermost)
      if (contains(loops_, d)) forced_.push_back(d);
    for (int d = 0; d < reuse.dimension_count; ++d)
      for (int v = 0; v < reuse.tensor_count; ++v) {
        const unsigned bit = 1u << v;
        if (contains(reuse.tensor[v].full, d)) full_[d] = static_cast<TensorMask>(full_[d] | bit);
        if (contains(reuse.tensor[v].partial, d)) partial_[d] = static_cast<TensorMask>(partial_[d] | bit);
      }
  }

  OrderTrie build() {
    trie_.loop_count = static_cast<u8>(std::popcount(loops_));
    OrderNode root;
    root.alive = static_cast<TensorMask>((1u << table_.tensor_count) - 1);
    expand(root, loops_, record(root), 0);
    if (!trie_.complete) {
      trie_.nodes.clear();
      return std::move(trie_);
    }
    if (enabled(OrderRule::Dominance)) drop_dominated();
    for (const Leaf& leaf : leaves_) {
      trie_.kept.push_back(leaf.order);
      if (options_.keep_nodes) trie_.nodes[leaf.node].fate = OrderFate::Kept;
    }
    return std::move(trie_);
  }

 private:
  bool enabled(OrderRule r) const { return options_.rule[at(r)]; }
  void count_cut(OrderRule r) { ++trie_.cuts[at(r)]; }

  int record(const OrderNode& node) {
    if (!options_.keep_nodes) return -1;
    trie_.nodes.push_back(node);
    return static_cast<int>(trie_.nodes.size()) - 1;
  }

  // The node one loop over d further out. A tensor that d indexes is kept no longer, but for the overlap of
  // its windows.
  OrderNode child_of(const OrderNode& node, int index, int d) const {
    OrderNode child = node;
    child.parent = index;
    child.dimension = static_cast<u8>(d);
    child.depth = static_cast<u8>(node.depth + 1);
    for (int v = 0; v < table_.tensor_count; ++v) {
      const unsigned bit = 1u << v;
      if ((node.alive & bit) == 0) continue;
      OrderReuse& r = child.reuse[v];
      if ((full_[d] & bit) != 0) r.full = static_cast<DimensionMask>(r.full | 1u << d);
      if ((partial_[d] & bit) != 0) r.partial = static_cast<DimensionMask>(1u << d);
    }
    child.alive = static_cast<TensorMask>(node.alive & full_[d]);
    return child;
  }

  void cut(const OrderNode& node, int index, int d, OrderFate fate, int by) {
    count_cut(fate == OrderFate::NoGain ? OrderRule::Prefix : OrderRule::Run);
    if (!options_.keep_nodes) return;
    OrderNode child = child_of(node, index, d);
    child.fate = fate;
    child.by = by;
    record(child);
  }

  void descend(const OrderNode& node, int index, DimensionMask rest, int gaining, int d) {
    path_[node.depth] = static_cast<u8>(d);
    const bool gains = (node.alive & (full_[d] | partial_[d])) != 0;
    const OrderNode child = child_of(node, index, d);
    expand(child, static_cast<DimensionMask>(rest & ~(1u << d)), record(child), gains ? child.depth : gaining);
  }

  // `rest`: loops not yet chosen; `gaining`: depth of the last loop some tensor gained from.
  void expand(const OrderNode& node, DimensionMask rest, int index, int gaining) {
    if (++trie_.visited > kMaxOrderNodes) trie_.complete = false;
    if (!trie_.complete) return;
    // Step 1. Loops the machine fixes.
    if (node.depth < forced_.size()) return descend(node, index, rest, gaining, forced_[node.depth]);
    // Step 2. Run rule: one loop that every tensor still kept reuses comes next.
    int next = -1;
    if (enabled(OrderRule::Run) && node.alive != 0)
      for (int d = table_.dimension_count - 1; d >= 0; --d)
        if (contains(rest, d) && (node.alive & ~full_[d]) == 0) next = d;
    if (next >= 0) {
      const int first = static_cast<int>(trie_.nodes.size());
      descend(node, index, rest, gaining, next);
      for (int d = 0; d < table_.dimension_count; ++d)
        if (d != next && contains(rest, d)) cut(node, index, d, OrderFate::NotNext, first);
      return;
    }
    // Step 3. Prefix rule: only loops some tensor gains from.
    bool leaf = true;
    for (int d = 0; d < table_.dimension_count; ++d) {
      if (!contains(rest, d)) continue;
      if (enabled(OrderRule::Prefix) && (node.alive & (full_[d] | partial_[d])) == 0) {
        cut(node, index, d, OrderFate::NoGain, -1);
        continue;
      }
      leaf = false;
      descend(node, index, rest, gaining, d);
    }
    if (leaf) add_leaf(node, rest, index, gaining);
  }

  void add_leaf(const OrderNode& node, DimensionMask rest, int index, int gaining) {
    Leaf leaf;
    leaf.node = index;
    leaf.weight = weight(node.reuse);
    leaf.order.reuse = node.reuse;
    leaf.order.gaining = static_cast<u8>(gaining);
    leaf.order.count = trie_.loop_count;
    int i = 0;
    for (; i < node.depth; ++i) leaf.order.loop[i] = path_[i];
    for (int d = 0; d < table_.dimension_count; ++d)
      if (contains(rest, d)) leaf.order.loop[i++] = static_cast<u8>(d);
    leaves_.push_back(leaf);
  }

  // O3. A leaf that covers another has at least its weight, and the same weight only when they are equal: so
  // with the heaviest first, and equal signatures side by side, each leaf meets its dominator before it.
  void drop_dominated() {
    std::vector<int> by_weight(leaves_.size());
    std::iota(by_weight.begin(), by_weight.end(), 0);
    std::sort(by_weight.begin(), by_weight.end(), [&](int a, int b) {
      const Leaf &x = leaves_[a], &y = leaves_[b];
      if (x.weight != y.weight) return x.weight > y.weight;
      if (x.order.reuse != y.order.reuse) return x.order.reuse < y.order.reuse;
      return a < b;
    });
    std::vector<int> kept;
    for (std::size_t i = 0; i < by_weight.size(); ++i) {
      const Leaf& leaf = leaves_[by_weight[i]];
      int by = -1;
      if (i > 0 && leaves_[by_weight[i - 1]].order.reuse == leaf.order.reuse) by = same_as(leaf, kept);
      for (int k : kept) {
        if (by >= 0 || leaves_[k].weight == leaf.weight) break;
        if (covers(leaves_[k].order.reuse, leaf.order.reuse)) by = k;
      }
      if (by < 0) {
        kept.push_back(by_weight[i]);
        continue;
      }
      count_cut(OrderRule::Dominance);
      if (!options_.keep_nodes) continue;
      trie_.nodes[leaf.node].fate = OrderFate::Dominated;
      trie_.nodes[leaf.node].by = leaves_[by].node;
    }
    std::sort(kept.begin(), kept.end());
    std::vector<Leaf> left = mapped(kept, [&](int k) { return leaves_[k]; });
    leaves_ = std::move(left);
  }

  // The kept leaf with the same signature, if the signature was kept: it can only be the last one.
  int same_as(const Leaf& leaf, const std::vector<int>& kept) const {
    return !kept.empty() && leaves_[kept.back()].order.reuse == leaf.order.reuse ? kept.back() : -1;
  }

  const ReuseTable& table_;
  const OrderOptions& options_;
  DimensionMask loops_ = 0;
  std::vector<u8> forced_;
  std::array<TensorMask, kMaxDimensions> full_{}, partial_{};  // by dimension: tensors it is reuse for
  std::array<u8, kMaxDimensions> path_{};
  std::vector<Leaf> leaves_;
  OrderTrie trie_;
};

}  // namespace

OrderTrie build_order_trie(const ReuseTable& reuse, const OrderOptions& options) {
  return OrderTrieBuilder(reuse, options).build();
}

// Loop orders as text, and their trie as a picture.

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
