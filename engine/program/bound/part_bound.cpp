#include "engine/program/bound/part_bound.h"

#include <isl/constraint.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/integers.h"
#include "engine/base/mapped.h"
#include "engine/bounds/segment/iolb_segment.h"
#include "engine/program/isl.h"

namespace heliolite {
namespace {

constexpr int kMostTrims = 6;
constexpr std::size_t kMostFamilies = 8;

// Logarithms of U that differ by less are equal up to roundings of the barrier method.
constexpr double kUnused = 1e-3;

isl::set points_of(const isl::union_map& relation, const isl::set& domain, const isl::union_set& words) {
  const isl::union_map there = relation.intersect_domain(domain.to_union_set()).intersect_range(words);
  return part_like(there.domain(), domain);
}

// The domain without `points`, if they are no more than a border of it.
std::optional<isl::set> without_border(const isl::set& domain, const isl::set& points) {
  if (dimension_of(points) >= dimension_of(domain)) return std::nullopt;
  return domain.subtract(points).coalesce();
}

// One round: what is wrong is taken out; false if it cannot be. Nothing was wrong if the domain stays the same.
bool trim_walks(ProgramPart& part) {
  for (const WalkFamily& family : part.families) {
    part.domain = part.domain.intersect(part_like(family.last.domain(), part.domain)).coalesce();
    if (family.multiplicity > 1 || family.kernel.contains(kernel_of(part.at, family.steps(), part.domain))) continue;
    // Walks that go on in the part in other directions than the kernel's: end them before.
    const isl::set again = points_of(part.at, part.domain, exits(family, part.domain));
    const auto rest = without_border(part.domain, again);
    if (!rest || again.is_empty()) return false;
    part.domain = *rest;
  }
  return true;
}

void trim_common_words(ProgramPart& part) {
  for (const WalkFamily& a : part.families)
    for (const WalkFamily& b : part.families) {
      if (&a >= &b) continue;
      const isl::union_set common = exits(a, part.domain).intersect(exits(b, part.domain));
      if (common.is_empty()) continue;
      for (const WalkFamily* family : {&a, &b})
        if (const auto rest = without_border(part.domain, points_of(family->steps(), part.domain, common))) {
          part.domain = *rest;
          break;
        }
    }
}

bool walks_are_sound(const ProgramPart& part) {
  const isl::union_set domain = part.domain.to_union_set();
  return std::ranges::all_of(part.families, [&](const WalkFamily& family) {
    return domain.is_subset(family.last.domain()) &&
           (family.multiplicity > 1 || family.kernel.contains(kernel_of(part.at, family.steps(), part.domain)));
  });
}

}  // namespace

bool trim(ProgramPart& part) {
  const int dimension = dimension_of(part.domain);
  for (int round = 0; round < kMostTrims; ++round) {
    const isl::set before = part.domain;
    if (!trim_walks(part)) return false;
    trim_common_words(part);
    if (dimension_of(part.domain) < dimension) return false;
    if (part.domain.is_equal(before)) return true;
  }
  return walks_are_sound(part);
}

ProgramPart without_words(const ProgramPart& part, const isl::union_set& words) {
  ProgramPart rest = part;
  for (const WalkFamily& family : part.families)
    rest.domain = rest.domain.subtract(points_of(family.steps(), rest.domain, words));
  rest.domain = rest.domain.coalesce();
  return rest;
}

isl::union_set used_words(const ProgramPart& part) {
  isl::union_set all = isl::union_set::empty(part.domain.ctx());
  for (const WalkFamily& family : part.families) all = all.unite(exits(family, part.domain));
  return all.coalesce();
}

std::vector<std::vector<bool>> apart(const ProgramPart& part) {
  std::vector<isl::union_set> words;
  for (const WalkFamily& family : part.families) words.push_back(exits(family, part.domain));
  std::vector<std::vector<bool>> related(words.size(), std::vector<bool>(words.size()));
  for (std::size_t a = 0; a < words.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) related[a][b] = related[b][a] = words[a].is_disjoint(words[b]);
  return related;
}

namespace {

// All maximal sets of indices that are pairwise related.
std::vector<std::vector<std::size_t>> maximal_cliques(const std::vector<std::vector<bool>>& related) {
  const std::size_t n = related.size();
  std::vector<std::vector<std::size_t>> cliques;
  for (u64 bits = 1; bits < u64{1} << n; ++bits) {
    std::vector<std::size_t> members;
    for (std::size_t j = 0; j < n; ++j)
      if (contains(bits, j)) members.push_back(j);
    const auto fits = [&](std::size_t j) {
      return std::ranges::all_of(members, [&](std::size_t k) { return k == j || related[j][k]; });
    };
    bool maximal = std::ranges::all_of(members, fits);
    for (std::size_t j = 0; j < n && maximal; ++j) maximal = contains(bits, j) || !fits(j);
    if (maximal) cliques.push_back(std::move(members));
  }
  return cliques;
}

}  // namespace

std::optional<BudgetShape> budget_shape(const ProgramPart& part) {
  const std::vector<Subspace> kernels = mapped(part.families, &WalkFamily::kernel);
  const int d = part.dimensions();
  const auto lattice = lattice_of(d, kernels, kMostSubgroups);
  if (!lattice) return std::nullopt;
  BudgetShape shape;
  for (const Subspace& subgroup : *lattice) {
    if (subgroup.dimension() == 0) continue;
    RankRow row{subgroup.dimension(), {}, 0};
    for (const Subspace& kernel : kernels) row.image.push_back(subgroup.image_dimension(kernel));
    if (std::ranges::all_of(row.image, [](int image) { return image == 0; })) return std::nullopt;
    shape.rows.push_back(std::move(row));
  }
  shape.cliques = maximal_cliques(apart(part));
  for (const WalkFamily& family : part.families) shape.multiplicity.push_back(family.multiplicity);
  return shape;
}

namespace {

// Coordinates of the line's shortest whole vector, added up: short steps leave few words at the ends. 1 if no line.
Rational step_length(const Subspace& kernel) {
  if (kernel.dimension() != 1) return 1;
  Rational length = 0, least = 0;
  for (const Rational& x : kernel.basis().front()) {
    length += abs(x);
    if (x != 0 && (least == 0 || abs(x) < least)) least = abs(x);
  }
  return length / least;
}

// Whether the candidate adds to the families chosen: a line of its own, or a line again but with words of its
// own.
bool adds_something(const ProgramPart& with_it) {
  const WalkFamily& candidate = with_it.families.back();
  const std::vector<std::vector<bool>> related = apart(with_it);
  Subspace lines(with_it.dimensions());
  bool spent = false;
  for (std::size_t j = 0; j + 1 < with_it.families.size(); ++j) {
    const Subspace& kernel = with_it.families[j].kernel;
    if (kernel.dimension() == 1) lines = lines + kernel;
    if (!(kernel == candidate.kernel)) continue;
    if (!related.back()[j]) return false;
    spent = true;
  }
  return spent || candidate.kernel.dimension() > 1 || !lines.contains(candidate.kernel);
}

double large_budget_scale(const BudgetShape& shape) {
  const BudgetGrowth growth = budget_growth(shape, best_budget_point(shape, kLargeLogBudget));
  return growth.scale + kLargeLogBudget * growth.exponent;
}

// Without families that the bound for large budgets does not need, the last ones first: they cost words at their ends.
ProgramPart without_idle(const ProgramPart& whole, const ProgramPart& chosen) {
  ProgramPart used = chosen;
  double scale = large_budget_scale(*budget_shape(chosen));
  for (std::size_t j = used.families.size(); j-- > 0;) {
    ProgramPart fewer = whole;
    fewer.families = used.families;
    fewer.families.erase(fewer.families.begin() + j);
    if (fewer.families.empty() || !trim(fewer)) continue;
    const auto shape = budget_shape(fewer);
    if (!shape) continue;
    const double without = large_budget_scale(*shape);
    if (!(without <= scale + kUnused)) continue;
    used = std::move(fewer);
    scale = without;
  }
  return used;
}

}  // namespace

std::optional<ProgramPart> with_families(const ProgramPart& part, std::vector<WalkFamily> candidates) {
  std::ranges::stable_sort(candidates, {}, [](const WalkFamily& family) { return step_length(family.kernel); });
  ProgramPart chosen = part;
  for (const WalkFamily& candidate : candidates) {
    if (chosen.families.size() == kMostFamilies) break;
    ProgramPart next = chosen;
    next.families.push_back(candidate);
    if (!adds_something(next)) continue;
    if (!lattice_of(part.dimensions(), mapped(next.families, &WalkFamily::kernel), kMostSubgroups)) continue;
    if (trim(next) && adds_something(next)) chosen = std::move(next);
  }
  if (chosen.families.empty() || !budget_shape(chosen)) return std::nullopt;
  return without_idle(part, chosen);
}

// The bounds of parts as numbers, at given parameter values.

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
