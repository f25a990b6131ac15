#pragma once
// Words of a tensor for a tile: what the tile's box takes, what crosses between a buffer that holds it and the store
// outside, and the fewest words that can. Formulas and proofs: docs/rules/orojenesis.md.
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/types.h"
#include "engine/model/compiled.h"
#include "workloads/workload.h"

namespace heliolite {

// The loop over the tiles of one dimension.
struct TileLoop {
  u8 dimension = 0;
  u32 count = 1;  // tiles; the last one may be smaller
};

// The ranks of one tensor. All counts are words of the tensor.
class TensorShape {
 public:
  // `apart`: positions that no coefficient of a rank reaches are left out of its boxes.
  TensorShape(const Workload& workload, int tensor, bool apart = true);

  DimensionMask indexing() const { return indexing_; }
  // Every rank is one dimension with coefficient 1: words cross once for every round of the loops that do not index
  // the tensor, whatever the tile.
  bool plain() const { return plain_; }
  // Every rank is one dimension, each in one rank: tiles share no words, whatever the coefficients.
  bool separable() const { return sliding_.empty() && !counts_once(); }
  // The tensor's words count once whatever the tiles: a dimension occurs in two ranks, or another access may have left
  // them.
  bool counts_once() const { return entangled_ || read_twice_; }
  // A dimension occurs in two ranks.
  bool entangled() const { return entangled_; }
  // Dimensions of the ranks that have several: neighbouring tiles share words. One mask for each such rank.
  std::span<const DimensionMask> sliding() const { return sliding_; }

  // Whether the dimension shares a rank with one of coefficient above 1.
  bool slides_by_steps(int dimension) const;

  // The box: product over the ranks of 1 + sum coefficient * (extent - 1), holes of strides included.
  u64 box_words(const Extents& tile) const;

  // Words that cross inwards during all of the loops, innermost first, outside a buffer that holds `tile`, in the cost
  // model (docs/cost_model.md, the closed form). Each count is size / tile, exactly.
  u64 model_words(const Extents& tile, std::span<const TileLoop> loops) const;

  // Words that cross with tiles that need not divide the sizes: the last tile of a dimension is smaller, and a tile
  // keeps what it shares with its predecessor along the innermost loop that moves it.
  u64 blocked_words(const Extents& tile, std::span<const TileLoop> loops) const;

  // Words that an execution brings in at least during the loops outside a buffer that holds `tile`, whether it holds
  // the tile's words or all of its box, of the same tiles as blocked_words(). Exact where tiles have no holes, but for
  // what corners of tiles share when loops of two sliding ranks wrap around. `loops`: in their order from the
  // innermost moving one on, up to one of another rank; `late`: the others further out, in any order. Those further in
  // do not move the tensor.
  u64 executed_words(const Extents& tile, std::span<const u8> loops, DimensionMask late) const;

  // Different words that the iterations of a box of this size use, at least: holes are left out, and of three or more
  // dimensions in a rank only two are looked at unless there are no holes.
  u64 distinct_words(const Extents& tile) const;
  // Upper bound of the same.
  u64 most_distinct_words(const Extents& tile) const;

  // Words that cross at least into any buffers, of any number of levels, that together hold the tensor for tiles of
  // which `count` cover each dimension. `tile`: their sizes when all are equal, else null. Along `slides_in`, the
  // dimensions of one rank or none, the first round counts each word once, and the others what a round trip of the
  // tile brings. `open`: dimensions with tiles still to be chosen, now whole; no choice of them moves less.
  u64 nested_words(const Extents& count, const Extents* tile, DimensionMask slides_in, DimensionMask open) const;

 private:
  struct ShapeRank {
    DimensionMask dimensions = 0;
    std::vector<Term> terms;
    u64 whole = 1;  // positions that the whole Einsum uses
  };
  // Positions of the rank that a tile uses.
  static u64 distinct_in(const ShapeRank& rank, const Extents& tile) {
    return rank.terms.size() == 1 ? tile[rank.terms.front().dimension] : distinct_in_several(rank, tile);
  }
  static u64 distinct_in_several(const ShapeRank& rank, const Extents& tile);
  u64 covered_in(const ShapeRank& rank, const Extents& count, const Extents* tile) const;

  u64 box_in(const ShapeRank& rank, const Extents& tile) const;
  u64 round_trip_words(const ShapeRank& rank, const Extents& count, const Extents* tile, DimensionMask open) const;

  struct Run;
  u64 run_words(const Run& run, std::size_t loops, const Extents& tile) const;
  u64 over_tiles(const ShapeRank& rank, DimensionMask looped, const Run& run, const Extents& tile) const;
  u64 shared_at_most(const Run& run, DimensionMask late, u8 j, std::optional<u8> turn) const;
  u64 saved_at_most(const Run& run, DimensionMask late, std::optional<u8> turn) const;

  using Move = std::array<i64, kMaxRanks>;  // words, by rank

  u64 overlapping_words(const Extents& tile, std::span<const TileLoop> inner_first, std::size_t moving) const;
  Move move_of(const Extents& tile, int dimension) const;

  std::span<const ShapeRank> several() const { return std::span(ranks_).subspan(several_); }

  std::vector<ShapeRank> ranks_;  // first those of one dimension
  std::size_t several_ = 0;       // from this one on they are of several dimensions
  std::vector<DimensionMask> sliding_;
  std::array<u32, kMaxDimensions> size_{};
  // Dimensions that move it; those that loop and do not; those that are a rank alone, and the words along these ranks.
  DimensionMask indexing_ = 0, others_ = 0, alone_ = 0;
  u64 alone_words_ = 1;
  bool plain_ = true;
  bool entangled_ = false;
  bool read_twice_ = false;
};

}  // namespace heliolite
