#pragma once
// The loop orders that can be best for a tiling: only what each tensor is kept over counts, and that is decided by the
// innermost loops. Source of the idea: Olivry, Automatic derivation of I/O complexity bounds for affine programs, 5.3;
// here whole and sliding reuse are told apart, so that no best order is lost.
#include <array>
#include <vector>

#include "engine/bounds/tiling/iotile_problem.h"

namespace heliolite {

// What a loop order lets one tensor reuse.
struct TileReuse {
  DimensionMask kept = 0;  // loops that do not move the tensor, inside those that do
  DimensionMask held = 0;  // loops over a window among them: the box holds what all their iterations need
  int slides = -1;         // the innermost loop that moves the box, when boxes overlap along it; -1: none

  bool operator==(const TileReuse&) const = default;
};

// A loop may be held if it has at most this many iterations.
inline constexpr u32 kMostTaps = 7;

// The order of the loops over the tiles of one cache.
struct TileOrder {
  std::array<TileReuse, kMaxTensors> reuse{};  // [tensor]
  std::vector<u8> inner;  // the loops that decide, innermost first; the others may stand in any order outside
};

// The orders of the loops over `loops` (dimensions with more than one box), without those that keep no tensor better
// than another order does. Of very many orders only some are listed; any of them gives a valid tiling.
std::vector<TileOrder> tile_orders(const TilingProblem& problem, DimensionMask loops);

}  // namespace heliolite
