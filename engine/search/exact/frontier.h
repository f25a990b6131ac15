#pragma once
// A frontier: the partial mappings that the exact search holds between two levels, packed. One is dropped if another
// with the same tile and servers dominates it (rule state-dominance).
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/search/certify/incumbent.h"
#include "engine/search/exact/nest_steps.h"

namespace heliolite {

// Rule state-dominance (docs/rules/exact.md): a partial mapping is dropped if another with the same tile and servers is
// no worse in everything that can matter outside. Both are packed: rows of numbers in which smaller is better.

// How a partial mapping came about, and what it is worth.
struct FrontierNode : PlacedState {
  ObjectiveKey key;       // lower bound of its completions
  u64 order = 0;          // dimensions of the level's loops, innermost first: 4 bits each, dimension + 1
  u32 parent = 0;         // index in the stage before
  u32 choice = 0;         // index into FanoutChoices::choices of the fan-out below the level, before any swap
  u32 next = ~u32{0};     // the node of the same place that came before it; ~0: none
  u32 sliding_begin = 0;  // its sliding flows are the `sliding_count` from here on
  bool dropped = false;   // superfluous: compact() removes it
  bool swapped = false;   // its dimensions have changed places since its parent (rule symmetry)
};

// A packed partial mapping: what the node does not say stands in `values`.
struct PackedMapping {
  const double* values;  // Dominance::width() of them
  const SlidingFlow* sliding;
  const FrontierNode* node;
};

// Room for the values of any.
using PackedValues = std::array<double, kMaxChannels*(3 + 3 * kMaxTensors) + 3 + kMaxLevels + 2 * kMaxTensors>;

// Packs and compares the partial mappings of one stage.
class Dominance {
 public:
  // The stage of partial mappings whose loops up to `level` are placed; -1: nothing is placed.
  Dominance(const FlowCosts& model, int level);

  // Numbers of each packed mapping.
  std::size_t width() const { return width_; }
  // Writes the values of s to `out`. Smaller is better in all but those of the levels, which are compared apart.
  void pack(const PartialMapping& s, double* out) const;
  void unpack(const PackedMapping& from, PartialMapping& out) const;

  // Whether every completion of b costs at most as much with a in its place. Both have the same tile and servers. A
  // flow that is still in place in a and has moved in b counts as if the next loop moved it: it can only fare better.
  bool dominates(const PackedMapping& a, const PackedMapping& b) const;

 private:
  bool same_split(const double* a, const double* b, std::size_t channel, unsigned closes) const;

  const FlowCosts* m_;
  std::size_t channels_, tensors_, levels_;
  std::size_t tail_, width_;                 // what follows the numbers by channel; all numbers
  std::array<bool, kMaxLevels> compared_{};  // levels where it matters how many instances are in use
  bool same_steps_ = false;                  // only partial mappings with the same instances in use compare
  bool units_matter_;                        // fewer units in use are worse, or too few
  bool room_matters_;                        // levels outside share the room of the level
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
  // Adds partial mapping k of another frontier of the same stage in that way.
  Added add(const Frontier& from, std::size_t k, bool dominance);

  // Removes the nodes that were dropped; indices change.
  void compact();
  // Keeps the `width` nodes with the least keys of each set of servers. Returns the least key of those removed;
  // infinity: none was.
  ObjectiveKey narrow(std::size_t width);
  // Keeps about as many nodes of all sets together as `most_bytes` have room for, at least one, those with the least
  // keys. Returns the least key of those removed.
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
