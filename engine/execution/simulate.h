#pragma once
// Executes a nest in front of caches and counts the words that go in and out of each, and how large a cache must be to
// move no more than a tiling says.
#include <optional>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/bounds/tiling/iotile_problem.h"
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

// How large a cache with least-recently-used replacement must be to move no more than a tiling says.

// [words]: loads of a fully associative LRU cache of this size, from 0 up to all words of the nest, by Mattson,
// Evaluation techniques for storage hierarchies, 1970: one execution gives all sizes. Outputs are read.
std::vector<u64> lru_loads(const LoopNest& nest);

// The least words with which an LRU cache loads no more than `tile` says, measured on the execution, or where that has
// more than a million touches, on one of up to three tiles along each dimension, which the whole may exceed a little.
// Nothing if even that is too long to be executed (50 million touches). For the product of matrices in T x T x 1 tiles:
// T^2 + 3 T + 1, the tile, a row of the next operand twice and a column.
std::optional<u64> reuse_window(const Workload& workload, const TiledLevel& tile);

// The tiling that moves the fewest words of those found whose reuse window fits the cache. Nothing if none does or
// windows cannot be measured.
std::optional<TiledLevel> best_lru_tile(const Workload& workload, u64 capacity, TrafficRule rule);

}  // namespace heliolite
