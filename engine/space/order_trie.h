#pragma once
// The loop orders of one level that can matter: a trie over partial orders, innermost loop first, built once per
// workload and independent of tile sizes and level, from what loops over each dimension leave of every tensor's tile.
// Proofs of the rules: docs/rules/loop_orders.md.
#include <array>
#include <span>
#include <string>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/types.h"
#include "workloads/workload.h"

namespace heliolite {

// Reuse inference: over loops of which dimensions a tensor's tile stays, wholly or partly, where it is (Sunstone:
// Olyaiy et al., ISPASS 2023, section on reuse; Ng, UBC 2022, chapter 4).

// A loop over a dimension of `full` touches the same words of the tensor in every iteration, over one of
// `partial` the next tile overlaps the last (a sliding window), over one of `none` it is disjoint.
struct TensorReuse {
  DimensionMask full = 0;
  DimensionMask partial = 0;
  DimensionMask none = 0;

  auto operator<=>(const TensorReuse&) const = default;
};

// The reuse of all tensors.
struct ReuseTable {
  std::array<TensorReuse, kMaxTensors> tensor{};  // [tensor]
  u8 tensor_count = 0;
  u8 dimension_count = 0;
  DimensionMask dimensions = 0;  // those in the masks; unit dimensions may have been left out
};

// Dimensions of size 1 have no loop. Skipping them also makes their partner in a sliding window a plain
// dimension: with R = 1 the rank p + r is p, and p gives no overlap.
enum class UnitDimensions : u8 { Keep, Skip };

// The reuse of each tensor of the workload.
ReuseTable infer_reuse(const Workload& workload, UnitDimensions unit = UnitDimensions::Keep);

// Orders of loops.

// The dimensions over whose loops a tensor is kept: all of it (`full`), or the overlap of its window
// (`partial`, at most one dimension).
struct OrderReuse {
  DimensionMask full = 0;
  DimensionMask partial = 0;

  bool covers(const OrderReuse& other) const { return (other.full & ~full) == 0 && (other.partial & ~partial) == 0; }
  auto operator<=>(const OrderReuse&) const = default;
};

using OrderSignature = std::array<OrderReuse, kMaxTensors>;  // [tensor]; unused entries are empty

// A complete order. Only the first `gaining` loops decide the reuse; those outside them are in canonical (declaration)
// order.
struct LoopOrder {
  std::array<u8, kMaxDimensions> loop{};  // dimensions, innermost first
  u8 count = 0;
  u8 gaining = 0;
  OrderSignature reuse{};

  std::span<const u8> loops() const { return {loop.data(), count}; }
};

// Rules that cut the trie.
enum class OrderRule : u8 {
  Prefix,     // O1/O2: no loop is added that no tensor gains from
  Run,        // a loop that every tensor still kept reuses fully comes next, its siblings are not tried
  Dominance,  // O3: an order is dropped if another gives every tensor at least its reuse
};
inline constexpr std::size_t kOrderRules = 3;
inline constexpr std::array<const char*, kOrderRules> kOrderRuleNames{"order-prefix", "order-run", "order-dominance"};

// What became of a node, and by which rule.
enum class OrderFate : u8 {
  Inner,      // has children
  Kept,       // leaf whose order is kept
  Dominated,  // leaf dropped by O3: `by` is the node that gives at least its reuse (the same: a tie)
  NoGain,     // cut by O1/O2: no tensor gains from the last loop
  NotNext,    // cut by the run rule: a sibling that all kept tensors reuse comes first
};

// A partial order: the loops from the root to the node, innermost first.
struct OrderNode {
  int parent = -1;       // -1: the root
  int by = -1;           // Dominated: the leaf that covers it; NotNext: the sibling that comes first
  u8 dimension = 0;      // the loop this node adds outside its parent's
  u8 depth = 0;          // loops chosen so far
  TensorMask alive = 0;  // tensors for which every loop so far was full reuse
  OrderFate fate = OrderFate::Inner;
  OrderSignature reuse{};
};

// What is ordered, and by which rules.
struct OrderOptions {
  DimensionMask loops = 0xffff;  // dimensions to order (those of the reuse table)
  std::vector<u8> innermost;     // these loops come innermost, in this order (a machine's constraint)
  std::array<bool, kOrderRules> rule{true, true, true};  // [OrderRule]: whether it applies
  bool keep_nodes = false;                               // fill OrderTrie::nodes, for display

  OrderOptions without(OrderRule r) const {
    OrderOptions copy = *this;
    copy.rule[at(r)] = false;
    return copy;
  }
};

// What build_order_trie() returns.
struct OrderTrie {
  std::vector<LoopOrder> kept;          // in canonical order (lexicographic, innermost loop first)
  std::vector<OrderNode> nodes;         // parents before children; empty unless asked for
  u64 visited = 0;                      // nodes generated, cut ones not included
  std::array<u64, kOrderRules> cuts{};  // [OrderRule]: subtrees or leaves cut
  u8 loop_count = 0;                    // loops ordered; the unpruned space has loop_count! orders
  bool complete = true;                 // false: the unpruned trie outgrew kMaxOrderNodes and is not usable
};

// Without its rules a trie of 12 loops has 1e9 nodes; building stops here.
inline constexpr u64 kMaxOrderNodes = 2'000'000;

// Builds the trie of the loops over options.loops.
OrderTrie build_order_trie(const ReuseTable& reuse, const OrderOptions& options = {});

// Loop orders, and the nodes of the trie they come from, as text.

// The dimensions over whose loops a tensor is kept: "P Q, overlap R"; "" without reuse.
std::string reuse_text(const OrderReuse& reuse, const Workload& workload);

// The loops of an order, outermost first; those whose position does not matter in parentheses.
std::string order_text(const LoopOrder& order, const Workload& workload);

// The loops from the root to the node, outermost first.
std::string path_text(const OrderTrie& trie, int node, const Workload& workload);

// Why the node was cut; "" if it was not.
std::string reason_text(const OrderTrie& trie, const OrderNode& node, const Workload& workload);

// The trie of loop orders as a picture (Ng, UBC 2022, fig. 4.2).

// The trie for Graphviz; it must have been built with OrderOptions::keep_nodes. Innermost loops hang from the root.
// Kept orders are boxes that say over which loops each tensor is kept; what was cut is dashed and says why.
std::string order_trie_dot(const OrderTrie& trie, const Workload& workload);

}  // namespace heliolite
