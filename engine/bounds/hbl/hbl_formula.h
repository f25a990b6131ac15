#pragma once
// The HBL bound of a nest for all sizes and capacities at once: k(beta) = min over terms of k + sum_l t_l beta_l with
// beta_l = log_M size_l, the vertices of the polyhedron that the rank rows cut out.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/bounds/hbl/hbl_exponent.h"
#include "engine/bounds/rational.h"

namespace heliolite {

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
