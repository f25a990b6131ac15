#pragma once
// A frontier: the partial mappings that the exact search holds between two levels, packed. One is dropped if another
// with the same tile and servers dominates it (rule state-dominance).
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/search/exact/dominance.h"

namespace heliolite {

// The partial mappings of one stage, by index.
class Frontier {
 public:
  // The stage of partial mappings whose loops up to `level` are placed; -1: nothing is placed.
  Frontier(const FlowCosts& model, int level);

  std::size_t size() const { return nodes_.size(); }
  const FrontierNode& node(std::size_t k) const { return nodes_[k]; }

  // Unpacks partial mapping k into `out`.
  void get(std::size_t k, PartialMapping& out) const;

  // Whether some partial mapping of the frontier dominates s.
  bool dominated(const PartialMapping& s) const;
  // One that does, found by comparing s with all of them, also after compact(). Nothing: none does.
  std::optional<std::size_t> dominator(const PartialMapping& s) const;
  // What became of a partial mapping that was to be added: whether it was, and how many that were there it dropped.
  struct Added {
    bool added = false;
    u32 dropped = 0;
    explicit operator bool() const { return added; }
  };
  // Adds s unless one of the frontier dominates it, and drops those that s dominates; without `dominance` adds it
  // always.
  Added add(const PartialMapping& s, FrontierNode node, bool dominance);
  // The same for partial mapping k of another frontier of the same stage.
  Added add(const Frontier& from, std::size_t k, bool dominance);

  // Removes the nodes that were dropped; indices change.
  void compact();
  // Keeps the `width` nodes with the least keys of each set of servers. Returns the least key of those removed;
  // infinity: none was.
  ObjectiveKey narrow(std::size_t width);
  // The same with about as many nodes of all sets as `most_bytes` have room for, at least one.
  ObjectiveKey shrink(std::size_t most_bytes);
  // Frees everything but the nodes, through which complete mappings are read back.
  void forget_values();

  // Memory that the frontier may take: vectors that grow hold their elements twice for a moment.
  std::size_t bytes() const {
    constexpr std::size_t kBytesOfATile = 64;  // a node and a bucket of the hash table
    return 2 * (nodes_.size() * sizeof(FrontierNode) + values_.size() * sizeof(double) +
                sliding_.size() * sizeof(SlidingFlow)) +
           first_of_tile_.size() * kBytesOfATile;
  }

 private:
  PackedMapping packed(std::size_t k) const {
    return {values_.data() + k * dominance_.width(), sliding_.data() + nodes_[k].sliding_begin, &nodes_[k]};
  }
  ObjectiveKey narrow(std::vector<u32>& order, std::size_t width);
  // Calls visit(k) for the latest nodes of a tile, beginning with node `first`, until it returns false. Returns whether
  // it never did.
  template <class Visit>
  bool visit_tile(u32 first, Visit visit) const;
  u64 place_of(const FrontierNode& node) const;
  Added add_packed(const PackedMapping& state, bool dominance);

  const FlowCosts* m_;
  Dominance dominance_;
  bool machines_merge_;  // outside this level all machines are alike
  std::vector<FrontierNode> nodes_;
  std::vector<double> values_;  // dominance_.width() of each node
  std::vector<SlidingFlow> sliding_;
  std::size_t sets_;  // of servers
  int tile_bits_;     // of the index of a tile
  // The latest node of each tile and set of servers; of each machine, where machines differ further out.
  std::unordered_map<u64, u32> first_of_tile_;
};

// The way back from a node of the layered graph to the loops that led there.

// The loops up to `level`, of which `last` is a node. `layers`: the stages before it; layers[i] is the one before
// level i.
Mapping nest_of(const FlowCosts& model, const std::vector<Frontier>& layers, int level, const FrontierNode& last);

}  // namespace heliolite
