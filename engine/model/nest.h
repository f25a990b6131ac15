#pragma once
// One pass over a perfect loop nest: extents, steps and products that every count is made of, and the closed
// forms of timeloop_model section K for temporal traffic and spatial distinctness. Header-only: all of it is
// on the hot path of CostModel::evaluate.
#include <algorithm>
#include <array>
#include <numeric>

#include "engine/model/compiled.h"
#include "engine/model/mapping.h"

namespace heliolite {

// Without initialisers: a Nest is built per evaluation and writes only what it uses.
struct NestLoop {
  u64 end;
  u32 step;  // tile size of the dimension inside the loop
  u8 dimension;
};

// Temporal and spatial loops apart, innermost first. Level i owns temporal[first_temporal[i] .. first_temporal[i+1])
// and the spatial loops likewise.
struct Nest {
  std::array<NestLoop, kMaxLoops> temporal;
  std::array<NestLoop, kMaxLoops> spatial;
  std::array<u8, kMaxLevels + 1> first_temporal;
  std::array<u8, kMaxLevels + 1> first_spatial;
  std::array<u64, kMaxLoops + 1> outside;  // outside[j]: product of the temporal ends from j outwards
  std::array<u64, kMaxLevels> product_x, product_y;
  std::array<u64, kMaxLevels> instances;  // in use: product of the spatial ends outside level i
  u64 macs_used;                          // product of all spatial ends

  // Of all loops through temporal_i.
  const Extents& tile(int i) const { return row[row_of[i]]; }
  // Of all loops through spatial_i, before temporal_i.
  Extents master_tile(int i) const {
    Extents out = i > 0 ? tile(i - 1) : row[0];
    for (int j = first_spatial[i]; j < first_spatial[i + 1]; ++j)
      out[spatial[j].dimension] *= static_cast<u32>(spatial[j].end);
    return out;
  }

  u64 steps() const { return outside[0]; }  // MAC steps of one compute unit
  bool has_spatial(int level) const { return first_spatial[level] != first_spatial[level + 1]; }

  Nest(const Compiled& c, const Mapping& m) {
    Extents extent;
    extent.fill(1);
    row[0] = extent;
    u8 rows = 1;
    int t = 0, s = 0;
    const int levels = c.level_count;
    const Loop* loop = m.loop.data();
    const Loop* const end = loop + m.loop_count;  // a local: the stores below may alias what m holds
    for (int i = 0; i < levels; ++i) {
      first_temporal[i] = static_cast<u8>(t);
      first_spatial[i] = static_cast<u8>(s);
      const Loop* const first = loop;
      u64 x = 1, y = 1;
      for (; loop != end && loop->level == i && loop->is_spatial(); ++loop) {
        (loop->kind == LoopKind::SpatialX ? x : y) *= loop->end;
        u32& inside = extent[loop->dimension];
        spatial[s++] = {loop->end, inside, loop->dimension};
        inside *= loop->end;
      }
      product_x[i] = x;
      product_y[i] = y;
      for (; loop != end && loop->level == i; ++loop) {
        u32& inside = extent[loop->dimension];
        temporal[t++] = {loop->end, inside, loop->dimension};
        inside *= loop->end;
      }
      // Copying what was just written in pieces stalls: levels without loops share a row.
      if (loop != first) row[rows++] = extent;
      row_of[i] = static_cast<u8>(rows - 1);
    }
    first_temporal[levels] = static_cast<u8>(t);
    first_spatial[levels] = static_cast<u8>(s);
    u64 product = outside[t] = 1;
    for (int j = t - 1; j >= 0; --j) outside[j] = product *= temporal[j].end;
    u64 used = 1;
    for (int i = levels - 1; i >= 0; --i) {
      instances[i] = used;
      used *= product_x[i] * product_y[i];
    }
    macs_used = used;
  }

  int temporal_count(int levels) const { return first_temporal[levels]; }

