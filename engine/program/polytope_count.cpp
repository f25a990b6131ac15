// Takes sets apart into polytopes with parameters, finds where their corners stay the same, and walks their points.
#include "engine/program/count.h"

#include <isl/mat.h>
#include <isl/vertices.h>
#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

constexpr i64 kMostCoefficient = i64{1} << 31;
constexpr i64 kMostRest = i64{1} << 61;

i64 coefficient(isl_mat* matrix, int row, std::size_t column) {
  const isl::val value = isl::manage(isl_mat_get_element_val(matrix, row, static_cast<int>(column)));
  if (!value.is_int() || value.abs().gt(isl::val(value.ctx(), kMostCoefficient)))
    throw CountRefused{"a coefficient beyond 2^31"};
  return value.num_si();
}

// sum += factor * value; false when that does not fit.
bool add_product(i64& sum, i64 factor, i64 value) {
  i64 product = 0;
  return !__builtin_mul_overflow(factor, value, &product) && !__builtin_add_overflow(sum, product, &sum);
}

i64 floor_quotient(i64 a, i64 b) { return a / b - (a % b < 0 ? 1 : 0); }  // b > 0

}  // namespace

void PolytopeCount::add_rows(isl_mat* matrix, int sign, std::vector<Row>& rows) const {
  for (int r = 0; r < isl_mat_rows(matrix); ++r) {
    Row row;
    row.constant = sign * coefficient(matrix, r, 0);
    for (std::size_t k = 0; k < parameters_; ++k) row.parameters.push_back(sign * coefficient(matrix, r, 1 + k));
    for (std::size_t k = 0; k < levels_.size(); ++k)
      row.coordinates.push_back(sign * coefficient(matrix, r, 1 + parameters_ + k));
    rows.push_back(std::move(row));
  }
}

std::vector<PolytopeCount::Row> PolytopeCount::rows_of(const isl::basic_set& polytope) const {
  std::vector<Row> rows;
  const auto add = [&](isl_mat* matrix, bool equality) {
    const std::unique_ptr<isl_mat, decltype(&isl_mat_free)> owned(matrix, isl_mat_free);
    require(matrix, polytope.ctx());
    add_rows(matrix, 1, rows);
    if (equality) add_rows(matrix, -1, rows);
  };
  add(isl_basic_set_equalities_matrix(polytope.get(), isl_dim_cst, isl_dim_param, isl_dim_set, isl_dim_div), true);
  add(isl_basic_set_inequalities_matrix(polytope.get(), isl_dim_cst, isl_dim_param, isl_dim_set, isl_dim_div), false);
  return rows;
}

PolytopeCount::PolytopeCount(const isl::basic_set& polytope)
    : parameters_(static_cast<std::size_t>(isl_basic_set_dim(polytope.get(), isl_dim_param))),
      levels_(static_cast<std::size_t>(isl_basic_set_dim(polytope.get(), isl_dim_set))) {
  if (isl_basic_set_dim(polytope.get(), isl_dim_div) != 0) throw CountRefused{"divisions of divisions"};
  // Conditions on fewer coordinates by eliminating the others, without the divisions that an exact shadow would need:
  // they may hold at points without a completion, which then has none at a later level. The last ones, of the polytope
  // itself, are exact.
  isl::basic_set shadow = polytope;
  for (std::size_t d = levels_.size() + 1; d-- > 0;) {
    for (Row& row : rows_of(shadow)) {
      const bool inner = d > 0 && row.coordinates[d - 1] != 0;
      if (inner) levels_[d - 1].push_back(std::move(row));
      else if (std::all_of(row.coordinates.begin(), row.coordinates.end(), [](i64 c) { return c == 0; }))
        conditions_.push_back(std::move(row));
    }
    if (d > 0)
      shadow = isl::manage(isl_basic_set_remove_divs(
          isl_basic_set_eliminate(shadow.release(), isl_dim_set, static_cast<unsigned>(d - 1), 1)));
  }
}

struct PolytopeCount::Walk {
  const PolytopeCount& set;
  u64 limit;
  std::vector<std::vector<i64>> constants;  // [level][row]: with the parameters
  std::vector<i64> at{};
  u64 steps = 0;
  bool failed = false;

  // The values of coordinate `level` that its rows allow: first > last where there are none.
  std::pair<i64, i64> range(std::size_t level) {
    i64 first = std::numeric_limits<i64>::min(), last = std::numeric_limits<i64>::max();
    const std::vector<Row>& rows = set.levels_[level];
    for (std::size_t r = 0; r < rows.size(); ++r) {
      i64 rest = constants[level][r];
      for (std::size_t k = 0; k < level; ++k)
        if (!add_product(rest, rows[r].coordinates[k], at[k])) failed = true;
      if (rest > kMostRest || rest < -kMostRest) failed = true;
      const i64 own = rows[r].coordinates[level];
      if (own > 0) first = std::max(first, -floor_quotient(rest, own));
      else last = std::min(last, floor_quotient(rest, -own));
    }
    if (first == std::numeric_limits<i64>::min() || last == std::numeric_limits<i64>::max()) failed = true;
    return {first, last};
  }

  u64 count(std::size_t level) {
    if (failed) return 0;
    const auto [first, last] = range(level);
    if (failed || last < first) return 0;
    const u64 width = static_cast<u64>(last) - static_cast<u64>(first) + 1;
    if (level + 1 == set.levels_.size()) return width;
    if (width > limit - steps) failed = true;
    steps += failed ? 0 : width;
    u64 sum = 0;
    for (u64 k = 0; k < width && !failed; ++k) {
      at[level] = first + static_cast<i64>(k);
      if (__builtin_add_overflow(sum, count(level + 1), &sum)) failed = true;
    }
    return sum;
  }
};

std::optional<u64> PolytopeCount::at(const std::vector<i64>& parameters, u64 limit) const {
  bool fits = true;
  const auto constant = [&](const Row& row) {
    i64 sum = row.constant;
    for (std::size_t k = 0; k < parameters_; ++k) fits = fits && add_product(sum, row.parameters[k], parameters[k]);
    return sum;
  };
  bool empty = false;
  for (const Row& row : conditions_) empty = constant(row) < 0 || empty;
  if (!fits) return std::nullopt;
  if (empty) return 0;
  if (levels_.empty()) return 1;
  Walk walk{*this, limit, {}};
  for (const std::vector<Row>& rows : levels_) {
    walk.constants.emplace_back();
    for (const Row& row : rows) walk.constants.back().push_back(constant(row));
  }
  if (!fits) return std::nullopt;
  walk.at.resize(levels_.size());
  const u64 points = walk.count(0);
  if (walk.failed) return std::nullopt;
  return points;
}

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
        const int mine = group[k];
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
    if (group[g] != g) continue;
    isl::basic_set factor = set;
    for (int k = dimensions(set) - 1; k >= 0; --k) {
      if (group[k] == g) continue;
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
