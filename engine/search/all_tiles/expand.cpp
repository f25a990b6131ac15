// A partial mapping is expanded, by all that may come next in it: loops of the present fan-out or level, or the next
// one; but for temporal loops that are left out, as a mapping with them elsewhere is no worse.
#include <algorithm>
#include <utility>

#include "engine/base/integers.h"
#include "engine/model/true_counts/nest.h"
#include "engine/search/all_tiles/partial_search.h"
#include "engine/space/divisors.h"

namespace heliolite {

bool PartialSearch::spatial_done(const Node& node) const {
  const SpatialSpace& s = problem_.space.levels[node.level].spatial;
  std::array<u64, kMaxDimensions> factor;
  factor.fill(1);
  for (int l = trail_.first(node.level); l < trail_.size(); ++l)
    if (trail_[l].is_spatial()) factor[trail_[l].dimension] *= trail_[l].end;
  for (int d = 0; d < c_.dimension_count; ++d)
    if (!s.factor[d].allows(factor[d])) return false;
  return true;
}

// Whether this room of the fan-out below a level can make the rest of what its unrolling asks for.
bool PartialSearch::has_room_for_rest(int level, u64 room, const KeptFlows& costs) const {
  if (!costs.has_unrolling()) return true;
  u64 left = 1;
  for (std::size_t k = 0; k < costs.classes().size(); ++k)
    if (!costs.is_free(k)) left *= costs.units_left(trail_, level, k);
  return left <= room;
}

bool PartialSearch::temporal_done(int level) const {
  const TemporalSpace& t = problem_.space.levels[level].temporal;
  for (int d = 0; d < c_.dimension_count; ++d) {
    if (t.factor[d].min > 1 && !contains(place_.temporal, d)) return false;
    if (level + 1 == c_.level_count && trail_.of(d).tiles > 1) return false;
  }
  return true;
}

// The node that has no further loop at this stage: at the next one that may have some.
void PartialSearch::next_stage(const Node& node, u32 index) {
  if (node.stage != kTemporal && gate_.prunes(Rule::Symmetry, [&] { return is_mirrored(node); })) return;
  Node next = node;
  next.parent = index, next.end = 0, next.dimension = 0, next.revived = false;
  const Place before = place_;
  while (is_done(next)) {
    if (next.stage == kTemporal && next.level + 1 == c_.level_count) {
      complete(node, index);
      break;
    }
    advance_stage(next);
    if (next.stage == kX && !can_be_gone_through(next.level)) break;
    if (has_loops(next)) {
      child(next);
      break;
    }
  }
  place_ = before;
}

// Whether a stage may have no more loops, or none.
bool PartialSearch::is_done(const Node& node) {
  switch (node.stage) {
    case kX: return true;
    case kY: return spatial_done(node) && has_room_for_rest(node.level, 1, space(node).costs);
    default: return temporal_done(node.level);
  }
}

// Whether the loops of a level and of those outside it may go through all tiles of the level inside.
bool PartialSearch::can_be_gone_through(int level) const {
  for (int d = 0; d < c_.dimension_count; ++d)
    if (trail_.of(d).tiles > limits_.most_tiles[level - 1][d]) return false;
  return true;
}

// To the next stage.
void PartialSearch::advance_stage(Node& node) {
  if (node.stage == kTemporal) {
    ++node.level;
    trail_.begin(node.level);
    place_ = fresh_place(node.level);
    node.stage = kX;
  } else {
    node.stage = node.stage == kX ? kY : kTemporal;
  }
}

// Whether a stage that has none yet may have loops.
bool PartialSearch::has_loops(const Node& node) const {
  if (node.stage != kTemporal) return has_axis(node.level, static_cast<Stage>(node.stage));
  for (int d = 0; d < c_.dimension_count; ++d)
    if (may_loop(node.level, d)) return true;
  return false;
}

// Whether there may be loops along an axis of the fan-out below a level.
bool PartialSearch::has_axis(int level, Stage axis) const {
  const SpatialSpace& s = problem_.space.levels[level].spatial;
  return axis == kX ? s.fanout_x > 1 && s.allowed_x != 0 : s.fanout_y > 1 && s.allowed_y != 0;
}

void PartialSearch::spatial(const Node& node, u32 index) {
  const SpatialSpace& s = problem_.space.levels[node.level].spatial;
  const bool x = node.stage == kX;
  const u64 room = x ? place_.room_x : place_.room_y;
  if (room == 1) return;
  const DimensionMask allowed = x ? s.allowed_x : s.allowed_y;
  const std::vector<u8>& order = spatial_order_[node.level];
  auto next = order.begin();
  if (node.end > 1) next = std::ranges::find(order, node.dimension) + 1;
  for (; next != order.end(); ++next) {
    const u8 d = *next;
    if (!contains(allowed, d) || (!x && problem_.space.one_axis_per_dimension && contains(place_.x, d))) continue;
    const u64 most = std::min<u64>({room, trail_.of(d).tiles, s.factor[d].max});
    const u64 left = space(node).costs.units_left_along(d, trail_, node.level);  // 0: any
    for (u32 end = 2; end <= most; ++end) {
      if (left % end != 0) continue;
      if (!x && gate_.prunes(Rule::ColumnsFirst, [&] { return may_have_more_columns(node, d, end); })) continue;
      if (!with_loop(looped(index, d, end), x ? LoopKind::SpatialX : LoopKind::SpatialY, end)) break;
    }
  }
}

// Whether the loops of an axis that is done are the first over dimensions that change places (rule symmetry), and it is
// the mapping with these swapped that stands for both.
bool PartialSearch::is_mirrored(const Node& node) const {
  const LoopKind axis = node.stage == kX ? LoopKind::SpatialX : LoopKind::SpatialY;
  Extents along;
  along.fill(1);
  int begin = trail_.size();
  for (; begin > trail_.first(node.level) && trail_[begin - 1].kind == axis; --begin)
    along[trail_[begin - 1].dimension] *= trail_[begin - 1].end;
  return symmetry_ && !stands_for_image(node) && moved_ >= begin && !symmetry_->stands(along);
}

bool PartialSearch::may_loop(int level, int d) const {
  const TemporalSpace& t = problem_.space.levels[level].temporal;
  if (!contains(t.allowed, d) || contains(place_.temporal, d) || trail_.of(d).tiles == 1) return false;
  DimensionMask before = 0;  // what may be inside a loop over d
  for (const u8 p : t.order.dimensions()) {
    if (p == d) return (place_.temporal & ~before) == 0;
    before = static_cast<DimensionMask>(before | dimension_bit(p));
  }
  return true;
}

// The ends of a loop over d at the level that stand for all, where the rule leaves some out; null: all are tried.
const std::vector<u32>* PartialSearch::few_ends(int level, int d) {
  const FactorLimit& limit = problem_.space.levels[level].temporal.factor[d];
  const bool fixed = limit.min > 1 || limit.max < c_.size[d];
  const bool few = problem_.options.rules[Rule::CandidateEnds] && !fixed && (dominance_ || !other_ends_);
  if (!few || level + 1 == c_.level_count || contains(unrolled_outside_[level], d)) return nullptr;
  const u32 tiles = trail_.of(d).tiles;
  bool inside = false;
  for (int l = 0; l < trail_.size(); ++l) inside |= trail_[l].dimension == d && trail_[l].is_spatial();
  const bool divides = c_.size[d] % trail_.of(d).tile == 0;
  const u64 key = u64{tiles} << 2 | u64{divides} << 1 | u64{inside};
  const auto [it, is_new] = candidates_.try_emplace(key);
  if (is_new) {
    it->second = candidate_ends({tiles, divides, inside, false});
    std::erase(it->second, 1u);
  }
  return &it->second;
}

// Calls take(end) for the ends of a loop over d at the level, until it returns false.
template <class Take>
void PartialSearch::each_end(int level, int d, Take take) {
  const u32 tiles = trail_.of(d).tiles;
  if (const std::vector<u32>* const few = few_ends(level, d)) {
    for (const u32 end : *few)
      if (!take(end)) return;
    return;
  }
  const FactorLimit& limit = problem_.space.levels[level].temporal.factor[d];
  const u64 first = level + 1 == c_.level_count ? tiles : 2;
  for (u64 end = std::max<u64>(2, first); end <= tiles; ++end)
    if (limit.allows(end) && !take(static_cast<u32>(end))) return;
}

// Whether the budget or the memory ends the run amid the loops of a node.
bool PartialSearch::interrupted() {
  constexpr u64 kLoopsBetweenLooks = 256;
  if (++loops_ % kLoopsBetweenLooks != 0) return interrupted_ != SearchEnd::Done;
  if (budget_->over()) interrupted_ = budget_->stopped() ? SearchEnd::Stopped : SearchEnd::Time;
  else if (bytes() + keeps_.bytes() + held_elsewhere_ > problem_.options.memory_bytes) interrupted_ = SearchEnd::Memory;
  return interrupted_ != SearchEnd::Done;
}

// One more temporal loop, of all or of those that are, or are not, left out as they are no worse elsewhere.
void PartialSearch::temporal(const Node& node, u32 index, Loops which) {
  for (int d = 0; d < c_.dimension_count; ++d) {
    if (!may_loop(node.level, d)) continue;
    // The first loop over dimensions that change places says which image is looked at, or the unrolling does.
    const bool one_stands = moved_ == trail_.size() && !stands_for_image(node);
    if (one_stands && gate_.prunes(Rule::Symmetry, [&] { return symmetry_ && symmetry_->image(d) < d; })) continue;
    const Relocation known = which == Loops::All ? Relocation{} : relocation(node, d);
    each_end(node.level, d, [&](u32 end) {
      if (interrupted()) return false;
      const bool out = is_relocated(known, node, d, end);
      if (out && which == Loops::Kept) node_[index].leaves_out = true;
      if (out != (which == Loops::LeftOut)) return true;
      return with_loop(looped(index, static_cast<u8>(d), end), LoopKind::Temporal, end);
    });
    if (interrupted_ != SearchEnd::Done) return;
  }
}

// The ends that a temporal loop's own end has stood for: as many tiles are left, but words of tensors that slide may be
// fewer than the bound knows (docs/rules/any_factors.md, Dominance).
void PartialSearch::other_ends(u32 index) {
  const Node node = node_[index];
  if (node.stage != kTemporal || node.end <= 1 || node.parent == kNone) return;
  rebuild(node.parent);
  const u32 tiles = trail_.of(node.dimension).tiles;
  const std::vector<u32>* const few = few_ends(node.level, node.dimension);
  if (few == nullptr) return;
  const std::vector<u32> known = *few;
  const auto is_known = [&](u32 end) { return std::ranges::find(known, end) != known.end(); };
  if (!is_known(node.end)) return;
  // Those that leave as many tiles.
  const u64 left = ceil_div(u64{tiles}, u64{node.end});
  for (u64 end = std::max<u64>(2, ceil_div(u64{tiles}, left)); end <= tiles && ceil_div(u64{tiles}, end) == left;
       ++end) {
    // What is left out here is not made up for: only a search that nobody goes on with ends amid it.
    if (budget_->stopped()) {
      interrupted_ = SearchEnd::Stopped;
      return;
    }
    if (is_known(static_cast<u32>(end))) continue;
    if (!with_loop(looped(node.parent, node.dimension, static_cast<u32>(end)), LoopKind::Temporal,
                   static_cast<u32>(end)))
      break;
  }
}

// The parent's with one loop more of its stage; nothing is known of its cost.
PartialSearch::Node PartialSearch::looped(u32 parent, u8 d, u32 end) const {
  const Node& p = node_[parent];
  return {{}, 0, parent, end, p.unrolling, p.root, p.keep, p.level, p.stage, d};
}

// Steps 2 and 3 for one more loop. Returns whether its tile fits; with larger ends none does if it does not.
bool PartialSearch::with_loop(Node node, LoopKind kind, u32 end) {
  keeps_.look_ahead(space(node), trail_, reach(node_[node.parent]));
  trail_.push(kind, node.level, node.dimension, end);
  if (!fits(node.level, node.keep)) {
    trail_.pop();
    return false;
  }
  const Place before = place_;
  if (kind == LoopKind::SpatialX) place_.room_x /= end;
  else if (kind == LoopKind::SpatialY) place_.room_y /= end;
  else place_.temporal |= dimension_bit(node.dimension);
  child(node);
  trail_.pop();
  place_ = before;
  return true;
}

// Whether the present tile fits the level and those outside.
bool PartialSearch::fits(int level, u32 choice) const {
  const KeptFlows& costs = keeps_[choice].costs;
  Extents tile{};
  for (int d = 0; d < c_.dimension_count; ++d) tile[d] = static_cast<u32>(std::min<u64>(trail_.of(d).tile, c_.size[d]));
  for (int i = level; i < c_.level_count; ++i)
    if (c_.level[i].room != CompiledLevel::kUnbounded && !costs.fits(i, tile)) return false;
  return true;
}

// Rules push-in and free-loops: temporal loops that are left out, as a mapping with them elsewhere is no worse
// (docs/rules/any_factors.md, Loops elsewhere).

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
