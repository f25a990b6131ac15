#include "engine/search/all_tiles/tile_plans.h"

#include <algorithm>

#include "engine/base/integers.h"

namespace heliolite {

Mapping TilePlans::mapping(const TilePlan& plan) const {
  Mapping out;
  out.keep = plan.keep;
  PlaceFactors tiling{};
  for (int i = 0; i < space_.level_count(); ++i)
    for (const int d : bits(space_.non_unit)) {
      tiling[place_of(i, true)][d] = {plan.factor[loop_place_of(LoopKind::SpatialX, i)][d],
                                      plan.factor[loop_place_of(LoopKind::SpatialY, i)][d]};
      tiling[place_of(i, false)][d].x = plan.temporal(i, d);
    }
  writer_.write(out, tiling, plan.order);
  return out;
}

// Each level's loops as they are, the dimensions without one outside them.
TilePlan TilePlans::plan(const Mapping& mapping) const {
  TilePlan out;
  out.keep = mapping.keep;
  std::array<DimensionMask, kMaxLevels> seen{};
  for (const Loop& loop : mapping.loops()) {
    out.factor[loop_place_of(loop.kind, loop.level)][loop.dimension] = loop.end;
    if (loop.is_spatial()) continue;
    out.order.loop[loop.level][out.order.count[loop.level]++] = loop.dimension;
    seen[loop.level] |= dimension_bit(loop.dimension);
  }
  TilePlan canonical;
  canonical_orders(canonical);
  for (int i = 0; i < space_.level_count(); ++i) {
    const auto level = at(i);
    const auto prefix = space_.levels[level].temporal.order.dimensions();
    const auto ordered = [&](u8 d) { return std::find(prefix.begin(), prefix.end(), d) - prefix.begin(); };
    auto& loops = out.order.loop[level];
    u8& count = out.order.count[level];
    for (u8 k = 0; k < canonical.order.count[level]; ++k) {
      const u8 d = canonical.order.loop[level][k];
      if (!contains(seen[level], d)) loops[count++] = d;
    }
    std::stable_sort(loops.begin(), loops.begin() + count, [&](u8 a, u8 b) { return ordered(a) < ordered(b); });
  }
  return out;
}

void TilePlans::canonical_orders(TilePlan& plan) const {
  for (int i = 0; i < space_.level_count(); ++i) {
    const TemporalSpace& level = space_.levels[i].temporal;
    auto& loops = plan.order.loop[i];
    u8& count = plan.order.count[i];
    DimensionMask left = level.allowed & space_.non_unit;
    const auto add = [&](u8 d) {
      if (contains(left, d)) loops[count++] = d;
      left &= static_cast<DimensionMask>(~(1u << d));
    };
    for (u8 d : level.order.dimensions()) add(d);
    for (u8 d = 0; d < space_.dimension_count; ++d) add(d);
  }
}

bool TilePlans::smallest(TilePlan& plan) const {
  plan = {};
  canonical_orders(plan);
  for (int i = 0; i < space_.level_count(); ++i) plan.keep[i] = space_.levels[i].keep;
  bool possible = true;
  for (int d = 0; d < space_.dimension_count; ++d) {
    if (!contains(space_.non_unit, d)) continue;
    for (int i = 0; i < space_.level_count(); ++i) {
      const LevelSpace& level = space_.levels[i];
      const auto dim = at(d);
      const LoopKind axis = contains(level.spatial.allowed_x, d) ? LoopKind::SpatialX : LoopKind::SpatialY;
      plan.factor[loop_place_of(axis, i)][dim] = static_cast<u32>(level.spatial.factor[dim].min);
      plan.temporal(i, d) = static_cast<u32>(level.temporal.factor[dim].min);
    }
    bool done = false;
    const LoopColumn least = moves_.column(plan.factor, d);
    for (int p = moves_.place_count(); p-- > 0 && !done;) {
      if (!contains(moves_.allowed(p), d)) continue;
      moves_.restore(plan.factor, d, least);
      done = moves_.absorb(plan.factor, d, p);
    }
    possible &= done;
  }
  return possible;
}

namespace {

constexpr u64 kClockEvery = 256;  // evaluations between two looks at the clock

// Moves loop `from` of a level to place `to`, the others close up.
void move_loop(std::array<u8, kMaxDimensions>& loops, int from, int to) {
  const auto first = loops.begin();
  if (from < to) std::rotate(first + from, first + from + 1, first + to + 1);
  else std::rotate(first + to, first + from, first + from + 1);
}

}  // namespace

Score TileClimbSpace::price(const TilePlan& plan) {
  if (++evaluated_ % kClockEvery == 0) stopped_ |= budget_.over();
  const Evaluation e = problem_.evaluate(plans_.mapping(plan));
  if (e.verdict != Verdict::Fits) return {};
  return {true, e.cost, Value::of(problem_.options.objective, e.cost)};
}

Score TileClimbSpace::choose_orders(TilePlan& plan) {
  const Score score = price(plan);
  return score.fits ? better_orders(plan, score) : score;
}

Score TileClimbSpace::better_orders(TilePlan& plan, Score score) {
  const Mapspace& space = plans_.space();
  const PlanKey key(plan);
  for (int i = 1; i < space.level_count(); ++i) {
    const auto prefix = space.levels[i].temporal.order.dimensions();
    // Loops of one iteration are moved out of the way: only the present ones have places.
    const LevelOrders before = plan.order;
    auto& loops = plan.order.loop[i];
    const auto end = loops.begin() + plan.order.count[i];
    const auto is_loop = [&](u8 d) { return plan.temporal(i, d) > 1; };
    const auto present = static_cast<int>(std::stable_partition(loops.begin(), end, is_loop) - loops.begin());
    const auto ordered = static_cast<int>(std::count_if(loops.begin(), loops.begin() + present, [&](u8 d) {
      return std::find(prefix.begin(), prefix.end(), d) != prefix.end();
    }));
    bool any = false;
    for (int from = ordered; from < present; ++from)
      for (int to = ordered; to < present; ++to) {
        if (from == to || from == to + 1 || is_exhausted()) continue;  // neighbours swap once
        const auto now = loops;
        move_loop(loops, from, to);
        const Score trial = visited_.add(key.with(OrderKey(plan.order))) ? price(plan) : Score{};
        if (trial.value < score.value) score = trial, any = true;
        else loops = now;
      }
    if (!any) plan.order = before;
  }
  return score;
}

}  // namespace heliolite
