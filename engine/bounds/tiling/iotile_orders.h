#pragma once
// Which loop orders can be best for a tiling: only what each tensor is kept over counts, and that is decided by the
// innermost loops. Source of the idea: Olivry, Automatic derivation of I/O complexity bounds for affine programs, 5.3;
// here whole and sliding reuse are told apart, so that no best order is lost.
#include <array>
#include <vector>

#include "engine/bounds/tiling/iotile_problem.h"

namespace heliolite {

struct TileReuse {
  DimensionMask kept = 0;  // loops that do not move the tensor, inside those that do
  DimensionMask held = 0;  // loops over a window among them: the box holds what all their iterations need
  int slides = -1;         // the innermost loop that moves the box, when boxes overlap along it

  bool operator==(const TileReuse&) const = default;
};

// Loops of at most so many iterations may be held.
inline constexpr u32 kMostTaps = 7;

struct TileOrder {
  std::array<TileReuse, kMaxTensors> reuse{};
  std::vector<u8> inner;  // the loops that decide, innermost first; the others may stand in any order outside
};

// The orders of the loops in `loops` (those with more than one box) of which none keeps every tensor at least as well
// as another.
std::vector<TileOrder> tile_orders(const TilingProblem& problem, DimensionMask loops);

}  // namespace heliolite
