#include "engine/bounds/segment/iolb_segment.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "engine/base/integers.h"
#include "engine/bounds/hbl/hbl_subspace.h"
#include "engine/bounds/lp.h"
#include "engine/model/temporal_traffic.h"

namespace heliolite {
namespace {

double distinct_values(const AccessNest& nest, const std::vector<i64>& row) {
  double most = 1;
  for (std::size_t l = 0; l < row.size(); ++l) {
    if (row[l] == 0) continue;
    most = std::max(most, nest.loops[l].size);
    for (std::size_t k = 0; k < l; ++k) {
      if (row[k] == 0) continue;
      most = std::max(
          most, static_cast<double>(distinct_sums(static_cast<u64>(row[l]), static_cast<u64>(nest.loops[l].size),
                                                  static_cast<u64>(row[k]), static_cast<u64>(nest.loops[k].size))));
    }
  }
  return most;
}

// Elements reached by loops whose columns are independent, the others standing still.
double independent_values(const AccessNest& nest, const Access& access) {
  std::vector<std::size_t> order(nest.loops.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return nest.loops[a].size > nest.loops[b].size; });
  RationalMatrix columns;
  double values = 1;
  for (const std::size_t l : order) {
    std::vector<Rational> column;
    for (const std::vector<i64>& row : access.rows) column.emplace_back(row[l]);
    columns.push_back(std::move(column));
    if (Subspace::span(static_cast<int>(access.rows.size()), columns).dimension() == static_cast<int>(columns.size()))
      values *= nest.loops[l].size;
    else columns.pop_back();
  }
  return values;
}

}  // namespace

u64 touched_words(const AccessNest& nest, const Access& access) {
  bool entangled = false;
  LoopBits seen = 0;
  double values = 1;
  for (const std::vector<i64>& row : access.rows) {
    for (std::size_t l = 0; l < row.size(); ++l) {
      if (row[l] == 0) continue;
      entangled = entangled || contains(seen, l);
      seen |= LoopBits{1} << l;
    }
    values *= distinct_values(nest, row);
  }
  if (entangled) values = independent_values(nest, access);
  return static_cast<u64>(values * access.word_size);
}

namespace {

// Exponents are chosen for memories of 2^(j / kStepsPerOctave) words, from kLeastBudget on. Between two of them the
// best ones change so little that U(K) does not notice: it is at its minimum.
constexpr double kStepsPerOctave = 8;
constexpr double kLeastBudget = 2;

// Roundings of a few operations on doubles: bounds stay this far, relatively, on the safe side.
constexpr double kRounding = 1e-12;

constexpr double kMostWords = 0x1p64;  // more are said as the largest number

// The largest of these sizes up to `words`, as its j.
double step_below(double words) {
  return std::floor(kStepsPerOctave * std::log2(std::max(words, kLeastBudget)) + kRounding);
}

// The words of all boxes: from there on one piece does everything.
double all_words(const AccessNest& nest) {
  double sum = 0;
  for (const Access& access : nest.accesses) {
    double words = access.word_size;
    for (const std::vector<i64>& row : access.rows) {
      double extent = 1;
      for (std::size_t l = 0; l < row.size(); ++l) extent += static_cast<double>(row[l]) * (nest.loops[l].size - 1);
      words *= extent;
    }
    sum += words;
  }
  return sum;
}

// At most exp(scale) * K^exponent iterations touch K words.
struct Growth {
  double scale = 0;
  double exponent = 0;
};

Growth growth(const IterationLimiter& limiter, std::span<const double> s, std::span<const double> t, double budget) {
  const IterationLimit limit = limiter.with_exponents(s, t, budget);
  return {limit.log_most - limit.exponent * std::log(budget), limit.exponent};
}

}  // namespace

