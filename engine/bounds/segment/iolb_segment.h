#pragma once
// The segment bound: an execution is cut into pieces that load T words each, the first one, before which nothing is
// inside, M + T; a piece touches at most M + T words and so does at most U(M + T) iterations. Q >= M + T * (number of
// complete pieces). One piece alone gives the words without which the iterations cannot be done in any memory: the
// bound goes over into the compulsory one. Proof and what exactly is counted: docs/rules/bounds_iolb.md.
#include <span>
#include <vector>

#include "engine/bounds/hbl/hbl_exponent.h"
#include "engine/bounds/hbl/hbl_nest.h"
#include "engine/bounds/segment/iolb_solver.h"

namespace heliolite {

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
