#pragma once
// The lattice of perfect tiles: every vector of divisors of the dimensions' sizes, ordered by divisibility. A point is
// its exponents, one axis for each prime of each dimension, kept in two linear forms: an index into tables over all
// points, and a word of packed bit fields. Multiplying tiles adds either form; divisibility is one subtraction.
#include <span>
#include <vector>

#include "engine/base/types.h"
#include "engine/model/compiled.h"

namespace heliolite {

// One prime of one dimension.
struct LatticeAxis {
  u8 dimension = 0;
  u8 exponent = 1;  // of the prime in the dimension's size
  u32 prime = 2;
  u32 stride = 1;  // what one more factor of the prime adds to an index
  u128 step = 1;   // what it adds to the packed form
};

// A tile.
struct LatticePoint {
  u32 index = 0;  // into tables over all points
  u128 packed = 0;
  Extents extent;  // by dimension; 1 beyond the workload's dimensions

  LatticePoint() { extent.fill(1); }
};

// The lattice of one layer.
class Lattice {
 public:
  // The exact search makes tables over at most this many points.
  static constexpr u64 kMaxPoints = 3'000'000;

  // The lattice of the divisors of `size` (by dimension). A packed field has one bit more than its exponent needs: with
  // at most 4e15 MACs all fields fit 128 bits.
  Lattice(const Extents& size, int dimension_count);

  std::span<const LatticeAxis> axes() const { return axes_; }
  u64 points() const { return points_; }
  // The tile of the whole sizes.
  const LatticePoint& full() const { return full_; }

  // The point of a vector of divisors, and of an index.
  LatticePoint point(const Extents& extent) const;
  LatticePoint point(u32 index) const;

  // Calls body(point) for every point in the order of their indices.
  template <class Body>
  void visit(Body body) const {
    std::vector<u32> exponent(axes_.size(), 0);
    LatticePoint at;
    for (u64 k = 0; k < points_; ++k, ++at.index) {
      body(static_cast<const LatticePoint&>(at));
      for (std::size_t a = 0; a < axes_.size(); ++a) {
        u32& size = at.extent[axes_[a].dimension];
        if (exponent[a] < axes_[a].exponent) {
          ++exponent[a];
          at.packed += axes_[a].step;
          size *= axes_[a].prime;
          break;
        }
        at.packed -= axes_[a].step * exponent[a];
        for (; exponent[a] > 0; --exponent[a]) size /= axes_[a].prime;
      }
    }
  }

  // Whether the point with packed form a divides that with packed form b.
  bool divides(u128 a, u128 b) const { return (((b | guards_) - a) & guards_) == guards_; }

  static LatticePoint product(const LatticePoint& a, const LatticePoint& b) {
    LatticePoint out = a;
    out.index += b.index;
    out.packed += b.packed;
    for (int d = 0; d < kMaxDimensions; ++d) out.extent[d] *= b.extent[d];
    return out;
  }

  // value[x] becomes the least value of the multiples of x along `dimensions`, x included. With `width` numbers for
  // each point, value[x * width + k] becomes the least of its kind.
  void min_over_multiples(std::vector<double>& value, DimensionMask dimensions, std::size_t width = 1) const;
  // value[x] becomes the greatest, or least, value of the divisors of x.
  void max_over_divisors(std::vector<double>& value) const;
  void min_over_divisors(std::vector<double>& value) const;

 private:
  template <class T, class Better>
  void over_divisors(std::vector<T>& value, Better better) const;

  std::vector<LatticeAxis> axes_;
  u128 guards_ = 0;
  u64 points_ = 1;
  LatticePoint full_;
};

}  // namespace heliolite
