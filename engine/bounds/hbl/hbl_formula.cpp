#include "engine/bounds/hbl/hbl_formula.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/bounds/hbl/hbl_subspace.h"

namespace heliolite {
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
  std::vector<Rational> powers;
  for (const Rational& t : term.t) powers.push_back(1 - t);
  return powers_text(1 - term.k, powers, nest);
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
