#pragma once
// What closes an extension of a state by its next level (docs/rules/proof.md): the instance, bounds, equal order,
// push-in, and rule listed: a state that a proof lists stands for an extension over the same tile with the same
// servers, if each completion costs with it inside at most what it costs with the extension inside.
#include "check_proof/bounds.h"

namespace check_proof {
// All extensions of a state that the instance, a bound, equal order or push-in leave open.
class Extensions {
 public:
  // Called with each extension that is open, of the outermost level with those that are finished and below the claim;
  // true ends the walk.
  using Visit = std::function<bool(const State&, const Step&)>;

  Extensions(const Steps& steps, const Bounds& bounds, const Claim& claim, Visit visit)
      : m_(steps), bounds_(bounds), claim_(claim), visit_(std::move(visit)) {}
  // Whether a visit ended the walk.
  bool extend(const State& parent) {
    parent_ = &parent;
    level_ = parent.level + 1;
    find_room();
    const i128 counted = bounds_.counted(0, parent, parent.level);
    for (std::size_t k = 0; k < m_.unrollings[level_].size(); ++k) {
      const Unrolling& u = m_.unrollings[level_][k];
      Tile tile = parent.tile;
      if (!m_.multiply(tile, u.both)) continue;
      const u32 number = m_.number(tile);
      const auto below = [&](std::size_t c) { return bounds_.below(c, level_, parent.set, number); };
      // Most are closed by what the parent has counted, before any step is taken.
      const u64 steps = bounds_.steps(parent.units * u.receivers, level_, number);
      if (counted + below(0) > most_energy(parent, steps)) continue;
      State s = parent;
      m_.unroll(s, u);
      if (is_closed(s, level_, below)) continue;
      step_.unrolling = static_cast<int>(k);
      if (tiles(s, s.tile, Tile{}, most_energy(s, cycles_) - energy_, 0, 0)) return true;
    }
    return false;
  }
  // Whether a state and what a table tells of each channel, outside(c), are closed.
  bool is_closed(const State& s, int from, const auto& outside) {
    const u32 tile = m_.number(s.tile);
    energy_ = bounds_.inside(0, s, from);
    cycles_ = bounds_.steps(s.units, from, tile);
    if (energy_ + outside(std::size_t{0}) > most_energy(s, cycles_)) return true;
    cycles_ = bounds_.cycles(cycles_, s, from, tile, outside);
    return energy_ + outside(std::size_t{0}) > most_energy(s, cycles_);
  }

