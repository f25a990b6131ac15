#include "engine/search/sunstone/ladder.h"

#include <algorithm>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

// Nothing overflows at this level or outside it.
Architecture roomy_from(const Architecture& whole, std::size_t level) {
  Architecture out = whole;
  for (std::size_t i = level; i < out.levels.size(); ++i) out.levels[i].entries.reset();
  return out;
}

Architecture cut_above(const Architecture& whole, std::size_t level) {
  Architecture out = whole;
  out.levels.resize(level + 1);
  if (level + 1 < whole.levels.size()) out.levels.back().entries.reset();
  return out;
}

// The loops over time of one level of a nest that has been read, to be put in other orders.
class LevelLoops {
 public:
  LevelLoops(const Compiled& c, Nest& nest, int level) : nest_(nest), begin_(nest.first_temporal[level]) {
    end_ = level + 1 < c.level_count ? nest.first[level + 1] : nest.loop_count;
    if (begin_ < end_) outside_ = nest.beyond[end_ - 1];
    for (int j = begin_; j < end_; ++j) {
      const NestLoop& loop = nest.loop[j];
      auto& mine = of_[loop.dimension];
      mine[has_[loop.dimension]++] = loop;  // inner first: the plan's own, then the rest's
    }
  }

  int count() const { return end_ - begin_; }

  // The loops of an order that exist, as a key: two orders with equal keys give the same nest.
  u64 key(const LoopOrder& order) const {
    u64 key = 1;
    for (u8 d : order.loops())
      if (has_[d] != 0) key = key << 4 | d;
    return key;
  }

  // The plan's own loops in this order, outside them the rest's. `own` as the level's factors: above 1 if it has one.
  void put(const LoopOrder& order, const Extents& own) {
    const LoopMask here = ((LoopMask{1} << count()) - 1) << begin_;
    for (u8 d : order.loops()) nest_.of[d] &= ~here;
    int j = begin_;
    const auto place = [&](const NestLoop& loop) {
      nest_.loop[j] = loop;
      nest_.of[loop.dimension] |= LoopMask{1} << j++;
    };
    for (u8 d : order.loops())
      if (own[d] > 1) place(of_[d][0]);
    for (u8 d : order.loops())
      if (const int inner = own[d] > 1; has_[d] > inner) place(of_[d][at(inner)]);
    u64 product = outside_;
    for (int k = end_; k > begin_; product *= nest_.loop[k].end) nest_.beyond[--k] = product;
  }

 private:
  Nest& nest_;
  int begin_, end_;
  u64 outside_ = 1;  // product of the ends of the levels outside
  std::array<std::array<NestLoop, 2>, kMaxDimensions> of_;
  std::array<u8, kMaxDimensions> has_{};
};

}  // namespace

// A plan's loops as Nest::read() takes them.
class Ladder::PlanLoops {
 public:
  PlanLoops(const Ladder& ladder, const Plan& plan, int top, const Extents& rest)
      : ladder_(ladder), plan_(plan), top_(top), rest_(rest) {}

  template <class Add>
  void spatial(int level, Add&& add) const {
    if (level > top_) return;
    const auto& dimensions = ladder_.spatial_order_[at(level)];
    for (LoopKind axis : {LoopKind::SpatialX, LoopKind::SpatialY}) {
      const Extents& factor = plan_.factor[loop_place_of(axis, level)];
      for (u8 d : dimensions)
        if (factor[d] > 1) add(axis, d, factor[d]);
    }
  }
  template <class Add>
  void temporal(int level, Add&& add) const {
    if (level > top_) return;
    const LoopOrder& order = ladder_.orders(level)[plan_.order[level]];
    const Extents& factor = plan_.factor[loop_place_of(LoopKind::Temporal, level)];
    for (u8 k = 0; k < order.count; ++k)
      if (const u8 d = order.loop[k]; factor[d] > 1) add(d, factor[d]);
    if (level != top_) return;
    for (u8 k = 0; k < order.count; ++k)
      if (const u8 d = order.loop[k]; rest_[d] > 1) add(d, rest_[d]);
  }

 private:
  const Ladder& ladder_;
  const Plan& plan_;
  int top_;
  const Extents& rest_;
};

Ladder::Ladder(const Workload& workload, const Architecture& architecture, const Mapspace& space,
               std::vector<std::vector<LoopOrder>> orders, Objective objective, const KeepMasks& keep,
               const SearchBudget& budget)
    : space_(space),
      own_(workload, architecture),
      orders_(std::move(orders)),
      objective_(objective),
      footprint_(workload),
      budget_(budget),
      last_evaluation_(budget.evaluations_left(0)) {
  const std::size_t levels = architecture.levels.size();
  for (std::size_t i = 0; i < levels; ++i) {
    cut_.emplace_back(workload, cut_above(architecture, i));
    roomy_.emplace_back(workload, i + 1 < levels ? roomy_from(architecture, i) : architecture);
    const SpatialSpace& fanout = space.levels[i].spatial;
    if (fanout.exists()) spatial_order_[i] = canonical_order(space, fanout.order);
  }
  u64 outside = 1;
  for (std::size_t i = levels; i-- > 0;) {
    fanout_outside_[i] = outside;
    outside *= architecture.levels[i].fanout_x * architecture.levels[i].fanout_y;
  }
  set_keep(keep);
}

