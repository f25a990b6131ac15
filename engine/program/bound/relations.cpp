#include "engine/program/bound/relations.h"

#include <isl/mat.h>

#include <algorithm>
#include <utility>

#include "engine/base/integers.h"
#include "engine/program/isl.h"

namespace heliolite {
namespace {

// The equalities of the points' affine hull: columns of set dimensions, local variables, parameters, the constant.
RationalMatrix hull_equalities(const isl::basic_set& points, isl_size& locals) {
  const isl::basic_set hull = isl::manage(isl_basic_set_affine_hull(points.copy()));
  locals = isl_basic_set_dim(hull.get(), isl_dim_div);
  isl_mat* matrix = isl_basic_set_equalities_matrix(hull.get(), isl_dim_set, isl_dim_div, isl_dim_param, isl_dim_cst);
  require(matrix, points.ctx());
  RationalMatrix rows;
  for (int r = 0; r < isl_mat_rows(matrix); ++r) {
    std::vector<Rational> row;
    for (int c = 0; c < isl_mat_cols(matrix); ++c) {
      isl_val* value = isl_mat_get_element_val(matrix, r, c);
      row.emplace_back(isl_val_get_num_si(value));
      isl_val_free(value);
    }
    rows.push_back(std::move(row));
  }
  isl_mat_free(matrix);
  return rows;
}

int rank_of_columns(const RationalMatrix& rows, std::size_t first, std::size_t count) {
  RationalMatrix part;
  for (const auto& row : rows)
    part.emplace_back(row.begin() + static_cast<std::ptrdiff_t>(first),
                      row.begin() + static_cast<std::ptrdiff_t>(first + count));
  return Subspace::span(static_cast<int>(count), std::move(part)).dimension();
}

std::vector<isl::basic_set> alternatives(const isl::set& points) {
  std::vector<isl::basic_set> found;
  points.foreach_basic_set([&](const isl::basic_set& b) {
    if (!b.is_empty()) found.push_back(b);
  });
  return found;
}

}  // namespace

int dimension_of(const isl::set& points) {
  int most = -1;
  const auto d = static_cast<int>(points.tuple_dim());
  for (const isl::basic_set& b : alternatives(points)) {
    isl_size locals = 0;
    const RationalMatrix rows = hull_equalities(b, locals);
    const auto n = at(d), l = at(locals);
    most = std::max(most, d - (rank_of_columns(rows, 0, n + l) - rank_of_columns(rows, n, l)));
  }
  return most;
}

Subspace linear_span(const isl::set& points) {
  const auto d = static_cast<int>(points.tuple_dim());
  Subspace span(d);
  for (const isl::basic_set& b : alternatives(points.project_out_all_params())) {
    isl_size locals = 0;
    const RationalMatrix rows = hull_equalities(b, locals);
    // With one coordinate more for the constant, points become rays.
    const Subspace rays = Subspace::kernel(d + locals + 1, rows);
    RationalMatrix directions;
    for (const auto& ray : rays.basis()) directions.emplace_back(ray.begin(), ray.begin() + d);
    span = span + Subspace::span(d, std::move(directions));
  }
  return span;
}

std::vector<isl::map> conjunctions(const isl::union_map& relation) {
  std::vector<isl::map> found;
  relation.coalesce().foreach_map([&](const isl::map& map) {
    map.foreach_basic_map([&](const isl::basic_map& b) {
      if (!b.is_empty()) found.emplace_back(b);
    });
  });
  return found;
}

isl::set part_like(const isl::union_set& points, const isl::set& like) { return points.extract_set(like.space()); }

}  // namespace heliolite
