#include "engine/program/bound/join.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/base/integers.h"
#include "engine/program/bound/part_bound.h"
#include "engine/program/bound/relations.h"

namespace heliolite {
namespace {

using LoopOrder = std::vector<int>;  // [new position] -> old position

constexpr int kMostJoinedLoops = 4;  // all orders of the loops are tried

// { [x] -> [x in the order] } of the space of `points`.
isl::map reordering(const isl::set& points, const LoopOrder& order) {
  isl_map* map = isl_map_universe(isl_space_map_from_set(points.space().release()));
  for (std::size_t k = 0; k < order.size(); ++k)
    map = isl_map_equate(map, isl_dim_in, order[k], isl_dim_out, static_cast<int>(k));
  return isl::manage(map);
}

Subspace reordered(const Subspace& space, const LoopOrder& order) {
  RationalMatrix rows;
  for (const auto& row : space.basis()) {
    rows.emplace_back();
    for (const int k : order) rows.back().push_back(row[at(k)]);
  }
  return Subspace::span(space.ambient(), std::move(rows));
}

ProgramPart reordered(const ProgramPart& part, const LoopOrder& order) {
  const isl::union_map map = reordering(part.domain, order).to_union_map();
  ProgramPart other = part;
  other.domain = part.domain.apply(map.extract_map(reordering(part.domain, order).space()));
  other.at = part.at.apply_domain(map);
  for (WalkFamily& family : other.families) {
    family.inner = family.inner.apply_domain(map);
    family.last = family.last.apply_domain(map);
    family.kernel = reordered(family.kernel, order);
  }
  return other;
}

// Steps of both families meet outside of the kernel's classes.
bool meet_elsewhere(const WalkFamily& both, const isl::set& domain) {
  const isl::union_map none = isl::union_map::empty(domain.ctx());
  return !both.kernel.contains(kernel_of(none, both.steps(), domain));
}

// Instances of one part that walks of the other one end in. They are no more than a border, or the join fails.
bool keep_apart(ProgramPart& both, const ProgramPart& a, const ProgramPart& b, const WalkFamily& of_a,
                const WalkFamily& of_b) {
  const auto hit = [](const ProgramPart& part, const isl::union_set& words) {
    return part_like(part.at.intersect_domain(part.domain.to_union_set()).intersect_range(words).domain(), part.domain);
  };
  const isl::set again = hit(a, exits(of_b, b.domain)).unite(hit(b, exits(of_a, a.domain)));
  if (dimension_of(again) >= dimension_of(both.domain)) return false;
  both.domain = both.domain.subtract(again).coalesce();
  return true;
}

std::optional<ProgramPart> joined_as_they_are(const ProgramPart& a, const ProgramPart& b) {
  if (!a.domain.is_disjoint(b.domain)) return std::nullopt;
  ProgramPart both = a;
  both.statements.insert(both.statements.end(), b.statements.begin(), b.statements.end());
  both.at = a.at.intersect_domain(a.domain.to_union_set()).unite(b.at.intersect_domain(b.domain.to_union_set()));
  both.domain = a.domain.unite(b.domain).coalesce();
  std::vector<bool> taken(b.families.size());
  for (WalkFamily& family : both.families) {
    const WalkFamily of_a = family;
    std::size_t k = 0;
    while (k < taken.size() && (taken[k] || !(b.families[k].kernel == family.kernel))) ++k;
    if (k == taken.size()) return std::nullopt;
    taken[k] = true;
    const WalkFamily& of_b = b.families[k];
    // Each family's walks only from its own part's points.
    const auto own = [](const isl::union_map& map, const ProgramPart& part) {
      return map.intersect_domain(part.domain.to_union_set());
    };
    family.inner = own(of_a.inner, a).unite(own(of_b.inner, b));
    family.last = own(of_a.last, a).unite(own(of_b.last, b));
    family.multiplicity = std::max(of_a.multiplicity, of_b.multiplicity);
    if (family.multiplicity > 1 || meet_elsewhere(family, both.domain)) {
      if (!exits(of_a, a.domain).is_disjoint(exits(of_b, b.domain)))
        family.multiplicity = of_a.multiplicity + of_b.multiplicity;
      if (!keep_apart(both, a, b, of_a, of_b)) return std::nullopt;
    }
  }
  if (!trim(both)) return std::nullopt;
  return both;
}

double multiplicities(const ProgramPart& part) {
  double product = 1;
  for (const WalkFamily& family : part.families) product *= family.multiplicity;
  return product;
}

}  // namespace

std::optional<ProgramPart> joined(const ProgramPart& a, const ProgramPart& b) {
  const int d = a.dimensions();
  if (d != b.dimensions() || d > kMostJoinedLoops || a.families.size() != b.families.size()) return std::nullopt;
  std::optional<ProgramPart> best;
  LoopOrder order(at(d));
  std::iota(order.begin(), order.end(), 0);
  do {
    auto both = joined_as_they_are(a, reordered(b, order));
    if (!both || (best && multiplicities(*both) >= multiplicities(*best))) continue;
    best = std::move(both);
    if (multiplicities(*best) <= 1) break;
  } while (std::ranges::next_permutation(order).found);
  return best;
}

}  // namespace heliolite
