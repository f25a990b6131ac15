#include "engine/search/cosa/rank_table.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "engine/base/integers.h"
#include "engine/space/divisors.h"

namespace heliolite {
namespace {

u64 size_of(std::span<const PrimePower> primes) {
  u64 out = 1;
  for (const PrimePower& p : primes)
    for (int n = 0; n < p.exponent; ++n) out *= p.prime;
  return out;
}

}  // namespace

std::optional<LinearForm> add_rank_table(const FactorColumns& factors, int i, std::span<const CompiledTerm> terms,
                                         double most, const std::string& name, Mip& mip) {
  std::vector<std::vector<u64>> cells{{}};  // the tile of each term's dimension
  for (const CompiledTerm& term : terms) {
    std::vector<std::vector<u64>> more;
    for (const u64 tile : divisors(size_of(factors.primes(term.dimension))))
      for (std::vector<u64> cell : cells) {
        cell.push_back(tile);
        more.push_back(std::move(cell));
      }
    cells = std::move(more);
    if (cells.size() > kMostRankCells) return std::nullopt;
  }
  LinearForm one, extent;
  std::vector<std::vector<LinearForm>> exponents;  // [term][prime]: those of the cell taken less those of the factors
  for (const CompiledTerm& term : terms) {
    exponents.emplace_back();
    for (std::size_t k = 0; k < factors.primes(term.dimension).size(); ++k)
      exponents.back().push_back(LinearForm().add(factors.exponent_inside(i, term.dimension, k), -1));
  }
  for (const std::vector<u64>& cell : cells) {
    double words = 1;
    for (std::size_t k = 0; k < terms.size(); ++k)
      words += static_cast<double>(terms[k].coefficient) * static_cast<double>(cell[k] - 1);
    if (words > most) continue;
    const int column = mip.add_binary(fmt::format("tile_{}_{}", name, fmt::join(cell, "_")));
    one.add(column, 1);
    extent.add(column, std::log2(words));
    for (std::size_t k = 0; k < terms.size(); ++k)
      for (std::size_t p = 0; p < exponents[k].size(); ++p)
        exponents[k][p].add(column, exponent_of(cell[k], factors.primes(terms[k].dimension)[p].prime));
  }
  mip.add_equal("one_tile_" + name, one, 1);
  for (std::size_t k = 0; k < terms.size(); ++k)
    for (std::size_t p = 0; p < exponents[k].size(); ++p)
      mip.add_equal(fmt::format("tile_{}_{}_{}", name, k, factors.primes(terms[k].dimension)[p].prime), exponents[k][p],
                    0);
  return extent;
}

}  // namespace heliolite