void Ladder::use(const CostModel& machine) {
  model_ = &machine;
  const auto copy = [&](Compiled& to, std::size_t i, bool bounded) {
    const u64 capacity = to.level[i].capacity_words;
    to.level[i] = compiled().level[i];
    if (!bounded) to.level[i].capacity_words = capacity;
  };
  const std::size_t top = cut_.size() - 1;
  for (std::size_t k = 0; k <= top; ++k) {
    for (std::size_t i = 0; i <= k; ++i) copy(cut_[k], i, i < k || k == top);
    for (std::size_t i = 0; i <= top; ++i) copy(roomy_[k], i, i < k || k == top);
    cut_[k].op_units = roomy_[k].op_units = compiled().op_units;
  }
  set_keep(keep_);
}

void Ladder::set_keep(const KeepMasks& keep) {
  const auto& levels = model().architecture().levels;
  keep_ = keep;
  compulsory_ = compulsory_cost(model(), {keep, keep});
  const auto all = static_cast<TensorMask>((1u << space_.tensor_count) - 1);
  for (std::size_t i = 0; i < levels.size(); ++i) bypassed_[i] = keep[i] != all;
  capacity_.clear();
  for (std::size_t i = 0; i < levels.size(); ++i) {
    CapacityTest& test = capacity_.emplace_back(footprint_);
    for (std::size_t outer = i; outer < levels.size(); ++outer) test.add(levels[outer], keep[outer]);
  }
}

Mapping Ladder::mapping(const Plan& plan) const {
  const Extents none = unit_extents();
  const PlanLoops loops(*this, plan, levels() - 1, none);
  Mapping out;
  out.keep = plan.keep;
  out.level_count = static_cast<u8>(levels());
  for (int i = 0; i < levels(); ++i) {
    loops.spatial(i, [&](LoopKind kind, u8 d, u32 end) { out.add(kind, i, d, end); });
    loops.temporal(i, [&](u8 d, u32 end) { out.add(LoopKind::Temporal, i, d, end); });
  }
  return out;
}

// Whether the plan fits; if so, nest_ and boxes_ are its.
bool Ladder::read(const Plan& plan, int top, const Extents& rest) {
  const Compiled& c = machine(top);
  return nest_.read(
      c.dimension_count, c.level_count, PlanLoops(*this, plan, top, rest),
      [&](int i, const Extents& tile) { return measure(c, nest_, i, plan.keep[i], tile, boxes_) == Verdict::Fits; });
}

Score Ladder::price(const Plan& plan, int top) const {
  const Cost inside = perfect_cost(machine(top), nest_, plan.keep, boxes_);
  const Cost outside = bypassed_[top] ? Cost{} : compulsory_.outside[top];
  const u64 fanout = fanout_outside_[top];
  const u64 cycles = fanout == 1 ? inside.cycles : (inside.cycles + fanout - 1) / fanout;
  const Cost cost{inside.energy + outside.energy, std::max(cycles, outside.cycles)};
  return {true, cost, Value::of(objective_, cost)};
}

Score Ladder::score(const Plan& plan, int top, const Extents& rest) {
  ++evaluated_;
  return read(plan, top, rest) ? price(plan, top) : Score{};
}

Score Ladder::choose_orders(Plan& plan, int first, int top, const Extents& rest) {
  Score best = score(plan, top, rest);
  if (!best.fits) return best;
  const Compiled& c = machine(top);
  for (int i = std::max(first, 1); i <= top; ++i) {  // the order at the innermost level never matters
    LevelLoops loops(c, nest_, i);
    if (loops.count() < 2) continue;
    const Extents& own = plan.factor[loop_place_of(LoopKind::Temporal, i)];
    std::array<u64, 64> seen;
    std::size_t seen_count = 0;
    u16 chosen = plan.order[i], last = chosen;
    seen[seen_count++] = loops.key(orders(i)[chosen]);
    const auto count = static_cast<u16>(orders(i).size());
    for (u16 o = 0; o < count && !out_of_evaluations() && !budget_.stopped(); ++o) {
      const u64 key = loops.key(orders(i)[o]);
      if (std::find(seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(seen_count), key) !=
          seen.begin() + static_cast<std::ptrdiff_t>(seen_count))
        continue;
      if (seen_count < seen.size()) seen[seen_count++] = key;
      loops.put(orders(i)[o], own);
      last = o;
      ++evaluated_;
      const Score s = price(plan, top);
      if (s.value < best.value) {
        best = s;
        chosen = o;
      }
    }
    if (last != chosen) loops.put(orders(i)[chosen], own);
    plan.order[i] = chosen;
  }
  return best;
}

}  // namespace heliolite
