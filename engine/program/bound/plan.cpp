// Which parts of a program are bounded, and how parts that use the same words go together.
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/mapped.h"
#include "engine/program/bound/part_bound.h"
#include "engine/program/bound/program_bound.h"
#include "engine/program/isl.h"

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
    for (const int k : order) rows.back().push_back(row[k]);
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

namespace {

// Parts of one statement that are looked at one after the other, each in what the ones before leave.
constexpr int kMostPartsOfStatement = 3;

// isl's steps for the candidates of one statement, and for finding a place for one of them among the others.
constexpr u64 kStatementSteps = 2'000'000;
constexpr u64 kPlaceSteps = 1'000'000;

}  // namespace

std::vector<PartBound> PlanBuilder::parts() {
  for (int s = 0; s < static_cast<int>(program_.statements.size()); ++s)
    try_within(kStatementSteps, [&] { add_statement(s); });
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < found_.size(); ++i) order.emplace_back(-numbers_.small_memory_words(found_[i]), i);
  std::ranges::stable_sort(order, {}, &std::pair<double, std::size_t>::first);
  for (const auto& [words, i] : order)
    if (words < 0) try_within(kPlaceSteps, [&, i = i] { place(found_[i]); });
  // Where there were too few steps to put them together: the best one alone.
  if (!order.empty() && order.front().first < 0 && sum(placed_) < -order.front().first)
    placed_ = {found_[order.front().second]};
  return std::move(placed_);
}

template <class Work>
void PlanBuilder::try_within(u64 most_steps, Work work) {
  if (given_up_.stopped) return;
  const IslSteps steps(program_.context, most_steps);
  try {
    work();
  } catch (const isl::exception& problem) {
    const bool stopped = trouble_of(program_.context, problem) == IslTrouble::Stopped;
    (stopped ? given_up_.stopped : given_up_.complicated) = true;
  }
}

void PlanBuilder::add(PartMethod method, ProgramPart part, int outer) {
  PartBound bound;
  bound.method = method;
  bound.part = std::move(part);
  bound.outer = outer;
  if (numbers_.fill(bound)) found_.push_back(std::move(bound));
}

void PlanBuilder::add_statement(int statement) {
  const ProgramPart whole = part_of(program_, statement);
  if (whole.dimensions() < 2 || whole.domain.is_empty()) return;
  std::vector<WalkFamily> circuits;
  if (rules_.circuits || rules_.wavefront) {
    WalkLimits limits;
    circuits = circuit_families(program_, operands_, whole, limits);
    given_up_.ways = given_up_.ways || limits.reached;
  }
  if (rules_.partition) add_partitions(whole, rules_.circuits ? circuits : std::vector<WalkFamily>{});
  if (!rules_.wavefront) return;
  ReachLimits limits;
  for (Wavefront& wave : wavefronts(program_, operands_, whole, circuits, limits))
    add(PartMethod::wavefront, std::move(wave.part), wave.outer);
  given_up_.reach = given_up_.reach || limits.reached;
  given_up_.closure = given_up_.closure || limits.inexact;
}

void PlanBuilder::add_partitions(const ProgramPart& whole, const std::vector<WalkFamily>& circuits) {
  const int dimension = dimension_of(whole.domain);
  const SizeOf size = [&](const isl::set& set) { return numbers_.points(set).value_or(0); };
  for (std::size_t variant = 0; variant < 2; ++variant) {
    ProgramPart rest = whole;
    for (int round = 0; round < kMostPartsOfStatement; ++round) {
      const auto families = operand_families(program_, operands_, rest, size);
      if (variant >= families.size()) break;
      std::vector<WalkFamily> candidates = families[variant];
      candidates.insert(candidates.end(), circuits.begin(), circuits.end());
      const auto part = with_families(rest, candidates);
      if (!part) break;
      add(PartMethod::partition, *part, 0);
      rest.domain = rest.domain.subtract(part->domain).coalesce();
      if (dimension_of(rest.domain) < dimension) break;
    }
  }
}

double PlanBuilder::sum(const std::vector<PartBound>& list) {
  return sum_of<double>(list, [&](const PartBound& bound) { return numbers_.small_memory_words(bound); });
}

std::optional<PartBound> PlanBuilder::reduced(const PartBound& bound, const isl::union_set& words) {
  PartBound rest = bound;
  rest.part = without_words(bound.part, words);
  if (rest.part.domain.is_empty() || !numbers_.fill(rest)) return std::nullopt;
  return rest;
}

// The list with the part, which takes all its words: what others lose with them is lost.
std::vector<PartBound> PlanBuilder::with_whole_part(const std::vector<PartBound>& list, const PartBound& bound) {
  const isl::union_set words = used_words(bound.part);
  std::vector<PartBound> next;
  for (const PartBound& other : list) {
    if (used_words(other.part).is_disjoint(words)) next.push_back(other);
    else if (auto rest = reduced(other, words)) next.push_back(std::move(*rest));
  }
  next.push_back(bound);
  return next;
}

void PlanBuilder::place(const PartBound& bound) {
  const isl::union_set words = used_words(bound.part);
  std::vector<PartBound> best = placed_;
  double most = sum(placed_);
  const auto consider = [&](std::vector<PartBound> list) {
    const double all = sum(list);
    if (all <= most) return;
    most = all;
    best = std::move(list);
  };
  isl::union_set taken = isl::union_set::empty(program_.context.get());
  std::vector<std::size_t> shared;
  for (std::size_t i = 0; i < placed_.size(); ++i) {
    const isl::union_set other = used_words(placed_[i].part);
    taken = taken.unite(other);
    if (!other.is_disjoint(words)) shared.push_back(i);
  }
  // It takes what is left; or all of its words; or goes together with one that it shares words with.
  std::vector<PartBound> with = placed_;
  if (const auto rest = shared.empty() ? std::optional(bound) : reduced(bound, taken)) with.push_back(*rest);
  consider(std::move(with));
  if (!shared.empty()) consider(with_whole_part(placed_, bound));
  for (const std::size_t i : shared) {
    if (!rules_.joined || bound.method != PartMethod::partition || placed_[i].method != PartMethod::partition) continue;
    const auto both = joined(placed_[i].part, bound.part);
    PartBound together;
    if (both) together.part = *both;
    if (!both || !numbers_.fill(together)) continue;
    std::vector<PartBound> others = placed_;
    others.erase(others.begin() + i);
    consider(with_whole_part(others, together));
  }
  placed_ = std::move(best);
}

}  // namespace heliolite
