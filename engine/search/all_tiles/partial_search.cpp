#include "engine/search/all_tiles/partial_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/model/multicast.h"
#include "engine/search/all_tiles/network_hops.h"

namespace heliolite {
namespace {

constexpr u64 kPopsBetweenLooks = 64, kEvaluationsBetweenLooks = 4'096;  // at the clock, at most

}  // namespace

PartialSearch::PartialSearch(const LayerProblem& problem, KeepSpaces& keeps, Incumbent& incumbent,
                             SearchStatistics& statistics, bool stands_for_more)
    : problem_(problem),
      stands_for_more_(stands_for_more),
      c_(problem.model.compiled()),
      keeps_(keeps),
      limits_(loop_limits(problem.space)),
      dominance_(problem.options.rules[Rule::AnyDominance]),
      incumbent_(incumbent),
      statistics_(statistics),
      gate_(problem.options.rules, statistics.rules),
      trail_(c_) {
  for (int i = 0; i < c_.level_count; ++i) other_ends_ |= hops_follow_order(c_, i) || averages_routers(c_.level[i]);
  for (int v = 0; v < c_.tensor_count; ++v) {
    const CompiledTensor& t = c_.tensor[v];
    other_ends_ |= t.sliding || t.entangled || (t.is_output && !has_plain_ranks(t));
  }
  DimensionMask outside = 0;
  for (int i = c_.level_count - 1; i >= 0; --i) {
    const SpatialSpace& s = problem.space.levels[i].spatial;
    unrolled_outside_[i] = outside;
    outside = static_cast<DimensionMask>(outside | s.allowed_x | s.allowed_y);
  }
  if (problem.options.rules[Rule::Symmetry]) symmetry_ = find_symmetry(problem.space, c_);
  for (int d = 0; d < kMaxDimensions; ++d)
    lowest_[d] = static_cast<u8>(symmetry_ && d < c_.dimension_count ? std::min(d, int{symmetry_->image(d)}) : d);
  for (const LevelSpace& level : problem.space.levels)
    spatial_order_.push_back(canonical_order(problem.space, level.spatial.order));
}

// If bounds are equal the node that is further comes first.
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

SearchEnd PartialSearch::run(const SearchBudget& budget, u64 held_elsewhere) {
  const u64 before = evaluated_before_ = evaluated_;
  least_before_ = least_;
  budget_ = &budget;
  held_elsewhere_ = held_elsewhere;
  if (!std::exchange(begun_, true)) {
    begin();
    into_heap();
  }
  u64 looked = 0;
  for (u64 pops = 0; !heap_.empty(); ++pops) {
    const u32 index = heap_.front();
    least_ = least_ == kNever ? node_[index].bound : std::max(least_, node_[index].bound);
    if (pops % kPopsBetweenLooks == 0 || evaluated_ > looked + kEvaluationsBetweenLooks) {
      looked = evaluated_;
      problem_.report_progress(0, lower_bound());
      if (budget.over()) return budget.end(evaluated_ - before);
      if (bytes() + keeps_.bytes() + held_elsewhere > problem_.options.memory_bytes) return SearchEnd::Memory;
    }
    if (!budget.allows(evaluated_ - before + 1)) return SearchEnd::Evaluations;
    std::ranges::pop_heap(heap_, [this](u32 a, u32 b) { return later(a, b); });
    heap_.pop_back();
    if (gate_.on(Rule::RelaxedBound) && incumbent_.cuts(node_[index].least)) continue;
    interrupted_ = SearchEnd::Done;
    const bool left_out = node_[index].leaves_out;
    expand(index);
    // A node with very many loops stays open: only some have been tried.
    if (interrupted_ != SearchEnd::Done) node_[index].leaves_out = left_out, fresh_.push_back(index);
    into_heap();
    if (interrupted_ != SearchEnd::Done) return interrupted_;
    if (hides_) return SearchEnd::Done;
  }
  least_ = kNever;
  return SearchEnd::Done;
}

double PartialSearch::forecast() const {
  constexpr double kDoublings = 2;
  if (least_before_ == kNever || evaluated_before_ == 0 || evaluated_ == evaluated_before_) return least_;
  const double doubled = std::log2(static_cast<double>(evaluated_) / static_cast<double>(evaluated_before_));
  return least_ + kDoublings * (least_ - least_before_) / doubled;
}

void PartialSearch::push(const Node& node) {
  fresh_.push_back(static_cast<u32>(node_.size()));
  node_.push_back(node);
}

// The trail of a node.
void PartialSearch::rebuild(u32 index) {
  keeps_.unsettle();
  way_.clear();
  for (u32 n = index; n != kNone; n = node_[n].parent) way_.push_back(n);
  while (trail_.size() > 0) trail_.pop();
  trail_.begin(0);
  int level = 0;
  for (std::size_t k = way_.size(); k-- > 0;) {
    const Node& n = node_[way_[k]];
    for (; level < n.level; trail_.begin(++level)) {
    }
    if (n.end <= 1) continue;
    before_[trail_.size()] = n.parent;
    trail_.push(n.stage == kX   ? LoopKind::SpatialX
                : n.stage == kY ? LoopKind::SpatialY
                                : LoopKind::Temporal,
                n.level, n.dimension, n.end);
  }
  for (moved_ = 0; moved_ < trail_.size() && !moves_places(trail_[moved_].dimension);) ++moved_;
  place_ = fresh_place(level);
  if (index == kNone) return;
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
  const SpatialSpace& s = problem_.space.levels[level].spatial;
  Place out;
  out.room_x = s.fanout_x, out.room_y = s.fanout_y;
  return out;
}

void PartialSearch::expand(u32 index) {
  const Node node = node_[index];
  if (node.stage == kWhole) return revive(index);  // its price is above its bound
  if (node.leaves_out) {                           // its second turn
    rebuild(index);
    return temporal(node, index, Loops::LeftOut);
  }
  if (divide_further(index) || (node.revived && dominated_again(index))) return;
  rebuild(index);
  keeps_.settle(space(node), trail_, reach(node), node.stage == kTemporal && has_loops(node));
  next_stage(node, index);
  node.stage == kTemporal ? temporal(node, index, leaves_out_ ? Loops::Kept : Loops::All) : spatial(node, index);
}

Reach PartialSearch::reach(const Node& node) const {
  return {node.level, node.stage == kX ? place_.room_x : 1, node.stage == kTemporal ? 1 : place_.room_y};
}

// Step 3, with the trail of the node, whose tile fits. Returns whether it is left.
bool PartialSearch::child(Node node) {
  const Reach reach = this->reach(node);
  if (node.unrolling != kNone) {
    const KeptFlows& costs = space(node).costs;
    if (!has_room_for_rest(node.level, reach.room_x * reach.room_y, costs)) return false;
    if (costs.unrolled(reach)) node.unrolling = kNone;  // nothing depends on it any more
  }
  if (leaves_too_many_idle(node.level, reach)) return false;
  KeepSpace& keep = space(node);
  RestOutside rest = rest_without_hops(node, reach);
  if (rest.all.energy == Rest::kNone) return false;
  std::optional<u128> hops;  // many need not know them
  const auto hops_to_come = [&] {
    if (!hops) hops = keep.costs.hops_to_come(trail_, reach);
    return *hops;
  };
  Cost least{};
  if (node.end > 1 && gate_.prunes(Rule::RelaxedBound, [&] {
        least = ahead(node, reach, rest);
        if (incumbent_.cuts(least)) return true;
        least.energy.units += hops_to_come();
        return incumbent_.cuts(least);
      }))
    return false;
  rest.add_energy(hops_to_come());
  ++evaluated_;
  ++statistics_.evaluated;
  const bool begins = node.parent != kNone && node_[node.parent].level < node.level;  // a level with its fan-out
  const bool profiled = dominance_ && (node.stage == kTemporal || begins);
  raise(least, keep.partial(trail_, reach, rest.all));
  std::optional<OnceCost> once;  // before any loop is placed
  if (node.unrolling != kNone && node.root == kNone) {
    once = keep.partial.once(trail_);
    raise(least, once->whole);
  }
  if (cut(Rule::RelaxedBound, least)) return false;
  if (profiled) keep.partial.describe(trail_, reach, profile_);
  if (node.stage == kTemporal) node.moves = keep.partial.moves();
  if (keep.costs.passes(node.level) && gate_.prunes(Rule::PassingBound, [&] {
        raise(least, keep.partial.with_proxies(trail_, reach, rest.with_proxies));
        return incumbent_.cuts(least);
      }))
    return false;
  node.least = least;
  node.bound = std::max(node.bound, objective_number(problem_.options.objective, least) * kBoundRounded);
  if (node.parent != kNone) node.bound = std::max(node.bound, node_[node.parent].bound);
  if (profiled && gate_.prunes(Rule::AnyDominance,
                               [&] { return dominated(node, static_cast<u32>(node_.size()), reach, keep.costs); }))
    return false;
  if (once) {
    node.root = static_cast<u32>(root_.size());
    Root root{*once, nullptr, 0, unrolling_[node.unrolling].stands_for_image};
    if (node.parent != kNone) {
      const Root& whole = root_[node_[node.parent].root];
      root.table = whole.table, root.tables = whole.tables;
    }
    root_.push_back(std::move(root));
  }
  push(node);
  return true;
}

// Compute units that the loops so far make.
u64 PartialSearch::trail_units() const {
  u64 units = 1;
  for (int l = 0; l < trail_.size(); ++l)
    if (trail_[l].is_spatial()) units *= trail_[l].end;
  return units;
}

// Whether the fan-outs to come cannot make as many units of those so far as the machine asks for at least.
bool PartialSearch::leaves_too_many_idle(int level, const Reach& reach) const {
  if (problem_.space.least_units <= 1) return false;
  const u64 most = trail_units() * reach.room_x * reach.room_y * c_.fanouts(level + 1, c_.level_count - 1);
  return most < problem_.space.least_units;
}

bool PartialSearch::dominated(const Node& node, u32 index, const Reach& reach, const KeptFlows& costs) {
  key_.clear();
  key_.push_back(u64{node.unrolling} << 32 | u64{node.keep} << 24 | u64{node.level} << 18 | u64{node.stage} << 16 |
                 place_.temporal);
  for (int d = 0; d < c_.dimension_count; ++d) key_.push_back(trail_.of(d).tiles);
  if (problem_.space.least_units > 1) key_.push_back(std::min(trail_units(), problem_.space.least_units));
  if (!costs.unrolled(reach))
    for (int l = 0; l < trail_.size(); ++l)
      if (trail_[l].is_spatial())
        key_.push_back(u64{trail_[l].end} << 32 | u64{trail_[l].dimension} << 16 | u64{trail_[l].level} << 8 |
                       static_cast<u64>(trail_[l].kind));
  key_.insert(key_.end(), profile_.same.begin(), profile_.same.end());
  const u32 by = store_.dominator(key_, profile_, index);
  if (by == kNone) return false;
  u32& first = first_dominated_.try_emplace(by, kNone).first->second;
  dominated_.push_back({node, first});
  first = static_cast<u32>(dominated_.size() - 1);
  return true;
}

// By one that may still dominate.
bool PartialSearch::dominated_again(u32 index) {
  rebuild(index);
  const Node node = node_[index];
  KeepSpace& keep = space(node);
  keep.partial(trail_, reach(node), rest(node, reach(node)).all);
  keep.partial.describe(trail_, reach(node), profile_);
  return dominated(node, index, reach(node), keep.costs);
}

// A whole mapping's cost is above its bound. What its partial mappings have dominated, or stood for in place of other
// ends of a loop, has no lower bounds, but may have lower costs.
void PartialSearch::revive(u32 whole) {
  readmit_pruned_loops();
  for (u32 n = node_[whole].parent; n != kNone; n = node_[n].parent) {
    if (!store_.leave_out(n)) continue;
    if (other_ends_) other_ends(n);
    const auto dominated = first_dominated_.find(n);
    if (dominated == first_dominated_.end()) continue;
    for (u32 k = dominated->second; k != kNone; k = dominated_[k].next) {
      Node again = dominated_[k].node;
      again.revived = true;
      if (!incumbent_.cuts(again.least)) push(again);
    }
    first_dominated_.erase(dominated);
  }
}

// Step 4.
void PartialSearch::complete(const Node& node, u32 index) {
  const Mapping m = mapping(keeps_[node.keep].costs.keep());
  ++evaluated_;
  ++statistics_.evaluated;
  if (!problem_.space.uses_enough_units(m)) return;
  const Evaluation e = problem_.model.evaluate(m, Counts::True);
  if (e.verdict != Verdict::Fits) return;
  if (incumbent_.offer(m, e.cost, 0)) problem_.report_progress(objective_number(problem_.options.objective, e.cost), 0);
  if (!dominance_ && !stands_for_more_) return;
  Node out = node;
  const Cost least = space(node).partial(trail_, Reach{c_.level_count - 1, 1, 1});
  if (is_exact(least, e.cost) || incumbent_.cuts(least)) return;
  hides_ |= stands_for_more_ && least.cycles < e.cost.cycles;
  if (!dominance_) return;
  out.least = least;
  out.parent = index, out.end = 0, out.stage = kWhole, out.revived = false;
  push(out);
}

Mapping PartialSearch::mapping(const KeepMasks& keep) const {
  Mapping m;
  m.level_count = static_cast<u8>(c_.level_count);
  for (int i = 0; i < c_.level_count; ++i) m.keep[i] = keep[i];
  for (int i = 0; i < c_.level_count; ++i) {
    const int last = i + 1 < c_.level_count ? trail_.first(i + 1) : trail_.size();
    for (int l = trail_.first(i); l < last; ++l)
      m.add(trail_[l].kind, i, trail_[l].dimension, trail_[l].end, trail_[l].last);
  }
  return m;
}

}  // namespace heliolite
