#include "engine/program/polytope_parts.h"

#include <isl/mat.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

using Rows = std::unique_ptr<isl_mat, decltype(&isl_mat_free)>;

Rows checked(isl_mat* rows, const isl::basic_set& of) {
  require(rows, of.ctx());
  return {rows, isl_mat_free};
}

// Coordinates come first.
Rows equalities(const isl::basic_set& set) {
  return checked(isl_basic_set_equalities_matrix(set.get(), isl_dim_set, isl_dim_cst, isl_dim_param, isl_dim_div), set);
}
Rows inequalities(const isl::basic_set& set) {
  return checked(isl_basic_set_inequalities_matrix(set.get(), isl_dim_set, isl_dim_cst, isl_dim_param, isl_dim_div),
                 set);
}

isl::val entry(const Rows& rows, int r, int k) { return isl::manage(isl_mat_get_element_val(rows.get(), r, k)); }

int dimensions(const isl::basic_set& set) { return static_cast<int>(isl_basic_set_dim(set.get(), isl_dim_set)); }

// A coordinate that an equality gives as a whole-numbered sum of the others, -1: none.
int determined(const isl::basic_set& set) {
  const Rows rows = equalities(set);
  for (int r = 0; r < isl_mat_rows(rows.get()); ++r)
    for (int k = 0; k < dimensions(set); ++k)
      if (entry(rows, r, k).abs().is_one()) return k;
  return -1;
}

isl::basic_set without(const isl::basic_set& set, int coordinate) {
  return isl::manage(isl_basic_set_project_out(set.copy(), isl_dim_set, static_cast<unsigned>(coordinate), 1));
}

// [coordinate]: the first of those that conditions connect it with.
std::vector<int> groups(const isl::basic_set& set) {
  std::vector<int> group(static_cast<std::size_t>(dimensions(set)));
  std::iota(group.begin(), group.end(), 0);
  const Rows both[] = {equalities(set), inequalities(set)};
  for (const Rows& rows : both)
    for (int r = 0; r < isl_mat_rows(rows.get()); ++r) {
      int first = -1;
      for (int k = 0; k < dimensions(set); ++k) {
        if (entry(rows, r, k).is_zero()) continue;
        const int mine = group[at(k)];
        if (first < 0) first = mine;
        const auto [least, most] = std::minmax(first, mine);
        for (int& g : group)
          if (g == most) g = least;
        first = least;
      }
    }
  return group;
}

PolytopeFactors factors(const isl::basic_set& set) {
  const std::vector<int> group = groups(set);
  PolytopeFactors out;
  for (int g = 0; g < dimensions(set); ++g) {
    if (group[at(g)] != g) continue;
    isl::basic_set factor = set;
    for (int k = dimensions(set) - 1; k >= 0; --k) {
      if (group[at(k)] == g) continue;
      const auto place = static_cast<unsigned>(k);
      factor = isl::manage(isl_basic_set_drop_constraints_involving_dims(factor.release(), isl_dim_set, place, 1));
      factor = without(factor, k);
    }
    out.push_back(std::move(factor));
  }
  if (out.empty()) out.push_back(set);  // no coordinates, but conditions on parameters
  return out;
}

}  // namespace

std::vector<PolytopeFactors> polytope_pieces(const isl::set& set) {
  const isl::set pieces = isl::manage(isl_set_make_disjoint(isl_set_compute_divs(set.coalesce().release())));
  std::vector<PolytopeFactors> out;
  pieces.foreach_basic_set([&](isl::basic_set piece) {
    if (piece.is_empty()) return;
    piece = isl::manage(isl_basic_set_flatten(isl_basic_set_lift(piece.release()))).detect_equalities();
    for (int k = determined(piece); k >= 0; k = determined(piece)) piece = without(piece, k);
    out.push_back(factors(isl::manage(isl_basic_set_remove_redundancies(piece.release()))));
  });
  return out;
}

}  // namespace heliolite
