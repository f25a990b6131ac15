#pragma once
// The lattice of perfect tiles: every vector of divisors of the dimensions' sizes, ordered by divisibility. A point is
// its exponents, one axis for each prime of each dimension, kept in two linear forms: its index
// among all points, and a word of packed bit fields. Multiplying tiles adds either form; divisibility is one
// subtraction.
#include <span>
#include <vector>

#include "engine/space/lattice_grid.h"
#include "engine/space/lattice_point.h"

namespace heliolite {

// The lattice of one layer.
class Lattice {
 public:
  // The lattice of the divisors of `size` (by dimension). A packed field has one bit more than its exponent needs: with
  // at most 4e15 MACs all fields fit 128 bits.
  Lattice(const Extents& size, int dimension_count, const GridLimits& limits = {});

  std::span<const LatticeAxis> axes() const { return axes_; }
  u64 points() const { return full_.index + 1; }
  // The grid of tables over the lattice.
  const LatticeGrid& grid() const { return grid_; }
  // The tile of the whole sizes.
  const LatticePoint& full() const { return full_; }

  // The point of a vector of divisors, and of an index.
  LatticePoint point(const Extents& extent) const;
  LatticePoint point(u64 index) const;

  // Whether the point with packed form a divides that with packed form b.
  bool divides(u128 a, u128 b) const { return (((b | guards_) - a) & guards_) == guards_; }

  static LatticePoint product(const LatticePoint& a, const LatticePoint& b) {
    LatticePoint out = a;
    out.index += b.index;
    out.packed += b.packed;
    for (int d = 0; d < kMaxDimensions; ++d) out.extent[d] *= b.extent[d];
    return out;
  }

 private:
  std::vector<LatticeAxis> axes_;
  LatticePoint full_;
  LatticeGrid grid_;
  u128 guards_ = 0;  // the bit above each packed field
};

}  // namespace heliolite
