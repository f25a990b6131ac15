#include "engine/search/bayes/acquisition.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

constexpr int kPoints = 1000;    // of the sequence, and near known ones
constexpr double kLeast = 1e-6;  // of a coordinate; the decoder divides by it

double kept_inside(double coordinate) { return std::clamp(coordinate, kLeast, 1 - kLeast); }

// A known point of which some coordinates are moved, few of them far: `place` is a point of the unit cube that decides
// by how much, its last two coordinates how many and on which scale.
std::vector<double> near(std::vector<double> point, std::span<const double> place) {
  const std::size_t n = point.size();
  const double share = 0.05 + 0.5 * place[n], scale = 0.3 * place[n + 1] * place[n + 1] + 0.01;
  for (std::size_t m = 0; m < n; ++m) {
    const double u = place[m];
    if (u < share) point[m] = kept_inside(point[m] + scale * (2 * u / share - 1) * std::numbers::sqrt3);
  }
  return point;
}

// Steps of halving length along each coordinate, as long as one gains.
void climb(const std::function<double(std::span<const double>)>& score, ScoredPoint& at) {
  for (const double step : {0.2, 0.05, 0.0125})
    for (std::size_t m = 0; m < at.point.size(); ++m)
      for (const double move : {step, -step}) {
        const double before = at.point[m];
        at.point[m] = kept_inside(before + move);
        if (const double value = score(at.point); value > at.score) at.score = value;
        else at.point[m] = before;
      }
}

}  // namespace

double expected_improvement(const Prediction& prediction, double best) {
  const double gain = best - prediction.mean;
  if (prediction.deviation <= 0) return std::max(0.0, gain);
  const double z = gain / prediction.deviation;
  const double below = 0.5 * std::erfc(-z / std::numbers::sqrt2);
  const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
  return std::max(0.0, gain * below + prediction.deviation * density);
}

std::vector<ScoredPoint> maximise(const std::function<double(std::span<const double>)>& score, SobolSequence& sequence,
                                  std::span<const std::vector<double>> known, int refine) {
  std::vector<ScoredPoint> out;
  const auto add = [&](std::vector<double> point) {
    const double value = score(point);
    out.push_back({std::move(point), value});
  };
  for (int k = 0; k < kPoints; ++k) {
    std::vector<double> place = sequence.next();
    if (!known.empty()) add(near(known[at(k) % known.size()], place));
    place.resize(place.size() - 2);
    for (double& coordinate : place) coordinate = kept_inside(coordinate);
    add(std::move(place));
  }
  std::ranges::stable_sort(out, std::greater{}, &ScoredPoint::score);
  const auto climbing = std::min(out.size(), static_cast<std::size_t>(refine));
  for (std::size_t k = 0; k < climbing; ++k) climb(score, out[k]);
  std::ranges::stable_sort(out, std::greater{}, &ScoredPoint::score);
  return out;
}

}  // namespace heliolite
