#pragma once
// The segment bound: an execution is cut into pieces that load T words each; a piece touches at most M + T words and
// so does at most U(M + T) iterations. Q >= T * (number of complete pieces). Proof and what exactly is counted:
// docs/rules/bounds_iolb.md.
#include <vector>

#include "engine/bounds/hbl_nest.h"
#include "engine/bounds/hbl_rows.h"

namespace heliolite {

// At least `words` words move: loads and stores of a memory of M words, or its loads when every output is loaded once
// before its first sum. Zero when one piece may do everything.
struct SegmentBound {
  u64 words = 0;
  double piece = 0;       // T, words
  double iterations = 0;  // U(M + T)
  std::vector<double> s;  // exponents used, by access
  std::vector<double> t;  // by loop
};

// Over all exponents and T. `capacity` in words, `nest` lifted or not (a lifted one gives more).
SegmentBound segment_bound(const AccessNest& nest, const std::vector<RankRow>& rows, double capacity);

// With given exponents, over all T; they are scaled up where they are not valid.
SegmentBound segment_bound(const AccessNest& nest, const std::vector<RankRow>& rows, double capacity,
                           const std::vector<double>& s, const std::vector<double>& t);

}  // namespace heliolite
