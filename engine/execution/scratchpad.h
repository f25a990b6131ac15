#pragma once
// A memory without replacement: for each tensor it holds the box of the present tile and nothing else.
#include <array>
#include <vector>

#include "engine/execution/cache_traffic.h"
#include "engine/execution/walk.h"

namespace heliolite {

// What moves when a tile's words are loaded as the tile begins, those that the tile before had stay, and outputs are
// stored when their box leaves. Loops that hold a tensor's window (BoxLoop::held) do not end its tile. Words are
// counted as they are touched: what a box has between strided taps never moves.
class Scratchpad {
 public:
  // The memory that loops of `level` and above run outside of; 1 is the innermost tile.
  Scratchpad(const LoopNest& nest, u8 level, bool outputs_read);

  void begin(const LoopNestPart& part);
  void advance(std::size_t loop, u32 index);
  void visit(const TouchedWords& words);

  const CacheTraffic& traffic() const { return traffic_; }

 private:
  const LoopNest& nest_;
  u8 level_;
  bool outputs_read_;
  const LoopNestPart* part_ = nullptr;
  // The number of the tile that is present, from 1, and whether a new one has begun.
  std::array<u32, kMaxTensors> tile_{};
  std::array<bool, kMaxTensors> turned_{};
  // [access][word of its array]: the last tile that touched it; 0: none yet. Accesses of one array have boxes of their
  // own, as in the cost model.
  std::vector<std::vector<u32>> seen_;
  CacheTraffic traffic_;
};

}  // namespace heliolite
