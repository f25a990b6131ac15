#include "engine/bounds/hbl/hbl_exponent.h"

#include <cmath>

#include "engine/base/integers.h"
#include "engine/bounds/lp.h"

namespace heliolite {
namespace {

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
  const auto middle = exponents.begin() + static_cast<std::ptrdiff_t>(nest.accesses.size());
  return {program.value(), {exponents.begin(), middle}, {middle, exponents.end()}};
}

}  // namespace heliolite
