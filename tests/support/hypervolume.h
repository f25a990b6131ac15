#pragma once
// The volume that points of a front dominate, by its definition: what explorations are judged by.
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "engine/sweep/explore.h"

namespace heliolite::testing {

// The volume in the first `costs` costs that `points` dominate and that is below `reference`.
inline double hypervolume(std::vector<FrontCosts> points, const FrontCosts& reference, std::size_t costs) {
  if (costs == 0) return points.empty() ? 0 : 1;
  const auto cost = [&](const FrontCosts& p) { return p[costs - 1]; };
  std::erase_if(points, [&](const FrontCosts& p) { return cost(p) >= cost(reference); });
  std::ranges::sort(points, {}, cost);
  double volume = 0;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const double width = cost(k + 1 < points.size() ? points[k + 1] : reference) - cost(points[k]);
    if (width > 0) volume += width * hypervolume({points.begin(), points.begin() + k + 1}, reference, costs - 1);
  }
  return volume;
}

}  // namespace heliolite::testing
