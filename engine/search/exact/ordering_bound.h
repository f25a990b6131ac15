#pragma once
// The ordering bound: what the loops still to be placed outside a tile cost at least, whatever their order and however
// they are spread over levels. Proof: docs/rules/exact.md.
#include <algorithm>
#include <array>
#include <span>

#include "engine/base/types.h"

namespace heliolite {

// A flow in place: a tile of one tensor that the loops outside it fetch again and again. Loops are classes of
// dimensions (loop_set.h); costs are energy units or cycles.
struct BoundFlow {
  DimensionMask relevant;  // loops that move the tile
  double unreused;         // cost if every iteration outside fetches the tile again
  const double* halo;      // [loop]: share of `unreused` that is left if it is the first to move the tile; null: all
  double once;             // cost in every order at least: each of its words is fetched once
};

inline constexpr int kMaxBoundFlows = 6;  // the bound takes time exponential in them

// The least cost of the flows (at most kMaxBoundFlows) over all orders of the loops. `n`: iterations of each loop;
// `present`: loops with more than one. A recursion over the sets of flows that are still in place: loops that none of
// them depends on come first.
double ordering_bound(std::span<const BoundFlow> flows, const std::array<double, kMaxDimensions>& n,
                      DimensionMask present);

// A list of flows for the ordering bound.
struct BoundFlows {
  std::array<BoundFlow, kMaxTensors * 2> flow;
  std::size_t count = 0;

  BoundFlows() = default;
  BoundFlows(const BoundFlows& other) : count(other.count) { std::copy_n(other.flow.begin(), count, flow.begin()); }

  // Adds a flow; flows without halos that the same loops move are joined.
  void append(const BoundFlow& other);
  void append_if_any(const BoundFlow& other) {
    if (other.unreused > 0) append(other);
  }
  // Their ordering bound. Of more than kMaxBoundFlows flows the rest count as 0. `n`, `present`: as ordering_bound().
  double least(const std::array<double, kMaxDimensions>& n, DimensionMask present) const;
  // The same over the orders in which one of the loops `first` comes first; 0: any may.
  double least(const std::array<double, kMaxDimensions>& n, DimensionMask present, DimensionMask first) const;
};

}  // namespace heliolite
