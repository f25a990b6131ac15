#include "engine/space/lattice.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/base/integers.h"
#include "engine/space/divisors.h"

namespace heliolite {
namespace {

// Cells that have equal numbers of exponents, or one more.
std::vector<u8> even_cells(std::size_t exponents, std::size_t cells) {
  std::vector<u8> begin(cells + 1);
  for (std::size_t c = 0; c <= cells; ++c) begin[c] = static_cast<u8>(c * exponents / cells);
  return begin;
}

// How many of two or more cells are left when the largest becomes larger.
std::size_t fewer_cells(std::size_t exponents, std::size_t cells) {
  std::size_t widest = (exponents + cells - 1) / cells, out = cells;
  for (; out == cells; out = (exponents + widest - 1) / widest) ++widest;
  return out;
}

}  // namespace

LatticeGrid::LatticeGrid(std::span<const LatticeAxis> axes, u64 points, const GridLimits& limits) {
  for (const LatticeAxis& axis : axes) axes_.push_back({axis, even_cells(axis.exponent + 1u, axis.exponent + 1u)});
  cells_ = points;
  const bool fine = points <= limits.points;
  if (!fine) choose_cells(limits.cells);
  u64 stride = 1;
  for (Axis& axis : axes_) {
    axis.stride = stride;
    stride *= axis.cells();
  }
  if (!fine) index_points();
}

// Step by step the axis whose cells become wider is the one where the factor between the tiles of a cell grows least
// for the cells saved, both in logarithms.
void LatticeGrid::choose_cells(u64 most_cells) {
  while (cells_ > most_cells) {
    Axis* best = nullptr;
    double least = 0;
    for (Axis& axis : axes_) {
      if (axis.cells() == 1) continue;
      const std::size_t fewer = fewer_cells(axis.points.exponent + 1u, axis.cells());
      const double saved = std::log(static_cast<double>(axis.cells()) / static_cast<double>(fewer));
      const double price = std::log(axis.points.prime) / saved;
      if (best == nullptr || price < least) best = &axis, least = price;
    }
    if (best == nullptr) return;
    const std::size_t fewer = fewer_cells(best->points.exponent + 1u, best->cells());
    best->begin = even_cells(best->points.exponent + 1u, fewer);
    cells_ = 1;
    for (const Axis& axis : axes_) cells_ *= axis.cells();
  }
}

void LatticeGrid::index_points() {
  // The cells of the points that differ on some axes only, in the order of their indices.
  const auto list = [&](std::size_t first, std::size_t end) {
    std::vector<u32> out{0};
    for (std::size_t a = first; a < end; ++a) {
      const std::vector<u32> inner = std::move(out);
      out.clear();
      for (std::size_t c = 0; c < axes_[a].cells(); ++c)
        for (u32 e = axes_[a].begin[c]; e < axes_[a].begin[c + 1]; ++e)
          for (const u32 cell : inner) out.push_back(cell + static_cast<u32>(c * axes_[a].stride));
    }
    return out;
  };
  u64 points = 1;
  for (const Axis& axis : axes_) points *= axis.points.exponent + 1u;
  std::size_t middle = 0;
  for (split_ = 1; split_ * split_ < points; ++middle) split_ *= axes_[middle].points.exponent + 1u;
  low_ = list(0, middle);
  high_ = list(middle, axes_.size());
}

LatticePoint LatticeGrid::last_of_first_cell() const {
  LatticePoint out;
  for (const Axis& axis : axes_) out.move(axis.points, 0, axis.begin[1] - 1u);
  return out;
}

void LatticeGrid::min_over_multiples(std::vector<double>& value, DimensionMask dimensions, std::size_t width) const {
  for (const Axis& axis : axes_) {
    if (!contains(dimensions, axis.points.dimension)) continue;
    // Blocks of consecutive cells differ on this axis; from the outermost block inwards.
    const u64 block = axis.stride * width, period = block * axis.cells();
    for (u64 base = 0; base < cells_ * width; base += period)
      for (u64 e = axis.cells() - 1; e-- > 0;) {
        double* at = value.data() + base + e * block;
        for (u64 k = 0; k < block; ++k) at[k] = std::min(at[k], at[k + block]);
      }
  }
}

void LatticeGrid::min_over_neighbours(std::vector<double>& value, DimensionMask dimensions, std::size_t width) const {
  for (const Axis& axis : axes_) {
    if (!contains(dimensions, axis.points.dimension)) continue;
    const u64 block = axis.stride * width, period = block * axis.cells();
    for (u64 base = 0; base < cells_ * width; base += period)
      for (u64 k = 0; k < period - block; ++k) {  // from the innermost block outwards
        double* at = value.data() + base + k;
        *at = std::min(*at, at[block]);
      }
  }
}

template <class Better>
void LatticeGrid::over_divisors(std::vector<double>& value, Better better) const {
  for (const Axis& axis : axes_) {
    const u64 block = axis.stride, period = block * axis.cells();
    for (u64 base = 0; base < cells_; base += period)
      for (u64 e = 1; e < axis.cells(); ++e) {
        double* at = value.data() + base + e * block;
        for (u64 k = 0; k < block; ++k) at[k] = better(at[k], at[k - block]);
      }
  }
}

void LatticeGrid::max_over_divisors(std::vector<double>& value) const {
  over_divisors(value, [](double a, double b) { return std::max(a, b); });
}

void LatticeGrid::min_over_divisors(std::vector<double>& value) const {
  over_divisors(value, [](double a, double b) { return std::min(a, b); });
}

namespace {

int field_width(const LatticeAxis& axis) { return std::bit_width(static_cast<unsigned>(axis.exponent)); }

std::vector<LatticeAxis> axes_of(const Extents& size, int dimension_count) {
  std::vector<LatticeAxis> out;
  int shift = 0;
  u64 points = 1;
  for (int d = 0; d < dimension_count; ++d)
    for (const PrimePower& p : factorize(size[d])) {
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
