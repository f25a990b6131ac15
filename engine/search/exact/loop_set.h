#pragma once
// A loop set: the loops between two tiles in any order, as iterations by dimension and by class of dimensions, and what
// halos leave to be fetched when such a set moves a tile.
#include <array>

#include "engine/base/integers.h"
#include "engine/model/compiled.h"

namespace heliolite {

// A number for each class of dimensions, mostly iterations. Sets of classes are DimensionMasks too.
using ClassLoops = std::array<double, kMaxDimensions>;

// The classes of a layer's dimensions. Dimensions that index the same tensors, and along which the same tensors slide,
// end the same flows at the same price: the ordering bound takes them for one loop.
class LoopClasses {
 public:
  explicit LoopClasses(const Compiled& c);

  std::size_t count() const { return count_; }
  // The class of dimension d.
  std::size_t of(int d) const { return of_[at(d)]; }
  // The classes that index the tensor.
  DimensionMask indexing(std::size_t tensor) const { return indexing_[tensor]; }

 private:
  std::size_t count_ = 0;
  std::array<std::size_t, kMaxDimensions> of_{};
  std::array<DimensionMask, kMaxTensors> indexing_{};
};

// The loops between two tiles.
struct LoopSet {
  std::array<double, kMaxDimensions> n;  // [dimension]: iterations
  ClassLoops of_class;                   // [class]: product of the iterations of its dimensions
  DimensionMask present = 0;             // classes with more than one iteration

  // The loops that enlarge a tile of extent `from` to one of extent `to` (by dimension), which is a multiple.
  LoopSet(const LoopClasses& classes, const Compiled& c, const Extents& from, const Extents& to);
};

// The share of a tensor's fetches that is left if loops and fan-outs reuse all they can: 1 / the iterations of the
// dimensions that the tensor does not depend on.
double irrelevant_share(const Compiled& c, const CompiledTensor& t, const LoopSet& loops);

// The share of a sliding tensor's words that is left to be fetched because neighbouring tiles overlap. Into `out`, by
// class: if the first loop that moves the tile is of that class; returned: if all loops move it. `extent`: of the
// tensor's box by rank; `step`: of the tile by dimension. A lower bound: along a rank the tiles of all loops together
// cover at least the union of their ranges.
double halo_shares(const LoopClasses& classes, const CompiledTensor& t, const std::array<i64, kMaxRanks>& extent,
                   const Extents& step, const LoopSet& loops, double* out);

// [rank]: extent of the tensor's box when the tile has extent `tile` (by dimension).
std::array<i64, kMaxRanks> box_extent(const CompiledTensor& t, const Extents& tile);

}  // namespace heliolite