// Pieces touch K = M + T words each, with K so large that more than n of them are needed. Before the first one nothing
// is inside, so that it loads all it touches: M + n T = n K - (n - 1) M, which is concave in n and falls with M.
SegmentBound best_pieces(double scale, double exponent, double iterations, double capacity) {
  const double log_iterations = std::log(iterations);
  double pieces = 1;  // where the derivative vanishes
  if (exponent > 1) pieces = std::exp(exponent * std::log((1 - 1 / exponent) / capacity) + log_iterations - scale);
  pieces = std::clamp(std::floor(pieces), 1.0, iterations);
  SegmentBound best;
  // Counted by a step: beyond 2^53 one more piece is the same double.
  for (int step = -1; step <= 2; ++step) {
    const double n = pieces + step;
    if (n < 1 || n > iterations) continue;
    const double log_target = std::log(iterations / n), target = log_target - kRounding * (1 + std::abs(log_target));
    const double touched = std::exp((target - scale) / exponent) * (1 - kRounding);
    const double piece = n == 1 ? touched : touched - capacity;
    const double words = (n == 1 ? touched : capacity + n * piece) * (1 - kRounding);
    if (!(piece > 0 && std::isfinite(words) && words > static_cast<double>(best.words))) continue;
    best.words = words < kMostWords ? static_cast<u64>(words) : ~u64{0};
    best.piece = piece;
    best.iterations = std::exp(target);
  }
  return best;
}

SegmentBound segment_bound(const AccessNest& nest, const std::vector<RankRow>& rows, double capacity,
                           const std::vector<double>& s, const std::vector<double>& t) {
  const double all = all_words(nest);
  if (capacity >= all) return {};
  const auto [scale, exponent] = growth(IterationLimiter(nest, rows), s, t, all);
  SegmentBound bound = best_pieces(scale, exponent, nest.iterations, capacity);
  bound.s = s;
  bound.t = t;
  return bound;
}

SegmentBounds::SegmentBounds(const AccessNest& nest, const std::vector<RankRow>& rows, double least)
    : iterations_(nest.iterations), all_words_(all_words(nest)) {
  IterationLimiter limiter(nest, rows);
  double largest_word = 1;
  for (const Access& access : nest.accesses) largest_word = std::max(largest_word, access.word_size);
  // Always from the largest on, as each minimum is looked for where the last one was.
  for (double j = step_below(all_words_); j >= step_below(least); --j) {
    const double budget = std::exp2(j / kStepsPerOctave);
    if (budget > largest_word) {
      const SizedExponent e = hbl_exponent(nest, rows, budget);
      add(program_, limiter, j, e.s, e.t);
    }
    limiter(budget);
    add(convex_, limiter, j, limiter.s(), limiter.t());
  }
}

void SegmentBounds::add(std::vector<Candidate>& list, const IterationLimiter& limiter, double step,
                        std::span<const double> s, std::span<const double> t) const {
  if (!list.empty() && std::ranges::equal(list.back().s, s) && std::ranges::equal(list.back().t, t)) return;
  const Growth g = growth(limiter, s, t, all_words_);
  list.push_back({step, g.scale, g.exponent, {s.begin(), s.end()}, {t.begin(), t.end()}});
}

SegmentBound SegmentBounds::largest(const std::vector<Candidate>& list, double capacity) const {
  SegmentBound best;
  if (capacity >= all_words_) return best;
  const Candidate* chosen = nullptr;
  for (const Candidate& c : list) {
    if (c.step < step_below(capacity)) break;
    const SegmentBound bound = best_pieces(c.scale, c.exponent, iterations_, capacity);
    if (bound.words <= best.words) continue;
    best = bound;
    chosen = &c;
  }
  if (chosen != nullptr) {
    best.s = chosen->s;
    best.t = chosen->t;
  }
  return best;
}

SegmentBound SegmentBounds::program(double capacity) const { return largest(program_, capacity); }

SegmentBound SegmentBounds::best(double capacity) const {
  const SegmentBound of_program = program(capacity);
  SegmentBound best = largest(convex_, capacity);
  return best.words >= of_program.words ? best : of_program;
}

