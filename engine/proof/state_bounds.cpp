// Bounds of a state: what has begun, the least of what is to come, and the cycles that both need.
#include <algorithm>

#include "engine/base/integers.h"
#include "engine/proof/extend.h"

namespace heliolite::proof {

Tile Extender::number(const Digits& tile) const {
  Tile out = 0;
  for (int d = 0; d < q_.tiles.dimension_count(); ++d) out += q_.tiles.stride(d) * tile[d];
  return out;
}

bool Extender::closes(i128 energy, u64 cycles) const {
  if (cycles != asked_cycles_) {
    asked_cycles_ = cycles;
    asked_least_ = claim_.least_energy(cycles);
  }
  return static_cast<u128>(std::max<i128>(energy, 0)) >= asked_least_;
}

u64 Extender::least_steps(const State& s, int level, Tile tile) const {
  return q_.instance.cycles_on(s.units * bounds_.most_units(level + 1, tile));
}

// The leakage of all levels, at the instances known so far.
u128 Extender::leakage(const State& s, u64 cycles) const {
  u128 out = 0;
  for (std::size_t j = 0; j < at(q_.levels()); ++j)
    out += u128{q_.instance.levels[j].leak} * (j < s.known ? s.instances[j] : 1);
  return out * cycles * q_.scale;
}

u64 Extender::rate_cycles(const PricedChannel& channel, const State& s, int level, Tile tile, i128 words) const {
  if (words <= 0) return 0;
  const u64 instances = channel.level < s.known ? s.instances[channel.level] : 1;
  const u64 most = instances * bounds_.most_units(std::max(level, channel.level) + 1, tile);
  const u128 rate = u128{channel.numerator} * most;
  return static_cast<u64>((static_cast<u128>(words) * channel.denominator + rate - 1) / rate);
}

// How many receivers can share a word on its way: iterations left that do not need another one.
u64 Extender::share(int tensor, const Digits& tile) const {
  const ProofTensor& t = q_.shapes[tensor];
  const auto all = static_cast<DimensionMask>((1U << q_.tiles.dimension_count()) - 1);
  return q_.tiles.left(tile, static_cast<DimensionMask>(all & (~t.indexing | t.sliding)));
}

i128 Extender::counted(std::size_t channel, const State& s) const {
  const PricedChannel& c = q_.channels[channel];
  i128 out = 0;
  if (channel == 0) out = static_cast<i128>((u128{q_.instance.mac} * q_.instance.macs + s.network) * q_.scale);
  for (std::size_t k = 0; k < q_.pairs.size(); ++k) {
    const WordPrices& price = c.price[q_.pairs[k].first][q_.pairs[k].second];
    out += static_cast<i128>(u128{price.access} * s.count[k].accesses + u128{price.fill} * s.count[k].fills);
  }
  return out;
}

i128 Extender::on_way(std::size_t channel, const State& s, int level, const Digits& tile) const {
  i128 out = 0;
  const Servers& server = q_.sets[std::max(level, 0)][s.set].server;
  for (const int v : bits(s.on_way)) {
    const u64 price = q_.channels[channel].price[server[v]][v].access;
    if (price == 0) continue;
    const u64 shared = std::min(q_.gain_between(level, server[v], v), share(v, tile));
    out += static_cast<i128>(u128{ceil_div(s.waiting[v], shared)} * price);
  }
  return out;
}

i128 Extender::of_moving(const PricedChannel& channel, const StateFlow& f, int level, const Digits& tile,
                         u64 rest) const {
  const u64 of_rank = q_.tiles.left(tile, q_.shapes[f.tensor].of_rank[f.rank]);
  const u64 words = ((f.fetched - f.full) * of_rank + f.full) * (rest / of_rank);
  if (f.server == kNobody)
    return channel.level >= 0 ? 0 : static_cast<i128>(u128{words} * f.fills * f.price * q_.scale);
  i128 out = static_cast<i128>(u128{words} * f.fills * channel.price[f.level][f.tensor].fill);
  if (const u64 price = channel.price[f.server][f.tensor].access; price != 0)
    out += static_cast<i128>(u128{ceil_div(words * f.serves, q_.gain_between(level, f.server, f.tensor))} * price);
  return out;
}

WaitingFlow Extender::placed(const State& s, const StateFlow& f, int level, const Digits& tile) const {
  WaitingFlow out{f.fetched * f.fills, f.fetched * f.serves, f.serves, 0, 0, f.tile, f.tensor, f.level, f.server};
  if (f.server == kNobody) out.price = f.price * q_.scale;
  else if (f.tensor == q_.output) out.first = q_.most_first(level + 1, tile) * s.sums[f.level];
  return out;
}

i128 Extender::refunds(std::size_t channel, const State& s, int level, const Digits& tile, u16 served, u16 filled,
                       u64 summed) const {
  const PricedChannel& c = q_.channels[channel];
  const int z = q_.output;
  i128 out = 0;
  const u64 known = q_.most_first(level + 1, tile) * summed;
  for (const int j : bits(served)) {
    const u64 price = c.price[j][z].first_access;
    if (price == 0) continue;
    const u64 words = j < s.known ? known * s.sums[j] : q_.most_first(j + 1, tile);
    out += static_cast<i128>(u128{price} * words);
  }
  for (const int j : bits(filled)) out += static_cast<i128>(u128{c.price[j][z].first_fill} * known * s.sums[j]);
  return out;
}

i128 Extender::inside(std::size_t channel, const State& s, int level) const {
  const PricedChannel& c = q_.channels[channel];
  i128 out = counted(channel, s) + on_way(channel, s, level, s.tile);
  std::array<WaitingFlow, kMaxFlows> flows;
  std::size_t count = 0;
  for (u8 k = 0; k < s.flows; ++k) {
    if (s.flow[k].is_moving()) out += of_moving(c, s.flow[k], level, s.tile, s.rest);
    else flows[count++] = placed(s, s.flow[k], level, s.tile);
  }
  out += static_cast<i128>(bounds_.ordering(c, std::span(flows).first(count), s.tile, level));
  return out - refunds(channel, s, level, s.tile, s.served, s.filled, 1);
}

// Whether all unrollings with `receivers` or fewer are closed: each by a bound that is not below this one.
bool Extender::fewer_are_closed(const State& parent, u64 receivers) const {
  const u64 cycles = q_.instance.cycles_on(parent.units * receivers * q_.instances[stage_]);
  const u128 outside = bounds_.below(0, stage_, parent.set, number(parent.tile));
  if (outside == kImpossible) return true;
  const i128 energy = parent_counted_ + static_cast<i128>(outside) + static_cast<i128>(parent_leak_ * cycles) -
                      refunds(0, parent, stage_, parent.tile, parent.served, parent.filled, q_.first_gain[stage_]);
  return closes(energy, cycles);
}

// Part of the bound after an unrolling that takes no steps: with what the parent has counted, and without flows in
// place. It is never above the whole one, and closes most.
bool Extender::surely_closed(const State& parent, Tile tile) const {
  const ProofUnrolling& u = q_.unrollings[stage_][unrolling_];
  u64 summed = 1;
  for (int d = 0; d < q_.tiles.dimension_count(); ++d)
    if (!contains(q_.shapes[q_.output].indexing, d)) summed *= q_.tiles.extent(u.digit, d);
  const u64 cycles = q_.instance.cycles_on(parent.units * u.receivers * bounds_.most_units(stage_ + 1, tile));
  const i128 outside = static_cast<i128>(bounds_.below(0, stage_, parent.set, tile));
  const i128 energy = parent_counted_ + outside + static_cast<i128>(parent_leak_ * cycles) -
                      refunds(0, parent, stage_, q_.tiles.digits(tile), parent.served, parent.filled, summed);
  return closes(energy, cycles);
}

// With all larger tiles that the level can have.
bool Extender::closed_after_unrolling(const State& s, int level, Tile tile) const {
  const int stage = std::max(level, 0);
  const u128 outside = bounds_.below(0, stage, s.set, tile);
  if (outside == kImpossible) return true;
  const i128 energy = inside(0, s, level) + static_cast<i128>(outside);
  u64 cycles = least_steps(s, level, tile);
  const u128 leak = leakage(s, 1);
  if (closes(energy + static_cast<i128>(leak * cycles), cycles)) return true;
  for (std::size_t c = 1; c < q_.channels.size(); ++c) {
    i128 words = inside(c, s, level);
    if (const int table = bounds_.table_of(c); table > 0)
      words += static_cast<i128>(bounds_.below(at(table), stage, s.set, tile));
    cycles = std::max(cycles, rate_cycles(q_.channels[c], s, level, tile, words));
  }
  return closes(energy + static_cast<i128>(leak * cycles), cycles);
}

bool Extender::is_open(const State& root) const { return !closed_after_unrolling(root, -1, number(root.tile)); }

}  // namespace heliolite::proof
