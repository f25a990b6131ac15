#pragma once
// What a whole set of loops makes of a tile, whatever their order: iterations by dimension and by class of dimensions,
// and what halos leave to be fetched.
#include <array>

#include "engine/model/compiled.h"

namespace heliolite {

// Iterations of a class of dimensions; bits of classes fit a DimensionMask.
using ClassLoops = std::array<double, kMaxDimensions>;

// Dimensions that index the same tensors, and along which the same tensors slide, end the same flows at the same price:
// the ordering bound takes them for one loop.
class LoopClasses {
 public:
  explicit LoopClasses(const Compiled& c);

  std::size_t count() const { return count_; }
  std::size_t of(int d) const { return of_[static_cast<std::size_t>(d)]; }
  // Classes that index the tensor.
  DimensionMask indexing(std::size_t tensor) const { return indexing_[tensor]; }

 private:
  std::size_t count_ = 0;
  std::array<std::size_t, kMaxDimensions> of_{};
  std::array<DimensionMask, kMaxTensors> indexing_{};
};

// Loops in any order.
struct LoopSet {
  std::array<double, kMaxDimensions> n;  // iterations by dimension
  ClassLoops of_class;
  DimensionMask present = 0;  // classes with more than one iteration

  // From tiles of extent `from` to tiles of extent `to`.
  LoopSet(const LoopClasses& classes, const Compiled& c, const Extents& from, const Extents& to);
};

// One by the iterations of what the tensor does not depend on: what fan-outs spread and loops reuse together.
double irrelevant_share(const Compiled& c, const CompiledTensor& t, const LoopSet& loops);

// Of a sliding tensor: the share of its fetches that is left where the first loop that moves it is of a class (in
// `out`, by class), and where all are. `extent`: of its box by rank; `step`: of the tile. Along a sliding rank the
// tiles of all its iterations cover at least the union of their ranges.
double halo_shares(const Compiled& c, const LoopClasses& classes, const CompiledTensor& t,
                   const std::array<i64, kMaxRanks>& extent, const Extents& step, const LoopSet& loops, double* out);

// Extent of a tensor's box by rank.
std::array<i64, kMaxRanks> box_extent(const CompiledTensor& t, const Extents& tile);

}  // namespace heliolite
