#include "engine/search/ladder.h"

#include <algorithm>

namespace heliolite {
namespace {

Architecture cut_above(const Architecture& whole, std::size_t level) {
  Architecture out = whole;
  out.levels.resize(level + 1);
  if (level + 1 < whole.levels.size()) out.levels.back().entries.reset();
  return out;
}

// Declaration order, behind the machine's own innermost loops.
std::vector<u8> spatial_order(const Mapspace& space, const SpatialSpace& fanout) {
  std::vector<u8> out;
  DimensionMask left = space.non_unit;
  const auto add = [&](u8 d) {
    if (left >> d & 1) out.push_back(d);
    left &= static_cast<DimensionMask>(~(1u << d));
  };
  for (u8 d : fanout.order.dimensions()) add(d);
  for (u8 d = 0; d < space.dimension_count; ++d) add(d);
  return out;
}

// The loops of an order that exist, as a key: two orders with equal keys give the same nest.
u64 present_loops(const LoopOrder& order, const Extents& a, const Extents& b) {
  u64 key = 1;
  for (u8 d : order.loops())
    if (a[d] > 1 || b[d] > 1) key = key << 4 | d;
  return key;
}

}  // namespace

Ladder::Ladder(const Workload& workload, const Architecture& architecture, const Mapspace& space,
               std::vector<std::vector<LoopOrder>> orders, Objective objective,
               const std::array<TensorMask, kMaxLevels>& keep, const std::atomic<bool>* stop)
    : space_(space), orders_(std::move(orders)), objective_(objective), footprint_(workload), stop_(stop) {
  const std::size_t levels = architecture.levels.size();
  for (std::size_t i = 0; i < levels; ++i) {
    models_.emplace_back(workload, cut_above(architecture, i));
    spatial_order_[i] = spatial_order(space, space.levels[i].spatial);
  }
  compulsory_ = compulsory_cost(models_.back(), {keep, keep});
  for (std::size_t i = 0; i < levels; ++i) {
    CapacityTest& test = capacity_.emplace_back(footprint_);
    for (std::size_t outer = i; outer < levels; ++outer) test.add(architecture.levels[outer], keep[outer]);
  }
  u64 outside = 1;
  for (std::size_t i = levels; i-- > 0;) {
    fanout_outside_[i] = outside;
    outside *= architecture.levels[i].fanout_x * architecture.levels[i].fanout_y;
  }
}

void Ladder::write(Mapping& out, const Plan& plan, int top, const Extents& rest) const {
  out.level_count = static_cast<u8>(top + 1);
  out.loop_count = 0;
  for (int i = 0; i <= top; ++i) {
    out.keep[i] = plan.keep[i];
    if (space_.levels[static_cast<std::size_t>(i)].spatial.exists())
      for (LoopKind axis : {LoopKind::SpatialX, LoopKind::SpatialY}) {
        const Extents& factor = plan.factor[slot_of(axis, i)];
        for (u8 d : spatial_order_[i]) out.add(axis, i, d, factor[d]);
      }
    const auto loops = orders(i)[plan.order[i]].loops();
    const Extents& temporal = plan.factor[slot_of(LoopKind::Temporal, i)];
    for (u8 d : loops) out.add(LoopKind::Temporal, i, d, temporal[d]);
    if (i == top)
      for (u8 d : loops) out.add(LoopKind::Temporal, i, d, rest[d]);
  }
}

Mapping Ladder::mapping(const Plan& plan) const {
  const Extents none = unit_extents();
  Mapping out;
  write(out, plan, levels() - 1, none);
  return out;
}

Score Ladder::score(const Plan& plan, int top, const Extents& rest) {
  ++evaluated_;
  write(scratch_, plan, top, rest);
  const Evaluation e = models_[static_cast<std::size_t>(top)].evaluate(scratch_);
  if (e.verdict != Verdict::Fits) return {};
  const Cost& outside = compulsory_.outside[top];
  const u64 cycles =
      fanout_outside_[top] == 1 ? e.cost.cycles : (e.cost.cycles + fanout_outside_[top] - 1) / fanout_outside_[top];
  const Cost cost{e.cost.energy + outside.energy, std::max(cycles, outside.cycles)};
  return {true, cost, Value::of(objective_, cost)};
}

Score Ladder::choose_orders(Plan& plan, int first, int top, const Extents& rest) {
  Score best = score(plan, top, rest);
  if (!best.fits) return best;
  const Extents none = unit_extents();
  for (int i = std::max(first, 1); i <= top; ++i) {  // the order at the innermost level never matters
    const Extents& own = plan.factor[slot_of(LoopKind::Temporal, i)];
    const Extents& outer = i == top ? rest : none;
    std::array<u64, 64> seen;
    std::size_t seen_count = 0;
    const u16 start = plan.order[i];
    u16 chosen = start;
    seen[seen_count++] = present_loops(orders(i)[start], own, outer);
    const auto count = static_cast<u16>(orders(i).size());
    for (u16 o = 0; o < count; ++o) {
      const u64 key = present_loops(orders(i)[o], own, outer);
      if (std::find(seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(seen_count), key) !=
          seen.begin() + static_cast<std::ptrdiff_t>(seen_count))
        continue;
      if (seen_count < seen.size()) seen[seen_count++] = key;
      plan.order[i] = o;
      const Score s = score(plan, top, rest);
      if (s.value < best.value) {
        best = s;
        chosen = o;
      }
    }
    plan.order[i] = chosen;
  }
  return best;
}

}  // namespace heliolite
