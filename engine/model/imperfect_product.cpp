// Words that cross into a tile over a nest with imperfect factors, without a walk.
#include "engine/model/imperfect_nest.h"

#include <algorithm>
#include "engine/model/temporal_traffic.h"

namespace heliolite {
namespace {

// Steps at which a dimension is in a middle and in its last context.
struct Steps {
  u64 middle, last;
};
using StepsByDimension = std::array<Steps, kMaxDimensions>;

// What one step of each kind counts: the extents that the dimension contributes to the volume.
using ExtentsByDimension = StepsByDimension;

using LoopMask = u64;  // bit l: loop l
static_assert(kMaxLoops <= 64);

// Steps of the temporal loops at or outside `mover`; the loops inside it, from `from` on, stay at iteration 0.
// `resting` loops have one iteration in their last context: of those inside the mover only that context counts, of the
// mover itself only the others. kEveryLoop: every iteration is a step, for compute units.
constexpr int kEveryLoop = -1;

StepsByDimension count_steps(const ImperfectNest& nest, int from, int mover, LoopMask resting) {
  StepsByDimension steps;
  steps.fill({0, 1});
  for (int l = nest.loop_count - 1; l >= from; --l) {
    const ImperfectLoop& loop = nest.loop[l];
    auto& [middle, last] = steps[loop.dimension];
    if (l >= mover && !loop.spatial) {
      if (contains(resting, l)) last = 0;
      middle = middle * loop.end + last * (loop.residual - 1);
    } else if (contains(resting, l)) {
      middle = 0;
    } else if (loop.residual > 1) {
      middle += last;
      last = 0;
    }
  }
  return steps;
}

// words[context] += factor * product over the dimensions, split by the dimensions of the fan-out's contexts.
void add_product(const FanoutContexts& contexts, const StepsByDimension& steps, const ExtentsByDimension& extents,
                 DimensionMask dimensions, i64 factor, std::span<u64> words) {
  u64 common = static_cast<u64>(factor);  // negative factors wrap around, as do the sums: all is modulo 2^64
  DimensionMask split = 0;
  for (int k = 0; k < contexts.bits; ++k) split |= static_cast<DimensionMask>(1u << contexts.dimension[k]);
  for (int d = 0; d < kMaxDimensions; ++d)
    if (contains(dimensions & ~split, d))
      common *= steps[d].middle * extents[d].middle + steps[d].last * extents[d].last;
  if (common == 0) return;
  for (std::size_t context = 0; context < contexts.count(); ++context) {
    u64 product = common;
    for (int k = 0; k < contexts.bits; ++k) {
      const u8 d = contexts.dimension[k];
      product *= contains(context, k) ? steps[d].last * extents[d].last : steps[d].middle * extents[d].middle;
    }
    words[context] += product;
  }
}

DimensionMask looping_dimensions(const ImperfectNest& nest, int from) {
  DimensionMask mask = 0;
  for (int l = from; l < nest.loop_count; ++l) mask |= nest.loop[l].bit();
  return mask;
}

// Extents of the tile inside `level`, as a product over dimensions; 1 for those of `constant` ranks and all that
// do not index the tensor.
ExtentsByDimension tile_extents(const CompiledTensor& t, const ImperfectNest& nest, int level, DimensionMask constant) {
  const ImperfectTile& tile = nest.inside[level];
  DimensionMask cut = 0;  // spatial loops of the level that keep everything inside in a middle context
  for (int l = nest.first[level]; l < nest.first_temporal[level]; ++l)
    if (nest.loop[l].residual > 1) cut |= nest.loop[l].bit();
  ExtentsByDimension extents;
  extents.fill({1, 1});
  for (int k = 0; k < t.first_of[kMaxDimensions]; ++k) {
    const CompiledTerm& term = t.by_dimension[k];
    const u8 d = term.dimension;
    if (contains(constant, d)) continue;
    const u64 middle = 1 + term.coefficient * (tile.middle[d] - 1);
    extents[d].middle *= middle;
    extents[d].last *= contains(cut, d) ? middle : 1 + term.coefficient * (tile.last[d] - 1);
  }
  return extents;
}

// Timeloop's short cut: at a level without spatial loops the innermost loop, when perfect, counts its last iteration
// as a middle one.
bool counts_last_as_middle(const ImperfectNest& nest, int level, int mover) {
  return mover == nest.first[level] && !nest.has_spatial(level) && mover < nest.loop_count &&
         nest.loop[mover].level == level && nest.loop[mover].perfect() && nest.loop[mover].end >= 3;
}

int next_mover(const CompiledTensor& t, const ImperfectNest& nest, int from) {
  int l = from;
  while (l < nest.loop_count && (nest.loop[l].spatial || !contains(t.indexing, nest.loop[l].dimension))) ++l;
  return l;
}

int next_temporal(const ImperfectNest& nest, int from) {
  int l = from;
  while (l < nest.loop_count && nest.loop[l].spatial) ++l;
  return l;
}

// One evaluation of the products for a tensor and a level.
struct Products {
  const CompiledTensor& t;
  const ImperfectNest& nest;
  int level;
  std::span<u64> words;
  ExtentsByDimension extents;
  DimensionMask dimensions;

  Products(const CompiledTensor& tensor, const ImperfectNest& n, int i, DimensionMask constant, std::span<u64> out)
      : t(tensor),
        nest(n),
        level(i),
        words(out),
        extents(tile_extents(tensor, n, i, constant)),
        dimensions(static_cast<DimensionMask>(tensor.indexing | looping_dimensions(n, n.first_temporal[i]))) {}

