// Units of fan-outs to come, as far as an unrolling or the room tells, and what they leave to be moved at least.
#include <algorithm>
#include <bit>
#include <numeric>

#include "engine/search/all_tiles/flows.h"
#include "engine/space/divisors.h"

namespace heliolite {

std::vector<DimensionMask> tensor_classes(const Compiled& c) {
  std::vector<TensorMask> of;
  std::vector<DimensionMask> out;
  for (int d = 0; d < c.dimension_count; ++d) {
    if (c.size[d] == 1) continue;
    TensorMask tensors = 0;
    for (int v = 0; v < c.tensor_count; ++v)
      if (contains(c.tensor[v].indexing, d)) tensors = static_cast<TensorMask>(tensors | 1u << v);
    const auto known = std::ranges::find(of, tensors);
    if (known != of.end()) out[known - of.begin()] |= dimension_bit(d);
    else of.push_back(tensors), out.push_back(dimension_bit(d));
  }
  return out;
}

namespace {

// How many of the units that the fan-out below a level makes along some dimensions the loops placed there leave to be
// made.
u64 not_placed(u64 units, const Trail& trail, int level, DimensionMask along) {
  for (int l = trail.first(level); units > 1 && l < trail.size() && trail[l].is_spatial(); ++l)
    if (contains(along, trail[l].dimension)) units /= trail[l].end;
  return units;
}

}  // namespace

u64 KeptFlows::units_left(const Trail& trail, int level, std::size_t k) const {
  return not_placed(unrolled(level, k), trail, level, classes_[k]);
}

u64 KeptFlows::units_left_along(int d, const Trail& trail, int level) const {
  if (split(dimension_bit(d))) return split_left(trail, level, d);
  for (std::size_t k = 0; k < classes_.size() && has_unrolling(); ++k)
    if (contains(classes_[k], d)) return is_free(k) ? 0 : units_left(trail, level, k);
  return 0;
}

u64 KeptFlows::most_units(int begin, int end, int d) const {
  u64 units = 1;
  for (int i = begin; i < end; ++i) {
    u64 here = 1;
    if (contains(unrollable_.x[i], d)) here *= c_.level[i].fanout_x;
    if (contains(unrollable_.y[i], d)) here *= c_.level[i].fanout_y;
    if (has_unrolling() && split(dimension_bit(d))) here = std::min<u64>(here, unrolling_->along[i][d]);
    for (std::size_t k = 0; k < classes_.size() && has_unrolling(); ++k)
      if (contains(classes_[k], d) && !is_free(k)) here = std::min(here, unrolled(i, k));
    units *= here;
  }
  return units;
}

u64 KeptFlows::known_units(int level, int d) const {
  if (!has_unrolling()) return 1;
  if (split(dimension_bit(d))) return unrolling_->along[level][d];
  for (std::size_t k = 0; k < classes_.size(); ++k)
    if (classes_[k] == dimension_bit(d) && !is_free(k)) return unrolled(level, k);
  return 1;
}

// Units along a dimension that the unrolling asks of the fan-outs below some levels, from the first of these to before
// the last.
u64 KeptFlows::known_units_of(int begin, int end, int d) const {
  u64 units = 1;
  for (int i = begin; i < end; ++i) units *= known_units(i, d);
  return units;
}

u64 KeptFlows::known_units_left(const Trail& trail, const Reach& reach, int level, int d) const {
  if (level > reach.level) return split(dimension_bit(d)) ? known_units(level, d) : 1;
  if (level < reach.level || !reach.has_room()) return 1;
  return not_placed(known_units(level, d), trail, level, dimension_bit(d));
}

u64 KeptFlows::known_units_up_to(const Trail& trail, const Reach& reach, int level, int d) const {
  const u64 here = reach.has_room() ? not_placed(known_units(reach.level, d), trail, reach.level, dimension_bit(d)) : 1;
  return here * known_units_of(reach.level + 1, level + 1, d);
}

// Units along a dimension that the fan-out whose loops are being placed has to make.
u64 KeptFlows::split_left(const Trail& trail, int level, int d) const {
  return not_placed(unrolling_->along[level][d], trail, level, dimension_bit(d));
}

u64 KeptFlows::class_units(int begin, int end, std::size_t k) const {
  u64 units = 1;
  for (int i = begin; i < end; ++i) units *= unrolled(i, k);
  return units;
}

u64 KeptFlows::split_to_come(const Trail& trail, const Reach& reach, int outer, int d) const {
  u64 units = 1;
  if (reach.level <= outer && reach.has_room()) units *= split_left(trail, reach.level, d);
  for (int i = reach.level + 1; i <= outer; ++i) units *= unrolling_->along[i][d];
  return units;
}

u64 KeptFlows::class_to_come(const Trail& trail, const Reach& reach, int outer, std::size_t k) const {
  if (split(classes_[k])) {
    u64 units = 1;
    for (const int d : bits(classes_[k])) units *= split_to_come(trail, reach, outer, d);
    return units;
  }
  const bool more_here = reach.level <= outer && reach.has_room();
  return (more_here ? units_left(trail, reach.level, k) : 1) * class_units(reach.level + 1, outer + 1, k);
}

// Units of the unrolling along the classes that have one of these dimensions, as far as there are tiles for them.
u64 KeptFlows::unrolled_to_come(const Trail& trail, const Reach& reach, int outer, DimensionMask apart) const {
  u64 units = 1;
  const auto tiles = [&](DimensionMask dimensions) {
    u64 n = 1;
    for (const int d : bits(dimensions)) n *= trail.of(d).most_tiles();
    return n;
  };
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    if ((classes_[k] & apart) == 0) continue;
    if (is_free(k)) return ~u64{0};
    if (split(classes_[k])) {
      for (const int d : bits(static_cast<DimensionMask>(classes_[k] & apart)))
        units *= std::min(split_to_come(trail, reach, outer, d), tiles(dimension_bit(d)));
      continue;
    }
    units *= std::min(class_to_come(trail, reach, outer, k), tiles(classes_[k]));
  }
  return units;
}

