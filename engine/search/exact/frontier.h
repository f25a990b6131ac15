#pragma once
// The states that the exact search holds between two levels, packed, and the rule that drops one if another with the
// same tile is no worse in everything that can matter outside (rule state-dominance).
#include <unordered_map>
#include <vector>

#include "engine/search/exact/incumbent.h"
#include "engine/search/exact/partial_mapping.h"

namespace heliolite {

// How a state came about, and what it is worth.
struct FrontierNode {
  ObjectiveKey key;    // its bound
  u64 order = 0;       // loops of the level's order, innermost first: 4 bits each, dimension + 1
  u32 parent = 0;      // index in the stage before
  u32 choice = 0;      // of the fan-out below the level
  u32 next = ~u32{0};  // another state of the same tile
  u32 sliding_begin = 0;
  u16 idle = 0;
  u8 sliding_count = 0;
  bool dropped = false;
  u32 machine = 0;
  u64 signature = 0;
  LatticePoint tile;
};

class Frontier {
 public:
  // States after `level`; -1: before everything.
  Frontier(const FlowCosts& model, int level);

  std::size_t size() const { return nodes_.size(); }
  const FrontierNode& node(std::size_t k) const { return nodes_[k]; }
  void drop(std::size_t k) { nodes_[k].dropped = true; }

  // Unpacks state k.
  void get(std::size_t k, PartialMapping& out) const;

  // Whether a state that is there dominates s.
  bool dominated(const PartialMapping& s) const;
  // Adds a state unless one that is there dominates it; drops those it dominates. Without `dominance` adds always.
  // Returns whether it was added.
  bool add(const PartialMapping& s, FrontierNode node, bool dominance);
  // The same for a state of another stage.
  bool add(const Frontier& from, std::size_t k, bool dominance);

  // Removes what was dropped.
  void compact();
  // Keeps the `width` most promising states. Returns the least key of those that go; infinity: none does.
  ObjectiveKey narrow(std::size_t width);
  // The same, so that bytes() are at most so many; one state stays.
  ObjectiveKey shrink(std::size_t most_bytes);
  // Leaves only the nodes, for those that lead back through them.
  void forget_values();

  // Memory that the states may take: vectors that grow hold their elements twice for a moment.
  std::size_t bytes() const {
    constexpr std::size_t kBytesOfATile = 64;  // a node and a bucket of the hash table
    return 2 * (nodes_.size() * sizeof(FrontierNode) + values_.size() * sizeof(double) +
                sliding_.size() * sizeof(SlidingFlow)) +
           first_of_tile_.size() * kBytesOfATile;
  }

 private:
  // A packed state, here or about to come here.
  struct Packed {
    const double* values;
    const SlidingFlow* sliding;
    const FrontierNode* node;
  };
  Packed packed(std::size_t k) const {
    return {values_.data() + k * width_, sliding_.data() + nodes_[k].sliding_begin, &nodes_[k]};
  }
  // Calls visit(k) for the latest states of a tile, from the last one `first` on, until it returns false; returns that.
  template <class Visit>
  bool visit_tile(u32 first, Visit visit) const;
  bool dominates(const Packed& a, const Packed& b) const;
  u64 place_of(const FrontierNode& node) const;
  bool add_packed(const Packed& state, bool dominance);
  void pack(const PartialMapping& s, double* out) const;
  static void describe(const PartialMapping& s, FrontierNode& node);

  const FlowCosts* m_;
  double rounding_;  // energy units by which rounding can turn the order of two states
  std::size_t channels_, tensors_, levels_, width_;
  std::array<bool, kMaxLevels> compared_{};  // levels where it matters how many instances are in use
  bool same_steps_ = false;                  // only states with the same instances in use compare
  bool machines_merge_;                      // outside this level all machines are alike
  std::vector<FrontierNode> nodes_;
  std::vector<double> values_;  // width_ of each node: sums, refund, tensors' channels, units, instances by level
  std::vector<SlidingFlow> sliding_;
  std::unordered_map<u64, u32> first_of_tile_;  // and of a machine, as long as machines differ further out
};

}  // namespace heliolite
