#include "engine/search/sunstone/ladder.h"

#include <algorithm>
#include <optional>
#include <set>

#include "engine/model/cost_of_counts.h"
#include "engine/model/perfect.h"
#include "engine/model/tensor_flows.h"

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

// A number for the order of these dimensions: two orders with equal numbers give the same loops over them.
u64 key_of(const LoopOrder& order, DimensionMask dimensions) {
  u64 key = 1;
  for (u8 d : order.loops())
    if (contains(dimensions, d)) key = key << 4 | d;
  return key;
}

// The loops over time of one level of a nest that has been read, to be put in other orders.
class LevelLoops {
 public:
  // `own`: the plan's factors of the level, above 1 if it has a loop.
  LevelLoops(Nest& nest, int level, const Extents& own)
      : nest_(nest), own_(own), begin_(nest.first_temporal(level)), end_(nest.end(level)) {
    if (begin_ < end_) outside_ = nest.beyond[end_ - 1];
    for (int j = begin_; j < end_; ++j) {
      const NestLoop& loop = nest.loop[j];
      const bool rest = own[loop.dimension] == 1 || contains(dimensions_, loop.dimension);  // outside the plan's own
      (rest ? rest_ : mine_)[loop.dimension] = loop;
      if (rest) of_rest_ |= dimension_bit(loop.dimension);
      dimensions_ |= dimension_bit(loop.dimension);
    }
  }

  int count() const { return end_ - begin_; }
  DimensionMask dimensions() const { return dimensions_; }

  // The plan's own loops in this order, outside them the rest's.
  void put(const LoopOrder& order) {
    const LoopMask here = ((LoopMask{1} << count()) - 1) << begin_;
    for (const int d : bits(dimensions_)) nest_.dimension[d].loops &= ~here;
    int j = begin_;
    for (u8 d : order.loops())
      if (own_[d] > 1) nest_.put(j++, mine_[d]);
    if (of_rest_ != 0)
      for (u8 d : order.loops())
        if (contains(of_rest_, d)) nest_.put(j++, rest_[d]);
    u64 product = outside_;
    for (int k = end_; k > begin_; product *= nest_.loop[k].end) nest_.beyond[--k] = product;
  }

 private:
  Nest& nest_;
  const Extents& own_;
  int begin_, end_;
  u64 outside_ = 1;  // product of the ends of the levels outside
  DimensionMask dimensions_ = 0, of_rest_ = 0;
  std::array<NestLoop, kMaxDimensions> mine_, rest_;  // [dimension]
};

// What is known of a pass (compiled.h) where the machine ends at the level: homes outside it are not there.
NestPass pass_up_to(const NestPass& pass, std::size_t level) {
  NestPass out = pass;
  if (static_cast<int>(level) < pass.level) out.at_home = 0;
  return out;
}

}  // namespace

// A plan's loops as Nest::read() takes them.
class Ladder::PlanLoops {
 public:
  PlanLoops(const Ladder& ladder, const Plan& plan, int top, const Extents& rest)
      : ladder_(ladder), plan_(plan), top_(top), rest_(rest) {}

  template <class Add>  // add(level, kind, dimension, end)
  void each(Add&& add) const {
    for (int i = 0; i <= top_; ++i) {
      const auto level = static_cast<u8>(i);
      for (LoopKind axis : {LoopKind::SpatialX, LoopKind::SpatialY}) {
        const Extents& factor = plan_.factor[loop_place_of(axis, i)];
        for (u8 d : ladder_.spatial_order_[i])
          if (factor[d] > 1) add(level, axis, d, factor[d]);
      }
      const Extents& factor = plan_.factor[loop_place_of(LoopKind::Temporal, i)];
      for (u8 d : order(i).loops())
        if (factor[d] > 1) add(level, LoopKind::Temporal, d, factor[d]);
    }
    for (u8 d : order(top_).loops())
      if (rest_[d] > 1) add(static_cast<u8>(top_), LoopKind::Temporal, d, rest_[d]);
  }

 private:
  const LoopOrder& order(int level) const { return ladder_.orders(level)[plan_.order[level]]; }

  const Ladder& ladder_;
  const Plan& plan_;
  int top_;
  const Extents& rest_;
};

