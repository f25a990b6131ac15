#pragma once
// What crosses into a tile over time: S of docs/cost_model.md in closed form, for perfect nests. Header-only: all of it
// is on the hot path of CostModel::evaluate.
#include <bit>

#include "engine/base/integers.h"
#include "engine/model/compiled.h"
#include "engine/model/halo_move.h"
#include "engine/model/nest.h"
#include "engine/model/tile_box.h"

namespace heliolite {

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

// The same when every dimension moves one rank: then D_j can only be 0 or D_a while all moves inside j are in a's
// rank, so one running sum decides, and the first loop of another rank ends the search.
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
