#pragma once
// How a network is executed, its links fused or not: the type of schedules, and what they make of one link. Whether one
// is legal says group_plan.h, what it costs fused_cost.h; docs/fusion_trees.md explains them.
#include <compare>
#include <optional>
#include <vector>

#include "engine/base/types.h"
#include "engine/model/compiled.h"
#include "engine/model/mapping.h"
#include "engine/network/common_ranks.h"

namespace heliolite {

// A dimension of a link that a loop cuts into `factor` parts.
struct DividedDimension {
  int dimension = 0;
  u64 factor = 1;
  auto operator<=>(const DividedDimension&) const = default;
};

// What the loop of a node does to one of the links beneath it; of several dimensions the outermost first.
struct DividedLink {
  int link = 0;
  std::vector<DividedDimension> divided;
  bool operator==(const DividedLink&) const = default;

  u64 factor() const {
    u64 product = 1;
    for (const DividedDimension& d : divided) product *= d.factor;
    return product;
  }
};

// A leaf, which is a link, or an inner node: a loop around its children, one after the other in each iteration.
struct TreeNode {
  std::optional<int> link{};        // of a leaf
  std::vector<DividedLink> loop{};  // every link beneath; none at the root
  std::vector<int> held{};          // arrays (link_graph.h) that stay at the fusing level in each iteration
  std::vector<TreeNode> children{};
  bool operator==(const TreeNode&) const = default;

  bool is_leaf() const { return link.has_value(); }
  u64 iterations() const { return loop.empty() ? 1 : loop.front().factor(); }
};

// Consecutive links that run as one: alone, or as a tree whose intermediates stay at the level.
struct LinkGroup {
  int first = 0, last = 0;
  int level = 0;    // the fusing level
  TreeNode root{};  // of two links or more
  bool operator==(const LinkGroup&) const = default;

  bool is_single() const { return first == last; }
  int size() const { return last - first + 1; }
};

// How one link runs in its group: once for each iteration of the loops above it. The room that homes take meanwhile is
// the group's to say (group_plan.h).
struct LinkPass : NestPass {
  LinkSizes size;  // of the link in one pass
  auto operator<=>(const LinkPass&) const = default;
};

// Groups in the network's order, and how each link runs on the sizes of one of its passes.
struct FusedSchedule {
  std::vector<LinkGroup> groups;
  std::vector<Mapping> mappings;  // [link]
};

}  // namespace heliolite
