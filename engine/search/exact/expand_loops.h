#pragma once
// What the Expander knows of a level's temporal loops while it puts them into an order.
#include "engine/search/exact/expand.h"

namespace heliolite {

// The loops of a level, some of them placed.
struct Expander::Loops {
  Extents factor;  // of every dimension
  Extents left;    // iterations outside what is placed
  DimensionMask waiting = 0;
  DimensionMask pushable = 0;  // while none is placed: as in TileLoops
  u64 order = 0;               // as in FrontierNode
  int depth = 0;
};

// What the loops that wait would do next.
struct Expander::Ends {
  std::array<unsigned, kMaxDimensions> flows{};  // [dimension that waits]: the flows that its loop ends
  unsigned slides = 0;                           // dimensions that may leave part of a tile in place
  bool moving = false;                           // a sliding flow is moving
};

}  // namespace heliolite
