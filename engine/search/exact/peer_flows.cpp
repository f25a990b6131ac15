// What partial mappings know of words from peers: the closed form of docs/link_transfers.md, one loop after the other.
#include <algorithm>
#include <bit>

#include "engine/base/integers.h"
#include "engine/model/compiled.h"
#include "engine/model/temporal_traffic.h"
#include "engine/search/exact/nest_steps.h"

namespace heliolite {
namespace {

// Whether nothing of a tile of these extents is in place after this move.
bool all_new(const CompiledTensor& t, const RankMove& extent, const RankMove& move) {
  for (std::size_t r = 0; r < at(t.rank_count); ++r)
    if (std::abs(move[r]) >= extent[r]) return true;
  return false;
}

DimensionMask peer_dimensions(const CompiledTensor& t) { return static_cast<DimensionMask>(t.sharing_any & ~t.alone); }

}  // namespace

bool NestSteps::peers_open(const PartialMapping& s) {
  if (s.peers.inexact) return true;
  for (int f = 0; f < s.sliding_count; ++f)
    if (const SlidingFlow& flow = s.sliding[f]; flow.peers.site != nullptr && (!flow.moving || flow.peers.unit))
      return true;
  return false;
}

bool NestSteps::may_use_peers(const PartialMapping& s, int fanout) {
  for (int f = 0; f < s.sliding_count; ++f)
    if (s.sliding[f].start == fanout - 1 && s.sliding[f].peers.site != nullptr) return true;
  return false;
}

// The fan-out below the innermost level is placed. The word of tensor v that each unit asks for waits until now.
void NestSteps::meet_units(PartialMapping& s, const SpatialChoice& choice, int v, bool arrived) const {
  const CompiledTensor& t = c_.tensor[v];
  const PeerSite* const site = m_.sites->of_units(*m_.problem, choice, v);
  const bool held = site != nullptr && site->holds();
  if (held && !t.sliding) return;
  const Channels whole = arrived ? s.fill[v] : s.serve[v];
  s.in_place &= static_cast<TensorMask>(~(1u << v));
  s.fill[v] = s.serve[v] = Channels{};
  if (site == nullptr)
    return close(s, v, arrived ? whole : Channels{}, arrived ? Channels{} : whole, s.iterations / choice.instances);
  SlidingFlow& flow = s.sliding[s.sliding_count++];
  flow = SlidingFlow{};
  flow.tensor = static_cast<u8>(v);
  flow.start = -1;
  flow.full = flow.fetched = flow.delta = 1;
  flow.keeps = true;
  flow.extent = box_extent(t, s.tile.extent);
  flow.peers.arrived = arrived;
  (held && arrived ? flow.fill : flow.serve) = whole;
  if (held) {
    flow.least = least_fetched(flow, s.tile.extent);
    return;
  }
  flow.moving = flow.peers.apart = flow.peers.unit = true;
  flow.peers.site = site;
  flow.peers.most_saved = site->most_saved;
}

// A fan-out below `level` is placed whose receivers of tensor v may have words for each other. Returns the least
// receivers that the words of flows count which only pass the tile directly inside.
double NestSteps::look_for_peers(PartialMapping& s, int level, const SpatialChoice& choice, int v) const {
  bool kept_inside = false;
  for (int f = 0; f < s.sliding_count; ++f) {
    SlidingFlow& flow = s.sliding[f];
    if (flow.tensor != v || flow.start != level - 1) continue;
    kept_inside |= flow.keeps;
    begin_peers(s, level, choice, flow);
  }
  if (kept_inside) return choice.instances;
  // Then the sender is asked for as many words as before in groups of other sizes.
  SlidingFlow passing{};
  passing.tensor = static_cast<u8>(v);
  passing.start = static_cast<std::int8_t>(level - 1);
  passing.extent = box_extent(c_.tensor[v], s.tile.extent);
  const MulticastRange groups = begin_peers(s, level, choice, passing);
  if (passing.peers.site == nullptr) return choice.instances;
  s.peers.inexact = true;
  const double least = groups.instances / groups.most;
  if (least < groups.groups) s.peers.fanouts |= static_cast<u16>(1u << level);
  return least;
}

MulticastRange NestSteps::begin_peers(const PartialMapping& s, int level, const SpatialChoice& choice,
                                      SlidingFlow& flow) const {
  const PeerPlace place =
      m_.sites->of(*m_.problem, level, choice, flow.tensor, s.tile.extent, m_.prices_peers(level - 1, flow.tensor));
  flow.peers.site = place.site;
  if (place.site == nullptr) return place.groups;
  list_first_peers(flow, level, Lattice::product(s.tile, choice.factor).extent);
  flow.peers.apart = flow.peers.first != 0;
  flow.peers.exact = flow.peers.site->exact;
  if (!flow.peers.apart) flow.peers.site = nullptr;
  return place.groups;
}

// Which loops directly outside the fan-out below `level` let words move on, and the largest share of its words that the
// sender can save; `tile`: of all receivers together. If a fan-out further out comes before that loop, its step is
// longer.
void NestSteps::list_first_peers(SlidingFlow& flow, int level, const Extents& tile) const {
  const CompiledTensor& t = c_.tensor[flow.tensor];
  FlowPeers& peers = flow.peers;
  const bool steps_known = m_.last_fanout(level, m_.levels() - 1) < 0;
  for (const int d : bits(peer_dimensions(t))) {
    if (tile[d] == c_.size[d]) continue;
    RankMove own{};
    add_move(t, at(d), tile[d], own);
    const PeerMove* const move = peers.site->find(own);
    const bool fresh = all_new(t, flow.extent, own);
    double most = peers.site->most_saved;
    // Loops further out advance at most once in two steps of this one.
    if (steps_known && fresh) most = 0.5 * ((move != nullptr ? move->saved : 0) + most);
    else if (steps_known) most = move != nullptr ? move->saved : 0;
    if (most == 0) continue;
    peers.most_saved = std::max(peers.most_saved, most);
    peers.first |= dimension_bit(d);
  }
}

// Fills that start() has left out, for words from peers might have made them fewer.
void NestSteps::begin_filling(PartialMapping& s, int level, int v, const SpatialChoice& choice) const {
  if (level == 0 || !m_.fills_fewer(level - 1, v)) return;
  for (int f = 0; f < s.sliding_count; ++f) {
    SlidingFlow& flow = s.sliding[f];
    if (flow.tensor != v || flow.start != level - 1 || !flow.keeps) continue;
    const Channels& fill = m_.machine[s.machine].level[level - 1].fill[v];
    for (std::size_t k = 0; k < m_.channels.size(); ++k) flow.fill[k] += fill[k] * flow.full * choice.instances;
  }
}

// The innermost loop outside the fan-out moves the tile.
void NestSteps::first_peer_loop(SlidingFlow& flow, int d, u32 iterations) const {
  FlowPeers& peers = flow.peers;
  const CompiledTensor& t = c_.tensor[flow.tensor];
  if (!contains(peer_dimensions(t), d)) peers.site = nullptr;
  if (peers.site == nullptr) return;
  peers.first_iterations = iterations;
  peers.most_saved = peers.site->most_saved;
  const PeerMove* const first = peers.site->find(flow.first);
  if (!all_new(t, flow.extent, flow.first)) {
    if (first == nullptr) peers.site = nullptr;
  } else if (first != nullptr) {
    peers.saved = (iterations - 1) * first->saved;
    peers.over = (iterations - 1) * first->over;
  }
}

// A loop further out, which moves by `own`, when those inside have moved by flow.inner.
void NestSteps::next_peer_loop(SlidingFlow& flow, int d, u32 iterations, const RankMove& own) const {
  FlowPeers& peers = flow.peers;
  peers.saved *= iterations;
  peers.over *= iterations;
  const CompiledTensor& t = c_.tensor[flow.tensor];
  if (contains(t.alone, d)) peers.site = nullptr;
  if (peers.site == nullptr) return;
  RankMove net = own;
  for (std::size_t r = 0; r < net.size(); ++r) net[r] -= flow.inner[r];
  const double steps = iterations - 1;
  const PeerMove* move = nullptr;
  double times = 0;  // steps that move on by it
  if (!peers.unit && !all_new(t, flow.extent, flow.first)) {
    if (net == flow.first) move = peers.site->find(net), times = steps * flow.delta * peers.first_iterations;
  } else if (!peers.unit && net == RankMove{}) {
    move = peers.site->find(flow.first), times = -steps * (peers.first_iterations - 1);
  } else {
    move = peers.site->find(net), times = steps;
  }
  if (move == nullptr) return;
  peers.saved += times * move->saved;
  peers.over += times * move->over;
}

// Each iteration of a loop asks for as many words among the units, and its steps move by what the closed form says.
void NestSteps::move_units(SlidingFlow& flow, int d, u32 iterations, u32 tile) const {
  RankMove own{};
  add_move(c_.tensor[flow.tensor], at(d), tile, own);
  next_peer_loop(flow, d, iterations, own);
  for (std::size_t r = 0; r < own.size(); ++r) flow.inner[r] += own[r];
  flow.fetched *= iterations;
}

// Whether a loop outside can move words on by as much as some neighbours are apart.
bool NestSteps::can_still_use_peers(const SlidingFlow& flow, const Extents& left) const {
  if (flow.peers.site == nullptr) return false;
  const CompiledTensor& t = c_.tensor[flow.tensor];
  for (int d = 0; d < c_.dimension_count; ++d) {
    if (left[d] == 1 || contains(t.alone, d)) continue;
    RankMove most{};
    add_move(t, at(d), c_.size[d] / 2, most);
    bool possible = true;
    for (std::size_t r = 0; r < at(t.rank_count); ++r) possible &= most[r] - flow.inner[r] >= flow.peers.site->least[r];
    if (possible) return true;
  }
  return false;
}

// After a loop: what is known of words from peers now.
void NestSteps::settle_peers(PartialMapping& s, SlidingFlow& flow) {
  FlowPeers& peers = flow.peers;
  if (peers.saved > 0) {
    s.peers.fanouts |= static_cast<u16>(1u << (flow.start + 1));
    s.peers.inexact |= !peers.exact;
  } else if (peers.site == nullptr) {
    // There are none: the flow is one as any other.
    peers.apart = false;
    for (std::size_t k = 0; peers.arrived && k < s.channel_count; ++k) flow.fill[k] += flow.serve[k], flow.serve[k] = 0;
    peers.over = peers.most_saved = 0;
    peers.first_iterations = 1;
  }
}

// Every instance rounds what it passes on to whole words.
Channels NestSteps::peer_cost(const PartialMapping& s, const SlidingFlow& flow, double over, double times) const {
  Channels out{};
  if (!flow.peers.exact || !flow.keeps || flow.peers.unit) return out;
  const double words = std::max(0.0, flow.full * over * times - 0.5) * s.instances[flow.start + 1];
  for (std::size_t k = 0; k < m_.channels.size(); ++k)
    out[k] = m_.machine[s.machine].level[flow.start].peer[flow.tensor][k] * words;
  return out;
}

// The words of a sliding flow are known: its tile is fetched `fetched` times in each of `times` iterations.
void NestSteps::close(PartialMapping& s, const SlidingFlow& flow, double times) const {
  const FlowPeers& peers = flow.peers;
  if (!peers.apart) return close(s, flow.tensor, flow.fill, flow.serve, flow.fetched * times);
  const double sent = std::max(0.0, flow.fetched - peers.saved);
  const double filled = peers.exact ? flow.fetched : std::max(0.0, flow.fetched - peers.over);
  Channels fill = peer_cost(s, flow, peers.over, times), serve{};
  for (std::size_t k = 0; k < m_.channels.size(); ++k) {
    fill[k] += flow.fill[k] * filled * times;
    (peers.arrived ? fill : serve)[k] += flow.serve[k] * sent * times;
  }
  close(s, flow.tensor, fill, serve, 1);
  s.signature += std::bit_cast<u64>(peers.saved) * 3 + std::bit_cast<u64>(peers.over);
}

// What a partial mapping need not know: bandwidths that cannot delay it, and flows without a price.

// Flows without a price need not be known (rule cycles-first).
void NestSteps::drop_free_flows(PartialMapping& s) const {
  if (!m_.cycles_only || c_.peers != 0) return;
  const auto is_free = [&](const Channels& fill, const Channels& serve) {
    for (std::size_t k = 0; k < m_.channels.size(); ++k)
      if (fill[k] > 0 || serve[k] > 0) return false;
    return true;
  };
  for (const int v : bits(s.in_place))
    if (is_free(s.fill[v], s.serve[v])) s.in_place &= static_cast<TensorMask>(~(1u << v));
  for (int f = s.sliding_count; f-- > 0;)
    if (is_free(s.sliding[f].fill, s.sliding[f].serve)) s.sliding[f] = s.sliding[--s.sliding_count];
}

int NestSteps::forget_idle(PartialMapping& s, int level) const {
  int idle = 0;
  for (std::size_t k = 1; k < m_.channels.size(); ++k) {
    const Channel& channel = m_.channels[k];
    if (channel.kind != Channel::Kind::Cycles || channel.level > level || contains(s.idle, k)) continue;
    // At most: every loop outside fetches again, and no fan-out spreads a word.
    double most = s.sum[k];
    for (int v = 0; v < c_.tensor_count; ++v) {
      const auto t = at(v);
      most += s.pending[t][k];
      if (contains(s.in_place, v)) most += (s.fill[t][k] + s.serve[t][k]) * s.iterations;
    }
    for (int f = 0; f < s.sliding_count; ++f) {
      const SlidingFlow& flow = s.sliding[f];
      most += (flow.fill[k] + flow.serve[k]) * flow.fetched * s.iterations;
    }
    double used = 1;
    for (int f = channel.level + 1; f <= level; ++f) used *= s.instances[f];
    if (most / used > m_.unit_cycles / s.units * (1 - 1e-9)) continue;
    s.idle |= static_cast<u16>(1u << k);
    s.sum[k] = s.refund[k] = 0, s.split[k] = 0;
    for (int v = 0; v < c_.tensor_count; ++v) {
      const auto t = at(v);
      s.pending[t][k] = s.fill[t][k] = s.serve[t][k] = 0;
    }
    for (int f = 0; f < s.sliding_count; ++f) s.sliding[f].fill[k] = s.sliding[f].serve[k] = 0;
    ++idle;
  }
  if (idle > 0) drop_free_flows(s);
  return idle;
}

}  // namespace heliolite
