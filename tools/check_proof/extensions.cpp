#include "check_proof/extensions.h"

#include <algorithm>

namespace check_proof {

Extensions::Extensions(const Machine& machine, const Bounds& bounds, const State& parent, Visit visit)
    : m_(machine),
      bounds_(bounds),
      steps_(machine),
      parent_(parent),
      visit_(std::move(visit)),
      level_(parent.level + 1),
      kept_(machine.kept(level_, parent.set)),
      counted_(bounds.counted(parent)) {
  find_room();
}

bool Extensions::run() {
  for (int k = 0; k < static_cast<int>(m_.unrollings(level_).size()); ++k)
    if (unroll(k)) return true;
  return false;
}

bool Extensions::unroll(int number) {
  const Unrolling& u = m_.unrollings(level_)[number];
  u32 tile = 0;
  for (int d = 0; d < m_.dimensions(); ++d) {
    const int digit = m_.tiles().of(d).digit(parent_.tile[d] * u.factor[d]);
    if (digit < 0) return false;
    tile += static_cast<u32>(digit) * m_.tiles().stride(d);
  }
  const auto below = [&](std::size_t c) { return bounds_.tables().below(c, level_, tile, parent_.set); };
  if (below(0) >= kInfinite) return false;
  // Most are closed by what the parent has counted, at the instances that it knows: before any step is taken.
  const u128 units = static_cast<u128>(parent_.units) * u.receivers * m_.most_units(level_ + 1, tile);
  const u64 steps = static_cast<u64>(ceil_div(m_.instance().macs, units));
  if (bounds_.closed_at(parent_, counted_ + below(0), steps)) return false;
  State s = parent_;
  steps_.unroll(s, u);
  s.unrolled = s.tile;
  Inside inside;
  bounds_.energy(s, level_, inside);
  if (bounds_.closed(s, level_, inside, below)) return false;
  step_.unrolling = number;
  return tiles(s, inside);
}

// Enlarges the tile by one prime after another, in the order of dimensions and primes.
bool Extensions::tiles(const State& unrolled, Inside& inside) {
  struct Node {
    Digits at;
    int dimension;
    u64 prime;  // the last one
  };
  const Level& level = m_.level(level_);
  std::vector<Node> stack = {{unrolled.at, 0, 0}};
  while (!stack.empty()) {
    const Node node = stack.back();
    stack.pop_back();
    const u32 tile = m_.tiles().number(node.at);
    const auto with = [&](std::size_t c) { return bounds_.tables().with(c, level_, tile, parent_.set); };
    if (!bounds_.closed(unrolled, level_, inside, with)) {
      factor_.fill(1);
      bool is_allowed = true;
      for (int d = 0; d < m_.dimensions(); ++d) {
        factor_[d] = m_.tiles().extent(node.at, d) / unrolled.tile[d];
        is_allowed &= level.loops[d].allows(factor_[d]);
      }
      if (is_allowed && orders(unrolled)) return true;
    }
    for (int d = node.dimension; d < m_.dimensions(); ++d) {
      for (const Divisors::Step& step : m_.tiles().of(d).step[node.at[d]]) {
        if (d == node.dimension && step.prime < node.prime) continue;
        if (m_.tiles().extent(node.at, d) / unrolled.tile[d] * step.prime > level.loops[d].most) continue;
        Node next = {node.at, d, step.prime};
        next.at[d] = step.digit;
        const u32 larger = m_.tiles().number(next.at);
        const auto below = [&](std::size_t c) { return bounds_.tables().below(c, level_, larger, parent_.set); };
        if (!bounds_.closed(unrolled, level_, inside, below)) stack.push_back(next);
      }
    }
  }
  return false;
}

bool Extensions::orders(const State& unrolled) {
  Mask waiting = 0;
  for (int d = 0; d < m_.dimensions(); ++d)
    if (factor_[d] > 1) waiting |= bit(d);
  step_.loops.clear();
  return place(unrolled, waiting, 0);
}

// The loops that stand next to those placed: in the order of the instance, or any.
bool Extensions::place(const State& s, Mask waiting, std::size_t prefix) {
  if (waiting == 0) return complete(s);
  const std::vector<int>& order = m_.level(level_).order;
  while (prefix < order.size() && !contains(waiting, order[prefix])) ++prefix;
  const bool is_free = prefix == order.size();
  const Mask candidates = is_free ? first_loops(s, waiting) : bit(order[prefix]);
  for (int d = 0; d < m_.dimensions(); ++d) {
    if (!contains(candidates, d) || (step_.loops.empty() && pushes_in(d))) continue;
    State next = s;
    steps_.loop(next, d, factor_[d]);
    step_.loops.push_back({static_cast<u8>(d), factor_[d]});
    const bool is_over = place(next, waiting & ~bit(d), prefix);
    step_.loops.pop_back();
    if (is_over) return true;
  }
  return false;
}

// Rule equal order: of loops that move nothing in place the first stands for all, before all others; of loops that end
// the same flows, and slide in none, the first. Of the innermost ones those that push in close the others.
Mask Extensions::first_loops(const State& s, Mask waiting) const {
  Mask in_place = 0;  // tensors
  for (const Flow& f : s.flows) {
    if (f.is_moving()) return waiting;
    in_place |= bit(f.tensor);
  }
  struct Class {
    Mask ends;
    int first;
    bool pushes_in;
  };
  std::array<Class, kDimensions> classes{};
  std::size_t count = 0;
  Mask out = 0;
  for (int d = 0; d < m_.dimensions(); ++d) {
    if (!contains(waiting, d)) continue;
    Mask ends = 0;
    bool slides = false;
    for (int v = 0; v < m_.tensors(); ++v)
      if (contains(in_place, v) && contains(m_.tensor(v).indexing, d))
        ends |= bit(v), slides |= contains(m_.tensor(v).sliding, d);
    if (slides) {
      out |= bit(d);
      continue;
    }
    std::size_t k = 0;
    while (k < count && classes[k].ends != ends) ++k;
    if (k == count) classes[count++] = {ends, d, false};
    classes[k].pushes_in |= step_.loops.empty() && pushes_in(d);
  }
  for (std::size_t k = 0; k < count; ++k)
    if (classes[k].ends == 0) return classes[k].pushes_in ? 0 : bit(classes[k].first);
  for (std::size_t k = 0; k < count; ++k)
    if (!classes[k].pushes_in) out |= bit(classes[k].first);
  return out;
}

// Rule push-in: what the tile inside has room for, by the loop directly outside it.
void Extensions::find_room() {
  if (level_ == 0) return;
  const Level& inner = m_.level(level_ - 1);
  const Level& outer = m_.level(level_);
  for (int d = 0; d < m_.dimensions(); ++d) {
    bool is_plain = outer.loops[d].least <= 1 && std::ranges::count(inner.order, d) == 0;
    is_plain &= !contains(parent_.looped, d) || parent_.outermost == d;
    for (int v = 0; v < m_.tensors(); ++v)
      if (outer.has_fanout || contains(parent_.kept, v))
        is_plain &= contains(m_.tensor(v).plain, d) || !contains(m_.tensor(v).indexing, d);
    if (!is_plain) continue;
    for (const Divisors::Step& step : m_.tiles().of(d).step[parent_.at[d]]) {
      if (!inner.loops[d].allows(parent_.tile[d] / parent_.unrolled[d] * step.prime)) continue;
      Extents larger = parent_.tile;
      larger[d] *= step.prime;
      if (m_.tiles().fits(level_ - 1, parent_.kept, larger)) room_[d].push_back(step.prime);
    }
  }
}

bool Extensions::pushes_in(int d) const {
  return std::ranges::any_of(room_[d], [&](u64 prime) { return factor_[d] % prime == 0; });
}

bool Extensions::complete(const State& s) {
  State done = s;
  done.looped = 0;
  for (const Loop& l : step_.loops) done.looped |= bit(l.dimension);
  done.outermost = step_.loops.empty() ? i8{-1} : static_cast<i8>(step_.loops.back().dimension);
  if (level_ == m_.levels() - 1) {
    step_.set = 0;
    steps_.finish(done);
    return visit_(done, step_);
  }
  const u32 tile = m_.tiles().number(s.at);
  for (const u16 set : m_.next(level_, parent_.set)) {
    State next = done;
    steps_.start(next, kept_, set);
    step_.set = set;
    Inside inside;
    const auto below = [&](std::size_t c) { return bounds_.tables().below(c, level_ + 1, tile, set); };
    if (below(0) >= kInfinite) continue;
    bounds_.energy(next, level_, inside);
    if (!bounds_.closed(next, level_, inside, below) && visit_(next, step_)) return true;
  }
  return false;
}

}  // namespace check_proof
