#include "engine/bounds/hbl/hbl_exponent.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "engine/base/integers.h"
#include "engine/base/mapped.h"
#include "engine/bounds/lp.h"

namespace heliolite {

namespace {

using Group = std::vector<std::size_t>;  // loops

void join(std::vector<std::size_t>& leader, std::size_t a, std::size_t b) {
  const std::size_t from = leader[a], to = leader[b];
  std::replace(leader.begin(), leader.end(), from, to);
}

// Loops that ranks tie together, directly or over others.
std::vector<Group> groups_of(const AccessNest& nest) {
  std::vector<std::size_t> leader(nest.loops.size());
  std::iota(leader.begin(), leader.end(), std::size_t{0});
  for (const Access& access : nest.accesses) {
    for (const std::vector<i64>& row : access.rows) {
      const auto first = at(std::find_if(row.begin(), row.end(), [](i64 c) { return c != 0; }) - row.begin());
      for (std::size_t l = first + 1; l < row.size(); ++l)
        if (row[l] != 0) join(leader, l, first);
    }
  }
  std::vector<Group> groups;
  for (std::size_t l = 0; l < leader.size(); ++l) {
    Group group;
    for (std::size_t k = 0; k < leader.size(); ++k)
      if (leader[k] == l) group.push_back(k);
    if (!group.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

// What a single loop demands.
RankRow single_row(const AccessNest& nest, std::size_t loop) {
  RankRow row;
  row.loops = LoopBits{1} << loop;
  for (const Access& access : nest.accesses) row.image.push_back((moving(access) & row.loops) != 0 ? 1 : 0);
  return row;
}

// The kernel of the access within the group.
Subspace kernel_of(const Access& access, const Group& group) {
  RationalMatrix rows;
  for (const std::vector<i64>& row : access.rows) {
    std::vector<Rational> part = mapped<Rational>(group, [&](const std::size_t l) { return row[l]; });
    rows.push_back(std::move(part));
  }
  return Subspace::kernel(static_cast<int>(group.size()), std::move(rows));
}

// Without the arrays that tie the group's loops together no lattice is needed; their exponents then count for nothing
// here, which keeps what is left sufficient.
void add_single_rows(const AccessNest& nest, const Group& group, std::vector<RankRow>& rows) {
  for (const std::size_t l : group) {
    RankRow row = single_row(nest, l);
    for (std::size_t j = 0; j < nest.accesses.size(); ++j)
      for (const std::vector<i64>& r : nest.accesses[j].rows)
        if (r[l] != 0 && std::count(r.begin(), r.end(), 0) + 1 < static_cast<std::ptrdiff_t>(r.size()))
          row.image[j] = 0;
    rows.push_back(std::move(row));
  }
}

// What the lattice of a group demands; bit l of `loops` is the group's loop l. Nothing when the lattice is too large.
std::optional<std::vector<RankRow>> lattice_rows(std::size_t loops, const std::vector<Subspace>& kernels) {
  const int d = static_cast<int>(loops);
  std::vector<Subspace> fixed;  // kernels of the projections to one loop
  for (std::size_t l = 0; l < loops; ++l) {
    RationalMatrix unit(1, std::vector<Rational>(loops));
    unit[0][l] = 1;
    fixed.push_back(Subspace::kernel(d, std::move(unit)));
  }
  std::vector<Subspace> generators = kernels;
  generators.insert(generators.end(), fixed.begin(), fixed.end());
  const auto lattice = lattice_of(d, generators);
  if (!lattice) return std::nullopt;
  std::vector<RankRow> rows;
  for (const Subspace& h : *lattice) {
    if (h.dimension() == 0) continue;
    RankRow row;
    row.rank = h.dimension();
    for (const Subspace& kernel : kernels) row.image.push_back(h.image_dimension(kernel));
    for (std::size_t l = 0; l < loops; ++l)
      if (!fixed[l].contains(h)) row.loops |= LoopBits{1} << l;
    rows.push_back(std::move(row));
  }
  return rows;
}

// Rows of groups that have been looked at: width and height of a convolution are alike.
using KnownLattices = std::map<std::vector<Subspace>, std::optional<std::vector<RankRow>>>;

void add_lattice_rows(const AccessNest& nest, const Group& group, KnownLattices& known, std::vector<RankRow>& rows) {
  std::vector<Subspace> kernels;
  for (const Access& access : nest.accesses) kernels.push_back(kernel_of(access, group));
  const auto [at, fresh] = known.try_emplace(kernels);
  if (fresh) at->second = lattice_rows(group.size(), kernels);
  if (!at->second) return add_single_rows(nest, group, rows);
  for (RankRow row : *at->second) {
    const LoopBits local = row.loops;
    row.loops = 0;
    for (std::size_t l = 0; l < group.size(); ++l)
      if (contains(local, l)) row.loops |= LoopBits{1} << group[l];
    rows.push_back(std::move(row));
  }
}

// Whether `a` holds wherever `b` does.
bool implied(const RankRow& a, const RankRow& b) {
  if (a.rank > b.rank || (b.loops & ~a.loops) != 0) return false;
  for (std::size_t j = 0; j < a.image.size(); ++j)
    if (a.image[j] < b.image[j]) return false;
  return true;
}

// Row i: the coefficients of exponent i in all rank rows. The program maximises over multipliers of the rank rows; its
// dual solution are the exponents.
template <class Number>
std::vector<std::vector<Number>> transposed(std::span<const RankRow> rows, std::size_t accesses, std::size_t loops) {
  std::vector<std::vector<Number>> by_exponent(accesses + loops, std::vector<Number>(rows.size()));
  for (std::size_t h = 0; h < rows.size(); ++h) {
    for (std::size_t j = 0; j < accesses; ++j) by_exponent[j][h] = rows[h].image[j];
    for (std::size_t l = 0; l < loops; ++l) by_exponent[accesses + l][h] = contains(rows[h].loops, l);
  }
  return by_exponent;
}

template <class Number>
std::vector<Number> ranks(std::span<const RankRow> rows) {
  std::vector<Number> rank;
  for (const RankRow& row : rows) rank.emplace_back(row.rank);
  return rank;
}

}  // namespace

std::vector<RankRow> rank_rows(const AccessNest& nest) {
  std::vector<RankRow> all;
  KnownLattices known;
  for (const Group& group : groups_of(nest)) {
    if (group.size() == 1) all.push_back(single_row(nest, group.front()));
    else add_lattice_rows(nest, group, known, all);
  }
  std::vector<RankRow> rows;
  for (std::size_t i = 0; i < all.size(); ++i) {
    bool needed = true;
    for (std::size_t k = 0; k < all.size() && needed; ++k)
      if (k != i && implied(all[i], all[k]) && (k < i || !(all[i] == all[k]))) needed = false;
    if (needed) rows.push_back(all[i]);
  }
  return rows;
}

HblExponent hbl_exponent(std::span<const RankRow> rows, std::size_t accesses) {
  Simplex<Rational> program(transposed<Rational>(rows, accesses, 0), std::vector<Rational>(accesses, Rational(1)));
  program.maximize(ranks<Rational>(rows));
  return {program.value(), program.dual()};
}

SizedExponent hbl_exponent(const AccessNest& nest, std::span<const RankRow> rows, double capacity) {
  std::vector<double> cost;
  for (const Access& access : nest.accesses) cost.push_back(1 - std::log(access.word_size) / std::log(capacity));
  for (const AccessLoop& loop : nest.loops) cost.push_back(std::log(loop.size) / std::log(capacity));
  Simplex<double> program(transposed<double>(rows, nest.accesses.size(), nest.loops.size()), std::move(cost));
  program.maximize(ranks<double>(rows));
  const std::vector<double> exponents = program.dual();
  const auto middle = exponents.begin() + nest.accesses.size();
  return {program.value(), {exponents.begin(), middle}, {middle, exponents.end()}};
}

namespace {

constexpr std::size_t kMostRays = 300;

// Loops that stand in the same rows have the same exponent: class of each loop.
std::vector<std::size_t> loop_classes(std::span<const RankRow> rows, std::size_t loops, std::size_t& count) {
  std::vector<std::vector<bool>> known;
  std::vector<std::size_t> of(loops);
  for (std::size_t l = 0; l < loops; ++l) {
    std::vector<bool> in;
    for (const RankRow& row : rows) in.push_back(contains(row.loops, l));
    const auto at = std::find(known.begin(), known.end(), in);
    of[l] = static_cast<std::size_t>(at - known.begin());
    if (at == known.end()) known.push_back(std::move(in));
  }
  count = known.size();
  return of;
}

bool at_most(const HblTerm& a, const HblTerm& b) {
  if (a.k > b.k) return false;
  for (std::size_t l = 0; l < a.t.size(); ++l)
    if (a.t[l] > b.t[l]) return false;
  return true;
}

std::vector<HblTerm> without_dominated(const std::vector<HblTerm>& all) {
  std::vector<HblTerm> terms;
  for (std::size_t i = 0; i < all.size(); ++i) {
    bool needed = true;
    for (std::size_t k = 0; k < all.size() && needed; ++k)
      if (k != i && at_most(all[k], all[i]) && (k < i || !(all[i] == all[k]))) needed = false;
    if (needed) terms.push_back(all[i]);
  }
  std::sort(terms.begin(), terms.end(), [](const HblTerm& a, const HblTerm& b) {
    return a.k != b.k ? a.k > b.k : std::lexicographical_compare(b.t.begin(), b.t.end(), a.t.begin(), a.t.end());
  });
  return terms;
}

// name^power, power > 0.
std::string power_text(const std::string& name, const Rational& power) {
  if (power == 1) return name;
  return denominator(power) == 1 ? fmt::format("{}^{}", name, power.str()) : fmt::format("{}^({})", name, power.str());
}

// iterations * M / the term.
std::string term_text(const HblTerm& term, const AccessNest& nest) {
  return powers_text(1 - term.k, mapped(term.t, [](const Rational& t) { return Rational(1 - t); }), nest);
}

}  // namespace

std::string powers_text(const Rational& of_capacity, std::span<const Rational> of_sizes, const AccessNest& nest) {
  std::vector<std::string> over, under;
  const auto factor = [&](const std::string& name, const Rational& power) {
    if (power > 0) over.push_back(power_text(name, power));
    if (power < 0) under.push_back(power_text(name, -power));
  };
  for (std::size_t l = 0; l < nest.loops.size(); ++l) {
    const std::string& name = nest.loops[l].name;
    // R' R'' is R, up to the rounding of R'.
    const bool whole =
        l + 1 < nest.loops.size() && nest.loops[l + 1].name == name + "'" && of_sizes[l + 1] == of_sizes[l];
    factor(whole ? name.substr(0, name.size() - 1) : name, of_sizes[l]);
    if (whole) ++l;
  }
  factor("capacity", of_capacity);
  std::string text = over.empty() ? "1" : fmt::format("{}", fmt::join(over, "*"));
  for (const std::string& u : under) text += "/" + u;
  return text;
}

std::optional<std::vector<HblTerm>> hbl_terms(const AccessNest& nest, std::span<const RankRow> rows) {
  const std::size_t arrays = nest.accesses.size();
  std::size_t classes = 0;
  const std::vector<std::size_t> class_of = loop_classes(rows, nest.loops.size(), classes);
  const std::size_t unknowns = arrays + classes;
  if (unknowns + 1 + rows.size() > Cone::kMostConstraints) return std::nullopt;
  Cone cone(unknowns + 1);  // the last coordinate makes the rows homogeneous
  for (const RankRow& row : rows) {
    std::vector<i64> a(unknowns + 1);
    for (std::size_t j = 0; j < arrays; ++j) a[j] = row.image[j];
    for (std::size_t l = 0; l < class_of.size(); ++l)
      if (contains(row.loops, l)) a[arrays + class_of[l]] = 1;
    a.back() = -row.rank;
    cone.cut(a);
    if (cone.rays().size() > kMostRays) return std::nullopt;
  }
  std::vector<HblTerm> terms;
  for (const ConeRay& ray : cone.rays()) {
    const i64 scale = ray.x.back();
    if (scale == 0) continue;
    HblTerm term;
    for (std::size_t j = 0; j < arrays; ++j) term.k += Rational(ray.x[j], scale);
    for (const std::size_t c : class_of) term.t.emplace_back(ray.x[arrays + c], scale);
    terms.push_back(std::move(term));
  }
  return without_dominated(terms);
}

std::string traffic_formula(std::span<const HblTerm> terms, const AccessNest& nest) {
  std::vector<std::string> texts;
  for (const HblTerm& term : terms)
    if (term.k > 0) texts.push_back(term_text(term, nest));
  if (texts.empty()) return "1";  // no loops
  if (texts.size() == 1) return texts.front();
  return fmt::format("max({})", fmt::join(texts, ", "));
}

}  // namespace heliolite