 private:
  std::array<Extents, kMaxLevels + 1> row;  // row[0]: nothing placed
  std::array<u8, kMaxLevels> row_of;
};

namespace detail {

// Moves of a tile along each rank; a rank absent from the dimension's terms does not move.
struct Move {
  std::array<i64, kMaxRanks> by{};
  void add(const CompiledTensor& t, const NestLoop& loop) {
    for (int k = t.first_of[loop.dimension]; k < t.first_of[loop.dimension + 1]; ++k)
      by[t.by_dimension[k].rank] += static_cast<i64>(t.by_dimension[k].coefficient) * loop.step;
  }
};

// Words of the tile that a move by `move` makes new: all but the overlap of the shifted box.
inline u64 new_words(const CompiledTensor& t, const Extents& c, u64 full, const Move& move) {
  std::array<i64, kMaxRanks> extent;
  extent.fill(1);
  for (int k = 0; k < t.first_of[kMaxDimensions]; ++k) {
    const CompiledTerm& term = t.by_dimension[k];
    extent[term.rank] += static_cast<i64>(term.coefficient) * (c[term.dimension] - 1);
  }
  u64 overlap = 1;
  for (int r = 0; r < t.rank_count; ++r) {
    const i64 left = extent[r] - move.by[r];
    if (left <= 0) return full;
    overlap *= static_cast<u64>(left);
  }
  return full - overlap;
}

// Traffic of a tensor whose innermost moving loop is `a`, by comparing whole moves (K: c_j is 0 when the net move D_j
// is 0, the delta when D_j repeats D_a, else the full tile). For tensors with a dimension in several ranks.
inline u64 entangled_traffic(const CompiledTensor& t, const Nest& nest, int a, int count, const Extents& tile,
                             u64 full) {
  Move first;
  first.add(t, nest.temporal[a]);
  const u64 delta = new_words(t, tile, full, first);
  u64 words = nest.outside[a + 1] * (full + (nest.temporal[a].end - 1) * delta);
  Move inner = first;  // sum of the moves of the loops a <= k < j
  for (int j = a + 1; j < count; ++j) {
    const NestLoop& loop = nest.temporal[j];
    Move own;
    own.add(t, loop);
    bool stays = true, repeats = true;
    for (int r = 0; r < t.rank_count; ++r) {
      const i64 net = own.by[r] - inner.by[r];
      stays &= net == 0;
      repeats &= net == first.by[r];
      inner.by[r] += own.by[r];
    }
    if (stays || repeats) words -= (loop.end - 1) * nest.outside[j + 1] * (full - (stays ? 0 : delta));
  }
  return words;
}

// The same when every dimension moves one rank: then D_j can only be 0 or D_a while all moves inside j are in a's
// rank, so one running sum decides, and the first loop of another rank ends the search.
inline u64 sliding_traffic(const CompiledTensor& t, const Nest& nest, int a, int count, const Extents& tile, u64 full) {
  const CompiledTerm& first = t.by_dimension[t.first_of[nest.temporal[a].dimension]];
  const u64 move = static_cast<u64>(first.coefficient) * nest.temporal[a].step;
  u64 extent = 1;  // of the tile in a's rank
  for (int k = 0; k < t.first_of[kMaxDimensions]; ++k)
    if (t.by_dimension[k].rank == first.rank)
      extent += static_cast<u64>(t.by_dimension[k].coefficient) * (tile[t.by_dimension[k].dimension] - 1);
  const u64 delta = move < extent ? full / extent * move : full;
  u64 words = nest.outside[a + 1] * (full + (nest.temporal[a].end - 1) * delta);
  u64 inner = move;
  for (int j = a + 1; j < count; ++j) {
    const NestLoop& loop = nest.temporal[j];
    if (!(t.indexing >> loop.dimension & 1)) continue;
    const CompiledTerm& term = t.by_dimension[t.first_of[loop.dimension]];
    if (term.rank != first.rank) break;
    const u64 own = static_cast<u64>(term.coefficient) * loop.step;
    if (own == inner) words -= (loop.end - 1) * nest.outside[j + 1] * full;
    else if (own == inner + move) words -= (loop.end - 1) * nest.outside[j + 1] * (full - delta);
    inner += own;
  }
  return words;
}

}  // namespace detail

// S of section K: words per instance that cross from level `level` into the tile `tile` (of `full` words) of the
// levels inside it, over the temporal loops of `level` and all outside.
inline u64 temporal_traffic(const CompiledTensor& t, const Nest& nest, int level, int levels, const Extents& tile,
                            u64 full) {
  const int count = nest.temporal_count(levels);
  int a = nest.first_temporal[level];
  while (a < count && !(t.indexing >> nest.temporal[a].dimension & 1)) ++a;  // stationary run
  if (a == count) return full;
  if (!t.sliding) return full * nest.outside[a];
  if (t.entangled) return detail::entangled_traffic(t, nest, a, count, tile, full);
  return detail::sliding_traffic(t, nest, a, count, tile, full);
}

// Number of distinct values of t1*x + t2*y for x < n1, y < n2.
inline u64 distinct_sums(u64 t1, u64 n1, u64 t2, u64 n2) {
  const u64 g = std::gcd(t1, t2);
  const u64 a = t1 / g, b = t2 / g;
  const u64 lost1 = n1 > b ? n1 - b : 0, lost2 = n2 > a ? n2 - a : 0;
  return n1 * n2 - lost1 * lost2;
}

// N of section K: the receivers' distinct offsets below `level`, a product over ranks of at most two spatial dimensions
// each; 0 when the case needs enumeration (multicast.h).
inline u64 distinct_offsets_closed(const CompiledTensor& t, const Nest& nest, int level) {
  const int begin = nest.first_spatial[level], end = nest.first_spatial[level + 1];
  u64 n = 1;
  DimensionMask seen = 0;
  for (int j = begin; j < end; ++j) {
    const int d = nest.spatial[j].dimension;
    if (!(t.indexing >> d & 1)) continue;
    n *= nest.spatial[j].end;
    seen |= static_cast<DimensionMask>(1u << d);
  }
  if (!t.sliding || n == 1) return n;
  if (t.entangled) return 0;
  for (int r = 0; r < t.rank_count; ++r) {
    const DimensionMask both = seen & t.sharing[r];
    const DimensionMask others = both & (both - 1);  // without the first
    if (others == 0) continue;
    if ((others & (others - 1)) != 0) return 0;
    // Per dimension the loops over X and Y together are one loop with the innermost step.
    std::array<u64, 2> step{}, ends{1, 1};
    for (int j = end - 1; j >= begin; --j) {
      const int d = nest.spatial[j].dimension;
      if (!(both >> d & 1)) continue;
      const int side = (both & ((1u << d) - 1)) != 0 ? 1 : 0;
      ends[side] *= nest.spatial[j].end;
      step[side] = static_cast<u64>(t.by_dimension[t.first_of[d]].coefficient) * nest.spatial[j].step;
    }
    n = n / (ends[0] * ends[1]) * distinct_sums(step[0], ends[0], step[1], ends[1]);
  }
  return n;
}

}  // namespace heliolite
