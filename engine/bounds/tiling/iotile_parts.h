#pragma once
// Tilings for one cache whose tiles need not be alike: the iterations fall into parts, cut along one dimension after
// the other and executed one after the other, and each part has tiles and loop orders of its own. So the last tiles
// along a dimension, which are smaller, can be larger along the others. Also tilings of the lifted problem are looked
// at. Model: docs/rules/bounds_tilings.md.
#include <optional>
#include <span>
#include <vector>

#include "engine/bounds/tiling/iotile_cost.h"

namespace heliolite {

// A part of the iterations as a problem of its own, and its tiling.
struct TilingPart {
  TilingProblem problem;
  TiledLevel level;
  Extents origin{};  // [dimension]: where it begins in the whole problem
};

// The parts in the order of their execution; never none.
struct PartTiling {
  std::vector<TilingPart> parts;

  double words() const;      // moved by all of them
  double footprint() const;  // words held at a time
};

// The iterations of the problem that lie in `extent` values of dimension d, as a problem of its own; if `later`, sums
// of those before are there to be read. Nothing where a part is no box of the same kind: a dimension taken apart, or
// an output that slides along d.
std::optional<TilingProblem> part_of(const TilingProblem& problem, int d, u32 extent, bool later);

// The tiling that moves the fewest words of those found. Nothing if a single iteration does not fit. Deterministic.
std::optional<PartTiling> best_parts(const Workload& workload, double capacity, TrafficRule rule = {},
                                     std::span<const double> word_sizes = {});
std::optional<PartTiling> best_parts(const TilingProblem& problem, double capacity);

}  // namespace heliolite
