#pragma once
// The tiles of one level as a graph, from the unit tile to those that are too large (thesis Fig. 4.3): for display;
// searches walk them with factor_tree.h.
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/space/footprint.h"
#include "engine/space/mapspace.h"

namespace heliolite {

enum class TileFate : u8 {
  Inner,     // fits, and so does a tile that is a step larger along some dimension: dropped by rule T1
  Kept,      // fits, and nothing larger does
  TooLarge,  // does not fit `too_large_for`
};

struct TileNode {
  Extents tile = unit_extents();
  std::vector<u64> words;  // by tensor
  u64 kept_words = 0;      // of the tensors the level keeps
  TileFate fate = TileFate::Inner;
  int too_large_for = -1;   // level
  std::vector<int> larger;  // nodes one divisor up along one dimension
};

struct TileTree {
  std::vector<TileNode> nodes;  // the smallest first, then by steps from it; empty when no factors are allowed
  TensorMask kept = 0;          // tensors the level keeps, open ones included
  bool complete = true;         // false: more than the limit
};

// Factors are the level's temporal ones. A tile must fit the level and, for what they keep, all outer ones.
TileTree build_tile_tree(const Workload& workload, const Architecture& architecture, const Mapspace& space, int level,
                         std::size_t max_nodes);

// "K 2, C 2", "1" for the unit tile.
std::string tile_text(const Extents& tile, const Workload& workload);

// For Graphviz: kept tiles are boxes, tiles that do not fit are dashed and say where.
std::string tile_tree_dot(const TileTree& tree, const Workload& workload, const Architecture& architecture, int level);

}  // namespace heliolite
