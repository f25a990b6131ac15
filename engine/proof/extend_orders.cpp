// The orders of a level's loops that closing rules 3 and 4 leave, and what each loop ends.
#include <algorithm>

#include "engine/base/integers.h"
#include "engine/proof/extend.h"

namespace heliolite::proof {

void Extender::Node::copy(const Node& from) {
  tile = from.tile;
  rest = from.rest;
  waiting = from.waiting;
  spent = from.spent;
  moving_count = from.moving_count;
  closed_count = from.closed_count;
  std::copy_n(from.moving.begin(), moving_count, moving.begin());
  std::copy_n(from.closed.begin(), closed_count, closed.begin());
  order = from.order;
  loops = from.loops;
}

// Flows in place that a loop over d ends, or sets moving.
u32 Extender::ends(const Node& node, int d, bool& slides) const {
  u32 out = 0;
  slides = false;
  for (const int k : bits(node.waiting)) {
    const ProofTensor& t = q_.shapes[spread_.flow[k].tensor];
    if (!contains(t.indexing, d)) continue;
    out |= 1U << k;
    slides |= contains(t.sliding, d);
  }
  return out;
}

// The loops that may come next and stand for all others (rules equal order and push-in). `pushed`: none need
// be tried, for one that is as good as any can be pushed in.
DimensionMask Extender::ended_by_classes(const Node& node, DimensionMask loops, bool first, bool& pushed) const {
  struct Class {
    u32 ends;
    int d;
    bool slides, pushed;
  };
  std::array<Class, kMaxDimensions> all;
  std::size_t count = 0;
  DimensionMask free = 0;
  for (const int d : bits(loops)) {
    Class& c = all[count++];
    c.d = d;
    c.ends = ends(node, d, c.slides);
    c.pushed = first && pushes(d);
    if (c.ends == 0) free |= dimension_bit(d);
  }
  if (free != 0) {
    for (std::size_t k = 0; k < count; ++k) pushed |= all[k].ends == 0 && all[k].pushed;
    return static_cast<DimensionMask>(free & -free);
  }
  DimensionMask out = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const Class& c = all[k];
    const auto equals = [&](const Class& other) { return !other.slides && other.ends == c.ends; };
    const bool has_stand_in = !c.slides && std::any_of(all.begin(), all.begin() + k, equals);
    const auto speaks = [&](const Class& other) { return equals(other) && other.pushed; };
    if (has_stand_in || c.pushed || (!c.slides && std::any_of(all.begin(), all.begin() + count, speaks))) continue;
    out |= dimension_bit(c.d);
  }
  return out;
}

void Extender::order(int depth, DimensionMask loops, std::size_t prefix) {
  ++questions_;
  const Node& node = node_[depth];
  if (loops == 0) return leaf(node);
  const std::vector<int>& fixed = q_.instance.levels[stage_].order;
  while (prefix < fixed.size() && !contains(loops, fixed[prefix])) ++prefix;
  const bool first = node.loops == 0;
  if (prefix < fixed.size()) {
    if (!first || !pushes(fixed[prefix])) take(depth, fixed[prefix], loops, prefix + 1);
    return;
  }
  DimensionMask candidates = loops;
  if (node.moving_count == 0) {
    bool pushed = false;
    candidates = ended_by_classes(node, loops, first, pushed);
    if (pushed) return;
  }
  for (const int d : bits(candidates))
    if (!first || !pushes(d)) take(depth, d, loops, prefix);
}

void Extender::take(int depth, int d, DimensionMask loops, std::size_t prefix) {
  Node& next = node_[at(depth) + 1];
  next.copy(node_[depth]);
  const u16 digit = factor_[d];
  const DivisorDigits& of = q_.tiles.of(d);
  const u64 outside = next.rest / of.divisor[digit];
  u8 moving = 0;
  for (u8 k = 0; k < next.moving_count; ++k) {
    StateFlow f = next.moving[k];
    const Moved moved = move_flow(q_, f, d, digit, next.tile);
    if (moved == Moved::Moving) next.moving[moving++] = f;
    else close(next, f, moved == Moved::ClosedBefore ? next.rest : outside);
  }
  next.moving_count = moving;
  for (const int k : bits(next.waiting)) {
    if (!contains(q_.shapes[spread_.flow[k].tensor].indexing, d)) continue;
    next.waiting &= ~(1U << k);
    StateFlow f = spread_.flow[k];
    const Moved moved = move_flow(q_, f, d, digit, next.tile);
    if (moved == Moved::Moving) next.moving[next.moving_count++] = f;
    else close(next, f, moved == Moved::ClosedBefore ? next.rest : outside);
  }
  next.rest = outside;
  next.tile[d] = of.times[next.tile[d]][digit];
  next.order[next.loops++] = static_cast<u8>(d);
  order(depth + 1, static_cast<DimensionMask>(loops & ~dimension_bit(d)), prefix);
}

void Extender::close(Node& node, const StateFlow& f, u64 rest) {
  const u64 filled = f.fetched * f.fills * rest;
  if (f.server == kNobody) {
    node.spent += u128{filled} * f.price * q_.scale;
    return;
  }
  const PricedChannel& energy = q_.channels[0];
  Closed& c = node.closed[node.closed_count++];
  c = {filled, f.fetched * f.serves * rest, f.tensor, f.level, f.server, q_.has_way(stage_, f.server, f.tensor)};
  node.spent += u128{filled} * energy.price[f.level][f.tensor].fill;
  u64 served = c.served;
  if (c.has_way) served = ceil_div(served, std::min(q_.gain_between(stage_, f.server, f.tensor), share_[f.tensor]));
  node.spent += u128{served} * energy.price[f.server][f.tensor].access;
}

}  // namespace heliolite::proof