 private:
  // The most energy, in 1/scale of a unit and without that of compute units and leakage, that is not closed.
  i128 most_energy(const State& s, u64 cycles) {
    if (cycles != asked_cycles_) asked_cycles_ = cycles, asked_energy_ = claim_.least_energy(cycles);
    if (asked_energy_ >= kInfinite) return kInfinite / 2;
    u64 leak = 0;  // of all levels, in a cycle; what is outside has one instance at least
    for (int j = 0; j < m_.levels(); ++j) leak += m_.in.levels[j].leak * (j <= s.level ? s.instances[j] : 1);
    const i128 rest = asked_energy_ - 1 - static_cast<i128>(m_.in.mac) * m_.in.macs - static_cast<i128>(leak) * cycles;
    const i128 scale = m_.in.scale;
    return std::min(rest, kInfinite / 2 / scale) * scale;
  }
  // All tiles, by one prime after another, in the order of dimensions and primes; the last one was of dimension
  // `first`.
  bool tiles(const State& unrolled, const Tile& tile, const Tile& factor, i128 most_outside, int first, u8 last) {
    const Level& level = m_.in.levels[level_];
    const u32 number = m_.number(tile);
    const i128 with = bounds_.with(0, level_, parent_->set, number);
    bool is_allowed = with <= most_outside;
    Mask waiting = 0;
    for (int d = 0; d < m_.dimensions(); ++d) {
      is_allowed &= level.loops[d].allows(m_.extent(factor, d));
      if (factor[d] != 0) waiting |= bit(d);
    }
    factor_ = factor;
    step_.loops.clear();
    if (is_allowed) {
      most_inside_ = most_energy(unrolled, bounds_.steps(unrolled.units, level_, number)) - with;
      if (place(unrolled, waiting)) return true;
    }
    for (int d = first; d < m_.dimensions(); ++d)
      for (const u8 prime : m_.primes(d)) {
        Tile larger = tile, more = factor;
        larger[d] = m_.times(d, tile[d], prime), more[d] = m_.times(d, factor[d], prime);
        if (larger[d] == kNone || (d == first && prime < last) || m_.extent(more, d) > level.loops[d].most) continue;
        if (bounds_.below(0, level_, parent_->set, m_.number(larger)) > most_outside) continue;
        if (tiles(unrolled, larger, more, most_outside, d, prime)) return true;
      }
    return false;
  }
  // The loops that stand next to those placed: in the order of the instance, or any.
  bool place(const State& s, Mask waiting) {
    if (waiting == 0) return complete(s);
    const std::vector<int>& order = m_.in.levels[level_].order;
    const auto fixed = std::ranges::find_if(order, [&](int d) { return contains(waiting, d); });
    const Mask candidates = fixed == order.end() ? first_loops(s, waiting) : bit(*fixed);
    for (int d = 0; d < m_.dimensions(); ++d) {
      if (!contains(candidates, d) || (step_.loops.empty() && pushes_in(d))) continue;
      State next = s;
      m_.loop(next, d, m_.extent(factor_, d));
      if (std::popcount(waiting) > 2 && bounds_.inside(0, next, level_) > most_inside_) continue;
      step_.loops.push_back({d, m_.extent(factor_, d)});
      if (place(next, waiting & ~bit(d))) return true;
      step_.loops.pop_back();
    }
    return false;
  }
  // Rule equal order: of loops that move nothing in place the first stands for all, before all others; of loops that
  // end the same flows, and slide in none, the first. Of the innermost ones those that push in close the others.
  Mask first_loops(const State& s, Mask waiting) const {
    std::array<Mask, kDimensions> ends{};  // tensors in place that a loop moves
    Mask slides = 0, out = 0;              // dimensions
    for (const Flow& f : s.flows) {
      if (f.is_moving()) return waiting;
      slides |= m_.in.tensors[f.tensor].sliding;
      for (int d = 0; d < m_.dimensions(); ++d)
        if (contains(m_.in.tensors[f.tensor].indexing, d)) ends[d] |= bit(f.tensor);
    }
    for (int d = 0; d < m_.dimensions(); ++d) {
      bool is_first = contains(waiting, d);
      for (int e = 0; e < m_.dimensions() && is_first; ++e) {
        if (!contains(waiting, e) || e == d) continue;
        const bool is_equal = ends[e] == ends[d] && !contains(slides, d) && !contains(slides, e);
        is_first = !(ends[e] == 0 && ends[d] != 0) && !(is_equal && (e < d || (step_.loops.empty() && pushes_in(e))));
      }
      if (is_first) out |= bit(d);
    }
    return out;
  }
  // Rule push-in: what the tile inside has room for, by the loop directly outside it.
  void find_room() {
    for (std::vector<u8>& primes : room_) primes.clear();
    if (level_ == 0) return;
    const Level &inner = m_.in.levels[level_ - 1], &outer = m_.in.levels[level_];
    for (int d = 0; d < m_.dimensions(); ++d) {
      bool is_plain = outer.loops[d].least <= 1 && std::ranges::count(inner.order, d) == 0;
      is_plain &= contains(parent_->free, d);
      for (int v = 0; v < m_.tensors(); ++v)
        if (outer.has_fanout || contains(parent_->kept, v))
          is_plain &= contains(m_.in.tensors[v].plain, d) || !contains(m_.in.tensors[v].indexing, d);
      if (!is_plain) continue;
      const u64 factor = m_.extent(parent_->tile, d) / m_.extent(parent_->unrolled, d);
      for (const u8 prime : m_.primes(d)) {
        Tile larger = parent_->tile;
        if ((larger[d] = m_.times(d, larger[d], prime)) == kNone) continue;
        if (!inner.loops[d].allows(factor * m_.divisors(d)[prime])) continue;
        if (m_.fits(level_ - 1, parent_->kept, larger)) room_[d].push_back(prime);
      }
    }
  }
  bool pushes_in(int d) const {
    const u64 factor = m_.extent(factor_, d);
    return std::ranges::any_of(room_[d], [&](u8 prime) { return factor % m_.divisors(d)[prime] == 0; });
  }
  bool complete(const State& s) {
    const u32 tile = m_.number(s.tile);
    static const std::vector<int> kNoSet = {0};
    for (const int set : m_.is_top(level_) ? kNoSet : m_.next[level_][parent_->set]) {
      const auto below = [&](std::size_t c) { return bounds_.below(c, level_ + 1, set, tile); };
      if (!m_.is_top(level_) && below(0) >= kInfinite) continue;
      State next = s;
      m_.finish(next, set);
      step_.set = set;
      const bool is_over = m_.is_top(level_) ? claim_.is_closed(exact_cost(m_, next)) : is_closed(next, level_, below);
      if (!is_over && visit_(next, step_)) return true;
    }
    return false;
  }
  const Steps& m_;
  const Bounds& bounds_;
  const Claim& claim_;
  const Visit visit_;
  u64 asked_cycles_ = 0;  // of the least energy that was asked last
  i128 asked_energy_ = claim_.least_energy(1);
  i128 energy_ = 0;  // of the state that was asked last
  u64 cycles_ = 0;
  const State* parent_ = nullptr;
  int level_ = 0;
  std::array<std::vector<u8>, kDimensions> room_;  // primes that the tile inside has room for
  Tile factor_{};                                  // of the loops at the tile whose orders are tried
  i128 most_inside_ = 0;
  Step step_;
};

// A state as it is compared with others.
class Compared {
 public:
  Compared(const Steps& m, const State& s) : m_(m), state_(s) {
    for (const Flow& f : state_.flows) {
      flowing_ |= bit(f.tensor);
      if (f.is_moving()) moving_ |= bit(f.tensor);
      if (f.is_moving()) continue;
      placed_[f.into] += f.full * f.fills;
      if (f.server > s.level) coming_[f.tensor] += f.full * f.serves;
      else if (f.server >= 0) placed_[m.slot(kAsked, f.server, f.tensor)] += f.full * f.serves;
    }
    for (const auto& price : m.comparisons) total_.push_back(weighed(price, state_.count, ~Mask{0}));
  }
  // Of states over the same tile, with the same servers and instances.
  bool stands_for(const Compared& o, i128 rounding) const {
    for (std::size_t p = 0; p < total_.size(); ++p)
      if (total_[p] > o.total_[p]) return false;  // what else is compared only adds to that of this one
    const State &a = state_, &b = o.state_;
    if (a.units < b.units || !is_nowhere_more(b.summed, a.summed)) return false;
    const Mask gone = flowing_ & ~o.flowing_;
    if (gone != 0) return (moving_ & gone) == 0 && Compared(m_, moved(gone)).stands_for(o, rounding);
    std::vector<Flow> x = a.flows, y = b.flows;  // those that slide must be alike
    const auto is_free = [&](const Flow& f) {
      return !contains(flowing_, f.tensor) || !m_.in.tensors[f.tensor].sliding;
    };
    std::erase_if(x, is_free), std::erase_if(y, is_free);
    if (x != y) return false;
    if (!is_nowhere_more(a.pending, b.pending) || !is_nowhere_more(coming_, o.coming_)) return false;
    if (has_no_more_words(o)) return true;
    for (std::size_t p = 0; p < total_.size(); ++p) {
      if (total_[p] + (p < m_.energies ? rounding : 0) > o.total_[p]) return false;
      for (int v = 0; v < m_.tensors(); ++v)
        if (weighed(m_.comparisons[p], placed_, bit(v)) > weighed(m_.comparisons[p], o.placed_, bit(v))) return false;
    }
    return true;
  }

