#pragma once
// The lattice of perfect tiles: every vector of divisors of the dimensions' sizes, ordered by divisibility. A point is
// its exponents, one axis for each prime of each dimension, kept in two linear forms: its index
// among all points, and a word of packed bit fields. Multiplying tiles adds either form; divisibility is one
// subtraction.
#include <span>
#include <vector>

#include "engine/base/types.h"
#include "engine/model/compiled.h"

namespace heliolite {

// Points of the lattice of perfect tiles (lattice.h), and the axes along which they lie.

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

// The grid of the tables over a lattice of tiles: a table has one number for each cell. A cell is one tile; or, where
// there are more tiles than a table may have numbers, a box of them: on each axis some neighbouring exponents.

// How large tables may be.
struct GridLimits {
  u64 points = 3'000'000;    // points of a lattice whose tables have a number for each
  u64 cells = u64{1} << 19;  // cells of a lattice with more points: at least 1
};

// Tables are vectors with a number, or `width` numbers, for each cell, in the order of visit().
class LatticeGrid {
 public:
  // One cell for each point on these axes, or cells that are as small as possible.
  LatticeGrid(std::span<const LatticeAxis> axes, u64 points, const GridLimits& limits);

  // Whether a cell has more than one point.
  bool coarse() const { return split_ != 0; }
  u64 cells() const { return cells_; }
  // The cell of the point with this index.
  u64 cell(u64 point) const { return split_ == 0 ? point : u64{low_[point % split_]} + high_[point / split_]; }
  // Memory that the grid takes in addition to its tables.
  u64 bytes() const { return (low_.size() + high_.size()) * sizeof(u32); }

  // Calls body(cell, first, last) for every cell, which has all multiples of `first` that divide `last`.
  template <class Body>
  void visit(Body body) const {
    std::vector<u32> at(axes_.size(), 0);
    LatticePoint first, greatest = last_of_first_cell();
    const LatticePoint& last = coarse() ? greatest : first;
    for (u64 k = 0; k < cells_; ++k) {
      body(k, static_cast<const LatticePoint&>(first), last);
      for (std::size_t a = 0; a < axes_.size(); ++a) {
        const Axis& axis = axes_[a];
        const u32 from = at[a], to = from + 1 < axis.cells() ? from + 1 : 0;
        first.move(axis.points, axis.begin[from], axis.begin[to]);
        if (coarse()) greatest.move(axis.points, axis.begin[from + 1], axis.begin[to + 1]);
        at[a] = to;
        if (to != 0) break;
      }
    }
  }

  // Where each cell is one point: calls body(cell, count) for runs of cells, one after the other, of the points whose
  // product with the one of index `factor` is on the lattice, too; that is `factor` cells further on.
  template <class Body>
  void visit_runs(u64 factor, Body body) const {
    std::vector<u64> left, at(axes_.size(), 0);  // on each axis: how many of its cells, and which one
    for (const Axis& axis : axes_) left.push_back(axis.cells() - factor / axis.stride % axis.cells());
    // The axes that it leaves whole, and the next one, are one run.
    u64 run = 1;
    std::size_t first = 0;
    while (first < axes_.size() && left[first] == axes_[first].cells()) run *= left[first++];
    if (first < axes_.size()) run *= left[first++];
    u64 cell = 0;
    for (bool more = true; more;) {
      body(cell, run);
      more = false;
      for (std::size_t a = first; a < axes_.size() && !more; ++a) {
        more = at[a] + 1 < left[a];
        cell = more ? cell + axes_[a].stride : cell - axes_[a].stride * at[a];
        at[a] = more ? at[a] + 1 : 0;
      }
    }
  }

  // value[x] becomes the least value of the cells with multiples of x along `dimensions`, x included. With `width`
  // numbers for each cell, value[x * width + k] becomes the least of its kind.
  void min_over_multiples(std::vector<double>& value, DimensionMask dimensions, std::size_t width = 1) const;
  // value[x] becomes the least value of x and the cells after it on each axis of `dimensions`, one or none on each.
  void min_over_neighbours(std::vector<double>& value, DimensionMask dimensions, std::size_t width = 1) const;
  // value[x] becomes the greatest, or least, value of the cells with divisors of x.
  void max_over_divisors(std::vector<double>& value) const;
  void min_over_divisors(std::vector<double>& value) const;

 private:
  struct Axis {
    LatticeAxis points;
    std::vector<u8> begin;  // [cell on the axis]: its least exponent; and one more than the greatest of all
    u64 stride = 1;         // what one more cell of the axis adds to a cell's number

    u64 cells() const { return begin.size() - 1; }
  };

  void choose_cells(u64 most_cells);
  void index_points();
  LatticePoint last_of_first_cell() const;
  template <class Better>
  void over_divisors(std::vector<double>& value, Better better) const;

  std::vector<Axis> axes_;
  u64 cells_ = 1;
  // A coarse grid's cells of the points below `split_`, and of its multiples; cells of points are their sums, because
  // both are linear in what stands on each axis.
  u64 split_ = 0;
  std::vector<u32> low_, high_;
};

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
