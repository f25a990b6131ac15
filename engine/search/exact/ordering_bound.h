#pragma once
// The ordering bound: what the loops still to be placed outside a tile cost at least, whatever their order and however
// they are spread over levels. Proof: docs/rules/exact.md.
#include <array>
#include <span>

#include "engine/base/types.h"

namespace heliolite {

// One tensor's tile that waits for loops outside it.
struct BoundFlow {
  DimensionMask relevant;
  // What it costs if every loop fetches the tile again.
  double unreused;
  // Of a sliding tensor: what is left of that, by the dimension of its first relevant loop; null: all of it.
  const double* halo;
  // What it costs at least in every order: each of its words once.
  double once;
};

inline constexpr int kMaxBoundFlows = 6;  // the bound takes time exponential in them

// `n`: iterations left by dimension; `present`: dimensions with more than one. Exact recursion over which tensors
// are still in place: a loop no remaining tensor depends on is free to come first.
double ordering_bound(std::span<const BoundFlow> flows, const std::array<double, kMaxDimensions>& n,
                      DimensionMask present);

}  // namespace heliolite
