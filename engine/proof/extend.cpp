#include "engine/proof/extend.h"

#include <algorithm>
#include <optional>

#include "engine/base/integers.h"

namespace heliolite::proof {

Extender::Extender(const Question& question, const Bounds& bounds, const Claim& claim, std::function<bool()> over)
    : q_(question), bounds_(bounds), claim_(claim), steps_(question), over_(std::move(over)) {
  counted_.resize(q_.channels.size());
  ways_.resize(q_.channels.size());
}

void Extender::extend(const State& parent, int stage, const std::function<void(State&)>& visit) {
  stage_ = stage;
  parent_ = &parent;
  visit_ = &visit;
  find_growable_axes(parent, stage);
  parent_counted_ = counted(0, parent);
  parent_leak_ = leakage(parent, 1);
  const std::vector<ProofUnrolling>& all = q_.unrollings[stage];
  for (unrolling_ = 0; unrolling_ < all.size() && !stopped_; ++unrolling_) {
    const u64 receivers = all[unrolling_].receivers;
    if (unrolling_ == 0 || receivers < all[unrolling_ - 1].receivers)
      if (fewer_are_closed(parent, receivers)) return;
    Digits tile = parent.tile;
    bool divides = true;
    for (int d = 0; d < q_.tiles.dimension_count() && divides; ++d) {
      tile[d] = q_.tiles.of(d).times[tile[d]][all[unrolling_].digit[d]];
      divides = tile[d] != DivisorDigits::kNone;
    }
    if (!divides) continue;
    const Tile start = number(tile);
    if (bounds_.below(0, stage, parent.set, start) == kImpossible) continue;
    if (surely_closed(parent, start)) continue;
    spread_ = parent;
    steps_.unroll(spread_, stage, unrolling_);
    too_many_ |= spread_.too_many;
    if (closed_after_unrolling(spread_, stage, start)) continue;
    walk_tiles(parent);
  }
}

// Primes that the tile of the level inside could take from a loop directly outside it (rule push-in).
void Extender::find_growable_axes(const State& parent, int stage) {
  for (auto& primes : growable_) primes.clear();
  if (stage == 0 || q_.is_idle(stage - 1, parent.kept)) return;
  const InstanceLevel& inner = q_.instance.levels[at(stage) - 1];
  const InstanceLevel& outer = q_.instance.levels[stage];
  // What levels to come need of the same room is not known: then the tile may take no more.
  const std::optional<u128> most = outer.shares ? parent.held : inner.room;
  const u128 others = parent.held - q_.parts(stage - 1, parent.kept, parent.tile);
  DimensionMask alone = ~DimensionMask{0};
  const auto only_plain_of = [&](int v) {
    alone &= static_cast<DimensionMask>(q_.shapes[v].plain | ~q_.shapes[v].indexing);
  };
  for (int f = 0; f < parent.flows; ++f) only_plain_of(parent.flow[f].tensor);
  for (int v = 0; v < q_.tensors() && outer.has_fanout(); ++v) only_plain_of(v);
  for (int d = 0; d < q_.tiles.dimension_count(); ++d) {
    if (!contains(alone, d) || outer.loops[d].min > 1 || std::ranges::count(inner.order, d) > 0) continue;
    const auto end = parent.order.begin() + parent.loops;
    const auto found = std::find(parent.order.begin(), end, d);
    if (found != end && found + 1 != end) continue;
    const u64 factor = q_.tiles.extent(parent.tile, d) / q_.tiles.extent(parent.inner, d);
    for (const DivisorDigits::Step& step : q_.tiles.of(d).steps[parent.tile[d]]) {
      if (!inner.loops[d].allows(factor * step.prime)) continue;
      Digits larger = parent.tile;
      larger[d] = step.digit;
      if (!most || others + q_.parts(stage - 1, parent.kept, larger) <= *most) growable_[d].push_back(step.prime);
    }
  }
}

bool Extender::pushes(int d) const {
  const u64 factor = q_.tiles.extent(factor_, d);
  return std::ranges::any_of(growable_[d], [&](u32 prime) { return factor % prime == 0; });
}

// All tiles that the level's loops can make of the spread state's, as far as bounds leave them open.
void Extender::walk_tiles(const State& parent) {
  const InstanceLevel& l = q_.instance.levels[stage_];
  const Tile first_tile = number(spread_.tile);
  for (std::size_t c = 0; c < q_.channels.size(); ++c) counted_[c] = counted(c, spread_);
  const u64 steps = least_steps(spread_, stage_, first_tile);
  const i128 base = inside(0, spread_, stage_) + static_cast<i128>(leakage(spread_, steps));
  const u128 least = claim_.least_energy(steps);
  const auto closed = [&](u128 outside) {
    return outside == kImpossible ||
           (base + static_cast<i128>(outside) >= 0 && static_cast<u128>(base + static_cast<i128>(outside)) >= least);
  };
  struct Entry {
    Digits tile, factor;
    Tile number;
    int first;
  };
  std::vector<Entry> stack{{spread_.tile, Digits{}, first_tile, 0}};
  while (!stack.empty()) {
    if ((++ticks_ & 0xff) == 0 && over_ && over_()) stopped_ = true;
    if (stopped_) return;
    const Entry e = stack.back();
    stack.pop_back();
    ++questions_;
    if (l.shares && !q_.fits(stage_, parent.set, e.tile, parent.held)) continue;
    if (!closed(bounds_.with(stage_, parent.set, e.number))) {
      tile_ = e.number;
      digits_ = e.tile;
      factor_ = e.factor;
      walk_orders();
    }
    if (q_.is_idle(stage_, q_.sets[stage_][parent.set].kept)) continue;
    for (int d = e.first; d < q_.tiles.dimension_count(); ++d) {
      const DivisorDigits& of = q_.tiles.of(d);
      for (const DivisorDigits::Step& step : of.steps[e.tile[d]]) {
        if (d == e.first && step.prime < of.last_prime[e.factor[d]]) continue;
        const u64 n = of.divisor[e.factor[d]] * step.prime;
        if (n > l.loops[d].max) continue;
        ++questions_;
        const Tile larger = e.number + q_.tiles.stride(d) * static_cast<Tile>(step.digit - e.tile[d]);
        if (closed(bounds_.below(0, stage_, parent.set, larger))) continue;
        Entry next = e;
        next.tile[d] = step.digit;
        next.factor[d] = q_.tiles.digit_of(d, n);
        next.number = larger;
        next.first = d;
        stack.push_back(next);
      }
    }
  }
}

void Extender::walk_orders() {
  const InstanceLevel& l = q_.instance.levels[stage_];
  DimensionMask loops = 0;
  for (int d = 0; d < q_.tiles.dimension_count(); ++d) {
    if (!l.loops[d].allows(q_.tiles.extent(factor_, d))) return;
    if (factor_[d] > 0) loops |= dimension_bit(d);
  }
  ordered_.clear();
  ways_known_.assign(q_.channels.size(), false);
  steps_least_ = least_steps(spread_, stage_, tile_);
  for (int v = 0; v < q_.tensors(); ++v) share_[v] = share(v, digits_);
  Node& node = node_[0];
  node.tile = spread_.tile;
  node.rest = spread_.rest;
  node.waiting = 0;
  node.spent = 0;
  node.moving_count = node.closed_count = node.loops = 0;
  for (u8 k = 0; k < spread_.flows; ++k) {
    if (spread_.flow[k].is_moving()) node.moving[node.moving_count++] = spread_.flow[k];
    else node.waiting |= 1U << k;
  }
  order(0, loops, 0);
}

void Extender::leaf(const Node& node) {
  if (q_.is_top(stage_)) return ask(node, kNoSlot);
  const ServerSet& from = q_.sets[stage_][parent_->set];
  for (std::size_t k = 0; k < from.next.size(); ++k) ask(node, k);
}

// The ordering bound of the flows that are still in place and of those that begin, remembered by which these are.
u128 Extender::ordering(std::size_t channel, const Node& node, std::size_t next) {
  const u64 key = (u64{node.waiting} << 24 | channel << 12 | (next == kNoSlot ? 0xfff : next));
  for (const Remembered& r : ordered_)
    if (r.key == key) return r.cost;
  std::array<WaitingFlow, kMaxFlows + kMaxTensors> flows;
  std::size_t count = 0;
  for (const int k : bits(node.waiting)) flows[count++] = placed(spread_, spread_.flow[k], stage_, digits_);
  if (next != kNoSlot) {
    const ServerSet& from = q_.sets[stage_][parent_->set];
    const ServerSet& to = q_.sets[at(stage_) + 1][from.next[next]];
    for (const int v : bits(from.kept)) {
      const u64 words = q_.shapes[v].words(q_.tiles, digits_);
      const u64 first = v == q_.output ? q_.most_first(stage_ + 1, digits_) : 0;
      flows[count++] = {words,        words,   1, first, 0, tile_, static_cast<u8>(v), static_cast<u8>(stage_),
                        to.server[v], &digits_};
    }
  }
  const u128 cost = bounds_.ordering(q_.channels[channel], std::span(flows).first(count), digits_, stage_);
  ordered_.push_back({key, cost});
  return cost;
}

void Extender::ask(const Node& node, std::size_t next) {
  ++questions_;
  const bool top = next == kNoSlot;
  const ServerSet& from = q_.sets[stage_][parent_->set];
  const int set = top ? 0 : from.next[next];
  u128 outside = 0;
  if (!top && (outside = bounds_.below(0, stage_ + 1, set, tile_)) == kImpossible) return;
  u16 served = spread_.served, filled = spread_.filled;
  for (u8 k = 0; k < node.closed_count; ++k)
    if (node.closed[k].tensor == q_.output) filled = static_cast<u16>(filled | 1U << node.closed[k].level);
  if (!top && contains(from.kept, q_.output))
    served = static_cast<u16>(served | 1U << q_.sets[at(stage_) + 1][set].server[q_.output]);
  const auto ways = [&](std::size_t channel) {
    if (!ways_known_[channel]) {
      ways_[channel] = on_way(channel, spread_, stage_, digits_);
      ways_known_[channel] = true;
    }
    return ways_[channel];
  };
  const auto moving = [&](const PricedChannel& channel) {
    i128 sum = 0;
    for (u8 k = 0; k < node.moving_count; ++k) sum += of_moving(channel, node.moving[k], stage_, digits_, node.rest);
    return sum;
  };
  const i128 energy = counted_[0] + ways(0) + static_cast<i128>(node.spent) + moving(q_.channels[0]) +
                      static_cast<i128>(ordering(0, node, next)) + static_cast<i128>(outside) -
                      refunds(0, spread_, stage_, digits_, served, filled, 1);
  u64 cycles = steps_least_;
  const u128 leak = leakage(spread_, 1);
  if (closes(energy + static_cast<i128>(leak * cycles), cycles)) return;
  for (std::size_t c = 1; c < q_.channels.size(); ++c) {
    const PricedChannel& channel = q_.channels[c];
    i128 words = counted_[c] + ways(c) + moving(channel);
    for (u8 k = 0; k < node.closed_count; ++k) {
      const Closed& f = node.closed[k];
      words += static_cast<i128>(f.filled) * channel.price[f.level][f.tensor].fill;
      const u64 price = channel.price[f.server][f.tensor].access;
      if (price == 0) continue;
      const u64 shared = f.has_way ? std::min(q_.gain_between(stage_, f.server, f.tensor), share_[f.tensor]) : u64{1};
      words += static_cast<i128>(ceil_div(f.served, shared)) * price;
    }
    words += static_cast<i128>(ordering(c, node, next));
    const int table = bounds_.table_of(c);
    if (!top && table > 0) words += static_cast<i128>(bounds_.below(at(table), stage_ + 1, set, tile_));
    words -= refunds(c, spread_, stage_, digits_, served, filled, 1);
    cycles = std::max(cycles, rate_cycles(channel, spread_, stage_, tile_, words));
  }
  if (closes(energy + static_cast<i128>(leak * cycles), cycles)) return;
  build(node, next);
}

// The extension as a state, step by step.
void Extender::build(const Node& node, std::size_t next) {
  State out = spread_;
  for (u8 k = 0; k < node.loops; ++k) steps_.loop(out, stage_, node.order[k], factor_[node.order[k]]);
  const ServerSet& from = q_.sets[stage_][parent_->set];
  if (next == kNoSlot) {
    steps_.finish(out);
    const ExactCost cost = exact_cost(q_, out);
    if (claim_.closed(cost.energy * q_.scale, cost.cycles)) return;
  } else {
    steps_.start(out, stage_, from.kept, from.next[next]);
  }
  too_many_ |= out.too_many;
  out.parent = parent_->id;
  out.unrolling = static_cast<u32>(unrolling_);
  out.inner = spread_.tile;
  out.order = node.order;
  out.loops = node.loops;
  out.kept = from.kept;
  (*visit_)(out);
}

}  // namespace heliolite::proof
