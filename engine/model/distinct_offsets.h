#pragma once
// How many different tiles the receivers of a fan-out have: N of docs/cost_model.md in closed form, for perfect nests.
// Header-only: all of it is on the hot path of CostModel::evaluate.
#include <bit>
#include <numeric>

#include "engine/base/integers.h"
#include "engine/model/compiled.h"
#include "engine/model/nest.h"

namespace heliolite {

// Number of distinct values of t1*x + t2*y for x < n1, y < n2.
inline u64 distinct_sums(u64 t1, u64 n1, u64 t2, u64 n2) {
  const u64 g = std::gcd(t1, t2);
  const u64 a = t1 / g, b = t2 / g;
  const u64 lost1 = n1 > b ? n1 - b : 0, lost2 = n2 > a ? n2 - a : 0;
  return n1 * n2 - lost1 * lost2;
}

// N of docs/cost_model.md for a tensor with sliding ranks: see below.
[[gnu::noinline]] inline u64 distinct_sliding(const CompiledTensor& t, const Nest& nest, int level) {
  const Extents& unrolled = nest.unrolled[level];
  u64 n = nest.moves_in_space(t, level);
  for (int r = 0; r < t.rank_count; ++r) {
    DimensionMask moving = 0;
    for (const int d : bits(t.sharing[r])) moving |= static_cast<DimensionMask>((unrolled[d] > 1) << d);
    const DimensionMask others = moving & (moving - 1);  // without the first
    if (others == 0) continue;
    if ((others & (others - 1)) != 0) return 0;
    // Per dimension the loops over X and Y together are one loop with the innermost step.
    const int d = std::countr_zero(moving), e = std::countr_zero(others);
    const auto step = [&](int dimension) {
      const LoopMask loops = nest.fanout[level] & nest.dimension[dimension].loops;
      return t.by_dimension[t.first_of[dimension]].coefficient * nest.loop[std::countr_zero(loops)].step;
    };
    const u64 ways = u64{unrolled[d]} * unrolled[e];
    n = n / ways * distinct_sums(step(d), unrolled[d], step(e), unrolled[e]);
  }
  return n;
}

// N of docs/cost_model.md: the distinct offsets of the receivers of a level that has spatial loops, a product over
// ranks of at most two spatial dimensions each; 0 when the case needs enumeration (multicast.h).
inline u64 distinct_offsets_closed(const CompiledTensor& t, const Nest& nest, int level) {
  if (!t.sliding) return nest.moves_in_space(t, level);
  if (!t.entangled) return distinct_sliding(t, nest, level);
  return (nest.moving(t) & nest.fanout[level]) == 0 ? 1 : 0;
}

}  // namespace heliolite