  // Steps at which a loop at or outside `mover` advances, times their extents.
  void add(int mover, LoopMask resting, i64 factor) {
    ExtentsByDimension w = extents;
    if (counts_last_as_middle(nest, level, mover)) {
      const u8 d = nest.loop[mover].dimension;
      w[d].last = w[d].middle;
    }
    const StepsByDimension steps = count_steps(nest, nest.first_temporal[level], mover, resting);
    add_product(nest.contexts[level], steps, w, dimensions, factor, words);
  }
};

// Every move fetches the whole tile. A mover with residual 1 rests in its last context: the next one moves there.
void disjoint_words(Products& p) {
  LoopMask resting = 0;
  int mover = next_mover(p.t, p.nest, p.nest.first_temporal[p.level]);
  for (;;) {
    const bool rests = mover < p.nest.loop_count && p.nest.loop[mover].residual == 1;
    if (rests) resting |= LoopMask{1} << mover;
    p.add(mover, resting, 1);
    if (!rests) return;
    mover = next_mover(p.t, p.nest, mover + 1);
  }
}

// Moves of the tile along each rank when a loop advances by one.
using Move = std::array<i64, kMaxRanks>;

Move move_of(const CompiledTensor& t, const ImperfectLoop& loop) {
  Move move{};
  for (int k = t.first_of[loop.dimension]; k < t.first_of[loop.dimension + 1]; ++k)
    move[t.by_dimension[k].rank] += static_cast<i64>(t.by_dimension[k].coefficient * loop.step);
  return move;
}

DimensionMask sliding_dimensions(const CompiledTensor& t) {
  DimensionMask mask = 0;
  for (int r = 0; r < t.rank_count; ++r) mask |= t.sharing[r];
  return mask;
}

// Volume over the ranks that hold a sliding dimension, and how much of it one move by `move` makes new.
struct SlidingVolume {
  u64 full = 1, fresh = 1;
};

SlidingVolume sliding_volume(const CompiledTensor& t, const ImperfectExtents& extent, DimensionMask sliding,
                             const Move& move) {
  std::array<i64, kMaxRanks> rank{};
  for (int k = 0; k < t.first_of[kMaxDimensions]; ++k) {
    const CompiledTerm& term = t.by_dimension[k];
    if (contains(sliding, term.dimension))
      rank[term.rank] =
          std::max<i64>(rank[term.rank], 1) + static_cast<i64>(term.coefficient * (extent[term.dimension] - 1));
  }
  SlidingVolume volume;
  u64 overlap = 1;
  for (int r = 0; r < t.rank_count; ++r) {
    if (rank[r] == 0) {
      if (move[r] != 0) overlap = 0;  // a rank that does not slide: neighbouring tiles are disjoint
      continue;
    }
    volume.full *= static_cast<u64>(rank[r]);
    overlap *= static_cast<u64>(std::max<i64>(0, rank[r] - move[r]));
  }
  volume.fresh = volume.full - overlap;
  return volume;
}

// Section K, loop by loop: the steps at which loop j advances cost nothing when the net move is zero, the new part
// when it repeats the innermost move, else the whole tile.
void sliding_words(Products& p, DimensionMask sliding) {
  const ImperfectNest& nest = p.nest;
  const int mover = next_mover(p.t, nest, nest.first_temporal[p.level]);
  Move first{};
  if (mover < nest.loop_count) first = move_of(p.t, nest.loop[mover]);
  const SlidingVolume volume = sliding_volume(p.t, nest.inside[p.level].middle, sliding, first);
  Move inner{};  // sum of the moves of the loops inside
  u64 previous = 0;
  for (int j = mover;; j = next_temporal(nest, j + 1)) {
    // Steps that advance j or an outer loop: those of the loop inside give way to what j's cost.
    u64 cost = volume.full;
    if (j < nest.loop_count) {
      const Move own = move_of(p.t, nest.loop[j]);
      const NetMove net = net_move(p.t.rank_count, own, first, inner);
      cost = net.stays ? 0 : net.repeats ? volume.fresh : volume.full;
    }
    if (cost != previous) p.add(j, 0, static_cast<i64>(cost - previous));
    previous = cost;
    if (j >= nest.loop_count) return;
  }
}

bool every_loop_moves(const CompiledTensor& t, const ImperfectNest& nest, int level) {
  for (int l = nest.first[level]; l < nest.loop_count; ++l)
    if (contains(t.indexing, nest.loop[l].dimension) && nest.loop[l].residual == 1) return false;
  return true;
}

}  // namespace

bool product_words(const CompiledTensor& t, const ImperfectNest& nest, int level, std::span<u64> words) {
  const DimensionMask sliding = sliding_dimensions(t);
  if (sliding == 0) {
    Products products(t, nest, level, 0, words);
    disjoint_words(products);
    return true;
  }
  if ((sliding & nest.residual) != 0 || !every_loop_moves(t, nest, level)) return false;
  Products products(t, nest, level, sliding, words);
  sliding_words(products, sliding);
  return true;
}

void product_steps(const ImperfectNest& nest, std::span<u64> steps) {
  ExtentsByDimension extents;
  extents.fill({1, 1});
  const StepsByDimension counts = count_steps(nest, nest.first_temporal[0], kEveryLoop, 0);
  add_product(nest.contexts[0], counts, extents, looping_dimensions(nest, 0), 1, steps);
}

}  // namespace heliolite
