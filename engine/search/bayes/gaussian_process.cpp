#include "engine/search/bayes/gaussian_process.h"

#include <nlopt.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>

#include "engine/base/integers.h"
#include "engine/base/split_mix.h"

namespace heliolite {

namespace {

u32 reversed(u32 bits) {
  bits = (bits & 0x55555555u) << 1 | (bits >> 1 & 0x55555555u);
  bits = (bits & 0x33333333u) << 2 | (bits >> 2 & 0x33333333u);
  bits = (bits & 0x0f0f0f0fu) << 4 | (bits >> 4 & 0x0f0f0f0fu);
  bits = (bits & 0x00ff00ffu) << 8 | (bits >> 8 & 0x00ff00ffu);
  return bits << 16 | bits >> 16;
}

// Owen's scrambling by a hash: each bit is flipped or not by a function of the bits above it and the seed. On reversed
// bits that is a function in which no bit depends on one above it (Laine and Karras, Computer Graphics Forum 30, 2011;
// the constants are Burley's, J. Computer Graphics Techniques 9, 2020).
u32 scrambled(u32 bits, u32 seed) {
  u32 x = reversed(bits) + seed;
  x ^= x * 0x6c50b47cu;
  x ^= x * 0xb82f1e52u;
  x ^= x * 0xc7afe638u;
  x ^= x * 0x8d22f6e6u;
  return reversed(x);
}

constexpr double kLeastLength = 0.05, kMostLength = 10;
constexpr double kLeastVariance = 1e-2, kMostVariance = 1e2;
constexpr double kLeastNoise = 1e-6, kMostNoise = 1;
constexpr double kMostWeight = 10;

double matern(double r) { return (1 + r + r * r / 3) * std::exp(-r); }

Eigen::Index index(std::size_t k) { return static_cast<Eigen::Index>(k); }

}  // namespace

SobolSequence::SobolSequence(std::size_t dimensions, u64 seed) : sequence_(dimensions) {
  SplitMix random(seed, dimensions);
  for (std::size_t d = 0; d < dimensions; ++d) scramble_.push_back(static_cast<u32>(random.next() >> 32));
}

std::vector<double> SobolSequence::next() {
  constexpr double kUnit = 1.0 / 4294967296.0;  // 2^-32
  std::vector<double> point;
  point.reserve(scramble_.size());
  for (const u32 seed : scramble_)
    point.push_back((scrambled(at_origin_ ? 0 : static_cast<u32>(sequence_() >> 32), seed) + 0.5) * kUnit);
  at_origin_ = false;
  return point;
}

GaussianProcess::GaussianProcess(std::vector<bool> categorical, u32 tasks)
    : categorical_(std::move(categorical)), tasks_(tasks), parameters_(start()) {}

KernelParameters GaussianProcess::start() const {
  KernelParameters out;
  out.length = Eigen::VectorXd::Constant(index(categorical_.size()), 0.5);
  out.weight = Eigen::VectorXd::Constant(tasks_, 1);
  out.own = Eigen::VectorXd::Constant(tasks_, 0.1);
  return out;
}

double GaussianProcess::squared_distance(std::span<const double> a, std::span<const double> b) const {
  double sum = 0;
  for (std::size_t m = 0; m < categorical_.size(); ++m) {
    const double apart = categorical_[m] ? (a[m] == b[m] ? 0.0 : 1.0) : a[m] - b[m];
    const double lengths = apart / parameters_.length[index(m)];
    sum += lengths * lengths;
  }
  return sum;
}

double GaussianProcess::between_tasks(u32 a, u32 b) const {
  if (tasks_ == 1) return parameters_.variance;
  return parameters_.weight[a] * parameters_.weight[b] + (a == b ? parameters_.own[a] : 0);
}

void GaussianProcess::condition(std::vector<Observation> observations, KernelParameters parameters) {
  observations_ = std::move(observations);
  parameters_ = std::move(parameters);
  factorise();
}

// Rounding can make a covariance of near neighbours indefinite: the noise grows until it is not.
void GaussianProcess::factorise() {
  const auto n = index(observations_.size());
  kernel_.resize(n, n);
  Eigen::MatrixXd covariance(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j <= i; ++j) {
      const Observation &a = observations_[i], &b = observations_[j];
      const double k = matern(std::sqrt(5 * squared_distance(a.x, b.x)));
      kernel_(i, j) = kernel_(j, i) = k;
      covariance(i, j) = covariance(j, i) = between_tasks(a.task, b.task) * k;
    }
  double noise = parameters_.noise;
  do {
    factor_.compute(covariance + noise * Eigen::MatrixXd::Identity(n, n));
    noise *= 10;
  } while (factor_.info() != Eigen::Success && noise < 1e6);
  Eigen::VectorXd y(n);
  for (Eigen::Index i = 0; i < n; ++i) y[i] = observations_[i].y;
  alpha_ = factor_.solve(y);
  double logarithms = 0;
  for (Eigen::Index i = 0; i < n; ++i) logarithms += std::log(factor_.matrixLLT()(i, i));
  log_likelihood_ = -0.5 * y.dot(alpha_) - logarithms - 0.5 * static_cast<double>(n) * std::log(2 * std::numbers::pi);
}

Prediction GaussianProcess::predict(std::span<const double> x, u32 task) const {
  const auto n = index(observations_.size());
  Eigen::VectorXd with(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Observation& o = observations_[i];
    with[i] = between_tasks(task, o.task) * matern(std::sqrt(5 * squared_distance(x, o.x)));
  }
  const double mean = with.dot(alpha_);
  factor_.matrixL().solveInPlace(with);
  return {mean, std::sqrt(std::max(0.0, between_tasks(task, task) - with.squaredNorm()))};
}

// With A = alpha alpha' - K^-1, the derivative by a parameter is half the sum of A times the derivative of K
// (Rasmussen and Williams, equation 5.9).
Eigen::VectorXd GaussianProcess::gradient() const {
  const auto n = index(observations_.size());
  const auto lengths = index(categorical_.size());
  const Eigen::MatrixXd inverse = factor_.solve(Eigen::MatrixXd::Identity(n, n));
  const Eigen::MatrixXd a = alpha_ * alpha_.transpose() - inverse;
  Eigen::VectorXd out = Eigen::VectorXd::Zero(packed().size());
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j <= i; ++j) {
      const Observation &p = observations_[i], &q = observations_[j];
      const double times = i == j ? 0.5 : 1;  // both triangles, halved
      const double k = kernel_(i, j), tasks = between_tasks(p.task, q.task);
      const double r = std::sqrt(5 * squared_distance(p.x, q.x));
      const double slope = times * a(i, j) * tasks * (5.0 / 3) * (1 + r) * std::exp(-r);
      for (std::size_t m = 0; m < categorical_.size(); ++m) {
        const double apart = categorical_[m] ? (p.x[m] == q.x[m] ? 0.0 : 1.0) : p.x[m] - q.x[m];
        const double in_lengths = apart / parameters_.length[index(m)];
        out[index(m)] += slope * in_lengths * in_lengths;
      }
      if (tasks_ == 1) {
        out[lengths] += times * a(i, j) * tasks * k;
      } else {
        out[lengths + 2 + p.task] += times * a(i, j) * k * parameters_.weight[q.task];
        out[lengths + 2 + q.task] += times * a(i, j) * k * parameters_.weight[p.task];
        if (p.task == q.task) out[lengths + 2 + tasks_ + p.task] += times * a(i, j) * k * parameters_.own[p.task];
      }
    }
  out[lengths + 1] = 0.5 * parameters_.noise * a.trace();
  for (Eigen::Index m = 0; m < lengths; ++m) out[m] -= std::log(parameters_.length[m]);
  return out;
}

