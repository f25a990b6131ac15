#include "engine/space/lattice.h"

#include <bit>

#include "engine/base/integers.h"
#include "engine/space/divisors.h"

namespace heliolite {
namespace {

int field_width(const LatticeAxis& axis) { return std::bit_width(static_cast<unsigned>(axis.exponent)); }

std::vector<LatticeAxis> axes_of(const Extents& size, int dimension_count) {
  std::vector<LatticeAxis> out;
  int shift = 0;
  u64 points = 1;
  for (int d = 0; d < dimension_count; ++d)
    for (const PrimePower& p : factorize(size[at(d)])) {
      LatticeAxis axis;
      axis.dimension = static_cast<u8>(d);
      axis.exponent = static_cast<u8>(p.exponent);
      axis.prime = static_cast<u32>(p.prime);
      axis.stride = points;
      axis.step = u128{1} << shift;
      shift += field_width(axis) + 1;
      points *= static_cast<u64>(p.exponent) + 1;
      out.push_back(axis);
    }
  return out;
}

}  // namespace

Lattice::Lattice(const Extents& size, int dimension_count, const GridLimits& limits)
    : axes_(axes_of(size, dimension_count)), full_(point(size)), grid_(axes_, full_.index + 1, limits) {
  for (const LatticeAxis& axis : axes_) guards_ |= axis.step << field_width(axis);
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

LatticePoint Lattice::point(u64 index) const {
  LatticePoint out;
  out.index = index;
  for (const LatticeAxis& axis : axes_) {
    const u64 exponent = index / axis.stride % (axis.exponent + 1u);
    out.packed += axis.step * exponent;
    for (u64 e = 0; e < exponent; ++e) out.extent[axis.dimension] *= axis.prime;
  }
  return out;
}

}  // namespace heliolite
