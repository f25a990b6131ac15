#pragma once
// What closes an extension of a state by its next level (docs/rules/proof.md): the instance, bounds, equal order,
// push-in, and rule listed: a state that a proof lists stands for an extension over the same tile with the same
// servers, if each completion costs with it inside at most what it costs with the extension inside.
#include "check_proof/bounds.h"
namespace check_proof {
// All extensions of a state that the instance, a bound, equal order or push-in leave open.
class Extensions {
 public:
  // Called with each extension that is open, of the outermost level with those that are finished and below the claim.
  using Visit = std::function<void(const State&, const Step&)>;
  Extensions(const Steps& steps, const Bounds& bounds, const Claim& claim, Visit visit)
      : m_(steps), bounds_(bounds), claim_(claim), visit_(std::move(visit)) {}
  void extend(const State& parent) {
    parent_ = &parent;
    level_ = parent.level + 1;
    const u32 inside = m_.number(parent.tile);
    const i128 least = bounds_.counted(0, parent, parent.level) + bounds_.below(0, level_, parent.set, inside);
    for (std::size_t k = 0; k < m_.unrollings[level_].size(); ++k) {
      const Unrolling& u = m_.unrollings[level_][k];
      // Most are closed by what the parent has counted, with all that have no more receivers.
      if (least > most_energy(parent, bounds_.steps(parent.units * u.receivers, level_, inside))) break;
      if (Tile tile = parent.tile; !m_.multiply(tile, u.both)) continue;
      State s = parent;
      m_.unroll(s, u);
      if (is_closed(s, level_)) continue;
      step_.unrolling = static_cast<int>(k);
      tiles(s, s.tile, most_energy(s, cycles_) - energy_, 0, 0);
    }
  }
  // Whether a state is closed; the fan-outs of levels up to `from` are inside.
  bool is_closed(const State& s, int from) {
    const u32 tile = m_.number(s.tile);
    const i128 outside = bounds_.below(0, s.level + 1, s.set, tile);
    energy_ = bounds_.inside(0, s, from);
    cycles_ = bounds_.steps(s.units, from, tile);
    if (energy_ + outside > most_energy(s, cycles_)) return true;
    cycles_ = bounds_.cycles(cycles_, s, from);
    return energy_ + outside > most_energy(s, cycles_);
  }

