#pragma once
// The real tile that attains the HBL bound: with each array confined to the capacity, the box of most iterations. Sums
// of extents are taken as the larger one, so every extent is right up to a constant.
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/bounds/hbl/hbl_nest.h"
#include "engine/bounds/hbl/hbl_subspace.h"

namespace heliolite {

// A box with real extents.
struct RealTile {
  double log_volume = 0;       // natural logarithm of its iterations
  std::vector<double> extent;  // [loop]
};

// The box of most iterations, with lambda_l = log_M extent_l: max sum_l lambda_l subject to lambda_l <= log_M size_l
// and, for each array and each choice of one loop a rank, the sum over the chosen loops <= 1 - log_M word_size.
// `capacity` > 1 and at least every word size.
RealTile largest_tile(const AccessNest& nest, double capacity);

// The extreme tiles of the largest volume: for each loop those with its smallest and its largest extent; only one if it
// is unique. Products of powers of them, with weights that add up to 1, have the largest volume too.
std::vector<RealTile> largest_tiles(const AccessNest& nest, double capacity);

// The linear program of largest_tile() with log M and the logarithms of the sizes as parameters, exactly.

// A product of powers of the capacity M and the sizes, as its logarithm: [0] the power of M, [1 + l] of loop l's size.
using LogForm = std::vector<Rational>;
using LogPoint = std::vector<i64>;  // log M and the logarithms of the sizes, to any base

Rational value(const LogForm& form, const LogPoint& point);

// The whole numbers without common divisor that are proportional to the form.
LogPoint whole(const LogForm& form);

// maximise sum x, then x_0, then x_1, ..: rows x <= right(point), x >= 0.
class TileProgram {
 public:
  explicit TileProgram(const AccessNest& nest);

  // The optimum as forms that hold around the point; nothing when the point may lie on the border of a region.
  std::optional<std::vector<LogForm>> tile_around(const LogPoint& point) const;

  // What is >= 0 where the tile is feasible; forms that are always 0 are left out.
  std::vector<LogForm> limits(const std::vector<LogForm>& tile) const;

 private:
  void add(std::vector<Rational> row, std::size_t parameter);

  std::size_t loops_;
  RationalMatrix rows_;
  std::vector<std::size_t> right_;  // [row]: the parameter on its right-hand side
};

// The points with M >= 1 and sizes >= 1. With `taps_within_outputs` only those where, in each rank that two loops move,
// the loop that moves no output has no more steps than the other.
Cone log_points(const AccessNest& nest, bool taps_within_outputs);

// A point inside the cone of the rays; another one for another attempt.
LogPoint inside(const std::vector<LogPoint>& rays, u64 attempt);

// The tile of most iterations for all sizes and capacities at once: the multiparametric linear program of
// largest_tile() with log M and the logarithms of the sizes as parameters. Its critical regions are cones
// in which one formula gives the tile. Source: Demmel and Dinh, section 5; Borrelli, Bemporad and Morari, "Geometric
// algorithm for multiparametric linear programming", 2003. Proof: docs/rules/bounds_hbl.md.

struct TileRegion {
  std::vector<LogForm> tile;             // [loop]: extent
  std::vector<std::vector<i64>> facets;  // a . (log M, log sizes) >= 0; none follows from the others
  std::size_t cost = 0;                  // in TileRegions::costs
};

struct TileRegions {
  std::vector<LogForm> costs;  // different ones: iterations * M / tile, words up to a constant
  std::vector<TileRegion> regions;
};

// The regions that cover log_points() and meet at facets only. Of several largest tiles it is the one
// with the largest extent of the first loop, then of the second, and so on. Nothing when there are too many to
// enumerate. The nest's sizes and word sizes do not matter.
std::optional<TileRegions> tile_regions(const AccessNest& nest, bool taps_within_outputs);

// Into how many pieces the published algorithm cuts the same points: it may cut a region several times, depending on
// the points that it starts at, here drawn with `seed`. Nothing when there are too many.
std::optional<std::size_t> published_pieces(const AccessNest& nest, bool taps_within_outputs, u64 seed);

// "M*N*K/capacity^(1/2)".
std::string form_text(const LogForm& form, const AccessNest& nest);

}  // namespace heliolite
