#pragma once
// Rule state-dominance (docs/rules/exact.md): a partial mapping is dropped if another with the same tile and servers is
// no worse in everything that can matter outside. Both are packed: rows of numbers in which smaller is better.
#include "engine/search/certify/incumbent.h"
#include "engine/search/exact/nest_steps.h"

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

// A packed partial mapping: what the node does not say stands in `values`.
struct PackedMapping {
  const double* values;  // Dominance::width() of them
  const SlidingFlow* sliding;
  const FrontierNode* node;
};

// Room for the values of any.
using PackedValues = std::array<double, kMaxChannels*(3 + 3 * kMaxTensors) + 3 + kMaxLevels>;

// Packs and compares the partial mappings of one stage.
class Dominance {
 public:
  // The stage of partial mappings whose loops up to `level` are placed; -1: nothing is placed.
  Dominance(const FlowCosts& model, int level);

  // Numbers of each packed mapping.
  std::size_t width() const { return width_; }
  // Writes the values of s to `out`. Smaller is better in all but those of the levels, which are compared apart.
  void pack(const PartialMapping& s, double* out) const;
  // Sets the fields of the node that are of s itself.
  static void describe(const PartialMapping& s, FrontierNode& node);
  void unpack(const PackedMapping& from, PartialMapping& out) const;

  // Whether every completion of b costs at most as much with a in its place. Both have the same tile and servers. A
  // flow that is still in place in a and has moved in b counts as if the next loop moved it: it can only fare better.
  bool dominates(const PackedMapping& a, const PackedMapping& b) const;

 private:
  bool same_split(const double* a, const double* b, std::size_t channel, unsigned closes) const;

  const FlowCosts* m_;
  std::size_t channels_, tensors_, levels_, width_;
  std::array<bool, kMaxLevels> compared_{};  // levels where it matters how many instances are in use
  bool same_steps_ = false;                  // only partial mappings with the same instances in use compare
  bool units_matter_;                        // fewer units in use are worse, or too few
  bool room_matters_;                        // levels outside share the room of the level
};

}  // namespace heliolite
