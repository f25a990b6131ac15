#pragma once
// Gaussian-process regression: what is expected of a function at points where it was not asked, and how surely.
// Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006: chapters 2 (algorithm 2.1), 4.2 and 5.4.
#include <Eigen/Dense>
#include <boost/random/sobol.hpp>
#include <functional>
#include <span>
#include <vector>

#include "engine/base/types.h"

namespace heliolite {

// Points that fill the unit cube more evenly than random ones: Sobol's sequence with the direction numbers of Joe and
// Kuo (SIAM J. Sci. Comput. 30, 2008; Boost.Random has them), in the scrambling of Owen (J. Complexity 14, 1998), which
// makes sequences of different seeds independent and keeps each of them even.

class SobolSequence {
 public:
  // At least one dimension and at most kMostDimensions.
  SobolSequence(std::size_t dimensions, u64 seed);
  static constexpr std::size_t kMostDimensions = 3667;

  // The next point, each coordinate in (0, 1).
  std::vector<double> next();

 private:
  boost::random::sobol sequence_;  // without its first point, the origin
  bool at_origin_ = true;
  std::vector<u32> scramble_;  // [dimension]: the seed of its permutation
};

// A value of the function. Values of several tasks (machines, say) may be learned together: coregionalisation with one
// latent function (Bonilla, Chai, Williams, NIPS 2007).
struct Observation {
  std::vector<double> x;
  u32 task = 0;
  double y = 0;
};

// What is expected at a point: mean and standard deviation, of the function and without noise.
struct Prediction {
  double mean = 0, deviation = 0;
};

// The covariance of values at x and x' is B(task, task') k(x, x'), with noise added where both are the same
// observation. k is Matern's with smoothness 5/2 and a length for each coordinate: (1 + r + r^2 / 3) exp(-r), r =
// sqrt(5) times the distance in lengths. B is `variance` if there is one task, and else weight weight' + diag(own).
struct KernelParameters {
  Eigen::VectorXd length;  // [coordinate]
  double variance = 1;     // one task
  double noise = 1e-4;
  Eigen::VectorXd weight;  // [task]: how far it follows what all have in common; several tasks
  Eigen::VectorXd own;     // [task]: variance of what it does on its own; several tasks
};

class GaussianProcess {
 public:
  // `categorical`: by coordinate; two categories are 0 or 1 apart. All observations have as many coordinates.
  GaussianProcess(std::vector<bool> categorical, u32 tasks = 1);

  // Parameters of length 0.5 each, variance 1, little noise, tasks that follow what they have in common.
  KernelParameters start() const;

  // Takes the observations under these parameters: predictions are of them from now on.
  void condition(std::vector<Observation> observations, KernelParameters parameters);

  // The process under the parameters that make the observations most likely, with log lengths drawn to 0 by a standard
  // normal prior: the best of local ascents (NLopt, L-BFGS) from the first `starts` of a list that begins with the
  // parameters it has. `most`: evaluations of the likelihood in each; `is_over`: asked before each, ends them all.
  void fit(std::vector<Observation> observations, int starts, int most, const std::function<bool()>& is_over = {});

  Prediction predict(std::span<const double> x, u32 task = 0) const;

  // The likelihood of the observations, log p(y | x, parameters), without prior.
  double log_likelihood() const { return log_likelihood_; }
  // The derivative of log_likelihood() plus log prior by the logarithm of each length, of the variance and the noise,
  // and, with several tasks, by each weight and the logarithm of each own variance; in this order.
  Eigen::VectorXd gradient() const;
  const KernelParameters& parameters() const { return parameters_; }
  const Eigen::VectorXd& weights_of_values() const { return alpha_; }  // K^-1 y

 private:
  double squared_distance(std::span<const double> a, std::span<const double> b) const;
  double between_tasks(u32 a, u32 b) const;
  void factorise();
  Eigen::VectorXd packed() const;
  KernelParameters unpacked(std::span<const double> packed) const;
  double log_posterior() const;

  std::vector<bool> categorical_;
  u32 tasks_;
  KernelParameters parameters_;
  std::vector<Observation> observations_;
  Eigen::MatrixXd kernel_;  // k of each pair, without tasks and noise
  Eigen::LLT<Eigen::MatrixXd> factor_;
  Eigen::VectorXd alpha_;
  double log_likelihood_ = 0;
};

// Where to ask next: the point of the unit cube from which the largest improvement is expected (Jones, Schonlau, Welch,
// J. Global Optimization 13, 1998).

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