Ladder::Ladder(const CostModel& whole, const Mapspace& space, std::vector<std::vector<LoopOrder>> orders,
               Objective objective, const KeepMasks& keep, const SearchBudget& budget)
    : space_(space),
      own_(whole),
      orders_(std::move(orders)),
      objective_(objective),
      footprint_(whole.workload()),
      budget_(budget),
      last_evaluation_(budget.evaluations_left(0)) {
  const Workload& workload = whole.workload();
  const Architecture& architecture = whole.architecture();
  const NestPass& pass = whole.compiled().pass;
  const std::size_t levels = architecture.levels.size();
  for (std::size_t i = 0; i < levels; ++i) {
    cut_.emplace_back(workload, cut_above(architecture, i), pass_up_to(pass, i));
    roomy_.emplace_back(workload, i + 1 < levels ? roomy_from(architecture, i) : architecture, pass);
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
    const u64 room = to.level[i].room;
    to.level[i] = compiled().level[i];
    if (!bounded) to.level[i].room = room;
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
  loops.each([&](u8 level, LoopKind kind, u8 d, u32 end) { out.add(kind, level, d, end); });
  return out;
}

Score Ladder::score_of(const Cost& inside, int top) const {
  if (inside.cycles == kTooManyCycles) return {};
  const Cost outside = bypassed_[top] ? Cost{} : compulsory_.outside[top];
  const u64 fanout = fanout_outside_[top];
  const u64 cycles = fanout == 1 ? inside.cycles : (inside.cycles + fanout - 1) / fanout;
  const Cost cost{inside.energy + outside.energy, std::max(cycles, outside.cycles)};
  return {true, cost, Value::of(objective_, cost)};
}

Score Ladder::score(const Plan& plan, int top, const Extents& rest) {
  ++evaluated_;
  if (!uses_enough_units(plan, top)) return {};
  const Compiled& c = machine(top);
  const PlanLoops loops(*this, plan, top, rest);
  nest_.read(c.level_count, loops);
  const Evaluation e = evaluate_perfect(c, nest_, plan.keep);
  return e.verdict == Verdict::Fits ? score_of(e.cost, top) : Score{};
}

bool Ladder::uses_enough_units(const Plan& plan, int top) const {
  if (space_.least_units <= 1) return true;
  u64 units = fanout_outside_[top];
  for (int i = 0; i <= top; ++i)
    for (const LoopKind axis : {LoopKind::SpatialX, LoopKind::SpatialY})
      for (const int d : bits(space_.non_unit)) units *= plan.factor[loop_place_of(axis, i)][d];
  return units >= space_.least_units;
}

// The level's orders without those that differ from one before them in other dimensions only.
const std::vector<Ladder::DifferentOrder>& Ladder::different_orders(int level, DimensionMask dimensions) {
  const auto [known, fresh] = different_.try_emplace({level, dimensions});
  if (!fresh) return known->second;
  std::set<u64> seen;
  for (std::size_t o = 0; o < orders(level).size(); ++o) {
    const u64 key = key_of(orders(level)[o], dimensions);
    if (seen.insert(key).second) known->second.push_back({static_cast<u16>(o), key});
  }
  return known->second;
}

// One order after the other, the innermost level's included, where neighbours take words from each other.
Score Ladder::choose_orders_with_peers(Plan& plan, int first, int top, const Extents& rest, Score best) {
  for (int i = first <= 1 ? 0 : first; i <= top; ++i) {
    DimensionMask loops = 0;
    for (const int d : bits(space_.non_unit))
      if (plan.factor[loop_place_of(LoopKind::Temporal, i)][d] > 1 || (i == top && rest[d] > 1))
        loops |= dimension_bit(d);
    u16 chosen = plan.order[i];
    const u64 present = key_of(orders(i)[chosen], loops);
    for (const DifferentOrder& other : different_orders(i, loops)) {
      if (out_of_evaluations() || budget_.stopped()) break;
      if (other.key == present) continue;
      plan.order[i] = other.index;
      const Score s = score(plan, top, rest);
      if (s.fits && s.value < best.value) best = s, chosen = other.index;
    }
    plan.order[i] = chosen;
  }
  return best;
}

Score Ladder::choose_orders(Plan& plan, int first, int top, const Extents& rest) {
  Score best = score(plan, top, rest);
  if (!best.fits) return best;
  const Compiled& c = machine(top);
  if (c.peers != 0) return choose_orders_with_peers(plan, first, top, rest, best);
  TileBoxes boxes;                                   // boxes of nest_, for the flows
  std::optional<TensorFlows> flows;                  // flows of nest_, as soon as there is an order to try
  for (int i = std::max(first, 1); i <= top; ++i) {  // the order at the innermost level never matters
    LevelLoops loops(nest_, i, plan.factor[loop_place_of(LoopKind::Temporal, i)]);
    if (loops.count() < 2) continue;
    u16 chosen = plan.order[i], last = chosen;
    const auto put = [&](u16 order) {
      if (!flows) flows.emplace(c, nest_, plan.keep, boxes);
      loops.put(orders(i)[order]);
      flows->reorder(i);
      last = order;
    };
    const u64 present = key_of(orders(i)[chosen], loops.dimensions());
    for (const DifferentOrder& other : different_orders(i, loops.dimensions())) {
      if (out_of_evaluations() || budget_.stopped()) break;
      if (other.key == present) continue;
      put(other.index);
      ++evaluated_;
      const Score s = score_of(flows->total(), top);
      if (s.value < best.value) {
        best = s;
        chosen = other.index;
      }
    }
    if (last != chosen) put(chosen);
    plan.order[i] = chosen;
  }
  return best;
}

}  // namespace heliolite
