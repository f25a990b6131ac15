#include "engine/space/lattice.h"

#include <algorithm>
#include <bit>

#include "engine/base/integers.h"
#include "engine/space/divisors.h"

namespace heliolite {

Lattice::Lattice(const Extents& size, int dimension_count) {
  int shift = 0;
  for (int d = 0; d < dimension_count; ++d)
    for (const PrimePower& p : factorize(size[d])) {
      LatticeAxis axis;
      axis.dimension = static_cast<u8>(d);
      axis.exponent = static_cast<u8>(p.exponent);
      axis.prime = static_cast<u32>(p.prime);
      axis.stride = static_cast<u32>(points_);
      axis.step = u128{1} << shift;
      const int width = std::bit_width(static_cast<unsigned>(p.exponent));
      guards_ |= u128{1} << (shift + width);
      shift += width + 1;
      points_ *= static_cast<u64>(p.exponent) + 1;
      axes_.push_back(axis);
    }
  full_ = point(size);
}

LatticePoint Lattice::point(const Extents& extent) const {
  LatticePoint out;
  out.extent = extent;
  for (const LatticeAxis& axis : axes_) {
    u32 left = extent[axis.dimension];
    for (; left % axis.prime == 0; left /= axis.prime) {
      out.index += axis.stride;
      out.packed += axis.step;
    }
  }
  return out;
}

LatticePoint Lattice::point(u32 index) const {
  LatticePoint out;
  out.index = index;
  for (const LatticeAxis& axis : axes_) {
    const u32 exponent = index / axis.stride % (axis.exponent + 1u);
    out.packed += axis.step * exponent;
    for (u32 e = 0; e < exponent; ++e) out.extent[axis.dimension] *= axis.prime;
  }
  return out;
}

void Lattice::min_over_multiples(std::vector<double>& value, DimensionMask dimensions, std::size_t width) const {
  for (const LatticeAxis& axis : axes_) {
    if (!contains(dimensions, axis.dimension)) continue;
    // Blocks of consecutive points differ on this axis; from the outermost block inwards.
    const u64 block = axis.stride * width, period = block * (axis.exponent + 1u);
    for (u64 base = 0; base < points_ * width; base += period)
      for (u64 e = axis.exponent; e-- > 0;) {
        double* at = value.data() + base + e * block;
        for (u64 k = 0; k < block; ++k) at[k] = std::min(at[k], at[k + block]);
      }
  }
}

template <class T, class Better>
void Lattice::over_divisors(std::vector<T>& value, Better better) const {
  for (const LatticeAxis& axis : axes_) {
    const u64 block = axis.stride, period = block * (axis.exponent + 1u);
    for (u64 base = 0; base < points_; base += period)
      for (u64 e = 1; e <= axis.exponent; ++e) {
        T* at = value.data() + base + e * block;
        for (u64 k = 0; k < block; ++k) at[k] = better(at[k], at[k - block]);
      }
  }
}

void Lattice::max_over_divisors(std::vector<double>& value) const {
  over_divisors(value, [](double a, double b) { return std::max(a, b); });
}

void Lattice::min_over_divisors(std::vector<double>& value) const {
  over_divisors(value, [](double a, double b) { return std::min(a, b); });
}

}  // namespace heliolite
