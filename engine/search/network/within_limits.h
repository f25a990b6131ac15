#pragma once
// What energy and cycles a network may have, and the least value of an objective within that (docs/rules/network.md,
// "Within limits").
#include <optional>
#include <vector>

#include "engine/search/core/objective.h"
#include "engine/search/network/layer_hull.h"

namespace heliolite {

// The most of a network's energy and cycles, and of energy over cycles. What is this close above counts as within:
// sums of doubles are not exact.
struct CostLimits {
  double energy_pj = kNever, cycles = kNever, pj_per_cycle = kNever;

  bool meets(double energy, double took) const {
    return energy <= energy_pj * kSame && took <= cycles * kSame && energy <= pj_per_cycle * took * kSame;
  }
  static constexpr double kSame = 1 + 1e-12;
};

// Energy in pJ, cycles, and the objective's number there.
struct LimitedPoint {
  double energy_pj = 0, cycles = 0, value = 0;
};

// The corners of the sum of chains, each times its runs, from the fewest cycles to the least energy.
std::vector<LimitedPoint> corners_of_sum(const std::vector<CostChain>& chains, const std::vector<double>& runs,
                                         Objective objective);

// One corner of each layer's chain, by place.
using CornerChoice = std::vector<std::size_t>;

// A choice with a low value among those that keep to the limits; none of those looked at does. `layers`: [layer], the
// corners of its chain, each with the energy and cycles of all its runs. `corners`: the choices that are the corners of
// the sum. From the best of these other corners of one or two layers are taken as long as that lowers the value, so the
// choice is never above the best corner, and no exchange of two layers' corners is below it.
std::optional<CornerChoice> choose_within(const std::vector<std::vector<LimitedPoint>>& layers,
                                          const std::vector<CornerChoice>& corners, Objective objective,
                                          const CostLimits& limits);

// The least value of all points on or above the chain of these corners that keep to the limits. Of several chains with
// corners that are nowhere above those of another its value is at most that of the other. None: no point does.
std::optional<LimitedPoint> least_within(const std::vector<LimitedPoint>& corners, Objective objective,
                                         const CostLimits& limits);

}  // namespace heliolite
