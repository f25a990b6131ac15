#pragma once
// What the tensors of a perfect nest cost, level by level, in a form that can be mended: when the loops of a level
// change places, only that is priced anew which such a change reaches.
#include <array>

#include "engine/model/compiled.h"
#include "engine/model/cost.h"
#include "engine/model/nest.h"

namespace heliolite {

// [level][tensor that it keeps]: the box of its tile.
using TileBoxes = std::array<std::array<Box, kMaxTensors>, kMaxLevels>;

// The flows of one nest that fits, with even tiles. All arguments must outlive it. On machines whose networks cost
// energy by their ways or let receivers take words from peers, which depend on more than these flows, the whole nest is
// priced each time.
class TensorFlows {
 public:
  // `boxes`: room for the boxes of the nest's tiles, which are measured here.
  TensorFlows(const Compiled& c, const Nest& nest, const KeepMasks& keep, TileBoxes& boxes);

  // To be told after temporal loops of the level have changed places in the nest, and nothing else has.
  void reorder(int level);

  // The cost of the nest as it was when this object was made, or told last.
  Cost total() const;

 private:
  // A tensor at a level that keeps it, or that is an interconnect. Words of one instance.
  struct Stop {
    u64 accesses, crossing;  // words out of it, to the inside; words into its tile, from outside
    u64 reads, writes;       // parts of these words: read; filled and updated
    u128 units;              // energy, all instances
  };

  void price(int v);
  void enter(int v, int i, u64 words);
  void serve(int v, int i, u64 accesses, u64 crossing);
  void withdraw(int v, int i);
  void reorder(int v, int level);
  u64 crossing(int v, int i) const;
  int first_reached(int v, int level) const;
  u64 cycles(int i) const;

  const Compiled& c_;
  const Nest& nest_;
  const KeepMasks& keep_;
  TileBoxes& boxes_;
  bool whole_ = false;                                              // ways cost energy, or some words come from peers
  std::array<LoopMask, kMaxTensors> moving_;                        // the loops that move the tensor
  std::array<std::array<u64, kMaxTensors>, kMaxLevels> distinct_;   // N of the level's fan-out
  std::array<std::array<Stop, kMaxTensors>, kMaxLevels> stop_;      // [level][tensor that it counts]
  std::array<std::array<u64, kMaxTensors>, kMaxLevels> entered_{};  // words into the network below the level
  std::array<u64, kMaxLevels> part_;                                // the output's share of an instance (rule 14)
  u128 units_ = 0;                                                  // energy of all stops, and of networks
  std::array<u64, kMaxLevels> reads_{}, writes_{};                  // parts of all stops of the level
};

}  // namespace heliolite