SegmentBound segment_bound(const AccessNest& nest, const std::vector<RankRow>& rows, double capacity) {
  return SegmentBounds(nest, rows, capacity).best(capacity);
}

// The most iterations that arrays of K words together admit, by a barrier method.

namespace {

// Weights of the barrier: where solves for other budgets start, and where they end.
constexpr double kCentralWeight = 1e-1;
constexpr double kLastWeight = 1e-8;
constexpr double kWeightStep = 0.1;
constexpr int kMostSteps = 30;  // for one weight; a handful is usual

// Rounding of the few dozen operations that make log U, and of the rows' sums.
constexpr double kRoundUp = 1e-11;

// Sum of logarithms of positive numbers that are neither tiny nor huge; minus infinity once one is not positive.
class LogSum {
 public:
  void add(double x) {
    if (x <= 0) sum_ = -std::numeric_limits<double>::infinity();
    product_ *= x;
    if (++count_ % 8 == 0) flush();
  }
  double value() {
    flush();
    return sum_;
  }

 private:
  void flush() {
    if (std::isfinite(sum_)) sum_ += std::log(product_);
    product_ = 1;
  }
  double sum_ = 0, product_ = 1;
  int count_ = 0;
};

}  // namespace

IterationLimiter::IterationLimiter(const AccessNest& nest, std::span<const RankRow> rows)
    : arrays_(nest.accesses.size()), loops_(nest.loops.size()), unknowns_(arrays_ + loops_) {
  for (const Access& access : nest.accesses) log_word_size_.push_back(std::log(access.word_size));
  for (std::size_t j = 0; j < arrays_; ++j) {
    const int same = nest.accesses[j].same_array;
    std::size_t first = 0;
    while (first < j && (same < 0 || nest.accesses[first].same_array != same)) ++first;
    array_.push_back(first);
  }
  for (const AccessLoop& loop : nest.loops) log_size_.push_back(std::log(loop.size));
  for (const RankRow& row : rows) {
    Row out{static_cast<double>(row.rank), {}, {}};
    for (std::size_t j = 0; j < arrays_; ++j) out.coefficient[j] = row.image[j];
    for (std::size_t l = 0; l < loops_; ++l) out.coefficient[arrays_ + l] = static_cast<double>(contains(row.loops, l));
    for (std::size_t i = 0; i < unknowns_; ++i)
      if (out.coefficient[i] != 0) out.support.push_back(i);
    rows_.push_back(std::move(out));
  }
  // Projections to single loops satisfy every row, with something to spare.
  for (std::size_t i = 0; i < unknowns_; ++i) x_[i] = i < arrays_ ? 0.5 : 1.5;
  central_ = x_;
}

IterationLimit IterationLimiter::operator()(double budget) {
  const double log_budget = std::log(budget);
  x_ = central_;
  minimize(log_budget, kCentralWeight);
  central_ = x_;
  for (double weight = kCentralWeight * kWeightStep; weight > kLastWeight * 0.99; weight *= kWeightStep)
    minimize(log_budget, weight);
  return with_exponents(s(), t(), budget);
}

IterationLimit IterationLimiter::with_exponents(std::span<const double> s, std::span<const double> t,
                                                double budget) const {
  Vector x{};
  std::copy(s.begin(), s.end(), x.begin());
  std::copy(t.begin(), t.end(), x.begin() + arrays_);
  double missing = 1;
  for (const Row& row : rows_) missing = std::max(missing, row.rank / (slack(row, x) + row.rank));
  double exponent = 0;
  for (std::size_t i = 0; i < unknowns_; ++i) {
    x[i] *= missing * (1 + kRoundUp);
    if (i < arrays_) exponent += x[i];
  }
  const double log_most = objective(x, std::log(budget));
  // One iteration is always possible.
  return {budget, std::max(0.0, log_most + kRoundUp * (1 + std::abs(log_most))), exponent};
}

