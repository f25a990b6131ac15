#include "engine/search/all_tiles/working_units.h"

#include <algorithm>
#include <numeric>

#include "engine/space/divisors.h"

namespace heliolite {

bool is_asked_by_units(const Flow& flow) {
  return flow.to_compute && !flow.sliding && !flow.by_network && !flow.enters && !flow.carried;
}

std::array<TrailCells, kMaxDimensions> asked_of_first_instance(const Flow& flow, const Trail& trail) {
  std::array<TrailCells, kMaxDimensions> cells;
  cells.fill(kOneCell);
  for (int l = 0; l < trail.size(); ++l) {
    const TrailLoop& loop = trail[l];
    const bool one = loop.is_spatial() && (loop.level > flow.outer || !contains(flow.indexing, loop.dimension));
    one ? cells[loop.dimension].first(loop) : cells[loop.dimension].all(loop);
  }
  return cells;
}

u64 words_of_first_instance(const KeptFlows& costs, const Flow& flow, const Trail& trail, const Reach& reach) {
  const Compiled& c = costs.compiled();
  const std::array<TrailCells, kMaxDimensions> cells = asked_of_first_instance(flow, trail);
  u128 words = 1;
  for (int d = 0; d < c.dimension_count; ++d) words *= cells[at(d)].if_all(trail.of(d).tiles);
  return static_cast<u64>((words - 1) / costs.units_to_come(trail, reach, c.level_count - 1, kAllDimensions) + 1);
}

// u units of B tiles, each of t elements. If they are more than half of them, there is one group of iterations, and
// 2 u - B units are alone in the second: 2 u t - size elements at most, with u t < size. Else u units at most are alone
// in the last group, of two groups or more.
u64 most_that_stay(u64 size, u64 tiles, u64 more, u64 most, u64 widest) {
  if (tiles + more < 2) return 0;
  const u64 least = std::max<u64>(tiles, 2), tile = std::min(widest, (size - 1) / (least - 1));
  if (least > 2 * most) return most * tile;
  const u64 twice = 2 * std::min(most * tile, size - 1);
  return std::max(twice > size ? twice - size : 0, std::min(most * tile, (size - 1) / 2));
}

// u of u + 1 tiles leave most: u - 1 of them, of less than size / u elements.
u64 most_left_by_units(u64 size, u64 units) { return (units - 1) * (size - 1) / units; }

namespace {

// All places but the last one have a full tile, and that one at least the dimension's last.
u64 with_units(const TrailCells& cells, u64 tiles, u64 units) {
  if (units == 1) return tiles > 1 ? cells.full : cells.last;
  return (working_places(units) - 1) * cells.full + cells.last;
}

// Whichever of the dimensions the units stand along; 0: they cannot.
u64 least_spread(DimensionMask dimensions, u64 units, const Trail& trail, std::span<const TrailCells> cells) {
  const int d = *bits(dimensions).begin();
  const u64 tiles = trail.of(d).tiles, most = trail.of(d).most_tiles();
  const auto others = static_cast<DimensionMask>(dimensions & ~dimension_bit(d));
  if (others == 0) return units > 1 && units >= 2 * most ? 0 : with_units(cells[at(d)], tiles, units);
  u64 least = 0;
  for (u64 here = 1; here <= units && (here == 1 || here < 2 * most); ++here) {
    if (units % here != 0) continue;
    const u64 n = with_units(cells[at(d)], tiles, here) * least_spread(others, units / here, trail, cells);
    if (n != 0) least = least == 0 ? n : std::min(least, n);
  }
  return least;
}

}  // namespace

// Where the outermost loop is not at its last unit, all of those inside work, and one at least where it is.
u64 working_places(u64 units) {
  const u64 prime = least_prime(units);
  return prime == units ? units : units - units / prime + 1;  // one loop, or several
}

u64 alike_by_step(const Compiled& c, const CompiledTensor& t, int a, int b) {
  const auto step = [&](int d) { return t.by_dimension[t.first_of[at(d)]].coefficient; };
  const u64 different = step(a) / std::gcd(step(a), step(b));
  return (c.size[at(b)] - 1) / different + 1;
}

u64 least_cells(const KeptFlows& costs, const Trail& trail, const Reach& reach, int level, std::size_t k,
                std::span<const TrailCells> cells) {
  const DimensionMask of_class = costs.classes()[k];
  const Reach from = reach.level < level ? Reach{level - 1, 1, 1} : reach;
  const u64 units = costs.has_unrolling() ? costs.class_units_to_come(trail, from, k) : 1;
  if (units > 1 && !costs.split(of_class))
    if (const u64 n = least_spread(of_class, units, trail, cells); n != 0) return n;
  u64 n = 1;
  for (const int d : bits(of_class)) {
    const u64 along = units > 1 && costs.split(of_class) ? costs.split_units_to_come(trail, from, d) : 1;
    n *= with_units(cells[at(d)], trail.of(d).tiles, along);
  }
  return n;
}

}  // namespace heliolite
