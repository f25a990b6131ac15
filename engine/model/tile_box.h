#pragma once
// The box of a tile (docs/cost_model.md, rule 4): along each rank 1 + the sum of coefficient x (extent - 1) over its
// dimensions, holes of strides included.
#include <array>

#include "engine/base/integers.h"
#include "engine/model/compiled.h"

namespace heliolite {

// Words along each rank of the box; extent(d): how much of dimension d the tile covers.
template <class Extent>
std::array<i64, kMaxRanks> box_along_ranks(const CompiledTensor& t, Extent extent) {
  std::array<i64, kMaxRanks> out;
  out.fill(1);
  for (int k = 0; k < t.first_of[kMaxDimensions]; ++k) {
    const CompiledTerm& term = t.by_dimension[k];
    out[term.rank] += static_cast<i64>(term.coefficient) * (static_cast<i64>(extent(term.dimension)) - 1);
  }
  return out;
}

// Words of the box, as the hot path counts them; `at_rank(rank, extent)` sees the extent of each rank that is not
// plain.
template <class Extent, class AtRank>
u64 box_words(const CompiledTensor& t, Extent&& extent, AtRank&& at_rank) {
  u64 words = 1;
  for (int k = 0; k < t.plain_count; ++k) words *= extent(t.plain[k]);
  u64 reach = 1;
  for (int k = 0; k < t.term_count; ++k) {
    const CompiledTerm& term = t.term[k];
    reach += static_cast<u64>(term.coefficient) * (extent(term.dimension) - 1);
    if (!term.ends_rank) continue;
    at_rank(term.rank, reach);
    words *= reach;
    reach = 1;
  }
  return words;
}

// Words of the box that tensor t takes for a tile of extent c.
inline u64 box_words(const CompiledTensor& t, const Extents& c) {
  return box_words(
      t, [&](u8 d) { return c[d]; }, [](u8, u64) {});
}

// Words of level i, begun ones included, that the tile of these tensors takes (rule 44).
inline u64 level_words(const Compiled& c, int i, TensorMask tensors, const Extents& tile) {
  const CompiledLevel& level = c.level[i];
  u64 parts = 0;
  for (const int v : bits(tensors)) parts += level.taken(v, box_words(c.tensor[v], tile));
  return ceil_div(parts, u64{level.parts.of_word});
}

}  // namespace heliolite
