#include "engine/program/bound/part_bound.h"

#include <algorithm>
#include <utility>

#include "engine/base/integers.h"
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
  std::vector<Subspace> kernels;
  for (const WalkFamily& family : part.families) kernels.push_back(family.kernel);
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
    fewer.families.erase(fewer.families.begin() + static_cast<std::ptrdiff_t>(j));
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
    std::vector<Subspace> kernels;
    for (const WalkFamily& family : next.families) kernels.push_back(family.kernel);
    if (!lattice_of(part.dimensions(), kernels, kMostSubgroups)) continue;
    if (trim(next) && adds_something(next)) chosen = std::move(next);
  }
  if (chosen.families.empty() || !budget_shape(chosen)) return std::nullopt;
  return without_idle(part, chosen);
}

}  // namespace heliolite
