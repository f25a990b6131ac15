#pragma once
// How long a tile is along a rank that is no single dimension, such as 2 * p + r: exactly, as a table. Each pair of
// divisors of p and r has a binary column; the one that is 1 says both tiles and, with it, the logarithm of the extent.
#include <optional>
#include <span>
#include <string>

#include "engine/model/compiled.h"
#include "engine/search/cosa/factor_columns.h"
#include "engine/search/cosa/mip.h"

namespace heliolite {

inline constexpr std::size_t kMostRankCells = 400;  // of a table

// log2 of the words along a rank, the sum of coefficient x (extent - 1) over `terms`, plus 1, of the tile of level i.
// Adds the table's columns and rows to `mip`. Extents above `most` are left out: no tile may have them. Nothing if the
// table would have more than kMostRankCells cells. `name`: of its columns and rows.
std::optional<LinearForm> add_rank_table(const FactorColumns& factors, int i, std::span<const CompiledTerm> terms,
                                         double most, const std::string& name, Mip& mip);

}  // namespace heliolite
