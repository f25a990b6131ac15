#pragma once
// Words of a tensor for a tile: what the tile's box takes, what crosses between a buffer that holds it and the store
// outside, and the fewest words that can. Formulas and proofs: docs/rules/orojenesis.md.
#include <array>
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

class TensorShape {
 public:
  TensorShape(const Workload& workload, int tensor);

  DimensionMask indexing() const { return indexing_; }
  // Every rank is one dimension with coefficient 1: words cross once for every round of the loops that do not index
  // the tensor, whatever the tile.
  bool plain() const { return plain_; }
  // A dimension occurs in two ranks.
  bool entangled() const { return entangled_; }
  // Dimensions of the ranks that have several: neighbouring tiles share words. One mask for each such rank.
  std::span<const DimensionMask> sliding() const { return sliding_; }

  // The dimension shares a rank with one of coefficient above 1.
  bool slides_by_steps(int dimension) const;

  // The box: product over the ranks of 1 + sum coefficient * (extent - 1), holes of strides included.
  u64 box_words(const Extents& tile) const;

  // Words that cross inwards during all of the loops, innermost first, outside a buffer that holds `tile`, in the cost
  // model (timeloop_model, section K). Each count is size / tile, exactly.
  u64 model_words(const Extents& tile, std::span<const TileLoop> loops) const;

  // The same for tiles that need not divide the sizes: the last tile of a dimension is smaller, and a tile keeps what
  // it shares with its predecessor along the innermost loop that moves it.
  u64 blocked_words(const Extents& tile, std::span<const TileLoop> loops) const;

  // Different words that the iterations of a box of this size use, at least: holes are left out, and of three or more
  // dimensions in a rank only two are looked at.
  u64 distinct_words(const Extents& tile) const;

  // Words that cross at least into any buffers, of any number of levels, that together hold the tensor for tiles of
  // which `count` cover each dimension. `tile`: their sizes when all are equal, else null. Along `slides_in`, the
  // dimensions of one rank or none, each word counts once.
  u64 nested_words(const Extents& count, const Extents* tile, DimensionMask slides_in) const;

 private:
  struct ShapeRank {
    DimensionMask dimensions = 0;
    std::vector<Term> terms;
  };
  u64 distinct_in(const ShapeRank& rank, const Extents& tile) const;
  u64 covered_in(const ShapeRank& rank, const Extents& count, const Extents* tile) const;

  using Move = std::array<i64, kMaxRanks>;  // words, by rank

  u64 overlapping_words(const Extents& tile, std::span<const TileLoop> inner_first, std::size_t moving) const;
  Move move_of(const Extents& tile, int dimension) const;

  std::vector<ShapeRank> ranks_;
  std::vector<DimensionMask> sliding_;
  std::array<u32, kMaxDimensions> size_{};
  DimensionMask indexing_ = 0;
  bool plain_ = true;
  bool entangled_ = false;
};

}  // namespace heliolite
