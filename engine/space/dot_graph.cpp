#include "engine/space/dot_graph.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphviz.hpp>
#include <map>
#include <sstream>

#include "engine/base/integers.h"
#include "engine/space/divisors.h"

namespace heliolite {

namespace {

std::string quoted_dot(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return out + '"';
}

const char* attributes(DotStyle style) {
  constexpr std::array kNames{"", ", shape=box, style=bold", ", style=dashed, color=gray, fontcolor=gray"};
  return kNames[at(style)];
}

}  // namespace

int DotGraph::add_node(std::string label, DotStyle style) {
  nodes_.push_back({std::move(label), style});
  return static_cast<int>(nodes_.size()) - 1;
}

std::string DotGraph::to_string(const std::string& title) const {
  // Bidirectional for its plain list of edges: g++ 12 has false alarms about the iterators of the other kind.
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;
  Graph graph(nodes_.size());
  for (const auto& [from, to] : edges_) boost::add_edge(at(from), at(to), graph);
  std::ostringstream out;
  const auto vertex = [&](std::ostream& o, std::size_t v) {
    o << "[label=" << quoted_dot(nodes_[v].label) << attributes(nodes_[v].style) << "]";
  };
  const auto edge = [](std::ostream&, const auto&) {};
  const auto whole = [&](std::ostream& o) { o << "label=" << quoted_dot(title) << ";\nnode [shape=ellipse];\n"; };
  boost::write_graphviz(out, graph, vertex, edge, whole);
  return out.str();
}

namespace {

class TileTreeBuilder {
 public:
  TileTreeBuilder(const Workload& workload, const Architecture& architecture, const Mapspace& space, int level)
      : architecture_(architecture), space_(space), level_(level), footprint_(workload) {
    tree_.kept = kept(level);
    for (int d = 0; d < space.dimension_count; ++d) {
      const FactorLimit& limit = space.levels[level].temporal.factor[d];
      chains_.emplace_back();
      for (u64 f : divisors(space.size[d]))
        if (limit.allows(f)) chains_.back().push_back(static_cast<u32>(f));
    }
  }

  TileTree build(std::size_t max_nodes) {
    Extents first = unit_extents();
    for (std::size_t d = 0; d < chains_.size(); ++d) {
      if (chains_[d].empty()) return std::move(tree_);
      first[d] = chains_[d].front();
    }
    find_or_add(first);
    for (std::size_t n = 0; n < tree_.nodes.size(); ++n) {
      if (tree_.nodes[n].fate == TileFate::TooLarge) continue;
      if (tree_.nodes.size() > max_nodes) {
        tree_.complete = false;
        return std::move(tree_);
      }
      grow(static_cast<int>(n));
    }
    return std::move(tree_);
  }

 private:
  TensorMask kept(int level) const {
    const LevelSpace& l = space_.levels[level];
    return static_cast<TensorMask>(l.keep | l.open);
  }

  // Words of level i that the tile of these tensors takes.
  u64 total(const TileNode& node, int i, TensorMask tensors) const {
    const ValueParts parts = footprint_.parts(architecture_.levels[i]);
    u64 sum = 0;
    for (std::size_t v = 0; v < node.words.size(); ++v)
      if (contains(tensors, v)) sum += node.words[v] * parts.of[v];
    return ceil_div(sum, u64{parts.of_word});
  }

  int find_or_add(const Extents& tile) {
    const auto [place, is_new] = place_.try_emplace(tile, static_cast<int>(tree_.nodes.size()));
    if (!is_new) return place->second;
    TileNode node;
    node.tile = tile;
    for (int v = 0; v < footprint_.tensor_count(); ++v) node.words.push_back(footprint_.words(v, tile));
    node.kept_words = total(node, level_, tree_.kept);
    for (int i = level_; i < space_.level_count() && node.too_large_for < 0; ++i) {
      // An open tensor is not in the way outside: it can bypass.
      const TensorMask held = i == level_ ? tree_.kept : space_.levels[i].keep;
      const auto capacity = architecture_.levels[i].capacity_words();
      if (capacity && total(node, i, held) > *capacity) node.too_large_for = i;
    }
    node.fate = node.too_large_for >= 0 ? TileFate::TooLarge : TileFate::Kept;
    tree_.nodes.push_back(std::move(node));
    return place->second;
  }

  // One step along every dimension.
  void grow(int n) {
    for (std::size_t d = 0; d < chains_.size(); ++d) {
      Extents tile = tree_.nodes[n].tile;
      const auto next = std::upper_bound(chains_[d].begin(), chains_[d].end(), tile[d]);
      if (next == chains_[d].end()) continue;
      tile[d] = *next;
      const int larger = find_or_add(tile);
      TileNode& node = tree_.nodes[n];
      node.larger.push_back(larger);
      if (tree_.nodes[larger].fate != TileFate::TooLarge) node.fate = TileFate::Inner;
    }
  }

  const Architecture& architecture_;
  const Mapspace& space_;
  int level_;
  Footprint footprint_;
  std::vector<std::vector<u32>> chains_;  // allowed factors by dimension, ascending
  std::map<Extents, int> place_;
  TileTree tree_;
};

}  // namespace

TileTree build_tile_tree(const Workload& workload, const Architecture& architecture, const Mapspace& space, int level,
                         std::size_t max_nodes) {
  return TileTreeBuilder(workload, architecture, space, level).build(max_nodes);
}

std::string tile_text(const Extents& tile, const Workload& workload) {
  std::vector<std::string> parts;
  for (std::size_t d = 0; d < workload.dimensions.size(); ++d)
    if (tile[d] > 1) parts.push_back(fmt::format("{} {}", workload.dimensions[d].name, tile[d]));
  return parts.empty() ? "1" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string tile_tree_dot(const TileTree& tree, const Workload& workload, const Architecture& architecture, int level) {
  DotGraph graph;
  for (const TileNode& node : tree.nodes) {
    std::string label =
        fmt::format("{}\n{} word{}", tile_text(node.tile, workload), node.kept_words, node.kept_words == 1 ? "" : "s");
    if (node.fate == TileFate::TooLarge) {
      const StorageLevel& full = architecture.levels[node.too_large_for];
      label += fmt::format("\n{} holds {}", full.name, full.capacity_words().value_or(0));
    }
    graph.add_node(label, node.fate == TileFate::TooLarge ? DotStyle::Cut
                          : node.fate == TileFate::Kept   ? DotStyle::Kept
                                                          : DotStyle::Inner);
  }
  for (std::size_t n = 0; n < tree.nodes.size(); ++n)
    for (int larger : tree.nodes[n].larger) graph.add_edge(static_cast<int>(n), larger);
  return graph.to_string(fmt::format("tiles of {} in {}", workload.name, architecture.levels[level].name));
}

}  // namespace heliolite
