#pragma once
// The rank conditions of the HBL inequality: exponents s of the arrays and t of the loops are valid, that is
//   |V| <= prod_j |phi_j(V)|^s_j * prod_l |V_l|^t_l   for every finite set V of iterations
// (V_l: the values of loop l), when every row holds. Proof and sources: docs/rules/bounds_hbl.md.
#include <vector>

#include "engine/bounds/hbl/hbl_nest.h"

namespace heliolite {

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

}  // namespace heliolite
