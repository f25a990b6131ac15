// The ordering bound: the least over all orders in which loops to come may close the flows that are open
// (docs/rules/any_factors.md, items 3 and 9).
#include <algorithm>
#include <utility>

#include "engine/search/all_tiles/partial_cost.h"

namespace heliolite {

template <bool kPorts>
void PartialCost::add(const OpenFlow& flow, const FlowTraffic& words, Flowing& sum) const {
  sum.energy += energy(flow, words, *units_);
  if (kPorts && flow.flow().outer + 1 == c_.level_count)
    sum.ports += ports(costs_.parts_at_outer(flow.flow(), words, *units_));
}

// The flows in place that a loop over a dimension of class j moves.
u64 PartialCost::moved_by(int j, u64 left) const {
  u64 moved = 0;
  for (const int k : bits(left))
    if ((flows_[open_[k]]->flow().indexing & classes_[j]) != 0) moved |= u64{1} << k;
  return moved;
}

// What they cost if that is the first loop over a dimension of its class.
template <bool kPorts>
PartialCost::Flowing PartialCost::moved_over(ClassSet inside, int d, u64 moved) const {
  Flowing sum;
  for (const int k : bits(moved)) {
    const OpenFlow& flow = *flows_[open_[k]];
    add<kPorts>(flow, flow.total(inside, d), sum);
  }
  return sum;
}

// What they cost whichever dimension of the class it is over.
template <bool kPorts>
PartialCost::Flowing PartialCost::moved_first(ClassSet inside, int j, u64 moved) const {
  Flowing best;
  if (moved == 0) return best;
  bool any = false;
  for (const int d : bits(movers_[j])) {
    const Flowing sum = moved_over<kPorts>(inside, d, moved);
    if (std::exchange(any, true)) best.lower_to(sum);
    else best = sum;
  }
  return best;
}

// Dimensions of a class with loops to come of which each moves less of some flow than each other one.
DimensionMask PartialCost::movers(const Trail& trail, DimensionMask of_class) const {
  DimensionMask out = 0;
  for (const int d : bits(of_class)) {
    if (trail.of(d).most_tiles() == 1) continue;
    const auto no_more = [&](int a, int b) {
      return std::ranges::all_of(open_, [&](int k) { return flows_[k]->moves_no_more(a, b); });
    };
    const auto others = out;
    bool less = true;
    for (const int other : bits(others)) {
      if (no_more(other, d)) less = false;
      else if (no_more(d, other)) out = static_cast<DimensionMask>(out & ~dimension_bit(other));
    }
    if (less) out |= dimension_bit(d);
  }
  return out;
}

// Lets the loops of one class of dimensions after the other appear, and pays for the flows that they move: the least
// energy of all orders, and the least cycles of each port. Everything that is not open is paid for already.
template <bool kPorts>
PartialCost::Flowing PartialCost::next(ClassSet inside, u64 left) const {
  Flowing best;
  if (left == 0) return best;
  bool any = false;
  for (const int j : bits(static_cast<ClassSet>(looping_ & ~inside))) {
    const u64 moved = moved_by(j, left);
    Flowing sum = moved_first<kPorts>(inside, j, moved);
    if (!kPorts && any && sum.energy >= best.energy) continue;
    const Flowing more = next<kPorts>(static_cast<ClassSet>(inside | 1u << j), left & ~moved);
    sum.energy += more.energy;
    sum.ports += more.ports;
    if (std::exchange(any, true)) best.lower_to(sum);
    else best = sum;
  }
  if (any && (must_loop_ & ~inside) != 0) return best;
  Flowing unmoved;  // nothing moves what is left
  for (const int k : bits(left)) {
    const OpenFlow& flow = *flows_[open_[k]];
    add<kPorts>(flow, flow.least(), unmoved);
  }
  if (any) best.lower_to(unmoved);
  else best = unmoved;
  return best;
}

// Pays for the flows that are not open, and finds what next() asks of the others.
template <bool kPorts>
PartialCost::Flowing PartialCost::start_order(const Trail& trail, Asking asking) {
  open_.clear();
  looping_ = must_loop_ = 0;
  for (std::size_t j = 0; j < classes_.size(); ++j)
    for (const int d : bits(classes_[j])) {
      const TrailDimension& now = trail.of(d);
      if (now.most_tiles() == 1) continue;
      looping_ = static_cast<ClassSet>(looping_ | 1u << j);
      if (now.tiles == 1 || contains(must_loop_, j)) continue;
      if (now.tiles > along_[d]) must_loop_ = static_cast<ClassSet>(must_loop_ | 1u << j);
    }
  Flowing out;
  for (std::size_t k = 0; k < flows_.size(); ++k) {
    const OpenFlow& flow = *flows_[k];
    if (asking == Asking::Proxies && flow.flow().passes(level_))
      out.energy += costs_.energy_inside(flow.flow(), flow.least(), *units_);
    else if (flow.open() && open_.size() < 63) open_.push_back(static_cast<int>(k));
    else add<kPorts>(flow, flow.least(), out);
  }
  movers_.clear();
  for (const DimensionMask of_class : classes_) movers_.push_back(movers(trail, of_class));
  return out;
}

template <bool kPorts>
PartialCost::Flowing PartialCost::ordered(const Trail& trail, const UnitsInUse& units, Asking asking) {
  units_ = &units;
  Flowing out = start_order<kPorts>(trail, asking);
  const Flowing later = next<kPorts>(0, (u64{1} << open_.size()) - 1);
  out.energy += later.energy;
  out.ports += later.ports;
  return out;
}

template PartialCost::Flowing PartialCost::ordered<false>(const Trail&, const UnitsInUse&, Asking);
template PartialCost::Flowing PartialCost::ordered<true>(const Trail&, const UnitsInUse&, Asking);

void PartialCost::look_ahead(const Trail& trail, const Reach& reach) {
  count(trail, reach);
  look_ahead_of_counted(trail, reach);
}

void PartialCost::look_ahead_of_counted(const Trail& trail, const Reach& reach) {
  in_use_ = ahead_units_ = costs_.units_in_use(trail, reach);
  level_ = reach.level;
  look_ahead(trail, reach, Asking::Themselves);
  if (costs_.passes(level_)) look_ahead(trail, reach, Asking::Proxies);
  is_ahead_ = true;
}

// Steps: what the flows cost that are not open; for each class that may be the first to appear what it moves, by the
// dimension that its first loop is over, and the least of all that is then left.
void PartialCost::look_ahead(const Trail& trail, const Reach& reach, Asking asking) {
  units_ = &ahead_units_;
  Ahead& out = ahead_[at(asking)];
  const u128 known = start_order<false>(trail, asking).energy;
  out.first_over.fill(Rest::kNone);
  const u64 all = (u64{1} << open_.size()) - 1;
  out.least = Rest::kNone;
  for (const int j : bits(looping_)) {
    const u64 moved = moved_by(j, all);
    const u128 later = next<false>(static_cast<ClassSet>(1u << j), all & ~moved).energy;
    for (const int d : bits(classes_[j])) {
      if (trail.of(d).most_tiles() == 1) continue;
      out.first_over[d] = known + moved_over<false>(0, d, moved).energy + later;
      out.least = std::min(out.least, out.first_over[d]);
    }
  }
  if (must_loop_ == 0) out.least = std::min(out.least, known + next<false>(looping_, all).energy);
  out.cycles = level_cycles(trail, reach, asking);
}

Cost PartialCost::ahead(const Trail& trail, const Reach& reach, int d, const Rest& rest, Asking asking) const {
  const Ahead& known = ahead_[at(asking)];
  const u64 units = costs_.units_to_come(trail, reach, c_.level_count - 1, kAllDimensions);
  Cost out{Energy{c_.op_units} * c_.macs, std::max(least_cycles(trail, units), known.cycles.with(rest))};
  out.energy.units +=
      (d == kAnyDimension ? known.least : known.first_over[d]) + leakage(ahead_units_, out.cycles) + rest.energy;
  return out;
}

}  // namespace heliolite
