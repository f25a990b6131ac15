#include "engine/program/parameter_cells.h"

#include <isl/vertices.h>

#include <memory>

#include "engine/program/polytope_count.h"

namespace heliolite {
namespace {

isl_stat look_at_corner(isl_vertex* corner, void* whole_steps) {
  const isl::multi_aff place = isl::manage(isl_vertex_get_expr(corner));
  isl_vertex_free(corner);
  for (int k = 0; k < static_cast<int>(place.size()); ++k) {
    const isl::aff coordinate = place.at(k);
    bool whole = isl_aff_dim(coordinate.get(), isl_dim_div) == 0;
    for (int p = 0; p < isl_aff_dim(coordinate.get(), isl_dim_param); ++p)
      whole = whole && isl::manage(isl_aff_get_coefficient_val(coordinate.get(), isl_dim_param, p)).is_int();
    if (!whole) *static_cast<bool*>(whole_steps) = false;
  }
  return isl_stat_ok;
}

isl_stat add_cell(isl_cell* cell, void* cells) {
  ParameterCell out{isl::manage(isl_set_from_basic_set(isl_cell_get_domain(cell))).params(), true};
  const isl_stat status = isl_cell_foreach_vertex(cell, look_at_corner, &out.has_whole_steps);
  isl_cell_free(cell);
  static_cast<std::vector<ParameterCell>*>(cells)->push_back(std::move(out));
  return status;
}

}  // namespace

std::vector<ParameterCell> parameter_cells(const isl::basic_set& polytope) {
  std::vector<ParameterCell> cells;
  if (isl_basic_set_dim(polytope.get(), isl_dim_set) == 0) return {{isl::set(polytope).params(), true}};
  const std::unique_ptr<isl_vertices, decltype(&isl_vertices_free)> vertices(
      isl_basic_set_compute_vertices(polytope.get()), isl_vertices_free);
  if (!vertices || isl_vertices_foreach_cell(vertices.get(), add_cell, &cells) != isl_stat_ok)
    throw CountRefused{"its corners are too complicated"};
  return cells;
}

}  // namespace heliolite
