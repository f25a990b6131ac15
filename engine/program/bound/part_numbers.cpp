// The bounds of parts as numbers, at given parameter values.
#include "engine/program/bound/part_bound.h"

#include <isl/constraint.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/integers.h"
#include "engine/bounds/segment/iolb_segment.h"

namespace heliolite {
namespace {

// Budgets that exponents are chosen for, as logarithms; the last is so large that only the sum of exponents counts.
std::vector<double> log_budgets() {
  std::vector<double> list;
  for (int bits = 4; bits <= 24; bits += 4) list.push_back(bits * std::log(2));
  list.push_back(kLargeLogBudget);
  return list;
}

// Subgroups with those that single loops add: there they only sharpen a bound.
constexpr std::size_t kMostSizedSubgroups = 40;

constexpr double kSampleMemories[] = {8, 64, 1024};

isl::set fixed(const isl::set& set, const ParameterValues& values) {
  isl_set* raw = set.copy();
  for (const auto& [name, value] : values) {
    const int at = isl_set_find_dim_by_name(raw, isl_dim_param, name.c_str());
    if (at >= 0) raw = isl_set_fix_si(raw, isl_dim_param, static_cast<unsigned>(at), static_cast<int>(value));
  }
  return isl::manage(raw);
}

// Parameters of their own for a range of one coordinate: counts are polynomials in them.
constexpr const char* kRangeLow = "range_low";
constexpr const char* kRangeHigh = "range_high";

isl::set with_range(const isl::set& set, int k) {
  isl_set* raw = isl_set_add_dims(set.copy(), isl_dim_param, 2);
  const auto low = static_cast<unsigned>(isl_set_dim(raw, isl_dim_param)) - 2;
  raw = isl_set_set_dim_name(raw, isl_dim_param, low, kRangeLow);
  raw = isl_set_set_dim_name(raw, isl_dim_param, low + 1, kRangeHigh);
  const auto limit = [&](unsigned parameter, int sign) {
    isl_constraint* row = isl_constraint_alloc_inequality(isl_local_space_from_space(isl_set_get_space(raw)));
    row = isl_constraint_set_coefficient_si(row, isl_dim_set, k, sign);
    row = isl_constraint_set_coefficient_si(row, isl_dim_param, static_cast<int>(parameter), -sign);
    raw = isl_set_add_constraint(raw, row);
  };
  limit(low, 1);
  limit(low + 1, -1);
  return isl::manage(raw);
}

isl::set outer_loops(const isl::set& set, int outer) {
  return isl::manage(isl_set_project_out(set.copy(), isl_dim_set, static_cast<unsigned>(outer),
                                         set.tuple_dim() - static_cast<unsigned>(outer)));
}

// The rows with, for each loop, the kernel of the projection to it in the lattice.
std::optional<BudgetShape> with_extents(const ProgramPart& part, const BudgetShape& shape,
                                        std::vector<double> extents) {
  const int d = part.dimensions();
  std::vector<Subspace> generators, fixed_loops;
  for (const WalkFamily& family : part.families) generators.push_back(family.kernel);
  for (int l = 0; l < d; ++l) {
    RationalMatrix unit(1, std::vector<Rational>(at(d)));
    unit[0][l] = 1;
    fixed_loops.push_back(Subspace::kernel(d, std::move(unit)));
  }
  generators.insert(generators.end(), fixed_loops.begin(), fixed_loops.end());
  const auto lattice = lattice_of(d, generators, kMostSizedSubgroups);
  if (!lattice) return std::nullopt;
  BudgetShape more = shape;
  more.rows.clear();
  more.extents = std::move(extents);
  for (const Subspace& subgroup : *lattice) {
    if (subgroup.dimension() == 0) continue;
    RankRow row{subgroup.dimension(), {}, 0};
    for (const WalkFamily& family : part.families) row.image.push_back(subgroup.image_dimension(family.kernel));
    for (int l = 0; l < d; ++l)
      if (!fixed_loops[l].contains(subgroup)) row.loops |= LoopBits{1} << l;
    more.rows.push_back(std::move(row));
  }
  return more;
}

}  // namespace

std::optional<double> PartNumbers::points(const isl::set& set) {
  const Result<Rational> count = count_at(program_.context, set, values_);
  if (count) return count->convert_to<double>();
  uncounted_ = true;
  return std::nullopt;
}

std::optional<double> PartNumbers::points(const isl::union_set& sets) {
  std::optional<double> sum = 0;
  sets.foreach_set([&](const isl::set& set) {
    if (!sum) return;
    const std::optional<double> more = points(set);
    sum = more ? std::optional(*sum + *more) : std::nullopt;
  });
  return sum;
}

std::vector<double> PartNumbers::extents(const isl::set& set) const {
  const isl::set here = fixed(set, values_);
  std::vector<double> list;
  for (int k = 0; k < static_cast<int>(here.tuple_dim()); ++k)
    list.push_back(
        here.is_empty() ? 1 : static_cast<double>(here.dim_max_val(k).num_si() - here.dim_min_val(k).num_si() + 1));
  return list;
}

bool PartNumbers::fill(PartBound& bound) {
  bound.instances = points(bound.part.domain).value_or(0);
  if (bound.instances <= 0) return false;
  if (bound.method == PartMethod::wavefront) return true;
  bound.shape = budget_shape(bound.part);
  if (!bound.shape) return false;
  const std::optional<double> ends_of = points(ends(bound.part));
  if (!ends_of) return false;
  bound.ends = *ends_of;
  bound.growths.clear();
  const auto sized = with_extents(bound.part, *bound.shape, extents(bound.part.domain));
  for (const double log_budget : log_budgets()) {
    if (sized) bound.growths.push_back(budget_growth(*sized, best_budget_point(*sized, log_budget)));
    bound.growths.push_back(budget_growth(*bound.shape, best_budget_point(*bound.shape, log_budget)));
  }
  return true;
}

double PartNumbers::small_memory_words(const PartBound& bound) {
  double sum = 0;
  for (const double capacity : kSampleMemories)
    if (bound.method == PartMethod::partition) {
      sum += partition_words(bound, capacity);
    } else {
      const auto words = wavefront_words(program_, values_, bound, capacity);
      uncounted_ = uncounted_ || !words;
      sum += words.value_or(0);
    }
  return sum;
}

double partition_words(const PartBound& bound, double capacity) {
  double best = 0;
  for (const BudgetGrowth& growth : bound.growths) {
    if (!std::isfinite(growth.scale)) continue;
    const SegmentBound pieces = best_pieces(growth.scale, growth.exponent, bound.instances, capacity);
    best = std::max(best, static_cast<double>(pieces.words) - bound.ends);
  }
  return best;
}

std::optional<double> wavefront_words(const AffineProgram& program, const ParameterValues& values,
                                      const PartBound& bound, double capacity) {
  const int k = bound.outer - 1;
  const isl::set waves = with_range(bound.part.domain, k), slices = outer_loops(waves, bound.outer);
  const isl::set here = fixed(bound.part.domain, values);
  if (here.is_empty()) return 0;
  bool counted = true;
  // Points of slices whose k-th loop has values from `low` to `high`.
  const auto count = [&](const isl::set& set, i64 low, i64 high) {
    ParameterValues range = values;
    range[kRangeLow] = low;
    range[kRangeHigh] = high;
    const Result<Rational> points = count_at(program.context, set, range);
    counted = counted && points.ok();
    return points ? points->convert_to<double>() : 0.0;
  };
  i64 low = here.dim_min_val(k).num_si(), high = here.dim_max_val(k).num_si();
  const auto is_wide = [&](i64 at) {
    const double n = count(slices, at, at);
    return n > 0 && count(waves, at, at) > n * capacity;
  };
  // Slices narrower than the memory give nothing: of the last loop's values, those up to an end are left out.
  const auto first_wide = [&](i64 narrow, i64 wide) {
    while (std::abs(wide - narrow) > 1) {
      const i64 middle = narrow + (wide - narrow) / 2;
      (is_wide(middle) ? wide : narrow) = middle;
    }
    return wide;
  };
  const bool low_wide = is_wide(low), high_wide = is_wide(high);
  if (!low_wide && high_wide) low = first_wide(low, high);
  if (low_wide && !high_wide) high = first_wide(high, low);
  const double words = count(waves, low, high) - capacity * count(slices, low, high);
  if (!counted) return std::nullopt;
  return std::max(0.0, words);
}

}  // namespace heliolite