double GaussianProcess::log_posterior() const {
  double out = log_likelihood_;
  for (const double length : parameters_.length) out -= 0.5 * std::log(length) * std::log(length);
  return out;
}

Eigen::VectorXd GaussianProcess::packed() const {
  const auto lengths = index(categorical_.size());
  Eigen::VectorXd out(lengths + 2 + (tasks_ == 1 ? 0 : 2 * tasks_));
  out.head(lengths) = parameters_.length.array().log();
  out[lengths] = std::log(parameters_.variance);
  out[lengths + 1] = std::log(parameters_.noise);
  if (tasks_ > 1) out.tail(2 * tasks_) << parameters_.weight, Eigen::VectorXd(parameters_.own.array().log());
  return out;
}

KernelParameters GaussianProcess::unpacked(std::span<const double> packed) const {
  const std::size_t lengths = categorical_.size();
  KernelParameters out = start();
  for (std::size_t m = 0; m < lengths; ++m) out.length[index(m)] = std::exp(packed[m]);
  out.variance = std::exp(packed[lengths]);
  out.noise = std::exp(packed[lengths + 1]);
  for (u32 t = 0; t < tasks_ && tasks_ > 1; ++t) {
    out.weight[t] = packed[lengths + 2 + t];
    out.own[t] = std::exp(packed[lengths + 2 + tasks_ + t]);
  }
  return out;
}

