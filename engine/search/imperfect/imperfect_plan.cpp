#include "engine/search/imperfect/imperfect_plan.h"

#include <algorithm>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

constexpr u64 kMostEnds = 4096;  // tried one by one

}  // namespace

ImperfectPlanSpace::ImperfectPlanSpace(const Mapspace& space, bool useful_only)
    : space_(space), useful_only_(useful_only), writer_(space) {
  for (int i = 0; i < space.level_count(); ++i) {
    const LevelSpace& level = space.levels[at(i)];
    const auto add = [&](LoopKind kind, DimensionMask allowed) {
      allowed &= space.non_unit;
      if (allowed != 0)
        loop_places_.push_back(
            {static_cast<u8>(i), kind, static_cast<u8>(place_of(i, kind != LoopKind::Temporal)), allowed});
    };
    add(LoopKind::SpatialX, level.spatial.allowed_x);
    add(LoopKind::SpatialY, level.spatial.allowed_y);
    add(LoopKind::Temporal, level.temporal.allowed);
  }
}

bool ImperfectPlanSpace::apply(ImperfectPlan& plan, const EndMove& move) const {
  set_end(plan, move.loop_place, move.dimension, move.end);
  return absorb(plan, move.dimension, move.absorber);
}

bool ImperfectPlanSpace::absorb(ImperfectPlan& plan, int d, int absorber) const {
  const u64 size = space_.size[at(d)];
  u64 others = 1;
  const int count = static_cast<int>(loop_places_.size());
  for (int s = 0; s < count; ++s)
    if (s != absorber) others = std::min(others * end_at(plan, s, d), size);
  set_end(plan, absorber, d, static_cast<u32>(ceil_div(size, others)));
  u64 left = size;
  for (int s = 0; s < count; ++s) {
    const u64 end = std::min<u64>(end_at(plan, s, d), left);
    set_end(plan, s, d, static_cast<u32>(end));
    left = ceil_div(left, end);
  }
  return legal(plan, d);
}

bool ImperfectPlanSpace::legal(const ImperfectPlan& plan, int d) const {
  const auto dim = at(d);
  for (int s = 0; s < static_cast<int>(loop_places_.size()); ++s) {
    const LoopPlace& loop_place = loop_places_[at(s)];
    const u32 end = end_at(plan, s, d);
    if (end > 1 && (!contains(loop_place.allowed, d) || end > room(plan, d, s))) return false;
  }
  for (int i = 0; i < space_.level_count(); ++i) {
    const LevelSpace& level = space_.levels[at(i)];
    const PlaceFactor& f = plan.tiling[at(place_of(i, true))][dim];
    if (!level.temporal.factor[dim].allows(plan.tiling[at(place_of(i, false))][dim].x) ||
        !level.spatial.factor[dim].allows(u64{f.x} * f.y))
      return false;
    if (space_.one_axis_per_dimension && f.x > 1 && f.y > 1) return false;
  }
  return true;
}

// The largest end the place has room for, the other dimensions as they are.
u64 ImperfectPlanSpace::room(const ImperfectPlan& plan, int d, int loop_place) const {
  const LoopPlace& here = loop_places_[at(loop_place)];
  const LevelSpace& level = space_.levels[here.level];
  if (here.kind == LoopKind::Temporal) return level.temporal.factor[at(d)].max;
  u64 others = 1;
  for (int k = 0; k < space_.dimension_count; ++k)
    if (k != d) others *= end_at(plan, loop_place, k);
  const u64 axis = here.kind == LoopKind::SpatialX ? level.spatial.fanout_x : level.spatial.fanout_y;
  return std::min(axis / others, level.spatial.factor[at(d)].max);
}

void ImperfectPlanSpace::useful_ends(const ImperfectPlan& plan, int d, int loop_place, std::vector<u32>& out) const {
  out.clear();
  u64 inside = 1;
  for (int s = 0; s < loop_place; ++s) inside *= end_at(plan, s, d);
  const u64 left = ceil_div(space_.size[at(d)], inside);
  const u64 most = std::min(room(plan, d, loop_place), left);
  if (most == 0) return;
  if (!useful_only_ && most <= kMostEnds) {
    for (u32 end = 1; end <= most; ++end) out.push_back(end);
    return;
  }
  // Descending: the least end for k iterations outside, for ever larger k.
  if (ceil_div(left, ceil_div(left, most)) != most) out.push_back(static_cast<u32>(most));
  for (u64 k = ceil_div(left, most);;) {
    const u64 end = ceil_div(left, k);
    out.push_back(static_cast<u32>(end));
    if (end == 1) break;
    k = ceil_div(left, end - 1);
  }
  std::reverse(out.begin(), out.end());
}

