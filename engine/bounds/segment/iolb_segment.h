#pragma once
// The segment bound: an execution is cut into pieces that load T words each, the first one, before which nothing is
// inside, M + T; a piece touches at most M + T words and so does at most U(M + T) iterations. Q >= M + T * (number of
// complete pieces). One piece alone gives the words without which the iterations cannot be done in any memory: the
// bound goes over into the compulsory one. Proof and what exactly is counted: docs/rules/bounds_iolb.md.
#include <array>
#include <span>
#include <vector>

#include "engine/bounds/hbl/hbl_exponent.h"
#include "engine/bounds/hbl/hbl_nest.h"

namespace heliolite {

// The most iterations that arrays of K words together admit, from the HBL inequality with the best exponents:
//   U(K) = min over valid (s, t) of (K / S)^S * prod_j (s_j / word_size_j)^s_j * prod_l size_l^t_l,   S = sum of s,
// where s_j in the parentheses is the sum over all accesses of j's array.
// Its logarithm is convex in (s, t); a barrier method finds the minimum. Any valid (s, t) bounds the iterations, so how
// near the minimum it ends is a matter of sharpness only. Proof: docs/rules/bounds_iolb.md.

// log U = `log_most` at `budget`; U at another budget K' is at most U * (K' / budget)^exponent with the same (s, t).
struct IterationLimit {
  double budget = 0;
  double log_most = 0;  // rounded up
  double exponent = 0;  // S
};

// Computes U(K) for one nest and its rank rows.
class IterationLimiter {
 public:
  IterationLimiter(const AccessNest& nest, std::span<const RankRow> rows);

  // `budget` > 0 words. Successive calls should ask for budgets near each other: each starts where the last one was.
  IterationLimit operator()(double budget);
  // The limit with the exponents s and t of arrays and loops. They need not be valid: they are scaled up until they
  // are.
  IterationLimit with_exponents(std::span<const double> s, std::span<const double> t, double budget) const;

  std::span<const double> s() const { return std::span(x_).first(arrays_); }
  std::span<const double> t() const { return std::span(x_).subspan(arrays_, loops_); }

 private:
  static constexpr std::size_t kMostUnknowns = kMaxTensors + kMaxAccessLoops;
  using Vector = std::array<double, kMostUnknowns>;
  using Matrix = std::array<Vector, kMostUnknowns>;

  struct Row {
    double rank;
    Vector coefficient;
    std::vector<std::size_t> support;
  };

  double objective(const Vector& x, double log_budget) const;
  double slack(const Row& row, const Vector& x) const;
  void newton_system(double log_budget, double weight, Vector& gradient, Matrix& hessian) const;
  double merit(const Vector& x, double log_budget, double weight) const;
  bool newton_step(double log_budget, double weight);
  void minimize(double log_budget, double weight);

  std::size_t arrays_, loops_, unknowns_;
  Vector by_array(const Vector& x) const;  // by access: the sum over all accesses of its array

  std::vector<double> log_word_size_, log_size_;
  std::vector<std::size_t> array_;  // by access: the first access of its array
  std::vector<Row> rows_;
  Vector x_{};        // (s, t), strictly inside
  Vector central_{};  // where the barrier is heavy: a good start for another budget
};

// Words that an execution cannot do without: elements that some iteration touches.

// A lower bound of the words of an array's elements that some iteration touches; exact for arrays without a dimension
// twice and with ranks of at most two dimensions. `nest` must not be lifted.
u64 touched_words(const AccessNest& nest, const Access& access);

// At least `words` words move: loads and stores of a memory of M words, or its loads when every output is loaded once
// before its first sum. Zero when one piece may do everything.
struct SegmentBound {
  u64 words = 0;
  double piece = 0;       // T: words that a piece loads; all it touches if there is one piece
  double iterations = 0;  // U(M + T): iterations that a piece does at most
  std::vector<double> s;  // [access]: exponents used
  std::vector<double> t;  // [loop]: exponents used
};

// The same, without exponents, where at most exp(scale) * K^exponent iterations touch K words.
SegmentBound best_pieces(double scale, double exponent, double iterations, double capacity);

// The largest bound over all T with the exponents s and t, which are scaled up if they are not valid. `capacity` is M;
// the bound falls as it grows.
SegmentBound segment_bound(const AccessNest& nest, const std::vector<RankRow>& rows, double capacity,
                           const std::vector<double>& s, const std::vector<double>& t);

// The largest bound over exponents that suit memories of one size after the other, and over all T. What suits a larger
// memory is tried for a smaller one too, so no bound rises with the capacity.
class SegmentBounds {
 public:
  // For capacities of `least` words and more. The nest may be lifted (hbl_nest.h), which gives larger bounds.
  SegmentBounds(const AccessNest& nest, const std::vector<RankRow>& rows, double least);

  SegmentBound program(double capacity) const;  // exponents of the HBL linear program
  SegmentBound best(double capacity) const;     // and those that make U(K) the least: never below program()

 private:
  struct Candidate {
    double step = 0;   // logarithm of the words that the exponents were chosen for
    double scale = 0;  // the most iterations of K words are exp(scale) * K^exponent
    double exponent = 0;
    std::vector<double> s, t;
  };

  void add(std::vector<Candidate>& list, const IterationLimiter& limiter, double step, std::span<const double> s,
           std::span<const double> t) const;
  SegmentBound largest(const std::vector<Candidate>& list, double capacity) const;

  double iterations_ = 0;
  double all_words_ = 0;                     // words of all boxes: in a memory of this size one piece does everything
  std::vector<Candidate> program_, convex_;  // by descending step
};

// SegmentBounds::best() for one capacity alone.
SegmentBound segment_bound(const AccessNest& nest, const std::vector<RankRow>& rows, double capacity);

}  // namespace heliolite