void GaussianProcess::fit(std::vector<Observation> observations, int starts, int most,
                          const std::function<bool()>& is_over) {
  // Where ascents begin in addition to the parameters at hand: all lengths, and the noise.
  constexpr std::array<std::pair<double, double>, 4> kStarts{{{0.5, 1e-4}, {0.2, 1e-3}, {2, 1e-2}, {1, 1e-5}}};
  condition(std::move(observations), parameters_);
  const std::size_t lengths = categorical_.size();
  std::vector<double> low(lengths, std::log(kLeastLength)), high(lengths, std::log(kMostLength));
  const auto range = [&](double from, double to) { low.push_back(from), high.push_back(to); };
  range(std::log(kLeastVariance), std::log(kMostVariance));
  range(std::log(kLeastNoise), std::log(kMostNoise));
  for (u32 t = 0; t < tasks_ && tasks_ > 1; ++t) range(-kMostWeight, kMostWeight);
  for (u32 t = 0; t < tasks_ && tasks_ > 1; ++t) range(std::log(kLeastVariance), std::log(kMostVariance));

  struct Ascent {
    GaussianProcess& self;
    const std::function<bool()>& is_over;
    nlopt_opt_s* optimiser = nullptr;
    bool over = false;
  } state{*this, is_over};
  const auto likelihood = [](unsigned n, const double* x, double* slope, void* data) {
    auto& [self, is_over, optimiser, over] = *static_cast<Ascent*>(data);
    over = over || (is_over && is_over());
    if (over) nlopt_force_stop(optimiser);
    self.parameters_ = self.unpacked({x, n});
    self.factorise();
    if (slope != nullptr) Eigen::Map<Eigen::VectorXd>(slope, n) = self.gradient();
    return self.log_posterior();
  };
  KernelParameters best = parameters_;
  double most_likely = -std::numeric_limits<double>::infinity();
  for (int k = 0; k < std::min<int>(starts, kStarts.size() + 1) && !state.over; ++k) {
    KernelParameters from = k == 0 ? best : start();
    if (k > 0) from.length.setConstant(kStarts[k - 1].first), from.noise = kStarts[k - 1].second;
    parameters_ = from;
    const Eigen::VectorXd first = packed();
    std::vector<double> x(first.begin(), first.end());
    for (std::size_t m = 0; m < x.size(); ++m) x[m] = std::clamp(x[m], low[m], high[m]);
    const std::unique_ptr<nlopt_opt_s, decltype(&nlopt_destroy)> ascent(
        nlopt_create(NLOPT_LD_LBFGS, static_cast<unsigned>(x.size())), &nlopt_destroy);
    state.optimiser = ascent.get();
    nlopt_set_max_objective(ascent.get(), likelihood, &state);
    nlopt_set_lower_bounds(ascent.get(), low.data());
    nlopt_set_upper_bounds(ascent.get(), high.data());
    nlopt_set_maxeval(ascent.get(), most);
    nlopt_set_ftol_abs(ascent.get(), 1e-3);
    double value = 0;
    // It may stop where rounding hides the slope; x is its best point then too.
    nlopt_optimize(ascent.get(), x.data(), &value);
    parameters_ = unpacked(x);
    factorise();
    if (log_posterior() > most_likely) most_likely = log_posterior(), best = parameters_;
  }
  parameters_ = best;
  factorise();
}

namespace {

constexpr int kPoints = 1000;              // points of the sequence, and points near known ones
constexpr double kLeastCoordinate = 1e-6;  // least coordinate of a point; the decoder divides by it

double kept_inside(double coordinate) { return std::clamp(coordinate, kLeastCoordinate, 1 - kLeastCoordinate); }

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