 private:
  // The most energy, in 1/scale of a unit and without that of compute units and leakage, that is not closed.
  i128 most_energy(const State& s, u64 cycles) const {
    const i128 asked = claim_.least_energy(cycles);
    if (asked >= kInfinite) return kInfinite / 2;
    u64 leak = 0;  // of all levels, in a cycle; what is outside has one instance at least
    for (int j = 0; j < m_.levels(); ++j) leak += m_.in.levels[j].leak * (j <= s.level ? s.instances[j] : 1);
    const i128 rest = asked - 1 - static_cast<i128>(m_.in.mac) * m_.in.macs - static_cast<i128>(leak) * cycles;
    return std::min(rest, kInfinite / 2 / m_.in.scale) * m_.in.scale;
  }
  // All tiles, by one prime after another, in the order of dimensions and primes; the last one was of dimension
  // `first`.
  void tiles(const State& unrolled, const Tile& tile, i128 most_outside, int first, u8 last) {
    if (m_.in.levels[level_].shares && !m_.fits(level_, parent_->set, tile, parent_->held)) return;
    bool is_allowed = bounds_.with(level_, parent_->set, m_.number(tile)) <= most_outside;
    Mask waiting = 0;
    for (int d = 0; d < m_.dimensions(); ++d) {
      factor_[d] = m_.extent(tile, d) / m_.extent(unrolled.tile, d);
      is_allowed &= m_.loops(level_, parent_->set, d).allows(factor_[d]);
      if (factor_[d] != 1) waiting |= bit(d);
    }
    step_.loops.clear();
    if (is_allowed) place(unrolled, waiting);
    for (int d = first; d < m_.dimensions(); ++d)
      for (const u8 prime : m_.primes[d]) {
        Tile larger = tile;
        larger[d] = m_.times(d, tile[d], prime);
        if (larger[d] == kNone || (d == first && prime < last)) continue;
        if (m_.extent(larger, d) / m_.extent(unrolled.tile, d) > m_.loops(level_, parent_->set, d).most) continue;
        if (bounds_.below(0, level_, parent_->set, m_.number(larger)) > most_outside) continue;
        tiles(unrolled, larger, most_outside, d, prime);
      }
  }
  // The loops that stand next to those placed: in the order of the instance, or any.
  void place(const State& s, Mask waiting) {
    if (waiting == 0) return complete(s);
    const std::vector<int>& order = m_.in.levels[level_].order;
    const auto fixed = std::ranges::find_if(order, [&](int d) { return contains(waiting, d); });
    const Mask candidates = fixed == order.end() ? first_loops(s, waiting) : bit(*fixed);
    for (int d = 0; d < m_.dimensions(); ++d) {
      if (!contains(candidates, d) || (step_.loops.empty() && pushes_in(d))) continue;
      State next = s;
      m_.loop(next, d, factor_[d]);
      step_.loops.push_back({d, factor_[d]});
      place(next, waiting & ~bit(d));
      step_.loops.pop_back();
    }
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
  // Rule push-in: whether the tile inside has room for a prime of the loop over d directly outside it. Where levels to
  // come share that room it is not known what they need: it may grow only where it takes no more.
  bool pushes_in(int d) const {
    if (!contains(parent_->free, d) || m_.in.levels[level_].loops[d].least > 1) return false;
    const Level& inner = m_.in.levels[level_ - 1];
    if (inner.shares && parent_->kept == 0) return false;
    Mask others = 0;  // dimensions that some tensor has in another way than alone with coefficient 1
    for (const Flow& f : parent_->flows) others |= m_.in.tensors[f.tensor].indexing & ~m_.in.tensors[f.tensor].plain;
    for (const Tensor& t : m_.in.tensors)
      if (m_.in.levels[level_].has_fanout) others |= t.indexing & ~t.plain;
    const u64 factor = m_.extent(parent_->tile, d) / m_.extent(parent_->unrolled, d);
    const u128 more = m_.goes_on(level_ - 1) ? 0 : inner.room - parent_->held;
    const u128 most = m_.parts(level_ - 1, parent_->kept, parent_->tile) + more;
    return !contains(others, d) && place_of(d, inner.order) < 0 && std::ranges::any_of(m_.primes[d], [&](u8 prime) {
      Tile larger = parent_->tile;
      larger[d] = m_.times(d, larger[d], prime);
      return factor_[d] % m_.divisors[d][prime] == 0 && larger[d] != kNone &&
             inner.loops[d].allows(factor * m_.divisors[d][prime]) &&
             m_.parts(level_ - 1, parent_->kept, larger) <= most;
    });
  }
  void complete(const State& s) {
    for (const int set : m_.next[level_][parent_->set]) {
      State next = s;
      m_.finish(next, set);
      step_.set = set;
      if (m_.is_top(level_) ? !claim_.is_closed(exact_cost(m_, next)) : !is_closed(next, level_)) visit_(next, step_);
    }
  }
  const Steps& m_;
  const Bounds& bounds_;
  const Claim& claim_;
  const Visit visit_;
  i128 energy_ = 0;  // of the state that was asked last
  u64 cycles_ = 0;
  const State* parent_ = nullptr;
  int level_ = 0;
  std::array<u64, kDimensions> factor_{};  // of the loops at the tile whose orders are tried
  Step step_;
};
constexpr bool is_nowhere_more(const auto& a, const auto& b) { return std::ranges::equal(a, b, std::less_equal{}); }
// What flows of a state do in one iteration of the loops to come.
struct Flowing {
  Mask tensors = 0;                    // that flow
  Counts inside;                       // words in place at ends that are inside
  std::array<u64, kTensors> coming{};  // and at the server that is to come
  std::vector<Flow> sliding;           // those of tensors that slide
  Flowing(const Steps& m, const State& s) : inside(m.slots.size()) {
    for (const Flow& f : s.flows) {
      tensors |= bit(f.tensor);
      if (m.in.tensors[f.tensor].sliding != 0) sliding.push_back(f);
      if (f.is_moving()) continue;
      inside[f.into] += f.full * f.fills;
      if (f.server > s.level) coming[f.tensor] += f.full * f.serves;
      else if (f.server >= 0) inside[m.slot(kAsked, f.server, f.tensor)] += f.full * f.serves;
    }
  }
};

class Listed {
 public:
  Listed(const Steps& steps, const std::vector<State>& states) : m_(steps) {
    for (const State& s : states) alike_[{s.tile, s.set, s.instances}].push_back(&s);
    // What rounding up to blocks can add at most, all levels and instances together.
    for (const Level& l : m_.in.levels)
      for (int v = 0; v < m_.tensors(); ++v)
        rounding_ += static_cast<i128>(l.of[v][kRead] + l.of[v][kFill] + l.of[v][kUpdate]) * l.instances *
                     (m_.in.scale / l.block) * (l.block - 1);
  }
  bool stand_for(const State& s) const {
    const auto found = alike_.find({s.tile, s.set, s.instances});
    if (found == alike_.end()) return false;
    const Flowing flowing(m_, s);
    return std::ranges::any_of(found->second, [&](const State* listed) { return stands(*listed, s, flowing); });
  }

