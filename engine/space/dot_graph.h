#pragma once
// Pictures of what a search keeps and cuts, written as files for Graphviz: graphs, and the tiles of one level as a
// graph.
#include <string>
#include <utility>
#include <vector>

#include "engine/space/footprint.h"
#include "engine/space/mapspace.h"

namespace heliolite {

// How a node is drawn.
enum class DotStyle : unsigned char {
  Inner,  // plain
  Kept,   // a bold box
  Cut,    // dashed and grey
};

// A directed graph with labels.
class DotGraph {
 public:
  // Returns the node's number. Line breaks in labels are line breaks in the picture.
  int add_node(std::string label, DotStyle style);
  void add_edge(int from, int to) { edges_.emplace_back(from, to); }

  // The whole file, written by Boost.Graph.
  std::string to_string(const std::string& title) const;

 private:
  struct Node {
    std::string label;
    DotStyle style;
  };
  std::vector<Node> nodes_;
  std::vector<std::pair<int, int>> edges_;
};

// The tiles of one level as a graph, from the unit tile to those that are too large (Ng, UBC 2022, fig. 4.3), for
// display. Searches walk the same tiles with factor_tree.h.

// What became of a tile.
enum class TileFate : u8 {
  Inner,     // fits, and so does a tile that is a step larger along some dimension: dropped by rule T1
  Kept,      // fits, and nothing larger does
  TooLarge,  // does not fit `too_large_for`
};

struct TileNode {
  Extents tile = unit_extents();
  std::vector<u64> words;  // [tensor]: words of its box
  u64 kept_words = 0;      // words of all tensors that the level keeps
  TileFate fate = TileFate::Inner;
  int too_large_for = -1;   // level whose capacity it exceeds; -1: none
  std::vector<int> larger;  // nodes with the next divisor along one dimension
};

struct TileTree {
  std::vector<TileNode> nodes;  // the smallest first, then by steps from it; empty when no factors are allowed
  TensorMask kept = 0;          // tensors the level keeps, open ones included
  bool complete = true;         // false: there are more nodes than the limit
};

// The tiles that the temporal factors of `level` can make, at most `max_nodes`. A tile must fit the level and, with the
// tensors that they keep, all levels outside it.
TileTree build_tile_tree(const Workload& workload, const Architecture& architecture, const Mapspace& space, int level,
                         std::size_t max_nodes);

// A tile as text: "K 2, C 2"; "1" for the unit tile.
std::string tile_text(const Extents& tile, const Workload& workload);

// The graph for Graphviz: kept tiles are boxes, tiles that do not fit are dashed and say at which level.
std::string tile_tree_dot(const TileTree& tree, const Workload& workload, const Architecture& architecture, int level);

}  // namespace heliolite