 private:
  static bool is_nowhere_more(const auto& a, const auto& b) {
    return std::ranges::equal(a, b, [](u64 x, u64 y) { return x <= y; });
  }
  i128 weighed(const auto& price, const std::array<u64, kSlots>& words, Mask tensors) const {
    i128 out = 0;
    for (std::size_t k = 1; k < m_.slots.size(); ++k)
      if (words[k] != 0 && contains(tensors, m_.slots[k].tensor))
        out += static_cast<i128>(static_cast<u128>(price[k]) * words[k]);
    return out;
  }
  // Of networks, where nothing is rounded, it is enough that all together cost no more.
  bool has_no_more_words(const Compared& o) const {
    i128 network = 0;
    for (std::size_t k = 1; k < m_.slots.size(); ++k) {
      const i128 more = static_cast<i128>(state_.count[k]) - o.state_.count[k];
      if (m_.slots[k].kind > kArrived) network += more * static_cast<i128>(m_.comparisons[0][k]);
      else if (more > 0) return false;
    }
    return network <= 0 && is_nowhere_more(placed_, o.placed_);
  }
  // With all words of some tensors moved by the next loop, which is the most that they can be.
  State moved(Mask tensors) const {
    State s = state_;
    s.flows.resize(0);
    for (const Flow& f : state_.flows) {
      if (contains(tensors, f.tensor)) m_.close(s, f, s.rest, s.level);
      else s.flows.push_back(f);
    }
    return s;
  }
  const Steps& m_;
  const State& state_;
  Mask flowing_ = 0, moving_ = 0;       // tensors with flows
  std::array<u64, kSlots> placed_{};    // words in place, in one iteration, at ends that are inside
  std::array<u64, kTensors> coming_{};  // and at the server that is to come
  std::vector<i128> total_;             // [comparison]: of counted words
};

class Listed {
 public:
  Listed(const Steps& steps, const std::vector<State>& states) : m_(steps) {
    for (const State& s : states) alike_[{s.tile, s.set, s.instances}].emplace_back(m_, s);
    // What rounding up to blocks can add at most, all levels and instances together.
    for (int i = 0; i < m_.levels(); ++i) {
      const Level& l = m_.in.levels[i];
      u64 dearest = 0;
      for (const Prices& p : l.of) dearest = std::max({dearest, p[kRead], p[kFill], p[kUpdate]});
      rounding_ +=
          static_cast<i128>(3) * dearest * m_.tensors() * l.instances * (m_.in.scale / l.block) * (l.block - 1);
    }
  }
  bool stand_for(const State& s) const {
    const auto found = alike_.find({s.tile, s.set, s.instances});
    if (found == alike_.end()) return false;
    const Compared c(m_, s);
    return std::ranges::any_of(found->second, [&](const Compared& l) { return l.stands_for(c, rounding_); });
  }

 private:
  const Steps& m_;
  std::map<std::tuple<Tile, int, std::array<u64, kLevels>>, std::vector<Compared>> alike_;
  i128 rounding_ = 0;
};
}  // namespace check_proof
