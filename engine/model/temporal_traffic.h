#pragma once
// What crosses into a tile over time: S of docs/cost_model.md in closed form, for perfect nests. Header-only: all of it
// is on the hot path of CostModel::evaluate.
#include <bit>
#include <numeric>

#include "engine/base/integers.h"
#include "engine/model/compiled.h"
#include "engine/model/nest.h"

namespace heliolite {

// How many different tiles the receivers of a fan-out have: N of docs/cost_model.md in closed form, for perfect nests.
// Header-only: all of it is on the hot path of CostModel::evaluate.

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

// Moves of a tile along its ranks, and what a loop that moves it again finds still in place (docs/cost_model.md, the
// rules of halos): nothing new when the net move is zero, the new part when it repeats the first move, else the whole
// tile.

// Adds to `move` by how many words `steps` iterations of the MACs along dimension d move the tile.
inline void add_move(const CompiledTensor& t, std::size_t d, i64 steps, RankMove& move) {
  for (int k = t.first_of[d]; k < t.first_of[d + 1]; ++k) {
    const CompiledTerm& term = t.by_dimension[k];
    move[term.rank] += static_cast<i64>(term.coefficient) * steps;
  }
}

// What a step of a loop outside does with the tile that the loops inside have moved.
struct NetMove {
  bool stays = true;    // it is back where the loops inside began
  bool repeats = true;  // it goes on as the first moving loop went
};

// A loop moves by `own` when the loops inside have moved by `inner` in sum and the first of them by `first`; `inner`
// becomes the sum with it.
inline NetMove net_move(int rank_count, const RankMove& own, const RankMove& first, RankMove& inner) {
  NetMove out;
  for (std::size_t r = 0; r < at(rank_count); ++r) {
    const i64 net = own[r] - inner[r];
    out.stays &= net == 0;
    out.repeats &= net == first[r];
    inner[r] += own[r];
  }
  return out;
}

namespace detail {

// Moves of a tile along each rank; a rank absent from the dimension's terms does not move.
struct TileMove {
  RankMove by{};
  void add(const CompiledTensor& t, const NestLoop& loop) {
    add_move(t, loop.dimension, static_cast<i64>(loop.step), by);
  }
};

// Words of the tile that a move by `move` makes new: all but the overlap of the shifted box.
inline u64 new_words(const CompiledTensor& t, const Extents& c, u64 full, const TileMove& move) {
  const auto extent = box_along_ranks(t, [&](u8 d) { return c[d]; });
  u64 overlap = 1;
  for (int r = 0; r < t.rank_count; ++r) {
    const i64 left = extent[r] - move.by[r];
    if (left <= 0) return full;
    overlap *= static_cast<u64>(left);
  }
  return full - overlap;
}

// Traffic of a tensor whose innermost moving loop is `a`, by comparing whole moves (K: c_j is 0 when the net move D_j
// is 0, the delta when D_j repeats D_a, else the full tile). For tensors with a dimension in several ranks. `outer`:
// the moving loops outside a; others never repeat.
[[gnu::noinline]] inline u64 entangled_traffic(const CompiledTensor& t, const Nest& nest, int a, LoopMask outer,
                                               const Extents& tile, u64 full) {
  TileMove first;
  first.add(t, nest.loop[a]);
  const u64 delta = new_words(t, tile, full, first);
  u64 words = nest.beyond[a] * (full + (nest.loop[a].end - 1) * delta);
  TileMove inner = first;  // sum of the moves of the loops a <= k < j
  for (const int j : bits(outer)) {
    const NestLoop& loop = nest.loop[j];
    TileMove own;
    own.add(t, loop);
    const NetMove net = net_move(t.rank_count, own.by, first.by, inner.by);
    if (net.stays || net.repeats) words -= (loop.end - 1) * nest.beyond[j] * (full - (net.stays ? 0 : delta));
  }
  return words;
}

// entangled_traffic() when every dimension moves one rank: then D_j can only be 0 or D_a while all moves inside j are
// in a's rank, so one running sum decides, and the first loop of another rank ends the search.
[[gnu::noinline]] inline u64 sliding_traffic(const CompiledTensor& t, const Nest& nest, int a, LoopMask outer,
                                             const Box& box) {
  const NestLoop& inmost = nest.loop[a];
  const CompiledTerm& first = t.by_dimension[t.first_of[inmost.dimension]];
  const u64 full = box.words;
  if (t.sharing[first.rank] == 0) return full * nest.beyond[a] * inmost.end;  // the whole tile moves on at each step
  const u64 move = first.coefficient * inmost.step;
  const u64 extent = box.extent[first.rank];
  const u64 delta = move < extent ? full / extent * move : full;
  u64 words = nest.beyond[a] * (full + (inmost.end - 1) * delta);
  u64 inner = move;
  for (const int j : bits(outer)) {
    const NestLoop& loop = nest.loop[j];
    const CompiledTerm& term = t.by_dimension[t.first_of[loop.dimension]];
    if (term.rank != first.rank) break;
    const u64 own = term.coefficient * loop.step;
    if (own == inner) words -= (loop.end - 1) * nest.beyond[j] * full;
    else if (own == inner + move) words -= (loop.end - 1) * nest.beyond[j] * (full - delta);
    inner += own;
  }
  return words;
}

}  // namespace detail

// S of docs/cost_model.md: words per instance that cross into the tile of the loops `inside`, whose box is `box`, over
// the temporal loops outside them. `moving`: the loops that move t.
inline u64 temporal_traffic(const CompiledTensor& t, LoopMask moving, const Nest& nest, LoopMask inside,
                            const Box& box) {
  const LoopMask outside = moving & nest.temporal & ~inside;
  if (outside == 0) return box.words;
  const int a = std::countr_zero(outside);  // what lies inside it is the stationary run
  if (!t.sliding) return box.words * nest.beyond[a] * nest.loop[a].end;
  const LoopMask outer = outside & (outside - 1);
  if (t.entangled) return detail::entangled_traffic(t, nest, a, outer, nest.tile(inside), box.words);
  return detail::sliding_traffic(t, nest, a, outer, box);
}

}  // namespace heliolite
