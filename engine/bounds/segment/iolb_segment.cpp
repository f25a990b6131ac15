#include "engine/bounds/segment/iolb_segment.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "engine/base/integers.h"
#include "engine/bounds/hbl/hbl_exponent.h"
#include "engine/bounds/hbl/hbl_subspace.h"
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
    if (Subspace::span(static_cast<int>(access.rows.size()), columns).dimension() == static_cast<int>(columns.size())) {
      values *= nest.loops[l].size;
    } else {
      columns.pop_back();
    }
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

}  // namespace heliolite
