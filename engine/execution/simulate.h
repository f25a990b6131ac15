#pragma once
// Executes a nest in front of caches and counts the words that go in and out of each.
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/execution/caches.h"
#include "engine/execution/loop_nest.h"

namespace heliolite {

// A memory without replacement: for each tensor it holds the box of the present tile and nothing else.

// What moves when a tile's words are loaded as the tile begins, those that the tile before had stay, and outputs are
// stored when their box leaves. Loops that hold a tensor's window (BoxLoop::held) do not end its tile. Words are
// counted as they are touched: what a box has between strided taps never moves. A box that is an interval along a rank
// still has room for what lies there: a word that the tile before had and this one passes over stays, for a later one.
class Scratchpad {
 public:
  // The memory that loops of `level` and above run outside of; 1 is the innermost tile.
  Scratchpad(const LoopNest& nest, u8 level, bool outputs_read);

  void begin(const LoopNestPart& part);
  void advance(std::size_t loop, u32 index);
  void visit(const TouchedWords& words);

  const CacheTraffic& traffic() const { return traffic_; }

 private:
  // One rank of the array of one access.
  struct HeldRank {
    u64 stride = 1, extent = 1;  // words from one value to the next; values
    bool as_interval = false;    // held from the least to the largest value touched, not value by value
    u64 least = 0, largest = 0;  // touched by the present tile
    std::vector<u32> touched{};  // [value]: the last tile that touched it
    u64 value(u64 word) const { return word / stride % extent; }
  };
  // What one access has in the memory.
  struct HeldBox {
    u32 tile = 1;  // the number of the tile that is present; before the first begins, one more than any in `last_tile`
    bool turned = false;  // a new one has begun
    // [word of its array]: the last tile that held it; 0: none yet.
    std::vector<u32> last_tile{};
    std::vector<u64> words{}, before{};  // what this tile touched; what the one before held
    std::vector<HeldRank> ranks{};
  };

  std::vector<HeldRank> ranks_of(const NestAccess& access) const;
  std::vector<u32> box_extents(const NestAccess& access) const;
  static void end_tile(HeldBox& box);
  static void touch(HeldBox& box, u64 word);

  const LoopNest& nest_;
  u8 level_;
  bool outputs_read_;
  const LoopNestPart* part_ = nullptr;
  std::vector<HeldBox> boxes_;  // [access]: those of one array have boxes of their own, as in the cost model
  CacheTraffic traffic_;
};

// Why the nest cannot be simulated with these caches; empty if it can. The field says which cache or limit.
Diagnostics check_simulation(const LoopNest& nest, std::span<const SimulatedCache> caches,
                             SimulationLimits limits = {});

// [cache]: what it moved. The question must have passed check_simulation(). `outputs_read`: outputs start as words to
// be read, otherwise as zeros that need no load. Deterministic.
std::vector<CacheTraffic> simulate(const LoopNest& nest, std::span<const SimulatedCache> caches, bool outputs_read);

}  // namespace heliolite
