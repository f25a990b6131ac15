// The lattice of perfect tiles against plain arithmetic on vectors of divisors.
#include "engine/space/lattice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "tests/support/random_problem.h"

namespace heliolite::lattice_test {
namespace {

using testing::pick;
using testing::Rng;

struct Shape {
  Extents size = LatticePoint().extent;
  int dimensions = 1;
};

// Sizes with small, repeated and large prime factors; at most `max_points` vectors of divisors.
Shape random_shape(Rng& rng, u64 max_points) {
  constexpr std::array<u32, 16> kSizes{1, 1, 2, 3, 4, 6, 7, 8, 9, 12, 16, 30, 36, 64, 97, 360};
  for (;;) {
    Shape out;
    out.dimensions = static_cast<int>(pick(rng, 1, kMaxDimensions));
    for (int d = 0; d < out.dimensions; ++d)
      out.size[static_cast<std::size_t>(d)] = kSizes[pick(rng, 0, kSizes.size() - 1)];
    u64 points = 1;
    for (u32 n : out.size) {
      u64 divisors = 0;
      for (u32 k = 1; k <= n; ++k) divisors += n % k == 0;
      points *= divisors;
      if (points > max_points) break;
    }
    if (points <= max_points) return out;
  }
}

bool divides(const Extents& a, const Extents& b) {
  for (std::size_t d = 0; d < a.size(); ++d)
    if (b[d] % a[d] != 0) return false;
  return true;
}

std::vector<LatticePoint> points(const Lattice& lattice) {
  std::vector<LatticePoint> out;
  for (u64 k = 0; k < lattice.points(); ++k) out.push_back(lattice.point(k));
  return out;
}

void expect_same(const LatticePoint& a, const LatticePoint& b) {
  EXPECT_EQ(a.index, b.index);
  EXPECT_TRUE(a.packed == b.packed);
  EXPECT_EQ(a.extent, b.extent);
}

TEST(Lattice, EveryVectorOfDivisorsIsOnePoint) {
  Rng rng(1);
  for (int round = 0; round < 60; ++round) {
    const Shape shape = random_shape(rng, 2'000);
    const Lattice lattice(shape.size, shape.dimensions);
    u64 vectors = 0;
    std::vector<bool> seen(lattice.points());
    Extents at = LatticePoint().extent;
    // All vectors of divisors, by counting.
    const std::function<void(int)> visit = [&](int d) {
      if (d < shape.dimensions) {
        const auto axis = static_cast<std::size_t>(d);
        for (u32 k = 1; k <= shape.size[axis]; ++k) {
          if (shape.size[axis] % k != 0) continue;
          at[axis] = k;
          visit(d + 1);
        }
        at[axis] = 1;
        return;
      }
      ++vectors;
      const LatticePoint p = lattice.point(at);
      ASSERT_LT(p.index, lattice.points());
      EXPECT_FALSE(seen[p.index]);
      seen[p.index] = true;
      EXPECT_EQ(p.extent, at);
      expect_same(p, lattice.point(p.index));
    };
    visit(0);
    EXPECT_EQ(vectors, lattice.points());
    expect_same(lattice.full(), lattice.point(shape.size));
    EXPECT_EQ(lattice.full().index + 1, lattice.points());
    expect_same(LatticePoint(), lattice.point(u64{0}));
  }
}

TEST(Lattice, AxesAreThePrimesOfEveryDimension) {
  Rng rng(2);
  for (int round = 0; round < 60; ++round) {
    const Shape shape = random_shape(rng, 5'000);
    const Lattice lattice(shape.size, shape.dimensions);
    Extents product = LatticePoint().extent;
    for (const LatticeAxis& axis : lattice.axes()) {
      EXPECT_GE(axis.exponent, 1);
      for (int e = 0; e < axis.exponent; ++e) product[axis.dimension] *= axis.prime;
      // One step on the axis is one factor of the prime.
      Extents one = LatticePoint().extent;
      one[axis.dimension] = axis.prime;
      const LatticePoint p = lattice.point(one);
      EXPECT_EQ(p.index, axis.stride);
      EXPECT_TRUE(p.packed == axis.step);
    }
    EXPECT_EQ(product, shape.size);
  }
}

TEST(Lattice, DividesIsDivisibility) {
  Rng rng(3);
  for (int round = 0; round < 60; ++round) {
    const Shape shape = random_shape(rng, 250);
    const Lattice lattice(shape.size, shape.dimensions);
    const auto all = points(lattice);
    for (const LatticePoint& a : all)
      for (const LatticePoint& b : all) ASSERT_EQ(lattice.divides(a.packed, b.packed), divides(a.extent, b.extent));
  }
}

TEST(Lattice, ProductsAndQuotientsAreSums) {
  Rng rng(4);
  int inside = 0;
  for (int round = 0; round < 60; ++round) {
    const Shape shape = random_shape(rng, 250);
    const Lattice lattice(shape.size, shape.dimensions);
    const auto all = points(lattice);
    for (const LatticePoint& a : all)
      for (const LatticePoint& b : all) {
        Extents both;
        for (std::size_t d = 0; d < both.size(); ++d) both[d] = a.extent[d] * b.extent[d];
        const bool fits = divides(both, shape.size);
        // A factor fits beside another if it divides what that one leaves.
        ASSERT_EQ(lattice.divides(b.packed, lattice.full().packed - a.packed), fits);
        ASSERT_EQ(lattice.divides(a.packed + b.packed, lattice.full().packed), fits);
        if (!fits) continue;
        expect_same(Lattice::product(a, b), lattice.point(both));
        ++inside;
      }
  }
  EXPECT_GT(inside, 10'000);
}

// The least or greatest value over related points, one pair at a time.
template <class T, class Related, class Better>
std::vector<T> brute(const std::vector<LatticePoint>& all, const std::vector<T>& value, Related related,
                     Better better) {
  std::vector<T> out = value;
  for (const LatticePoint& x : all)
    for (const LatticePoint& y : all)
      if (related(x, y)) out[x.index] = better(out[x.index], value[y.index]);
  return out;
}

TEST(Lattice, MinimaAndMaximaAgreeWithLookingAtAllPairs) {
  Rng rng(5);
  const auto least = [](double a, double b) { return std::min(a, b); };
  for (int round = 0; round < 150; ++round) {
    const Shape shape = random_shape(rng, 250);
    const Lattice lattice(shape.size, shape.dimensions);
    const auto all = points(lattice);
    std::vector<double> value(all.size());
    for (double& x : value)
      x = testing::chance(rng, 20) ? std::numeric_limits<double>::infinity() : static_cast<double>(pick(rng, 0, 1000));
    const auto dimensions = static_cast<DimensionMask>(pick(rng, 0, (1u << shape.dimensions) - 1));

    std::vector<double> computed = value;
    lattice.grid().min_over_multiples(computed, dimensions);
    EXPECT_EQ(computed, brute(
                            all, value,
                            [&](const LatticePoint& x, const LatticePoint& y) {
                              for (std::size_t d = 0; d < kMaxDimensions; ++d)
                                if (!(dimensions >> d & 1) && x.extent[d] != y.extent[d]) return false;
                              return divides(x.extent, y.extent);
                            },
                            least));
    const auto divisor = [](const LatticePoint& x, const LatticePoint& y) { return divides(y.extent, x.extent); };
    computed = value;
    lattice.grid().min_over_divisors(computed);
    EXPECT_EQ(computed, brute(all, value, divisor, least));
    computed = value;
    lattice.grid().max_over_divisors(computed);
    EXPECT_EQ(computed, brute(all, value, divisor, [](double a, double b) { return std::max(a, b); }));
  }
}

// A grid with fewer cells than there are points: every point is in the cell whose box has it, and the tables' minima
// are those over the cells whose boxes have related points, one cell further at most for neighbours.
TEST(LatticeGrid, CellsAreBoxesOfPoints) {
  Rng rng(7);
  int coarse = 0;
  for (int round = 0; round < 150; ++round) {
    const Shape shape = random_shape(rng, 400);
    const Lattice fine(shape.size, shape.dimensions);
    const Lattice lattice(shape.size, shape.dimensions, {0, pick(rng, 1, fine.points())});
    const LatticeGrid& grid = lattice.grid();
    coarse += grid.coarse();
    std::vector<std::pair<LatticePoint, LatticePoint>> box;
    grid.visit([&](u64 cell, const LatticePoint& first, const LatticePoint& last) {
      ASSERT_EQ(cell, box.size());
      expect_same(first, lattice.point(first.extent));
      expect_same(last, lattice.point(last.extent));
      box.emplace_back(first, last);
    });
    ASSERT_EQ(box.size(), grid.cells());
    u64 inside = 0;
    for (const LatticePoint& x : points(lattice))
      for (std::size_t k = 0; k < box.size(); ++k) {
        const bool here = divides(box[k].first.extent, x.extent) && divides(x.extent, box[k].second.extent);
        ASSERT_EQ(here, grid.cell(x.index) == k);
        inside += here;
      }
    EXPECT_EQ(inside, fine.points());
    std::vector<double> value(box.size());
    for (double& x : value) x = static_cast<double>(pick(rng, 0, 1000));
    const auto dimensions = static_cast<DimensionMask>(pick(rng, 0, (1u << shape.dimensions) - 1));
    std::vector<double> multiples = value, neighbours = value;
    grid.min_over_multiples(multiples, dimensions);
    grid.min_over_neighbours(neighbours, dimensions);
    for (const LatticePoint& x : points(lattice))
      for (const LatticePoint& y : points(lattice)) {
        if (!divides(x.extent, y.extent)) continue;
        bool along = true;
        for (std::size_t d = 0; d < kMaxDimensions; ++d) along &= x.extent[d] == y.extent[d] || (dimensions >> d & 1);
        if (!along) continue;
        const u64 cell = grid.cell(x.index);
        EXPECT_LE(multiples[cell], value[grid.cell(y.index)]);
        // What takes x to y takes the first of its cell to the cell of y, or to one that y's is next to.
        const u64 step = y.index - x.index;
        EXPECT_LE(neighbours[grid.cell(box[cell].first.index + step)], value[grid.cell(y.index)]);
      }
  }
  EXPECT_GT(coarse, 100);
}

// The largest layers a reader accepts: every packed field keeps to itself.
TEST(Lattice, LargestSizesFit) {
  const std::vector<std::vector<u32>> shapes{
      {1u << 17, 1u << 17, 1u << 17},
      {16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16},
      {6, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30},
      {2'147'483'647},
      {1u << 30},
      {2 * 3 * 5 * 7 * 11 * 13 * 17 * 19, 2 * 3 * 5 * 7 * 11 * 13 * 17 * 19},
  };
  Rng rng(6);
  for (const auto& sizes : shapes) {
    Extents size = LatticePoint().extent;
    std::copy(sizes.begin(), sizes.end(), size.begin());
    const Lattice lattice(size, static_cast<int>(sizes.size()));
    for (const LatticeAxis& axis : lattice.axes()) EXPECT_TRUE(axis.step != 0);
    for (int k = 0; k < 2'000; ++k) {
      LatticePoint a, b;
      for (const LatticeAxis& axis : lattice.axes()) {
        for (LatticePoint* p : {&a, &b}) {
          const u64 steps = pick(rng, 0, axis.exponent);
          p->packed += axis.step * steps;
          for (u64 e = 0; e < steps; ++e) p->extent[axis.dimension] *= axis.prime;
        }
      }
      ASSERT_EQ(lattice.divides(a.packed, b.packed), divides(a.extent, b.extent));
      ASSERT_TRUE(lattice.divides(a.packed, lattice.full().packed));
      ASSERT_EQ(lattice.point(a.extent).packed == b.packed, a.extent == b.extent);
    }
  }
}

}  // namespace
}  // namespace heliolite::lattice_test