IterationLimiter::Vector IterationLimiter::by_array(const Vector& x) const {
  Vector sums{};
  for (std::size_t j = 0; j < arrays_; ++j) sums[array_[j]] += x[j];
  for (std::size_t j = 0; j < arrays_; ++j) sums[j] = sums[array_[j]];
  return sums;
}

double IterationLimiter::objective(const Vector& x, double log_budget) const {
  const Vector array = by_array(x);
  double value = 0, sum = 0;
  for (std::size_t j = 0; j < arrays_; ++j) {
    sum += x[j];
    if (x[j] > 0) value += x[j] * (log_budget + std::log(array[j]) - log_word_size_[j]);
  }
  if (sum > 0) value -= sum * std::log(sum);
  for (std::size_t l = 0; l < loops_; ++l) value += x[arrays_ + l] * log_size_[l];
  return value;
}

double IterationLimiter::slack(const Row& row, const Vector& x) const {
  double sum = -row.rank;
  for (const std::size_t i : row.support) sum += row.coefficient[i] * x[i];
  return sum;
}

// Derivatives of objective - weight * (sum of the logarithms of all slacks and unknowns). The gradient's sign is
// turned; the lower triangle of the Hessian is filled.
void IterationLimiter::newton_system(double log_budget, double weight, Vector& gradient, Matrix& hessian) const {
  const Vector array = by_array(x_);
  double sum = 0;
  for (std::size_t j = 0; j < arrays_; ++j) sum += x_[j];
  for (std::size_t i = 0; i < unknowns_; ++i) {
    std::fill_n(hessian[i].begin(), i + 1, 0.0);
    const double slope =
        i < arrays_ ? log_budget + std::log(array[i] / sum) - log_word_size_[i] : log_size_[i - arrays_];
    gradient[i] = weight / x_[i] - slope;
    hessian[i][i] = weight / (x_[i] * x_[i]);
    if (i >= arrays_) continue;
    for (std::size_t k = 0; k <= i; ++k) hessian[i][k] += (array_[k] == array_[i] ? 1 / array[i] : 0) - 1 / sum;
  }
  for (const Row& row : rows_) {
    const double room = slack(row, x_), pull = weight / (room * room);
    for (const std::size_t i : row.support) {
      gradient[i] += weight / room * row.coefficient[i];
      for (const std::size_t k : row.support) {
        if (k > i) break;
        hessian[i][k] += pull * row.coefficient[i] * row.coefficient[k];
      }
    }
  }
}

// What is minimised for one weight of the barrier; infinite outside.
double IterationLimiter::merit(const Vector& x, double log_budget, double weight) const {
  LogSum walls;
  for (std::size_t i = 0; i < unknowns_; ++i) walls.add(x[i]);
  for (const Row& row : rows_) walls.add(slack(row, x));
  const double room = walls.value();
  return std::isfinite(room) ? objective(x, log_budget) - weight * room : std::numeric_limits<double>::infinity();
}

// False when the minimum for this weight is reached.
bool IterationLimiter::newton_step(double log_budget, double weight) {
  Vector gradient;
  Matrix hessian;
  newton_system(log_budget, weight, gradient, hessian);
  Vector step = gradient;
  if (!solve_positive(hessian, step, unknowns_)) return false;
  double decrement = 0;
  for (std::size_t i = 0; i < unknowns_; ++i) decrement += gradient[i] * step[i];
  if (decrement < 1e-3 * weight) return false;
  const double before = merit(x_, log_budget, weight);
  for (double length = 1; length > 1e-6; length /= 2) {
    Vector next = x_;
    for (std::size_t i = 0; i < unknowns_; ++i) next[i] += length * step[i];
    if (merit(next, log_budget, weight) > before - 0.1 * length * decrement) continue;
    x_ = next;
    return true;
  }
  return false;
}

void IterationLimiter::minimize(double log_budget, double weight) {
  for (int i = 0; i < kMostSteps && newton_step(log_budget, weight); ++i) {
  }
}

}  // namespace heliolite