u64 KeptFlows::units_to_come(const Trail& trail, const Reach& reach, int outer, DimensionMask apart) const {
  if (unrolled(reach)) return 1;
  u64 units = 1;
  DimensionMask along = 0;
  for (const Axis& axis : axes_) {
    const auto here = static_cast<DimensionMask>(axis.allowed & apart);
    if (axis.level < reach.level || axis.level > outer || here == 0) continue;
    const u64 room = axis.level != reach.level ? axis.units : axis.is_y ? reach.room_y : reach.room_x;
    if (room == 1) continue;
    units *= room;
    along = static_cast<DimensionMask>(along | here);
  }
  if (units == 1) return 1;
  if (has_unrolling()) units = std::min(units, unrolled_to_come(trail, reach, outer, apart));
  u64 tiles = 1;
  for (const int d : bits(along)) {
    tiles *= trail.of(d).most_tiles();
    if (tiles >= units) return units;
  }
  return tiles;
}

UnitsAlong KeptFlows::units_along(const Trail& trail, const Reach& reach) const {
  UnitsAlong out;
  out.fill(1);
  if (unrolled(reach)) return out;
  for (int d = 0; d < c_.dimension_count; ++d)
    if (c_.size[d] > 1) out[d] = units_to_come(trail, reach, c_.level_count - 1, dimension_bit(d));
  return out;
}

bool KeptFlows::unrolled(const Reach& reach) const { return reach.level >= outermost_fanout_ && !reach.has_room(); }

// By the unrolling, along each dimension. Returns whether it says so.
bool KeptFlows::tiles_of_fanout(const Trail& trail, const Reach& reach, int level, TilesInFanouts& tiles) const {
  tiles.fill({});
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    if (is_free(k)) return false;
    if (unrolled(level, k) == 1) continue;
    if (!split(classes_[k]) && std::popcount(classes_[k]) != 1) return false;
    for (const int d : bits(classes_[k])) {
      TilesInFanout& t = tiles[d];
      t = {known_units(level, d), known_units_of(0, level, d), known_units_of(level + 1, c_.level_count, d),
           most_steps_along(d), trail.at_begin(reach.level)[d].tile};
      if (level > reach.level)
        t.part = trail.of(d).tile * not_placed(known_units(reach.level, d), trail, reach.level, dimension_bit(d)) *
                 known_units_of(reach.level + 1, level, d);
    }
  }
  return true;
}

// By the unrolling, the steps along a dimension at most if those along the others are the fewest.
u64 KeptFlows::most_steps_along(int d) const {
  u64 others = 1;
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    if (!contains(classes_[k], d)) {
      others *= unrolling_->steps[k];
      continue;
    }
    for (const int other : bits(classes_[k]))
      if (other != d) others *= ceil_div(u64{c_.size[other]}, known_units_of(0, c_.level_count, other));
  }
  return unrolling_->most_steps / others;
}

u128 KeptFlows::hops_to_come(const Trail& trail, const Reach& reach) const {
  u128 sum = 0;
  TilesInFanouts tiles;
  const int first = !reach.has_room() ? reach.level + 1 : reach.level;
  for (int i = first; i < c_.level_count && has_unrolling(); ++i)
    if (has_network(c_.level[i]) && tiles_of_fanout(trail, reach, i, tiles))
      sum += hops_to_come_.least(c_, i, tiles, unrollable_.x[i], unrollable_.y[i]);
  return sum;
}

bool KeptFlows::networks_to_come(const Reach& reach) const {
  for (int i = reach.level; i < c_.level_count; ++i)
    if (has_network(c_.level[i]) && (i > reach.level || reach.has_room())) return true;
  return false;
}

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
  for (int d = 0; d < c.dimension_count; ++d) words *= cells[d].if_all(trail.of(d).tiles);
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
  if (others == 0) return units > 1 && units >= 2 * most ? 0 : with_units(cells[d], tiles, units);
  u64 least = 0;
  for (u64 here = 1; here <= units && (here == 1 || here < 2 * most); ++here) {
    if (units % here != 0) continue;
    const u64 n = with_units(cells[d], tiles, here) * least_spread(others, units / here, trail, cells);
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
  const auto step = [&](int d) { return t.by_dimension[t.first_of[d]].coefficient; };
  const u64 different = step(a) / std::gcd(step(a), step(b));
  return (c.size[b] - 1) / different + 1;
}

u64 least_cells(const KeptFlows& costs, const Trail& trail, const Reach& reach, int level, std::size_t k,
                std::span<const TrailCells> cells) {
  const DimensionMask of_class = costs.classes()[k];
  const int outermost = costs.compiled().level_count - 1;
  const Reach from = reach.level < level ? Reach{level - 1, 1, 1} : reach;
  const u64 units = costs.has_unrolling() ? costs.class_to_come(trail, from, outermost, k) : 1;
  if (units > 1 && !costs.split(of_class))
    if (const u64 n = least_spread(of_class, units, trail, cells); n != 0) return n;
  u64 n = 1;
  for (const int d : bits(of_class)) {
    const u64 along = units > 1 && costs.split(of_class) ? costs.split_to_come(trail, from, outermost, d) : 1;
    n *= with_units(cells[d], trail.of(d).tiles, along);
  }
  return n;
}

}  // namespace heliolite
