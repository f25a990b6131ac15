// Rules push-in and free-loops: temporal loops that are left out, as a mapping with them elsewhere is no worse
// (docs/rules/any_factors.md, Loops elsewhere).
#include <algorithm>
#include <utility>

#include "engine/base/integers.h"
#include "engine/search/all_tiles/partial_search.h"
#include "engine/space/divisors.h"

namespace heliolite {

// What is known of all loops over d that may come next.
PartialSearch::Relocation PartialSearch::relocation(const Node& node, int d) const {
  Relocation out;
  out.before = gate_.prunes(Rule::FreeLoops, [&] { return is_no_worse_before(node, d); });
  if (out.before || !gate_.on(Rule::PushIn)) return out;
  out.inside = iterations_inside(node, d);
  if (out.inside > 0) out.most_inside = most_that_fits_inside(node, d);
  return out;
}

// Whether a loop over d around those of its level is no worse inside the last of them: there it moves nothing, either.
// If two may change places the one over the lower dimension is inside.
bool PartialSearch::is_no_worse_before(const Node& node, int d) const {
  if (node.end <= 1 || problem_.space.levels[node.level].temporal.order.count > 0) return false;
  const DimensionMask not_plain = keeps_[node.keep].costs.not_plain_inside(node.level);
  if (contains(not_plain, d) || contains(not_plain, node.dimension)) return false;
  return lowest_[d] < lowest_[node.dimension] && !contains(node_[node.parent].moves, d);
}

// How many iterations a loop over d has in the level inside, if part of one that comes next may stand there, too: there
// it is absent (1) or may be outermost, and at its own level it may be innermost. 0: it may not.
u64 PartialSearch::iterations_inside(const Node& node, int d) const {
  const KeptFlows& costs = keeps_[node.keep].costs;
  const int level = node.level;
  if (!costs.loops_inside(level) || contains(costs.not_plain_inside(level), d)) return 0;
  const TemporalSpace& inside = problem_.space.levels[level - 1].temporal;
  if (!contains(inside.allowed, d) || inside.order.count > 0) return 0;
  u64 out = 1;
  DimensionMask stay = 0;  // loops over these are worse inside the one over d
  for (int l = trail_.first(level - 1); l < trail_.size(); ++l) {
    const TrailLoop& loop = trail_[l];
    const DimensionMask moves = node_[before_[l]].moves;
    if (loop.level == level && loop.dimension == d) return 0;  // units stand between
    if (loop.is_spatial()) continue;
    if (loop.level == level) {
      if (contains(moves, d) || contains(costs.not_plain_inside(level), loop.dimension)) return 0;
    } else if (loop.dimension == d) {
      out = loop.end, stay = static_cast<DimensionMask>(moves | costs.not_plain_inside(level - 1));
    } else if (contains(stay, loop.dimension)) {
      return 0;
    }
  }
  return out;
}

// Whether the level inside has room for a tile `times` as long.
bool PartialSearch::fits_inside(const Node& node, int d, u32 times) const {
  const int level = node.level - 1;
  if (c_.level[level].room == CompiledLevel::kUnbounded) return true;
  Extents tile{};
  for (int k = 0; k < c_.dimension_count; ++k) {
    const u64 nominal = trail_.at_begin(node.level)[k].tile * (k == d ? times : 1);
    tile[k] = static_cast<u32>(std::min<u64>(nominal, c_.size[k]));
  }
  return keeps_[node.keep].costs.fits(level, tile);
}

// How many times as long the tile of the level inside may be along d.
u32 PartialSearch::most_that_fits_inside(const Node& node, int d) const {
  u32 most = trail_.of(d).tiles, fits = 1;
  while (fits < most) {
    const u32 times = fits + (most - fits + 1) / 2;
    if (fits_inside(node, d, times)) fits = times;
    else most = times - 1;
  }
  return fits;
}

// Whether a loop of `end` iterations is no worse if a part of it stands in the level inside.
bool PartialSearch::is_no_worse_inside(const Node& node, int d, u32 end, const Relocation& known) {
  const u32 part = end >= trail_.of(d).tiles ? 2 : least_part(end);  // of the last loop any part
  const auto allows = [&](int level, u64 factor) {
    return problem_.space.levels[level].temporal.factor[d].allows(factor);
  };
  return part <= known.most_inside && allows(node.level, ceil_div(end, part)) &&
         allows(node.level - 1, known.inside * part);
}

// The least prime of a number of iterations.
u32 PartialSearch::least_part(u32 end) {
  if (end >= kPrimes) return static_cast<u32>(least_prime(end));
  if (least_part_.empty()) least_part_.resize(kPrimes);
  u32& part = least_part_[end];
  if (part == 0) part = static_cast<u32>(least_prime(end));
  return part;
}

// Whether the units of the fan-out with one loop more along Y may be divided otherwise, with more of them along X (rule
// columns-first).
bool PartialSearch::may_have_more_columns(const Node& node, int d, u32 end) {
  const SpatialSpace& fanout = problem_.space.levels[node.level].spatial;
  if (c_.level[node.level].network_costs || problem_.space.one_axis_per_dimension || fanout.order.count > 0)
    return false;
  UnitsOfLevel units{node.level, {}};
  std::array<u32, kMaxDimensions> along_x;
  units.along.fill(1), along_x.fill(1);
  for (int l = trail_.first(node.level); l < trail_.size(); ++l) {
    units.along[trail_[l].dimension] *= trail_[l].end;
    if (trail_[l].kind == LoopKind::SpatialX) along_x[trail_[l].dimension] *= trail_[l].end;
  }
  units.along[d] *= end;
  const auto [it, is_new] = most_columns_.try_emplace(units);
  if (is_new) it->second = highest_column_rank(fanout, units.along, lowest_);
  return column_rank(along_x, lowest_) < it->second;
}

bool PartialSearch::is_relocated(const Relocation& known, const Node& node, int d, u32 end) {
  if (known.before || known.most_inside < 2) return known.before;
  return gate_.prunes(Rule::PushIn, [&] { return is_no_worse_inside(node, d, end, known); });
}

// From now on nothing is left out, and what has been has its turn: that of the partial mappings that it goes on from.
void PartialSearch::readmit_pruned_loops() {
  if (!std::exchange(leaves_out_, false)) return;
  for (u32 n = 0; n < node_.size(); ++n)
    if (node_[n].leaves_out) fresh_.push_back(n);
}

}  // namespace heliolite
