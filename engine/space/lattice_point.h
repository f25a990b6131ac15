#pragma once
// Points of the lattice of perfect tiles (lattice.h), and the axes along which they lie.
#include "engine/base/types.h"
#include "engine/model/compiled.h"

namespace heliolite {

// One prime of one dimension.
struct LatticeAxis {
  u8 dimension = 0;
  u8 exponent = 1;  // of the prime in the dimension's size
  u32 prime = 2;
  u64 stride = 1;  // what one more factor of the prime adds to an index
  u128 step = 1;   // what it adds to the packed form
};

// A tile.
struct LatticePoint {
  u64 index = 0;  // among all points
  u128 packed = 0;
  Extents extent;  // by dimension; 1 beyond the workload's dimensions

  LatticePoint() { extent.fill(1); }

  // Changes the exponent on an axis.
  void move(const LatticeAxis& axis, u32 from, u32 to) {
    index += axis.stride * to - axis.stride * from;
    packed += axis.step * to - axis.step * from;
    u32& size = extent[axis.dimension];
    for (; from < to; ++from) size *= axis.prime;
    for (; from > to; --from) size /= axis.prime;
  }
};

}  // namespace heliolite
