#pragma once
// One pass over a perfect loop nest: steps and products that every count is made of, and the closed forms of
// docs/cost_model.md for temporal traffic and spatial distinctness. Header-only: all of it is on the hot path of
// CostModel::evaluate.
#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "engine/base/integers.h"
#include "engine/model/compiled.h"
#include "engine/model/halo_move.h"
#include "engine/model/mapping.h"
#include "engine/model/tile_box.h"

namespace heliolite {

// A set of loops; bit j: loop j of the nest.
using LoopMask = u64;
static_assert(kMaxLoops == 64);

// Without initialisers: a Nest is built per evaluation and writes only what it uses.
struct NestLoop {
  u64 end;
  u32 step;  // tile size of the dimension inside the loop
  u8 dimension;
};

// The loops of a mapping as Nest::read() takes them.
class MappingLoops {
 public:
  explicit MappingLoops(const Mapping& m) : at_(m.loop.data()), end_(at_ + m.loop_count) {}

  template <class Add>  // add(kind, dimension, end)
  void spatial(int level, Add&& add) {
    for (; at_ != end_ && at_->level == level && at_->is_spatial(); ++at_) add(at_->kind, at_->dimension, at_->end);
  }
  template <class Add>  // add(dimension, end)
  void temporal(int level, Add&& add) {
    for (; at_ != end_ && at_->level == level; ++at_) add(at_->dimension, at_->end);
  }

 private:
  const Loop* at_;
  const Loop* end_;
};

// All loops of a perfect mapping, innermost first: of each level the spatial ones, then the temporal ones.
struct Nest {
  std::array<NestLoop, kMaxLoops> loop;
  int loop_count;
  LoopMask temporal;                                 // the temporal loops
  std::array<LoopMask, kMaxDimensions> of;           // [dimension]: its loops
  std::array<LoopMask, kMaxLevels> fanout;           // [level]: its spatial loops
  std::array<LoopMask, kMaxLevels> through;          // [level]: all loops of levels 0 .. level
  std::array<u8, kMaxLevels> first, first_temporal;  // [level]: index of its first loop, and of its first temporal one
  std::array<u64, kMaxLoops> beyond;                 // [temporal loop]: product of the temporal ends outside it
  std::array<u64, kMaxLevels> product_x, product_y;  // [level]: product of its spatial ends along X and along Y
  std::array<u64, kMaxLevels> instances;  // [level]: instances in use, the product of the spatial ends outside it
  u64 macs_used;                          // compute units in use: the product of all spatial ends
  u64 steps;                              // MACs of one compute unit: the product of all temporal ends

  Nest() = default;
  Nest(const Compiled& c, const Mapping& m) {
    read(c.dimension_count, c.level_count, MappingLoops(m), [](int, const Extents&) { return true; });
  }

  // Takes the loops level by level from the inside. `at_level(i, tile)` sees the tile of all loops through level i;
  // false from it ends the reading, and the nest is of no use.
  template <class Loops, class AtLevel>
  bool read(int dimensions, int levels, Loops loops, AtLevel&& at_level) {
    Extents tile;
    tile.fill(1);
    for (int d = 0; d < dimensions; ++d) of[d] = 0;
    int n = 0;
    LoopMask bit = 1, spatial = 0;
    const auto place = [&](u8 d, u32 end) {
      loop[n++] = {end, tile[d], d};
      of[d] |= bit;
      bit <<= 1;
      tile[d] *= end;
    };
    for (int i = 0; i < levels; ++i) {
      const LoopMask inside = bit - 1;
      first[i] = static_cast<u8>(n);
      u64 x = 1, y = 1;
      loops.spatial(i, [&](LoopKind kind, u8 d, u32 end) {
        (kind == LoopKind::SpatialX ? x : y) *= end;
        place(d, end);
      });
      product_x[i] = x;
      product_y[i] = y;
      spatial |= fanout[i] = (bit - 1) ^ inside;
      first_temporal[i] = static_cast<u8>(n);
      loops.temporal(i, place);
      through[i] = bit - 1;
      if (!at_level(i, static_cast<const Extents&>(tile))) return false;
    }
    loop_count = n;
    temporal = (bit - 1) & ~spatial;
    u64 product = 1, used = 1;
    int j = n;
    for (int i = levels - 1; i >= 0; --i) {
      for (; j > first_temporal[i]; product *= loop[j].end) beyond[--j] = product;
      j = first[i];
      instances[i] = used;
      used *= product_x[i] * product_y[i];
    }
    steps = product;
    macs_used = used;
    return true;
  }

  // The loops of a level's tile, when so many of its temporal loops stand outside it.
  LoopMask inside(int level, u8 outside) const { return through[level] >> outside; }

