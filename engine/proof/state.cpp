#include "engine/proof/state.h"

#include <algorithm>
#include <utility>

#include "engine/base/integers.h"

namespace heliolite::proof {
namespace {

void add_flow(State& s, const StateFlow& flow) {
  if (s.flows == kMaxFlows) s.too_many = true;
  else s.flow[s.flows++] = flow;
}

}  // namespace

State Steps::root(int set) const {
  State out;
  out.rest = q_.instance.macs;
  out.set = set;
  const Servers& server = q_.sets[0][set].server;
  for (int v = 0; v < q_.tensors(); ++v) request(out, v, server[v], out.rest, -1);
  return out;
}

// `words` of a tensor that `server` is asked for, as they leave `level`.
void Steps::request(State& s, int tensor, int server, u64 words, int level) const {
  if (tensor == q_.output) s.served = static_cast<u16>(s.served | 1U << server);
  if (!q_.has_way(level, server, tensor)) {
    s.count[q_.pair[server][tensor]].accesses += words;
    return;
  }
  s.waiting[tensor] = words;
  s.on_way |= static_cast<TensorMask>(1U << tensor);
}

void Steps::close(State& s, const StateFlow& f, u64 rest, int level) const {
  if (f.server == kNobody) {
    s.network += u128{f.fetched} * f.fills * rest * f.price;
    return;
  }
  s.count[q_.pair[f.level][f.tensor]].fills += f.fetched * f.fills * rest;
  if (f.tensor == q_.output) s.filled = static_cast<u16>(s.filled | 1U << f.level);
  request(s, f.tensor, f.server, f.fetched * f.serves * rest, level);
}

void Steps::unroll(State& s, int level, std::size_t index) const {
  const ProofUnrolling& u = q_.unrollings[level][index];
  const Servers& server = q_.sets[level][s.set].server;
  const bool spreads = q_.instance.levels[level].has_fanout();
  const TensorMask priced = q_.with_ingress(level);
  std::array<u64, kMaxTensors> groups;
  groups.fill(1);
  if (u.receivers > 1)
    for (int v = 0; v < q_.tensors(); ++v) groups[v] = receiver_groups(q_.shapes[v], q_.tiles, u.digit, s.tile);
  if (spreads && q_.has_hops(level)) price_networks(s, level, u);
  const u8 before = s.flows;
  for (u8 k = 0; k < before; ++k) {
    StateFlow& f = s.flow[k];
    if (f.server == kNobody && f.level == level) continue;  // hops, of this fan-out
    f.fills *= u.receivers;
    f.serves *= f.server != kNobody && f.server >= level ? groups[f.tensor] : u.receivers;
    if (f.server == kNobody || f.server < level || !contains(priced, f.tensor)) continue;
    StateFlow entering = f;
    entering.fills = f.serves;
    entering.price = q_.instance.levels[level].of[f.tensor].ingress;
    entering.level = static_cast<u8>(level);
    entering.server = kNobody;
    add_flow(s, entering);
  }
  for (const int v : bits(s.on_way)) {
    u64& words = s.waiting[v];
    words = words / u.receivers * groups[v];
    if (contains(priced, v)) s.network += u128{words} * q_.instance.levels[level].of[v].ingress;
    if (q_.has_way(level, server[v], v)) continue;
    s.count[q_.pair[server[v]][v]].accesses += std::exchange(words, 0);
    s.on_way &= static_cast<TensorMask>(~(1U << v));
  }
  u64 summed = 1;
  for (int d = 0; d < q_.tiles.dimension_count(); ++d)
    if (!contains(q_.shapes[q_.output].indexing, d)) summed *= q_.tiles.extent(u.digit, d);
  for (std::size_t j = 0; j < s.known; ++j) s.instances[j] *= u.receivers, s.sums[j] *= summed;
  s.units *= u.receivers;
  s.rest /= u.receivers;
  for (int d = 0; d < q_.tiles.dimension_count(); ++d) s.tile[d] = q_.tiles.of(d).times[s.tile[d]][u.digit[d]];
}

// Hops are those of the words that would cross into the tile inside the fan-out, whoever holds them (rule 16).
void Steps::price_networks(State& s, int level, const ProofUnrolling& u) const {
  const InstanceLevel& l = q_.instance.levels[level];
  Tile tile = 0;
  for (int d = 0; d < q_.tiles.dimension_count(); ++d) tile += q_.tiles.stride(d) * s.tile[d];
  for (int v = 0; v < q_.tensors(); ++v) {
    const u64 hops = half_hops(l, q_.shapes[v], q_.tiles, u, s.tile);
    if (hops == 0 || l.of[v].hop == 0) continue;
    StateFlow f;
    f.full = f.fetched = q_.shapes[v].words(q_.tiles, s.tile);
    f.fills = hops;
    f.tile = tile;
    f.tensor = static_cast<u8>(v);
    f.level = static_cast<u8>(level);
    f.is_hops = true;
    f.price = l.of[v].hop / 2;
    add_flow(s, f);
  }
}

Moved move_flow(const Question& q, StateFlow& f, int d, u16 digit, const Digits& tile) {
  const ProofTensor& t = q.shapes[f.tensor];
  const u64 n = q.tiles.of(d).divisor[digit];
  const bool indexes = contains(t.indexing, d);
  if (!f.is_moving()) {
    if (!indexes) return Moved::InPlace;
    if (!contains(t.sliding, d)) return Moved::ClosedBefore;
    const int r = t.rank_of[d];
    const u64 move = t.coefficient[d] * q.tiles.extent(tile, d);
    const u64 extent = t.extent(q.tiles, q.tiles.digits(f.tile), r);
    f.rank = static_cast<std::int8_t>(r);
    f.first = f.inner = move;
    f.fresh = move < extent ? f.full / extent * move : f.full;
    f.fetched = f.full + (n - 1) * f.fresh;
  } else if (!indexes) {
    f.fetched *= n;
    return Moved::Moving;
  } else if (int{t.rank_of[d]} != int{f.rank}) {
    return Moved::ClosedBefore;
  } else {
    const u64 offset = t.coefficient[d] * q.tiles.extent(tile, d);
    const u64 saved = offset == f.inner ? f.full : offset == f.inner + f.first ? f.full - f.fresh : 0;
    f.fetched = n * f.fetched - (n - 1) * saved;
    f.inner += offset;
  }
  for (const int e : bits(t.of_rank[f.rank])) {
    const DivisorDigits& of = q.tiles.of(e);
    const u16 now = e == d ? of.times[tile[e]][digit] : tile[e];
    if (of.left[now] != 0) return Moved::Moving;
  }
  return Moved::ClosedBehind;
}

void Steps::loop(State& s, int level, int d, u16 digit) const {
  const DivisorDigits& of = q_.tiles.of(d);
  const u64 outside = s.rest / of.divisor[digit];
  u8 kept = 0;
  for (u8 k = 0; k < s.flows; ++k) {
    StateFlow f = s.flow[k];
    const Moved moved = move_flow(q_, f, d, digit, s.tile);
    if (moved == Moved::ClosedBefore) close(s, f, s.rest, level);
    else if (moved == Moved::ClosedBehind) close(s, f, outside, level);
    else s.flow[kept++] = f;
  }
  s.flows = kept;
  s.rest = outside;
  s.tile[d] = of.times[s.tile[d]][digit];
}

void Steps::start(State& s, int level, TensorMask kept, int next) const {
  s.held = held_inside(s, level) + q_.parts(level, kept, s.tile);
  s.instances[s.known] = s.sums[s.known] = 1;
  ++s.known;
  Tile tile = 0;
  for (int d = 0; d < q_.tiles.dimension_count(); ++d) tile += q_.tiles.stride(d) * s.tile[d];
  const Servers& server = q_.sets[at(level) + 1][next].server;
  for (const int v : bits(kept)) {
    StateFlow f;
    f.full = f.fetched = q_.shapes[v].words(q_.tiles, s.tile);
    f.tile = tile;
    f.tensor = static_cast<u8>(v);
    f.level = static_cast<u8>(level);
    f.server = server[v];
    if (v == q_.output) s.served = static_cast<u16>(s.served | 1U << f.server);
    add_flow(s, f);
  }
  s.set = next;
}

void Steps::finish(State& s) const {
  for (u8 k = 0; k < s.flows; ++k) close(s, s.flow[k], s.rest, q_.levels() - 1);
  s.flows = 0;
  s.instances[s.known] = s.sums[s.known] = 1;
  ++s.known;
}

ExactCost exact_cost(const Question& q, const State& s) {
  const Instance& instance = q.instance;
  ExactCost out{u128{instance.mac} * instance.macs + s.network, instance.cycles_on(s.units)};
  u128 leak = 0;
  u64 reads = 0, writes = 0;  // of the level, and of those inside that share its rates
  for (int i = 0; i < q.levels(); ++i) {
    const InstanceLevel& l = instance.levels[i];
    const u64 n = s.instances[i];
    if (!l.shares) reads = writes = 0;
    u128 energy = 0;
    for (int v = 0; v < q.tensors(); ++v) {
      const u8 place = q.pair[i][v];
      if (place == kNobody) continue;
      const InstancePrices& p = l.of[v];
      const u64 accesses = s.count[place].accesses / n, crossing = s.count[place].fills / n;
      if (accesses == 0 && crossing == 0) continue;
      u64 r = accesses, f = q.is_top(i) ? 0 : crossing, u = 0;
      if (v == q.output) {
        const u64 part = q.output_words * s.sums[i] / n;
        r = std::max(accesses, part) - part;
        f = q.is_top(i) ? 0 : std::max(crossing, part) - part;
        u = accesses;
      }
      const auto in_blocks = [&](u64 words) { return l.block == 1 ? words : ceil_div(words * p.parts, l.block); };
      energy += u128{p.read} * in_blocks(r) + u128{p.fill} * in_blocks(f) + u128{p.update} * in_blocks(u) +
                u128{p.address} * ((v == q.output ? u : r) + f);
      reads += r * p.parts;
      writes += (f + u) * p.parts;
    }
    out.energy += energy * std::min(n, l.clusters);
    leak += u128{l.leak} * n;
    for (const InstanceRate& rate : l.rates) {
      const u64 words = (rate.kind != 'w' ? reads : 0) + (rate.kind != 'r' ? writes : 0);
      const u128 cycles = (u128{words} * rate.denominator + rate.numerator - 1) / rate.numerator;
      out.cycles = std::max(out.cycles, static_cast<u64>(std::min<u128>(cycles, ~u64{0})));
    }
  }
  out.energy += leak * out.cycles;
  return out;
}

}  // namespace heliolite::proof
