#pragma once
// Where to ask next: the point of the unit cube from which the largest improvement is expected (Jones, Schonlau, Welch,
// J. Global Optimization 13, 1998).
#include <functional>
#include <span>
#include <vector>

#include "engine/search/bayes/gaussian_process.h"
#include "engine/search/bayes/sobol_sequence.h"

namespace heliolite {

// The expected improvement on `best`, the least value so far; not below 0.
double expected_improvement(const Prediction& prediction, double best);

struct ScoredPoint {
  std::vector<double> point;
  double score = 0;
};

// Points of high `score`, the highest first: 1,000 of the sequence and as many near the points of `known` (the best
// first), of which the `refine` best then climb by steps along single coordinates.
std::vector<ScoredPoint> maximise(const std::function<double(std::span<const double>)>& score, SobolSequence& sequence,
                                  std::span<const std::vector<double>> known, int refine);

}  // namespace heliolite