  bool has_spatial(int level) const { return fanout[level] != 0; }

  // The loops that move a tensor.
  LoopMask moving(const CompiledTensor& t) const {
    LoopMask mask = 0;
    for (const int d : bits(t.indexing)) mask |= of[d];
    return mask;
  }
  // Product of the ends of the loops.
  u64 product(LoopMask loops) const {
    u64 out = 1;
    for (const int l : bits(loops)) out *= loop[l].end;
    return out;
  }

  // [dimension]: product of the ends of those loops that are over it. Not on the hot path.
  Extents tile(LoopMask loops) const {
    Extents out;
    out.fill(1);
    for (const int l : bits(loops)) out[loop[l].dimension] *= static_cast<u32>(loop[l].end);
    return out;
  }
};

// The box of a tile: its words, and the extent of each rank that is not plain. Without initialisers, as the Nest.
struct Box {
  u64 words;
  std::array<u64, kMaxRanks> extent;

  void measure(const CompiledTensor& t, const Extents& tile) {
    u64 product = 1;
    for (int k = 0; k < t.plain_count; ++k) product *= tile[t.plain[k]];
    for (int k = 0; k < t.term_count;) {
      u64 reach = 1;
      const u8 rank = t.term[k].rank;
      for (; k < t.term_count && t.term[k].rank == rank; ++k)
        reach += static_cast<u64>(t.term[k].coefficient) * (tile[t.term[k].dimension] - 1);
      product *= extent[rank] = reach;
    }
    words = product;
  }
};

namespace detail {

// Moves of a tile along each rank; a rank absent from the dimension's terms does not move.
struct TileMove {
  RankMove by{};
  void add(const CompiledTensor& t, const NestLoop& loop) { add_move(t, loop.dimension, loop.step, by); }
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
  const u64 move = static_cast<u64>(first.coefficient) * inmost.step;
  const u64 extent = box.extent[first.rank];
  const u64 delta = move < extent ? full / extent * move : full;
  u64 words = nest.beyond[a] * (full + (inmost.end - 1) * delta);
  u64 inner = move;
  for (const int j : bits(outer)) {
    const NestLoop& loop = nest.loop[j];
    const CompiledTerm& term = t.by_dimension[t.first_of[loop.dimension]];
    if (term.rank != first.rank) break;
    const u64 own = static_cast<u64>(term.coefficient) * loop.step;
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

// Number of distinct values of t1*x + t2*y for x < n1, y < n2.
inline u64 distinct_sums(u64 t1, u64 n1, u64 t2, u64 n2) {
  const u64 g = std::gcd(t1, t2);
  const u64 a = t1 / g, b = t2 / g;
  const u64 lost1 = n1 > b ? n1 - b : 0, lost2 = n2 > a ? n2 - a : 0;
  return n1 * n2 - lost1 * lost2;
}

// N of docs/cost_model.md for a tensor with sliding ranks: see below.
[[gnu::noinline]] inline u64 distinct_sliding(const CompiledTensor& t, const Nest& nest, LoopMask moving) {
  DimensionMask seen = 0;
  for (const int d : bits(moving)) seen |= static_cast<DimensionMask>(1u << nest.loop[d].dimension);
  u64 n = 1;
  for (int r = 0; r < t.rank_count; ++r) {
    const DimensionMask both = seen & t.sharing[r];
    const DimensionMask others = both & (both - 1);  // without the first
    if (others == 0) continue;
    if ((others & (others - 1)) != 0) return 0;
    // Per dimension the loops over X and Y together are one loop with the innermost step.
    const int d = std::countr_zero(both), e = std::countr_zero(others);
    const LoopMask first = moving & nest.of[d], second = moving & nest.of[e];
    const auto step = [&](int dimension, LoopMask loops) {
      return static_cast<u64>(t.by_dimension[t.first_of[dimension]].coefficient) *
             nest.loop[std::countr_zero(loops)].step;
    };
    n *= distinct_sums(step(d, first), nest.product(first), step(e, second), nest.product(second));
    moving &= ~(first | second);
  }
  return n * nest.product(moving);
}

// N of docs/cost_model.md: the receivers' distinct offsets of a fan-out, a product over ranks of at most two spatial
// dimensions each; 0 when the case needs enumeration (multicast.h). `moving`: the loops of the fan-out that move t.
inline u64 distinct_offsets_closed(const CompiledTensor& t, const Nest& nest, LoopMask moving) {
  if (!t.sliding || moving == 0) return nest.product(moving);
  return t.entangled ? 0 : distinct_sliding(t, nest, moving);
}

}  // namespace heliolite
