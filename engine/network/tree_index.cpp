#include "engine/network/tree_index.h"

#include <algorithm>

namespace heliolite {

TreeIndex::TreeIndex(const LinkGroup& group, const LinkGraph& graph) : graph_(graph), first_(group.first) {
  parent_of_.resize(at(std::max(1, group.size())), 0);
  add(group.root, -1);
}

int TreeIndex::add(const TreeNode& tree, int parent) {
  const int n = node_count();
  nodes_.push_back({&tree, parent, 0, 0});
  const std::size_t before = leaves_.size();
  for (const TreeNode& child : tree.children) {
    if (!child.is_leaf()) {
      add(child, n);
      continue;
    }
    leaves_.push_back(*child.link);
    const int place = *child.link - first_;
    if (place >= 0 && at(place) < parent_of_.size()) parent_of_[place] = n;
  }
  if (leaves_.size() > before) {
    nodes_[n].first = leaves_[before];
    nodes_[n].last = leaves_.back();
  }
  return n;
}

std::vector<int> TreeIndex::path_to(int n) const {
  std::vector<int> path;
  for (; n >= 0; n = node(n).parent) path.push_back(n);
  std::ranges::reverse(path);
  return path;
}

u64 TreeIndex::iterations_to(int n) const {
  u64 product = 1;
  for (; n >= 0; n = node(n).parent) product *= iterations(n);
  return product;
}

int TreeIndex::factor_count(int n, int link) const {
  return static_cast<int>(std::ranges::count(tree(n).loop, link, &DividedLink::link));
}

u64 TreeIndex::factor(int n, int link, std::span<const int> dimensions) const {
  u64 product = 1;
  for (const DividedLink& l : tree(n).loop) {
    if (l.link != link) continue;
    for (const DividedDimension& d : l.divided)
      if (std::ranges::count(dimensions, d.dimension) != 0) product *= d.factor;
  }
  return product;
}

LinkSizes TreeIndex::sizes_under(int link, int n) const {
  LinkSizes sizes = sizes_of(graph_.link(link));
  for (; n >= 0; n = node(n).parent)
    for (const DividedLink& l : tree(n).loop)
      if (l.link == link)
        for (const DividedDimension& d : l.divided) sizes[d.dimension] /= d.factor;
  return sizes;
}

u64 TreeIndex::tiles(int n, int link, int v) const {
  u64 so_far = 1, tiles = 1;
  for (const DividedLink& l : tree(n).loop) {
    if (l.link != link) continue;
    for (const DividedDimension& d : l.divided) {
      so_far *= d.factor;
      if (has_dimension(graph_.link(link), v, d.dimension)) tiles = so_far;
    }
  }
  return tiles;
}

u64 TreeIndex::extent(int n, int link, int v, int rank) const {
  const Workload& w = graph_.link(link);
  const Rank& r = w.tensors[v].ranks[rank];
  const LinkSizes sizes = sizes_under(link, n);
  const auto line = line_dimension(w, v, rank);
  if (is_plain(w, v, rank) || !line || w.tensors[v].is_output()) return rank_extent(r, sizes);
  for (const int above : path_to(n)) {
    if (!divides(above, link, *line)) continue;
    u64 stride = 0;
    for (const Term& t : r.terms) stride += t.dimension == *line ? t.coefficient : 0;
    return stride * sizes[*line];
  }
  return rank_extent(r, sizes);
}

u64 TreeIndex::tile(int n, const ArrayTouch& touch) const {
  u64 words = 1;
  for (std::size_t r = 0; r < graph_.link(touch.link).tensors[touch.tensor].ranks.size(); ++r)
    words *= extent(n, touch.link, touch.tensor, static_cast<int>(r));
  return words;
}

u64 TreeIndex::overlap(int n, const ArrayTouch& touch, int dimension, u64 lines) const {
  const Workload& w = graph_.link(touch.link);
  u64 words = lines;
  for (std::size_t r = 0; r < w.tensors[touch.tensor].ranks.size(); ++r)
    if (line_dimension(w, touch.tensor, static_cast<int>(r)) != dimension)
      words *= extent(n, touch.link, touch.tensor, static_cast<int>(r));
  return words;
}

}  // namespace heliolite
