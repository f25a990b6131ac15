#include "engine/search/any/partial_search.h"

#include <algorithm>
#include <utility>

#include "engine/model/true_counts/candidate_ends.h"
#include "engine/model/true_counts/nest.h"

namespace heliolite {
namespace {

constexpr u32 kNoParent = ~0u;
constexpr u64 kPopsBetweenLooks = 64, kEvaluationsBetweenLooks = 4'096;  // at the clock, at most

// Of a value in doubles that must not be above the exact one.
constexpr double kBoundRounded = 1 - 1e-12;

}  // namespace

PartialSearch::PartialSearch(const LayerProblem& problem, const std::vector<std::unique_ptr<KeepSpace>>& keeps,
                             bool dominance, LayerAnswer& best)
    : problem_(problem),
      c_(problem.model.compiled()),
      keeps_(keeps),
      dominance_(dominance),
      best_(best),
      gate_(problem.options.rules, best.statistics.rules),
      trail_(c_) {
  for (int v = 0; v < c_.tensor_count; ++v) sliding_ |= c_.tensor[at(v)].sliding || c_.tensor[at(v)].entangled;
  DimensionMask outside = 0;
  for (int i = c_.level_count - 1; i >= 0; --i) {
    const SpatialSpace& s = problem.space.levels[at(i)].spatial;
    unrolled_outside_[at(i)] = outside;
    outside = static_cast<DimensionMask>(outside | s.allowed_x | s.allowed_y);
  }
  for (const LevelSpace& level : problem.space.levels)
    spatial_order_.push_back(canonical_order(problem.space, level.spatial.order));
}

// Of equal bounds the one that is further comes first.
bool PartialSearch::later(u32 a, u32 b) const {
  return node_[a].bound != node_[b].bound ? node_[a].bound > node_[b].bound : a < b;
}

void PartialSearch::into_heap() {
  for (const u32 index : fresh_) {
    heap_.push_back(index);
    std::ranges::push_heap(heap_, [this](u32 a, u32 b) { return later(a, b); });
  }
  fresh_.clear();
}

SearchEnd PartialSearch::run(const SearchBudget& budget) {
  const u64 before = evaluated_;
  if (!std::exchange(begun_, true)) {
    rebuild(kNoParent);
    for (std::size_t k = 0; k < keeps_.size(); ++k) child({{}, 0, kNoParent, 0, static_cast<u16>(k), 0, kX, 0});
    into_heap();
  }
  u64 looked = 0;
  for (u64 pops = 0; !heap_.empty(); ++pops) {
    const u32 index = heap_.front();
    least_ = node_[index].bound;
    if (pops % kPopsBetweenLooks == 0 || evaluated_ > looked + kEvaluationsBetweenLooks) {
      looked = evaluated_;
      problem_.tell(0, lower_bound());
      if (budget.over()) return budget.end(evaluated_ - before);
      if (seen_.bytes() + node_.capacity() * sizeof(Node) > problem_.options.memory_bytes) return SearchEnd::Memory;
    }
    if (!budget.allows(evaluated_ - before + 1)) return SearchEnd::Evaluations;
    std::ranges::pop_heap(heap_, [this](u32 a, u32 b) { return later(a, b); });
    heap_.pop_back();
    if (problem_.options.rules[Rule::RelaxedBound] && !worth(node_[index].least)) continue;
    expand(index);
    into_heap();
  }
  least_ = kNever;
  return SearchEnd::Done;
}

void PartialSearch::push(const Node& node) {
  fresh_.push_back(static_cast<u32>(node_.size()));
  node_.push_back(node);
}

// The trail of a node.
void PartialSearch::rebuild(u32 index) {
  way_.clear();
  for (u32 n = index; n != kNoParent; n = node_[n].parent) way_.push_back(n);
  while (trail_.size() > 0) trail_.pop();
  trail_.begin(0);
  int level = 0;
  for (std::size_t k = way_.size(); k-- > 0;) {
    const Node& n = node_[way_[k]];
    for (; level < n.level; trail_.begin(++level)) {
    }
    if (n.end > 1)
      trail_.push(n.stage == kX   ? LoopKind::SpatialX
                  : n.stage == kY ? LoopKind::SpatialY
                                  : LoopKind::Temporal,
                  n.level, n.dimension, n.end);
  }
  place_ = fresh_place(level);
  if (index == kNoParent) return;
  const Node& here = node_[index];
  for (int l = trail_.first(here.level); l < trail_.size(); ++l) {
    const TrailLoop& loop = trail_[l];
    const DimensionMask bit = dimension_bit(loop.dimension);
    if (loop.kind == LoopKind::SpatialX) place_.x |= bit, place_.room_x /= loop.end;
    else if (loop.kind == LoopKind::SpatialY) place_.y |= bit, place_.room_y /= loop.end;
    else place_.temporal |= bit;
  }
}

PartialSearch::Place PartialSearch::fresh_place(int level) const {
  const SpatialSpace& s = problem_.space.levels[at(level)].spatial;
  Place out;
  out.room_x = s.fanout_x, out.room_y = s.fanout_y;
  return out;
}

void PartialSearch::expand(u32 index) {
  const Node node = node_[index];
  if (node.stage == kWhole) {  // its price is above its bound
    hidden_ = std::min(hidden_, node.bound);
    return;
  }
  rebuild(index);
  next_stage(node, index);
  node.stage == kTemporal ? temporal(node, index) : spatial(node, index);
}

bool PartialSearch::spatial_done(int level) const {
  const SpatialSpace& s = problem_.space.levels[at(level)].spatial;
  std::array<u64, kMaxDimensions> factor;
  factor.fill(1);
  for (int l = trail_.first(level); l < trail_.size(); ++l)
    if (trail_[l].is_spatial()) factor[trail_[l].dimension] *= trail_[l].end;
  for (int d = 0; d < c_.dimension_count; ++d)
    if (!s.factor[at(d)].allows(factor[at(d)])) return false;
  return true;
}

bool PartialSearch::temporal_done(int level) const {
  const TemporalSpace& t = problem_.space.levels[at(level)].temporal;
  for (int d = 0; d < c_.dimension_count; ++d) {
    if (t.factor[at(d)].min > 1 && !contains(place_.temporal, d)) return false;
    if (level + 1 == c_.level_count && trail_.of(d).tiles > 1) return false;
  }
  return true;
}

// The node that has no further loop at this stage.
void PartialSearch::next_stage(const Node& node, u32 index) {
  Node next = node;
  next.parent = index, next.end = 0, next.dimension = 0;
  if (node.stage == kX) {
    next.stage = kY;
  } else if (node.stage == kY) {
    if (!spatial_done(node.level)) return;
    next.stage = kTemporal;
  } else {
    if (!temporal_done(node.level)) return;
    if (node.level + 1 == c_.level_count) return complete(node);
    ++next.level;
    next.stage = kX;
    trail_.begin(next.level);
    const Place before = std::exchange(place_, fresh_place(next.level));
    child(next);
    place_ = before;
    return;
  }
  child(next);
}

void PartialSearch::spatial(const Node& node, u32 index) {
  const SpatialSpace& s = problem_.space.levels[node.level].spatial;
  const bool x = node.stage == kX;
  const u64 room = x ? place_.room_x : place_.room_y;
  if (room == 1) return;
  const DimensionMask allowed = x ? s.allowed_x : s.allowed_y;
  for (int d = node.end > 1 ? node.dimension + 1 : 0; d < c_.dimension_count; ++d) {
    if (!contains(allowed, d) || (!x && problem_.space.one_axis_per_dimension && contains(place_.x, d))) continue;
    const u64 most = std::min<u64>({room, trail_.of(d).tiles, s.factor[at(d)].max});
    for (u32 end = 2; end <= most; ++end)
      with_loop({{}, 0, index, end, node.keep, node.level, node.stage, static_cast<u8>(d)},
                x ? LoopKind::SpatialX : LoopKind::SpatialY, end);
  }
}

bool PartialSearch::may_loop(int level, int d) const {
  const TemporalSpace& t = problem_.space.levels[at(level)].temporal;
  if (!contains(t.allowed, d) || contains(place_.temporal, d) || trail_.of(d).tiles == 1) return false;
  DimensionMask before = 0;  // what may be inside a loop over d
  for (const u8 p : t.order.dimensions()) {
    if (p == d) return (place_.temporal & ~before) == 0;
    before = static_cast<DimensionMask>(before | dimension_bit(p));
  }
  return true;
}

const std::vector<u32>& PartialSearch::ends(int level, int d) {
  const FactorLimit& limit = problem_.space.levels[at(level)].temporal.factor[at(d)];
  const u32 tiles = trail_.of(d).tiles;
  ends_.clear();
  const auto add = [&](u32 end) {
    if (end > 1 && limit.allows(end)) ends_.push_back(end);
  };
  if (level + 1 == c_.level_count) {
    add(tiles);
    return ends_;
  }
  bool inside = false;
  for (int l = 0; l < trail_.size(); ++l) inside |= trail_[l].dimension == d && trail_[l].is_spatial();
  const bool fixed = limit.min > 1 || limit.max < c_.size[at(d)];
  const bool few = problem_.options.rules[Rule::CandidateEnds] && !fixed && (dominance_ || !sliding_);
  if (few)
    for (const u32 end : candidate_ends(
             {tiles, c_.size[at(d)] % trail_.of(d).tile == 0, inside, contains(unrolled_outside_[at(level)], d)}))
      add(end);
  else
    for (u32 end = 2; end <= tiles; ++end) add(end);
  return ends_;
}

void PartialSearch::temporal(const Node& node, u32 index) {
  for (int d = 0; d < c_.dimension_count; ++d) {
    if (!may_loop(node.level, d)) continue;
    for (const u32 end : ends(node.level, d))
      with_loop({{}, 0, index, end, node.keep, node.level, kTemporal, static_cast<u8>(d)}, LoopKind::Temporal, end);
  }
}

void PartialSearch::with_loop(Node node, LoopKind kind, u32 end) {
  const Place before = place_;
  trail_.push(kind, node.level, node.dimension, end);
  if (kind == LoopKind::SpatialX) place_.room_x /= end;
  else if (kind == LoopKind::SpatialY) place_.room_y /= end;
  else place_.temporal |= dimension_bit(node.dimension);
  child(node);
  trail_.pop();
  place_ = before;
}

// Whether the present tile fits the level and those outside.
bool PartialSearch::fits(int level, const KeepMasks& keep) const {
  Extents tile{};
  for (int d = 0; d < c_.dimension_count; ++d)
    tile[at(d)] = static_cast<u32>(std::min<u64>(trail_.of(d).tile, c_.size[at(d)]));
  for (int i = level; i < c_.level_count; ++i) {
    const CompiledLevel& machine = c_.level[at(i)];
    if (machine.room == CompiledLevel::kUnbounded) continue;
    u64 used = 0;
    for (const int v : bits(keep[at(i)])) used += machine.taken(v, true_box_words(c_, c_.tensor[at(v)], tile));
    if (used > machine.room) return false;
  }
  return true;
}

Reach PartialSearch::reach(const Node& node) const {
  return {node.level, node.stage == kX ? place_.room_x : 1, node.stage == kTemporal ? 1 : place_.room_y};
}

bool PartialSearch::worth(const Cost& least) const {
  if (!best_.found) return true;
  const Objective objective = problem_.options.objective;
  if (info(objective).energy_power == 0) return least.cycles < best_.cost.cycles;
  return Value::of(objective, least) < best_.value;
}

// Step 3, with the trail of the node.
void PartialSearch::child(const Node& node) {
  KeepSpace& keep = *keeps_[node.keep];
  if (!fits(node.level, keep.costs.keep())) return;
  const Reach reach = this->reach(node);
  const Rest rest = keep.rest(node.level, trail_);
  if (rest.energy == kNever) return;
  ++evaluated_;
  ++best_.statistics.evaluated;
  const bool profiled = dominance_ && node.stage == kTemporal;
  Cost least = keep.partial(trail_, reach, rest, profiled ? &profile_ : nullptr);
  if (gate_.prunes(Rule::RelaxedBound, [&] { return !worth(least); })) return;
  if (keep.rest.has_twins() && node.level + 1 < c_.level_count && gate_.prunes(Rule::PassingBound, [&] {
        const Cost other = keep.partial.with_twins(trail_, reach, keep.rest.with_twins(node.level, trail_));
        least = {std::max(least.energy, other.energy), std::max(least.cycles, other.cycles)};
        return !worth(least);
      }))
    return;
  if (profiled && gate_.prunes(Rule::AnyDominance, [&] { return dominated(node, reach); })) return;
  Node out = node;
  out.least = least;
  out.bound = objective_number(problem_.options.objective, least) * kBoundRounded;
  if (out.parent != kNoParent) out.bound = std::max(out.bound, node_[out.parent].bound);
  push(out);
}

bool PartialSearch::dominated(const Node& node, const Reach& reach) {
  key_.clear();
  key_.push_back(u64{node.keep} << 32 | u64{node.level} << 16 | place_.temporal);
  for (int d = 0; d < c_.dimension_count; ++d) key_.push_back(trail_.of(d).tiles);
  if (!keeps_[node.keep]->costs.unrolled(reach))
    for (int l = 0; l < trail_.size(); ++l)
      if (trail_[l].is_spatial())
        key_.push_back(u64{trail_[l].end} << 32 | u64{trail_[l].dimension} << 16 | u64{trail_[l].level} << 8 |
                       static_cast<u64>(trail_[l].kind));
  return seen_.dominated(key_, profile_);
}

// Step 4.
void PartialSearch::complete(const Node& node) {
  const KeptFlows& costs = keeps_[node.keep]->costs;
  const Mapping m = mapping(costs.keep());
  ++evaluated_;
  ++best_.statistics.evaluated;
  const Evaluation e = problem_.model.evaluate(m, Counts::True);
  if (e.verdict != Verdict::Fits) return;
  if (best_.offer(problem_.options.objective, m, e.cost))
    problem_.tell(objective_number(problem_.options.objective, e.cost), 0);
  if (!dominance_) return;
  Node out = node;
  const Cost least = keeps_[node.keep]->partial(trail_, Reach{c_.level_count - 1, 1, 1});
  if (least == e.cost || !worth(least)) return;
  out.least = least;
  out.parent = kNoParent, out.end = 0, out.stage = kWhole;
  push(out);
}

Mapping PartialSearch::mapping(const KeepMasks& keep) const {
  Mapping m;
  m.level_count = static_cast<u8>(c_.level_count);
  for (int i = 0; i < c_.level_count; ++i) m.keep[at(i)] = keep[at(i)];
  for (int i = 0; i < c_.level_count; ++i) {
    const int first = trail_.first(i), last = i + 1 < c_.level_count ? trail_.first(i + 1) : trail_.size();
    for (const LoopKind kind : {LoopKind::SpatialX, LoopKind::SpatialY})
      for (const u8 d : spatial_order_[at(i)])
        for (int l = first; l < last; ++l)
          if (trail_[l].kind == kind && trail_[l].dimension == d) m.add(kind, i, d, trail_[l].end, trail_[l].last);
    for (int l = first; l < last; ++l)
      if (!trail_[l].is_spatial()) m.add(LoopKind::Temporal, i, trail_[l].dimension, trail_[l].end, trail_[l].last);
  }
  return m;
}

}  // namespace heliolite