 private:
  // Whether a stands for b, with flows y, which is over the same tile with the same servers and instances.
  bool stands(const State& a, const State& b, const Flowing& y) const {
    if (a.units < b.units || !is_nowhere_more(b.summed, a.summed) || !is_nowhere_more(a.pending, b.pending) ||
        (m_.goes_on(a.level) && a.held > b.held))
      return false;
    // What is in place in a and gone in b counts as moved by the next loop, which is the most that it can be.
    State s = a;
    s.flows.clear();
    for (const Flow& f : a.flows) {
      if (contains(y.tensors, f.tensor)) s.flows.push_back(f);
      else if (f.is_moving()) return false;
      else m_.close(s, f, s.rest, s.level);
    }
    const Flowing x(m_, s);
    std::vector<Flow> sliding = y.sliding;
    std::erase_if(sliding, [&](const Flow& f) { return !contains(x.tensors, f.tensor); });
    if (x.sliding != sliding || !is_nowhere_more(s.pending, b.pending) || !is_nowhere_more(x.coming, y.coming))
      return false;
    // Blocks may round up unless each count is no more; networks round nothing, so all together may be no more.
    bool is_rounded = !is_nowhere_more(x.inside, y.inside);
    i128 network = 0;
    for (std::size_t k = 0; k < m_.slots.size(); ++k) {
      const i128 more = static_cast<i128>(s.count[k]) - b.count[k];
      if (m_.slots[k].kind > kArrived) network += more * static_cast<i128>(m_.comparisons[0][k]);
      else is_rounded |= more > 0;
    }
    is_rounded |= network > 0;
    for (std::size_t p = 0; p < m_.comparisons.size(); ++p) {
      i128 less = is_rounded && p < m_.energies ? -rounding_ : 0;
      std::array<i128, kTensors> inside_less{};
      for (std::size_t k = 0; k < m_.slots.size(); ++k) {
        const i128 price = static_cast<i128>(m_.comparisons[p][k]);
        less += price * (static_cast<i128>(b.count[k]) - s.count[k]);
        inside_less[m_.slots[k].tensor] += price * (static_cast<i128>(y.inside[k]) - x.inside[k]);
      }
      if (less < 0 || std::ranges::any_of(inside_less, [](i128 v) { return v < 0; })) return false;
    }
    return true;
  }
  const Steps& m_;
  std::map<std::tuple<Tile, int, std::array<u64, kLevels>>, std::vector<const State*>> alike_;
  i128 rounding_ = 0;
};
}  // namespace check_proof
