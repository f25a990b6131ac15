#pragma once
// The HBL exponent of a nest: with every array confined to M elements, at most M^k iterations can be done.
#include <span>
#include <vector>

#include "engine/bounds/hbl/hbl_nest.h"
#include "engine/bounds/rational.h"

namespace heliolite {

// The rank conditions of the HBL inequality: exponents s of the arrays and t of the loops are valid, that is
//   |V| <= prod_j |phi_j(V)|^s_j * prod_l |V_l|^t_l   for every finite set V of iterations
// (V_l: the values of loop l), when every row holds. Proof and sources: docs/rules/bounds_hbl.md.

// sum_j image[j] s_j + sum over the bits l of `loops` of t_l >= rank.
struct RankRow {
  int rank = 1;
  std::vector<int> image;  // [access]
  LoopBits loops = 0;

  bool operator==(const RankRow&) const = default;
};

// The rank rows of the nest, without those that another row implies. Loops that share no rank are looked at one by one
// (the product rule).
std::vector<RankRow> rank_rows(const AccessNest& nest);

// The exponent for loops of any size.
struct HblExponent {
  Rational k;               // the sum of s, the least that the rank rows allow
  std::vector<Rational> s;  // [access]
};
HblExponent hbl_exponent(std::span<const RankRow> rows, std::size_t accesses);

// The exponent for known sizes: k = sum_j s_j (1 - log_M word_size_j) + sum_l t_l log_M size_l is least, so that at
// most M^k iterations fit. `capacity` (M) > 1 and at least every word size.
struct SizedExponent {
  double k = 0;
  std::vector<double> s;  // [access]
  std::vector<double> t;  // [loop]
};
SizedExponent hbl_exponent(const AccessNest& nest, std::span<const RankRow> rows, double capacity);

}  // namespace heliolite
