#pragma once
// A group's tree with its nodes numbered, and what the loops above a place leave of a link, a rank or an array.
#include <span>
#include <vector>

#include "engine/base/integers.h"
#include "engine/network/fused_schedule.h"
#include "engine/network/link_graph.h"

namespace heliolite {

// Inner nodes are numbered from the root, 0, parents before children. Node -1 stands outside the root.
class TreeIndex {
 public:
  struct Node {
    const TreeNode* tree = nullptr;
    int parent = -1;
    int first = 0, last = 0;  // links beneath
  };

  // Group and graph must outlive it.
  TreeIndex(const LinkGroup& group, const LinkGraph& graph);

  // Leaves from left to right; legal trees have the group's links in order.
  const std::vector<int>& leaves() const { return leaves_; }
  int node_count() const { return static_cast<int>(nodes_.size()); }
  const Node& node(int n) const { return nodes_[n]; }
  const TreeNode& tree(int n) const { return *node(n).tree; }
  u64 iterations(int n) const { return tree(n).iterations(); }
  // The node whose child the link is.
  int parent_of(int link) const { return parent_of_[link - first_]; }
  bool is_beneath(int link, int n) const { return node(n).first <= link && link <= node(n).last; }
  // From the root to the node itself.
  std::vector<int> path_to(int n) const;
  // Iterations of all loops from the root to the node itself.
  u64 iterations_to(int n) const;

  // How often the node's loop names the link.
  int factor_count(int n, int link) const;
  // Into how many parts the node's loop cuts these dimensions of the link, together.
  u64 factor(int n, int link, std::span<const int> dimensions) const;
  bool divides(int n, int link, int dimension) const { return factor(n, link, {&dimension, 1}) > 1; }
  // What the loops from the root to the node leave of the link's dimensions.
  LinkSizes sizes_under(int link, int n) const;

  // How many tiles of tensor v the iterations of the node's loop go through; a loop that divides several dimensions
  // counts as loops over these, the outer ones first. 1: the tensor lacks the loop.
  u64 tiles(int n, int link, int v) const;
  // Positions along a rank of tensor v's tile at a node. Beneath a loop over a rank that slides these are the new lines
  // of an iteration: those that neighbours share stay apart.
  u64 extent(int n, int link, int v, int rank) const;
  u64 tile(int n, const ArrayTouch& touch) const;
  // Lines that windows along the rank share, times all that the tile at the node has of the other ranks.
  u64 overlap(int n, const ArrayTouch& touch, int dimension, u64 lines) const;

 private:
  int add(const TreeNode& tree, int parent);

  const LinkGraph& graph_;
  int first_;
  std::vector<Node> nodes_;
  std::vector<int> leaves_;
  std::vector<int> parent_of_;  // [link - first]
};

}  // namespace heliolite
