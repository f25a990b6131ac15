#include "engine/proof/frontier.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "engine/base/integers.h"

namespace heliolite::proof {
namespace {

TensorMask tensors_in_flow(const State& s, bool moving) {
  TensorMask out = 0;
  for (u8 k = 0; k < s.flows; ++k)
    if (s.flow[k].is_moving() || !moving) out |= static_cast<TensorMask>(1U << s.flow[k].tensor);
  return out;
}

bool same_flow(const StateFlow& a, const StateFlow& b) {
  return a.full == b.full && a.fetched == b.fetched && a.fills == b.fills && a.serves == b.serves &&
         a.first == b.first && a.inner == b.inner && a.fresh == b.fresh && a.tile == b.tile && a.level == b.level &&
         a.server == b.server && a.rank == b.rank && a.price == b.price;
}

}  // namespace

StateFrontier::StateFrontier(const Question& question, int level) : q_(question), level_(level) {
  Price energy;
  energy.of = q_.full;
  energy.rounds = energy.network = true;
  for (int i = 0; i < q_.levels(); ++i) {
    const InstanceLevel& l = q_.instance.levels[i];
    if (l.clusters < q_.instances[i]) {
      Price shared;
      shared.of[i] = q_.full[i];
      shared.rounds = true;
      energy.of[i] = {};
      prices_.push_back(shared);
    }
    if (l.block == 1) continue;
    u64 most = 0;
    for (const InstancePrices& p : l.of) most = std::max({most, p.read, p.fill, p.update});
    const u128 one = u128{3} * most * at(q_.tensors()) * q_.instances[i] * q_.scale * (l.block - 1);
    rounding_ += one / l.block;
  }
  prices_.insert(prices_.begin(), energy);
  for (std::size_t c = 1; c < q_.channels.size(); ++c) {
    Price rate;
    rate.of = q_.channels[c].price;
    prices_.push_back(rate);
  }
}

u64 StateFrontier::key(const State& s) const {
  u64 tile = 0;
  for (int d = 0; d < q_.tiles.dimension_count(); ++d) tile += u64{q_.tiles.stride(d)} * s.tile[d];
  u64 out = tile * q_.sets[at(level_) + 1].size() + at(s.set);
  for (std::size_t j = 0; j < s.known; ++j) out = (out ^ s.instances[j]) * 0x9e37'79b9'7f4a'7c15;
  return out;
}

u128 StateFrontier::total(const Price& price, const State& s) const {
  u128 out = price.network ? s.network * q_.scale : 0;
  for (std::size_t k = 0; k < q_.pairs.size(); ++k) {
    const WordPrices& p = price.of[q_.pairs[k].first][q_.pairs[k].second];
    out += u128{p.access} * s.count[k].accesses + u128{p.fill} * s.count[k].fills;
  }
  return out;
}

u128 StateFrontier::total(const Price& price, const Placed& placed, int tensor) const {
  u128 out = price.network ? placed.network[tensor] * q_.scale : 0;
  for (int i = 0; i <= level_; ++i) {
    const u8 k = q_.pair[i][tensor];
    if (k == kNobody) continue;
    const WordPrices& p = price.of[i][tensor];
    out += u128{p.access} * placed.count[k].accesses + u128{p.fill} * placed.count[k].fills;
  }
  return out;
}

StateFrontier::Placed StateFrontier::placed(const State& s) const {
  Placed out;
  for (u8 k = 0; k < s.flows; ++k) {
    const StateFlow& f = s.flow[k];
    if (q_.shapes[f.tensor].slides) continue;
    const u64 filled = f.fetched * f.fills, served = f.fetched * f.serves;
    if (f.server == kNobody) {
      out.network[f.tensor] += u128{filled} * f.price;
      (f.is_hops ? out.hops : out.entering)[f.level][f.tensor] += filled;
      continue;
    }
    out.count[q_.pair[f.level][f.tensor]].fills += filled;
    if (f.server > level_) out.coming[f.tensor] += served;
    else out.count[q_.pair[f.server][f.tensor]].accesses += served;
  }
  return out;
}

// Blocks then round up to no more either. Networks round nothing: together they may cost no more.
bool StateFrontier::is_nowhere_more(const State& s, const Placed& own, const State& t, const Placed& other) const {
  const auto no_more = [](const PairCounts& a, const PairCounts& b) {
    return a.accesses <= b.accesses && a.fills <= b.fills;
  };
  const auto all_no_more = [](const auto& a, const auto& b) {
    return std::ranges::equal(a, b,
                              [](const auto& x, const auto& y) { return std::ranges::equal(x, y, std::less_equal{}); });
  };
  const auto pairs = static_cast<std::ptrdiff_t>(q_.pairs.size());
  return s.network <= t.network && all_no_more(own.entering, other.entering) && all_no_more(own.hops, other.hops) &&
         std::equal(s.count.begin(), s.count.begin() + pairs, t.count.begin(), no_more) &&
         std::equal(own.count.begin(), own.count.begin() + pairs, other.count.begin(), no_more);
}

StateFrontier::Held StateFrontier::priced(const State& s) const {
  Held out{s, {}, tensors_in_flow(s, false), 0, false};
  out.total.reserve(prices_.size());
  for (const Price& price : prices_) out.total.push_back(total(price, s));
  return out;
}

State StateFrontier::moved(const State& s, TensorMask tensors) const {
  State out = s;
  u8 left = 0;
  for (u8 k = 0; k < s.flows; ++k) {
    const StateFlow& f = s.flow[k];
    if (!contains(tensors, f.tensor)) {
      out.flow[left++] = f;
      continue;
    }
    const u64 filled = f.fetched * f.fills * s.rest;
    if (f.server == kNobody) {
      out.network += u128{filled} * f.price;
      continue;
    }
    out.count[q_.pair[f.level][f.tensor]].fills += filled;
    const u64 served = f.fetched * f.serves * s.rest;
    if (q_.has_way(level_, f.server, f.tensor)) {
      out.waiting[f.tensor] += served;
      out.on_way |= static_cast<TensorMask>(1U << f.tensor);
    } else {
      out.count[q_.pair[f.server][f.tensor]].accesses += served;
    }
  }
  out.flows = left;
  return out;
}

bool StateFrontier::same_flows(const State& a, const State& b, int tensor) const {
  u8 j = 0;
  for (u8 k = 0; k < a.flows; ++k) {
    if (a.flow[k].tensor != tensor) continue;
    while (j < b.flows && b.flow[j].tensor != tensor) ++j;
    if (j == b.flows || !same_flow(a.flow[k], b.flow[j])) return false;
    ++j;
  }
  while (j < b.flows && b.flow[j].tensor != tensor) ++j;
  return j == b.flows;
}

bool StateFrontier::stands_for(const Held& a, const Held& b) const {
  for (std::size_t p = 0; p < prices_.size(); ++p)
    if (a.total[p] > b.total[p]) return false;
  const State &s = a.state, &t = b.state;
  if (s.units < t.units || s.set != t.set || s.tile != t.tile) return false;
  if (q_.goes_on(level_) && s.held > t.held) return false;
  for (std::size_t j = 0; j < s.known; ++j)
    if (s.instances[j] != t.instances[j] || s.sums[j] < t.sums[j]) return false;
  const TensorMask flowing = tensors_in_flow(s, false), there = tensors_in_flow(t, false);
  const auto gone = static_cast<TensorMask>(flowing & ~there);
  if ((tensors_in_flow(s, true) & gone) != 0) return false;
  for (const int v : bits(static_cast<TensorMask>(flowing & there)))
    if (q_.shapes[v].slides && !same_flows(s, t, v)) return false;
  std::optional<State> after;
  if (gone != 0) after.emplace(moved(s, gone));
  const State& own = after ? *after : s;
  const Placed mine = placed(own), theirs = placed(t);
  for (int v = 0; v < q_.tensors(); ++v)
    if (own.waiting[v] > t.waiting[v] || mine.coming[v] > theirs.coming[v]) return false;
  if (is_nowhere_more(own, mine, t, theirs)) return true;
  for (std::size_t p = 0; p < prices_.size(); ++p) {
    const Price& price = prices_[p];
    if ((gone == 0 ? a.total[p] : total(price, own)) + (price.rounds ? rounding_ : 0) > b.total[p]) return false;
    for (int v = 0; v < q_.tensors(); ++v)
      if (total(price, mine, v) > total(price, theirs, v)) return false;
  }
  return true;
}

void StateFrontier::add(const State& state) {
  Held held = priced(state);
  std::vector<u32>& others = alike_[key(state)];
  for (const u32 k : others)
    if (stands_for(held_[k], held)) {
      held_[k].stood_for |= held.flowing;
      return;
    }
  std::erase_if(others, [&](u32 k) {
    Held& other = held_[k];
    if (!replaces(held, other)) return false;
    held.stood_for |= other.flowing | other.stood_for;
    other.dropped = true;
    --left_;
    return true;
  });
  others.push_back(static_cast<u32>(held_.size()));
  held_.push_back(std::move(held));
  ++left_;
}

std::vector<State> StateFrontier::take() {
  std::vector<State> out;
  out.reserve(left_);
  for (const Held& held : held_)
    if (!held.dropped) out.push_back(held.state);
  held_.clear();
  alike_.clear();
  left_ = 0;
  return out;
}

}  // namespace heliolite::proof
