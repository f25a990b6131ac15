#pragma once
// The linear program of largest_tile() (hbl_tile.h) with log M and the logarithms of the sizes as parameters, exactly.
#include <cstddef>
#include <optional>
#include <vector>

#include "engine/bounds/hbl/cone.h"
#include "engine/bounds/hbl/hbl_nest.h"
#include "engine/bounds/rational.h"

namespace heliolite {

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

}  // namespace heliolite
