#pragma once
// What is expected of a point that is not evaluated yet, where several costs count: how much more of the space of costs
// it dominates than the points that are known. Costs are less the better.
#include <array>
#include <span>
#include <vector>

#include "engine/search/bayes/gaussian_process.h"

namespace heliolite {

// Two costs that have to be evaluated, and a third that is known before (0: there is none).
using FrontCosts = std::array<double, 3>;

// The volume that `points` dominate and that is below `reference` in all costs: of energy, delay and area, say. With
// `is_flat` the third cost does not count, and it is the area of the first two.
double hypervolume(std::span<const FrontCosts> points, const FrontCosts& reference, bool is_flat);

// The volume that a point with costs as `first` and `second` predict, each by itself, is expected to add to
// hypervolume(points). `third`: its third cost. The expectation over the plane of the first two costs is a sum over
// strips between the points (Emmerich, Deutz, Klinkenberg, IEEE CEC 2011), in which each cost's part is the expected
// improvement on the strip's end; that over the third cost a sum over the slabs between the points' third costs.
double expected_hypervolume_improvement(const Prediction& first, const Prediction& second, double third,
                                        std::span<const FrontCosts> points, const FrontCosts& reference, bool is_flat);

}  // namespace heliolite
