#include "engine/bounds/iolb_segment.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/bounds/iolb_solver.h"

namespace heliolite {
namespace {

// T is looked for between these multiples of the capacity, first on a grid.
constexpr double kLeastPiece = 1.0 / 16;
constexpr double kMostPiece = 64;
constexpr double kTinyPiece = 1.0 / 1024;
constexpr int kGrid = 6;
constexpr int kRefinements = 6;

// Roundings of a few operations on doubles: bounds stay this far, relatively, on the safe side.
constexpr double kRounding = 1e-12;

// T words a piece and this limit at M + T: the pieces may be made longer until fewer of them would do, for with the
// same exponents U grows as (M + T)^S.
SegmentBound best_piece(const IterationLimit& limit, double iterations, double capacity) {
  const double most = std::exp(limit.log_most), pieces = std::floor(iterations / most);
  SegmentBound best;
  for (double n = std::max(1.0, pieces - 1); n <= pieces + 1; ++n) {
    // U < iterations / n: n pieces are complete.
    const double log_target = std::log(iterations / n), target = log_target - kRounding * (1 + std::abs(log_target));
    const double budget = limit.budget * std::exp((target - limit.log_most) / limit.exponent);
    const double piece = budget * (1 - kRounding) - capacity, words = n * piece * (1 - kRounding);
    if (!(piece > 0 && std::isfinite(words) && words > static_cast<double>(best.words))) continue;
    best.words = static_cast<u64>(words);
    best.piece = piece;
    best.iterations = std::exp(target);
  }
  return best;
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

// The largest bound(T) for T in the range, by a grid and golden sections in log T. Any T is valid.
template <class BoundAt>
SegmentBound best_over_pieces(double low, double high, BoundAt&& bound_at) {
  SegmentBound best;
  const auto at = [&](double log_piece) {
    SegmentBound bound = bound_at(std::exp(log_piece));
    const u64 words = bound.words;
    if (words > best.words) best = std::move(bound);
    return words;
  };
  const double step = (std::log(high) - std::log(low)) / kGrid;
  double center = std::log(low);
  u64 most = 0;
  for (int i = 0; i <= kGrid; ++i) {
    const double x = std::log(low) + i * step;
    if (const u64 words = at(x); words > most) {
      most = words;
      center = x;
    }
  }
  if (most == 0) return best;
  double a = center - step, b = center + step;
  const double golden = (std::sqrt(5.0) - 1) / 2;
  double x1 = b - golden * (b - a), x2 = a + golden * (b - a);
  u64 f1 = at(x1), f2 = at(x2);
  for (int i = 0; i < kRefinements; ++i) {
    if (f1 >= f2) {
      b = x2;
      x2 = x1;
      f2 = f1;
      f1 = at(x1 = b - golden * (b - a));
    } else {
      a = x1;
      x1 = x2;
      f1 = f2;
      f2 = at(x2 = a + golden * (b - a));
    }
  }
  return best;
}

}  // namespace

SegmentBound segment_bound(const AccessNest& nest, const std::vector<RankRow>& rows, double capacity) {
  const double rest = all_words(nest) - capacity;  // loading so much more than M is enough for everything
  if (rest <= 0) return {};
  IterationLimiter limiter(nest, rows);
  const double low = std::min(kLeastPiece * capacity, rest), high = std::min(kMostPiece * capacity, rest);
  const auto bound_at = [&](IterationLimiter::Effort effort) {
    return [&, effort](double piece) {
      const IterationLimit limit = limiter(capacity + piece, effort);
      SegmentBound bound = best_piece(limit, nest.iterations, capacity);
      bound.s.assign(limiter.s().begin(), limiter.s().end());
      bound.t.assign(limiter.t().begin(), limiter.t().end());
      return bound;
    };
  };
  SegmentBound best = best_over_pieces(low, high, bound_at(IterationLimiter::Effort::Rough));
  // Where a piece of M / 16 words may do everything, one of fewer words may not: its exponents say how far it can grow.
  if (best.words == 0) best = bound_at(IterationLimiter::Effort::Full)(kTinyPiece * capacity);
  if (best.words == 0) return best;
  // With exponents fixed the best T is M / (S - 1), often M or near it: where that is far away, there may be a second
  // peak.
  const double found = best.piece, second = found < capacity / 4 || found > 4 * capacity ? capacity : 0;
  const double sum = std::accumulate(best.s.begin(), best.s.end(), 0.0);
  for (const double piece : {found, capacity / (sum - 1), second}) {
    if (!(piece > 0 && piece <= rest)) continue;
    SegmentBound bound = bound_at(IterationLimiter::Effort::Full)(piece);
    if (bound.words > best.words) best = std::move(bound);
  }
  return best;
}

SegmentBound segment_bound(const AccessNest& nest, const std::vector<RankRow>& rows, double capacity,
                           const std::vector<double>& s, const std::vector<double>& t) {
  const double rest = all_words(nest) - capacity;
  if (rest <= 0) return {};
  const IterationLimiter limiter(nest, rows);
  const auto bound_at = [&](double piece) {
    SegmentBound bound = best_piece(limiter.with_exponents(s, t, capacity + piece), nest.iterations, capacity);
    bound.s = s;
    bound.t = t;
    return bound;
  };
  return best_over_pieces(std::min(kLeastPiece * capacity, rest), std::min(kMostPiece * capacity, rest), bound_at);
}

}  // namespace heliolite
