#pragma once
// A frontier: the partial mappings that the exact search holds between two levels, packed, and the rule that drops one
// if another with the same tile and servers is no worse in everything that can matter outside (rule state-dominance).
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/search/exact/incumbent.h"
#include "engine/search/exact/partial_mapping.h"

namespace heliolite {

// How a partial mapping came about, and what it is worth.
struct FrontierNode {
  ObjectiveKey key;       // lower bound of its completions
  u64 order = 0;          // dimensions of the level's loops, innermost first: 4 bits each, dimension + 1
  u32 parent = 0;         // index in the stage before
  u32 choice = 0;         // index into FanoutChoices::choices of the fan-out below the level, before any swap
  u32 next = ~u32{0};     // the node of the same place that came before it; ~0: none
  u32 sliding_begin = 0;  // its sliding flows are the `sliding_count` from here on
  u16 idle = 0;           // this and the fields below: as in PartialMapping
  u8 sliding_count = 0;
  bool dropped = false;  // superfluous: compact() removes it
  bool swapped = false;  // its dimensions have changed places since its parent (rule symmetry)
  LinkState links;
  u32 machine = 0;
  u32 servers = 0;
  double rounding = 0;
  u64 signature = 0;
  u64 room = 0;
  LatticePoint tile;
};

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
  // A packed partial mapping, of the frontier or to be compared with it.
  struct Packed {
    const double* values;
    const SlidingFlow* sliding;
    const FrontierNode* node;
  };
  Packed packed(std::size_t k) const {
    return {values_.data() + k * width_, sliding_.data() + nodes_[k].sliding_begin, &nodes_[k]};
  }
  // Calls visit(k) for the latest nodes of a tile, beginning with node `first`, until it returns false. Returns whether
  // it never did.
  ObjectiveKey narrow(std::vector<u32>& order, std::size_t width);
  template <class Visit>
  bool visit_tile(u32 first, Visit visit) const;
  bool dominates(const Packed& a, const Packed& b) const;
  static bool no_more_over_links(const SlidingFlow& x, const SlidingFlow& y);
  bool same_split(const double* a, const double* b, std::size_t channel, unsigned closes) const;
  u64 place_of(const FrontierNode& node) const;
  Added add_packed(const Packed& state, bool dominance);
  void pack(const PartialMapping& s, double* out) const;
  static void describe(const PartialMapping& s, FrontierNode& node);

  const FlowCosts* m_;
  std::size_t channels_, tensors_, levels_, width_;
  std::array<bool, kMaxLevels> compared_{};  // levels where it matters how many instances are in use
  bool same_steps_ = false;                  // only partial mappings with the same instances in use compare
  bool room_matters_;                        // levels outside share the room of the level
  bool machines_merge_;                      // outside this level all machines are alike
  std::vector<FrontierNode> nodes_;
  std::vector<double> values_;  // width_ of each node, in the order of pack()
  std::vector<SlidingFlow> sliding_;
  std::size_t sets_;  // of servers
  int tile_bits_;     // of the index of a tile
  // The latest node of each tile and set of servers; of each machine, where machines differ further out.
  std::unordered_map<u64, u32> first_of_tile_;
};

}  // namespace heliolite
