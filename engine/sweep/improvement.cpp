#include "engine/sweep/improvement.h"

#include <algorithm>
#include <functional>

namespace heliolite {
namespace {

using Plane = std::vector<std::array<double, 2>>;

// The points of the first two costs that no other one dominates and that are below the reference, by the first cost.
Plane front_of(std::span<const FrontCosts> points, const FrontCosts& reference, double most_third, bool is_flat) {
  Plane all, out;
  for (const FrontCosts& p : points)
    if ((is_flat || p[2] <= most_third) && p[0] < reference[0] && p[1] < reference[1]) all.push_back({p[0], p[1]});
  std::ranges::sort(all);
  for (const auto& p : all)
    if (out.empty() || p[1] < out.back()[1]) out.push_back(p);
  return out;
}

// The sum over slabs of the third cost, from `from` on, of a slab's width times `area` of the points in it.
double over_slabs(std::span<const FrontCosts> points, const FrontCosts& reference, double from, bool is_flat,
                  const std::function<double(const Plane&)>& area) {
  if (is_flat) return area(front_of(points, reference, 0, true));
  std::vector<double> ends{from, reference[2]};
  for (const FrontCosts& p : points)
    if (p[2] > from && p[2] < reference[2]) ends.push_back(p[2]);
  std::ranges::sort(ends);
  double sum = 0;
  for (std::size_t k = 0; k + 1 < ends.size(); ++k)
    if (ends[k + 1] > ends[k] && ends[k] >= from)
      sum += (ends[k + 1] - ends[k]) * area(front_of(points, reference, ends[k], false));
  return sum;
}

}  // namespace

double hypervolume(std::span<const FrontCosts> points, const FrontCosts& reference, bool is_flat) {
  double from = reference[2];
  for (const FrontCosts& p : points) from = std::min(from, p[2]);
  return over_slabs(points, reference, from, is_flat, [&](const Plane& front) {
    double area = 0, below = reference[1];
    for (const auto& p : front) {
      area += (reference[0] - p[0]) * (below - p[1]);
      below = p[1];
    }
    return area;
  });
}

double expected_hypervolume_improvement(const Prediction& first, const Prediction& second, double third,
                                        std::span<const FrontCosts> points, const FrontCosts& reference, bool is_flat) {
  return over_slabs(points, reference, third, is_flat, [&](const Plane& front) {
    // Strip k lies between the k-th point and the next one; what is not dominated there is below the k-th one.
    double sum = 0, until_here = 0;
    for (std::size_t k = 0; k <= front.size(); ++k) {
      const double until_next = expected_improvement(first, k < front.size() ? front[k][0] : reference[0]);
      sum += (until_next - until_here) * expected_improvement(second, k > 0 ? front[k - 1][1] : reference[1]);
      until_here = until_next;
    }
    return sum;
  });
}

}  // namespace heliolite
