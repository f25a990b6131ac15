#pragma once
// The HBL exponent of a nest: with every array confined to M elements, at most M^k iterations can be done.
#include <span>
#include <vector>

#include "engine/bounds/hbl/hbl_rows.h"
#include "engine/bounds/rational.h"

namespace heliolite {

// The exponent for loops of any size.
struct HblExponent {
  Rational k;               // the sum of s, the least that the rank rows allow
  std::vector<Rational> s;  // [access]
};
HblExponent hbl_exponent(std::span<const RankRow> rows, std::size_t accesses);

// The same with sizes known: k = sum_j s_j (1 - log_M word_size_j) + sum_l t_l log_M size_l is least, so that at most
// M^k iterations fit. `capacity` (M) > 1 and at least every word size.
struct SizedExponent {
  double k = 0;
  std::vector<double> s;  // [access]
  std::vector<double> t;  // [loop]
};
SizedExponent hbl_exponent(const AccessNest& nest, std::span<const RankRow> rows, double capacity);

}  // namespace heliolite
