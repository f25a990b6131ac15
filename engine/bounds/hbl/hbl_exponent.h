#pragma once
// The HBL exponent of a nest, for given sizes and for all: with every array confined to M elements, at most M^k
// iterations can be done.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/bounds/hbl/hbl_nest.h"
#include "engine/bounds/hbl/hbl_subspace.h"

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

// The HBL bound of a nest for all sizes and capacities at once: k(beta) = min over terms of k + sum_l t_l beta_l with
// beta_l = log_M size_l, the vertices of the polyhedron that the rank rows cut out.

// At most M^k * prod_l size_l^t_l iterations are done with arrays of M elements.
struct HblTerm {
  Rational k;
  std::vector<Rational> t;  // [loop]

  bool operator==(const HblTerm&) const = default;
};

// The terms of the nest, sorted; none is above another one everywhere. Nothing when there are too many to write down.
std::optional<std::vector<HblTerm>> hbl_terms(const AccessNest& nest, std::span<const RankRow> rows);

// The words that must move, up to a constant, as a formula: "max(M*N*K/capacity^(1/2), M*N, M*K, N*K)". Each term gives
// iterations * M / tile, the largest counts; the term for a nest that fits as a whole is left out.
std::string traffic_formula(std::span<const HblTerm> terms, const AccessNest& nest);

// A product of powers of the sizes and of M: "M*N*K/capacity^(1/2)".
std::string powers_text(const Rational& of_capacity, std::span<const Rational> of_sizes, const AccessNest& nest);

}  // namespace heliolite
