#pragma once
// The most instances of a statement that K words admit, from families of walks (walk_family.h):
//   log U(K) = S log(K / S) + sum_j s_j log(s_j m_j / b_j) + sum_l t_l log extent_l,   S = sum of s,
// least over exponents (s, t) that meet the rank rows and shares b_j = sum over cliques c with j of w_c, sum of w = 1.
// Jointly convex in s, t and w (a relative entropy); a barrier method finds the minimum. Every (s, t) that meets the
// rows and every w bounds the instances, so how near the minimum it ends is a matter of sharpness only.
// Proof: docs/affine.md.
#include <vector>

#include "engine/bounds/hbl/hbl_exponent.h"

namespace heliolite {

// What the program is made of.
struct BudgetShape {
  std::vector<RankRow> rows;                      // images of the families; bit l of loops: extent l
  std::vector<std::vector<std::size_t>> cliques;  // families whose words are apart; every family is in one
  std::vector<double> multiplicity;               // [family] m_j: projections that one word may stand for
  std::vector<double> extents;                    // values of each loop; may be empty: then no row may need them

  std::size_t families() const { return multiplicity.size(); }
};

struct BudgetPoint {
  std::vector<double> s;       // [family]
  std::vector<double> t;       // [loop]
  std::vector<double> weight;  // [clique]
};

// U(K) = exp(scale) * K^exponent.
struct BudgetGrowth {
  double scale = 0;
  double exponent = 0;
};

// The best point for a budget of exp(log_budget) words; nothing with s and t is valid if the rows cannot be met.
BudgetPoint best_budget_point(const BudgetShape& shape, double log_budget);

// U of a point, rounded up; exponents that miss a row by roundings are scaled up.
BudgetGrowth budget_growth(const BudgetShape& shape, const BudgetPoint& point);

// [family] b_j.
std::vector<double> shares(const BudgetShape& shape, const std::vector<double>& weight);

}  // namespace heliolite