void ImperfectPlanSpace::list(const ImperfectPlan& plan, int d, bool near, std::vector<EndMove>& out) const {
  std::vector<u32> ends;
  for (int s = 0; s < static_cast<int>(loop_places_.size()); ++s) {
    if (!contains(loop_places_[at(s)].allowed, d)) continue;
    useful_ends(plan, d, s, ends);
    const u32 now = end_at(plan, s, d);
    const auto here = std::lower_bound(ends.begin(), ends.end(), now) - ends.begin();
    for (int k = 0; k < static_cast<int>(ends.size()); ++k) {
      if (ends[at(k)] == now) continue;
      const bool neighbour =
          std::abs(k - static_cast<int>(here)) <= 1 || k == 0 || k + 1 == static_cast<int>(ends.size());
      if (near && !neighbour) continue;
      for (int q = 0; q < static_cast<int>(loop_places_.size()); ++q) {
        const LoopPlace& absorber = loop_places_[at(q)];
        if (q == s || !contains(absorber.allowed, d)) continue;
        // Shrinking the last loop of a dimension on an axis lets the other axis take over; growing never needs that.
        if (absorber.kind != LoopKind::Temporal && ends[at(k)] > now) continue;
        out.push_back({static_cast<u8>(d), static_cast<u8>(s), static_cast<u8>(q), ends[at(k)]});
      }
    }
  }
}

Mapping ImperfectPlanSpace::mapping(const ImperfectPlan& plan) const {
  Mapping out;
  out.keep = plan.keep;
  writer_.write(out, plan.tiling, plan.orders);
  return out;
}

// Each level's loops as they are, the dimensions without one outside them.
ImperfectPlan ImperfectPlanSpace::plan(const Mapping& mapping) const {
  ImperfectPlan out;
  out.keep = mapping.keep;
  std::array<DimensionMask, kMaxLevels> seen{};
  for (const Loop& loop : mapping.loops()) {
    PlaceFactor& f = out.tiling[at(place_of(loop.level, loop.is_spatial()))][loop.dimension];
    (loop.kind == LoopKind::SpatialY ? f.y : f.x) = loop.end;
    if (loop.is_spatial()) continue;
    out.orders.loop[loop.level][out.orders.count[loop.level]++] = loop.dimension;
    seen[loop.level] |= dimension_bit(loop.dimension);
  }
  ImperfectPlan canonical;
  canonical_orders(canonical);
  for (int i = 0; i < space_.level_count(); ++i) {
    const auto level = at(i);
    const auto prefix = space_.levels[level].temporal.order.dimensions();
    const auto ordered = [&](u8 d) { return std::find(prefix.begin(), prefix.end(), d) - prefix.begin(); };
    auto& loops = out.orders.loop[level];
    u8& count = out.orders.count[level];
    for (u8 k = 0; k < canonical.orders.count[level]; ++k) {
      const u8 d = canonical.orders.loop[level][k];
      if (!contains(seen[level], d)) loops[count++] = d;
    }
    std::stable_sort(loops.begin(), loops.begin() + count, [&](u8 a, u8 b) { return ordered(a) < ordered(b); });
  }
  return out;
}

void ImperfectPlanSpace::canonical_orders(ImperfectPlan& plan) const {
  for (int i = 0; i < space_.level_count(); ++i) {
    const TemporalSpace& level = space_.levels[at(i)].temporal;
    auto& loops = plan.orders.loop[at(i)];
    u8& count = plan.orders.count[at(i)];
    DimensionMask left = level.allowed & space_.non_unit;
    const auto add = [&](u8 d) {
      if (contains(left, d)) loops[count++] = d;
      left &= static_cast<DimensionMask>(~(1u << d));
    };
    for (u8 d : level.order.dimensions()) add(d);
    for (u8 d = 0; d < space_.dimension_count; ++d) add(d);
  }
}

bool ImperfectPlanSpace::smallest(ImperfectPlan& plan) const {
  plan = {};
  canonical_orders(plan);
  for (int i = 0; i < space_.level_count(); ++i) plan.keep[at(i)] = space_.levels[at(i)].keep;
  bool possible = true;
  for (int d = 0; d < space_.dimension_count; ++d) {
    if (!contains(space_.non_unit, d)) continue;
    for (int i = 0; i < space_.level_count(); ++i) {
      const LevelSpace& level = space_.levels[at(i)];
      const auto least = [&](const FactorLimit& limit) { return static_cast<u32>(limit.min); };
      const auto dim = at(d);
      PlaceFactor& spatial = plan.tiling[at(place_of(i, true))][dim];
      (contains(level.spatial.allowed_x, d) ? spatial.x : spatial.y) = least(level.spatial.factor[dim]);
      plan.tiling[at(place_of(i, false))][dim].x = least(level.temporal.factor[dim]);
    }
    bool done = false;
    const ImperfectPlan start = plan;
    for (int s = static_cast<int>(loop_places_.size()); s-- > 0 && !done;) {
      if (!contains(loop_places_[at(s)].allowed, d)) continue;
      plan = start;
      done = absorb(plan, d, s);
    }
    possible &= done;
  }
  return possible;
}

}  // namespace heliolite
