#include "engine/search/exact/nest_steps.h"

#include <algorithm>
#include <bit>

#include "engine/base/integers.h"
#include "engine/base/split_mix.h"
#include "engine/model/compiled.h"
#include "engine/model/multicast.h"
#include "engine/model/temporal_traffic.h"

namespace heliolite {

u64 split_hash(int tensor, double cycles) {
  return cycles == 0 ? 0 : split_mix(std::bit_cast<u64>(cycles) * static_cast<u64>(tensor + 1));
}

PartialMapping::PartialMapping(int tensors, std::size_t channels)
    : tensor_count(static_cast<u8>(tensors)), channel_count(static_cast<u8>(channels)) {
  sum.fill(0), refund.fill(0), split.fill(0);
  for (std::size_t v = 0; v < tensor_count; ++v) pending[v].fill(0), fill[v].fill(0), serve[v].fill(0);
  instances.fill(1);
}

void PartialMapping::copy_costs(const PartialMapping& other) {
  iterations = other.iterations;
  tensor_count = other.tensor_count;
  channel_count = other.channel_count;
  const auto copy = [this](const Channels& from, Channels& to) {
    std::copy_n(from.begin(), channel_count, to.begin());
  };
  copy(other.sum, sum);
  copy(other.refund, refund);
  for (std::size_t v = 0; v < tensor_count; ++v) {
    copy(other.pending[v], pending[v]);
    copy(other.fill[v], fill[v]);
    copy(other.serve[v], serve[v]);
  }
  in_place = other.in_place;
  std::copy_n(other.split.begin(), channel_count, split.begin());
  instances = other.instances;
  units = other.units;
  ramped = other.ramped;
  if (ramped) ramps = other.ramps;
  std::copy_n(other.sliding.begin(), sliding_count, sliding.begin());
}

namespace {

void add(Channels& to, const Channels& what, double times, std::size_t channels) {
  for (std::size_t k = 0; k < channels; ++k) to[k] += what[k] * times;
}

}  // namespace

PartialMapping NestSteps::root(u32 machine, u32 servers) const {
  PartialMapping s(c_.tensor_count, m_.channels.size());
  const FlowPrices& prices = m_.machine[machine];
  s.machine = machine;
  s.servers = servers;
  s.iterations = m_.macs;
  s.ramped = m_.ramps;
  for (int v = 0; v < c_.tensor_count; ++v) {
    const int server = m_.servers.server(-1, servers, v);
    const bool waits = contains(m_.unit_peers, v);
    if (waits) s.in_place |= static_cast<TensorMask>(1u << v);
    Channels& to = waits ? s.serve[v] : m_.last_fanout(-1, server) < 0 ? s.sum : s.pending[v];
    Channels all;
    add(to, m_.serve(prices, -1, server, v, all), waits ? 1 : m_.macs, m_.channels.size());
    s.rounding += m_.serve_rounding(-1, server, v);
  }
  add(s.sum, prices.constant, 1, m_.channels.size());
  // Machines with other bandwidths never split alike.
  for (std::size_t k = 1; k < m_.channels.size(); ++k) {
    if (m_.channels[k].kind != Channel::Kind::Cycles) continue;
    const CompiledLevel& level = m_.problem->machine(machine).compiled().level[m_.channels[k].level];
    s.split[k] = split_hash(0, level.read_bandwidth) + split_hash(1, level.write_bandwidth) +
                 split_hash(2, level.shared_bandwidth);
  }
  return s;
}

void NestSteps::unroll(PartialMapping& s, int level, const SpatialChoice& choice) const {
  const std::size_t channels = m_.channels.size();
  const FanoutChoices& fanout = m_.fanout[level];
  std::array<double, kMaxTensors> receivers;
  for (int v = 0; v < c_.tensor_count; ++v) {
    const auto t = at(v);
    const bool listed = contains(choice.slides, v);
    receivers[t] = listed ? distinct_receivers(c_.tensor[v], choice, s.tile.extent) : choice.spread[t];
    if (m_.ramps) s.ramps.spread(v, receivers[t]);
    if (level > 0 && contains(choice.peers, v))
      receivers[t] = std::min(receivers[t], look_for_peers(s, level, choice, v));
    // What is on its way out arrives behind the last fan-out below its server.
    const bool arrives = m_.last_fanout(level - 1, m_.servers.server(level - 1, s.servers, v)) == level;
    Channels& pending = s.pending[t];
    const double spread = receivers[t] / choice.instances;
    // An interconnect's words go to each instance outside it.
    const auto spreads = [&](std::size_t k) { return !m_.channels[k].passes || level <= m_.channels[k].level; };
    for (std::size_t k = 0; k < channels; ++k) {
      if (spreads(k)) pending[k] *= spread;
      if (arrives) settle(s, v, k, pending[k]), pending[k] = 0;
    }
    if (contains(s.in_place, v))
      for (std::size_t k = 0; k < channels; ++k) {
        s.fill[t][k] *= choice.instances;
        s.serve[t][k] *= spreads(k) ? receivers[t] : choice.instances;
        if (arrives) s.fill[t][k] += s.serve[t][k], s.serve[t][k] = 0;
      }
    for (int f = 0; f < s.sliding_count; ++f) {
      SlidingFlow& flow = s.sliding[f];
      if (flow.tensor != v) continue;
      for (std::size_t k = 0; k < channels; ++k) {
        flow.fill[k] *= choice.instances;
        flow.serve[k] *= spreads(k) ? receivers[t] : choice.instances;
        if (arrives && !flow.peers.apart) flow.fill[k] += flow.serve[k], flow.serve[k] = 0;
      }
      flow.peers.arrived |= arrives;
    }
    begin_filling(s, level, v, choice);
    if (level == 0 && contains(m_.unit_peers, v)) meet_units(s, choice, v, arrives);
    if (!fanout.hops || m_.cycles_only) continue;
    const double hops = listed ? hop_units(*m_.problem, level, choice, v, s.tile.extent) : choice.hop_units[t];
    if (carries_every_step(c_, level)) {
      s.sum[0] += hops * m_.macs / choice.instances;
    } else if (!c_.tensor[v].sliding) {
      s.fill[t][0] += hops * static_cast<double>(box_words(c_.tensor[v], s.tile.extent));
    } else {
      for (int f = 0; f < s.sliding_count; ++f) {
        SlidingFlow& flow = s.sliding[f];
        if (flow.tensor == v && flow.start == level - 1) flow.fill[0] += hops * flow.full;
      }
    }
  }
  for (std::size_t k = 0; k < channels; ++k) s.refund[k] *= choice.reducing;
  s.instances[level] = choice.instances;
  s.units *= choice.instances;
  s.iterations /= choice.instances;
  s.tile = Lattice::product(s.tile, choice.factor);
}

void NestSteps::settle(PartialMapping& s, int v, std::size_t k, double cost) const {
  s.sum[k] += cost;
  if (m_.channels[k].kind == Channel::Kind::Cycles) s.split[k] += split_hash(v, cost);
}

void NestSteps::close(PartialMapping& s, int v, const Channels& fill, const Channels& serve, double times) const {
  for (std::size_t k = 0; k < m_.channels.size(); ++k) settle(s, v, k, fill[k] * times);
  add(s.pending[v], serve, times, m_.channels.size());
  const double words = fill[0] * times;
  s.signature += split_mix(std::bit_cast<u64>(words) * static_cast<u64>(v + 1));
}

void NestSteps::loop(PartialMapping& s, int d, u32 iterations, const Extents& left) const {
  for (const int v : bits(s.in_place)) {
    if (!contains(c_.tensor[v].indexing, d)) continue;
    close(s, static_cast<int>(v), s.fill[v], s.serve[v], s.iterations);
    s.fill[v] = s.serve[v] = Channels{};
    s.in_place &= static_cast<TensorMask>(~(1u << v));
  }
  s.iterations /= iterations;
  for (int f = 0; f < s.sliding_count;) {
    SlidingFlow& flow = s.sliding[f];
    flow.least *= iterations;
    move(s, flow, d, iterations);
    if (flow.peers.apart && !flow.peers.unit) settle_peers(s, flow);
    if (!flow.moving || (!flow.peers.unit && can_still_gain(flow, left)) || can_still_use_peers(flow, left)) {
      ++f;
      continue;
    }
    close(s, flow, s.iterations);
    flow = s.sliding[--s.sliding_count];
  }
  s.tile.extent[d] *= iterations;
}

// One loop of the closed form of docs/cost_model.md: what it makes of the words fetched by the loops inside it.
void NestSteps::move(const PartialMapping& s, SlidingFlow& flow, int d, u32 iterations) const {
  const CompiledTensor& t = c_.tensor[flow.tensor];
  if (flow.peers.unit) return move_units(flow, d, iterations, s.tile.extent[d]);
  if (!contains(t.indexing, d)) {
    if (flow.moving) flow.fetched *= iterations;
    if (flow.peers.apart && flow.moving) next_peer_loop(flow, d, iterations, {});
    if (!flow.moving) flow.peers.site = nullptr;
    return;
  }
  RankMove own{};
  add_move(t, at(d), s.tile.extent[d], own);
  const double n = iterations;
  if (!flow.moving) {
    double overlap = 1;
    for (int r = 0; r < t.rank_count; ++r) {
      const auto rank = at(r);
      overlap *= static_cast<double>(std::max<i64>(0, flow.extent[rank] - own[rank]));
    }
    flow.moving = true;
    flow.first = flow.inner = own;
    flow.delta = 1 - overlap / flow.full;
    flow.fetched = 1 + (n - 1) * flow.delta;
    if (flow.peers.apart) first_peer_loop(flow, d, iterations);
    return;
  }
  if (flow.peers.apart) next_peer_loop(flow, d, iterations, own);
  const NetMove net = net_move(t.rank_count, own, flow.first, flow.inner);
  flow.fetched *= n;
  if (net.stays) flow.fetched -= n - 1;
  else if (net.repeats) flow.fetched -= (n - 1) * (1 - flow.delta);
}

// Whether a loop outside can find part of the tile in place: only along the ranks that alone have moved.
bool NestSteps::can_still_gain(const SlidingFlow& flow, const Extents& left) const {
  const CompiledTensor& t = c_.tensor[flow.tensor];
  unsigned gaining = t.indexing;
  if (!t.entangled) {
    int moved = -1;
    for (int r = 0; r < t.rank_count; ++r) {
      if (flow.inner[r] == 0) continue;
      if (moved >= 0) return false;
      moved = r;
    }
    gaining = moved >= 0 ? t.sharing[moved] : 0u;
  }
  for (const int d : bits(gaining))
    if (left[d] > 1) return true;
  return false;
}

// How often a tile of this extent is fetched at least, for each iteration outside it.
double NestSteps::least_fetched(const SlidingFlow& flow, const Extents& tile) const {
  const CompiledTensor& t = c_.tensor[flow.tensor];
  const LoopSet outside(classes_, c_, tile, c_.size);
  ClassLoops unused;
  return irrelevant_share(c_, t, outside) * halo_shares(classes_, t, flow.extent, tile, outside, unused.data());
}

bool NestSteps::start(PartialMapping& s, int level, u32 servers) const {
  const TensorMask kept = m_.servers.kept(level, s.servers);
  const FlowPrices& prices = m_.machine[s.machine];
  const std::size_t channels = m_.channels.size();
  static constexpr Channels kFree{};
  Channels all;
  if (m_.ramps) hold(s, level, kept);
  for (const int v : bits(m_.starting(level, kept))) {
    const CompiledTensor& t = c_.tensor[v];
    const bool keeps = contains(kept, v);
    const int server = m_.servers.server(level, servers, v);
    const bool fills = keeps && !m_.fills_fewer(level, static_cast<int>(v));
    const Channels& fill = fills ? prices.level[level].fill[v] : kFree;
    const Channels& serve = keeps ? m_.serve(prices, level, server, v, all) : kFree;
    const bool arrived = m_.last_fanout(level, server) < 0;
    if (keeps) s.rounding += m_.level[level].fill_rounding[v] + m_.serve_rounding(level, server, v);
    const auto words = static_cast<double>(box_words(t, s.tile.extent));
    if (!t.sliding) {
      add(s.fill[v], fill, words, channels);
      add(arrived ? s.fill[v] : s.serve[v], serve, words, channels);
      s.in_place |= static_cast<TensorMask>(1u << v);
      continue;
    }
    if (s.sliding_count == kMaxSlidingFlows) return false;
    SlidingFlow& flow = s.sliding[s.sliding_count++];
    flow = SlidingFlow{};
    flow.tensor = static_cast<u8>(v);
    flow.start = static_cast<std::int8_t>(level);
    flow.full = words;
    flow.fetched = flow.delta = 1;
    flow.keeps = keeps;
    flow.peers.arrived = arrived;
    add(flow.fill, fill, words, channels);
    add(arrived ? flow.fill : flow.serve, serve, words, channels);
    flow.extent = box_extent(t, s.tile.extent);
    flow.least = least_fetched(flow, s.tile.extent);
  }
  if (const ExactLevel& own = m_.level[level]; own.shares_inside || own.shares_outside)
    s.room = (own.shares_inside ? s.room : 0) + m_.used(level, kept, s.tile.extent);
  if (contains(c_.counted(level, kept), m_.output)) add(s.refund, prices.level[level].refund, 1, channels);
  // Other levels round other words to blocks.
  s.signature += split_mix(at(level) << 8 | kept);
  s.servers = servers;
  drop_free_flows(s);
  return true;
}

// The first tiles, and the last outputs, on their way to and from the tile of the level.
void NestSteps::hold(PartialMapping& s, int level, TensorMask kept) const {
  s.ramps.arrive(c_, level, kept);
  for (const int v : bits(kept)) s.ramps.hold(v, box_words(c_.tensor[v], s.tile.extent));
}

void NestSteps::swap(PartialMapping& s) const {
  const Symmetry& symmetry = *m_.symmetry;
  s.tile = m_.lattice.point(symmetry.swapped(s.tile.extent));
  for (int f = 0; f < s.sliding_count; ++f) {
    SlidingFlow& flow = s.sliding[f];
    for (RankMove* by_rank : {&flow.extent, &flow.first, &flow.inner})
      *by_rank = symmetry.swapped(flow.tensor, *by_rank);
  }
}

void NestSteps::finish(PartialMapping& s) const {
  for (const int v : bits(s.in_place)) close(s, static_cast<int>(v), s.fill[v], s.serve[v], 1);
  s.in_place = 0;
  for (int f = 0; f < s.sliding_count; ++f) {
    SlidingFlow& flow = s.sliding[f];
    close(s, flow, 1);
  }
  s.sliding_count = 0;
  if (m_.ramps) {
    s.ramps.arrive(c_, m_.levels() - 1, m_.all_tensors());
    s.ramps.words.fill(0);
  }
  s.servers = 0;
  add(s.refund, m_.machine[s.machine].level.back().refund, 1, m_.channels.size());
}

}  // namespace heliolite
