#include "engine/search/exact/partial_bounds.h"

#include <algorithm>
#include <limits>

#include "engine/model/cost_of_counts.h"
#include "engine/search/core/compulsory.h"

namespace heliolite {
PartialBounds::PartialBounds(const FlowCosts& model, const std::function<bool()>& stop,
                             std::shared_ptr<const RestBounds> tables)
    : m_(model),
      c_(*model.compiled),
      steps_(model),
      shared_tables_(tables ? std::move(tables) : std::make_shared<const RestBounds>(model, stop)),
      tables_(*shared_tables_),
      least_cycles_(static_cast<double>(compulsory_cost(model.problem->model, model.keep).whole.cycles)) {
  const int levels = m_.levels();
  reducing_outside_[levels] = fanout_outside_[levels] = 1;
  for (int i = levels - 1; i >= 0; --i) {
    reducing_outside_[i] = reducing_outside_[i + 1] * m_.fanout[i].most_reducing;
    fanout_outside_[i] = fanout_outside_[i + 1] * static_cast<double>(c_.level[i].fanout());
    leaks_ |= leaks(c_.level[i]);
  }
  for (std::size_t k = 0; k < m_.channels.size(); ++k)
    if (m_.channels[k].kind != Channel::Kind::Shared) asked_ |= static_cast<u16>(1u << k);
  for (int i = levels - 1; i >= 0; --i) {
    refund_from_[i] = refund_from_[i + 1];
    if (!contains(c_.counted(i, m_.keep.must[i]), m_.output)) continue;  // see RestBounds::refund()
    for (std::size_t k = 0; k < m_.channels.size(); ++k)
      refund_from_[i][k] += m_.least.level[i].refund[k] * reducing_outside_[i + 1];
  }
}

PartialBounds::Inside PartialBounds::inside(const PartialMapping& s, Place place) const {
  Inside out(LoopSet(tables_.classes(), c_, s.tile.extent, c_.size));
  out.place = place;
  out.servers = s.servers;
  out.sharing = sharing(s, place);
  out.active = asked_ & static_cast<u16>(~s.idle);
  out.ramps = least_ramps(s, place);
  out.compute_cycles = compute_cycles(s.units, place.level, m_.lattice.full().index - s.tile.index, out.ramps);
  for (const int tensor : bits(s.in_place)) {
    const std::size_t v = at(tensor);
    const std::size_t n = out.open_count++;
    out.tensor[n] = static_cast<u8>(tensor);
    out.relevant[n] = tables_.classes().indexing(v);
    out.repeats[n] = irrelevant_share(c_, c_.tensor[v], out.outside);
    out.halo_of[n] = -1;
  }
  for (int f = 0; f < s.sliding_count; ++f) {
    const SlidingFlow& flow = s.sliding[f];
    const CompiledTensor& t = c_.tensor[flow.tensor];
    if (flow.moving) {
      double gaining = 1;
      for (const int d : bits(t.indexing)) gaining *= out.outside.n[d];
      if (flow.peers.unit) gaining = 1;  // each step asks for a word
      out.fetched[f] = (flow.fetched * gaining - (gaining - 1)) / gaining * s.iterations;
      continue;
    }
    const std::size_t n = out.open_count++;
    out.tensor[n] = flow.tensor;
    out.relevant[n] = tables_.classes().indexing(flow.tensor);
    out.repeats[n] = irrelevant_share(c_, t, out.outside) *
                     halo_shares(tables_.classes(), t, flow.extent, s.tile.extent, out.outside, out.halo[f].data());
    out.halo_of[n] = f;
    if (flow.peers.site != nullptr && flow.start + 1 == m_.peer_fanout && !contains(s.peers.fanouts, m_.peer_fanout))
      for (const int d : bits(flow.peers.first)) out.first |= dimension_bit(static_cast<int>(tables_.classes().of(d)));
  }
  sum_channel(s, 0, out);
  out.known = 1;
  return out;
}

// The shares of accesses that clusters leave: of levels that are placed by the instances that they use and the most
// that fan-outs outside can add. What tables know of a level counts at its least share: everything that is paid and
// refunded at one level counts alike.
Channels PartialBounds::sharing(const PartialMapping& s, Place place) const {
  Channels out = tables_.least_sharing();
  const int placed = place.unrolled ? place.level : place.level + 1;
  const u64 left = m_.lattice.full().index - s.tile.index;
  for (std::size_t k = 1; k < m_.channels.size() && m_.channels[k].kind == Channel::Kind::Shared; ++k) {
    const int level = m_.channels[k].level;
    if (level >= placed) continue;
    double used = m_.most_instances(place.level + 1, left);
    for (int f = level + 1; f <= place.level; ++f) used *= s.instances[f];
    out[k] = std::min(1.0, static_cast<double>(c_.level[level].clusters) / used);
  }
  return out;
}

bool PartialBounds::add_cycles(const PartialMapping& s, Inside& inside) const {
  bool any = false;
  for (std::size_t k = inside.known; k < m_.channels.size(); ++k) {
    if (!contains(inside.active, k)) continue;
    sum_channel(s, k, inside);
    any = true;
  }
  inside.known = m_.channels.size();
  return any;
}

void PartialBounds::sum_channel(const PartialMapping& s, std::size_t k, Inside& out) const {
  const auto [level, unrolled] = out.place;
  const auto of = [&](const Channels& x) { return tables_.of(x, k, out.sharing); };
  std::array<double, kMaxTensors> spread{};
  double sum = of(s.sum);
  for (int v = 0; v < c_.tensor_count; ++v) {
    const u64 left = m_.lattice.full().index - s.tile.index;
    spread[v] = tables_.spread(level, m_.servers.server(unrolled ? level - 1 : level, s.servers, v), v, left);
  }
  const double passing = pending(s, out.place, k, out.sharing, spread);
  if (k == 0) out.pending = passing;
  sum += passing;
  BoundFlows flows;
  std::size_t n = 0;
  const auto wait = [&](double fill, double serve, std::size_t v) {
    out.without_reuse[n][k] = (fill + serve * spread[v]) * s.iterations;
    out.full_reuse[n][k] = (fill + serve) * s.iterations * out.repeats[n];
    if (out.without_reuse[n][k] > 0)
      flows.append({out.relevant[n], out.without_reuse[n][k], out.halo_shares(n), out.full_reuse[n][k]});
    ++n;
  };
  for (const int tensor : bits(s.in_place)) {
    const std::size_t v = at(tensor);
    wait(of(s.fill[v]), of(s.serve[v]), v);
  }
  for (int f = 0; f < s.sliding_count; ++f) {
    const SlidingFlow& sliding = s.sliding[f];
    const double fill = sliding.least_fill(of(sliding.fill)), serve = sliding.least_serve(of(sliding.serve));
    if (sliding.moving && sliding.peers.apart)
      sum += moving_with_peers(s, sliding, k, out, out.fetched[f], spread[sliding.tensor]);
    else if (sliding.moving)
      sum += std::max((fill + serve * spread[sliding.tensor]) * out.fetched[f],
                      (fill + serve) * sliding.least * s.iterations);
    else wait(fill, serve, sliding.tensor);
  }
  const auto words = static_cast<double>(c_.tensor[m_.output].words);
  sum -= words * (of(s.refund) * reducing_outside_[level + 1] + of(refund_from_[unrolled ? level : level + 1]));
  out.settled[k] = sum;  // may be negative: refunds of flows to come
  out.sum[k] = sum + flows.least(out.outside.of_class, out.outside.present, out.first);
}

// A moving flow of which words come from peers, or may yet: the least that all loops outside can leave of it.
double PartialBounds::moving_with_peers(const PartialMapping& s, const SlidingFlow& flow, std::size_t k,
                                        const Inside& inside, double fetched, double spread) const {
  const FlowPeers& moved = flow.peers;
  const auto of = [&](const Channels& x) { return tables_.of(x, k, inside.sharing); };
  const double fill = of(flow.fill), serve = of(flow.serve);
  // Each loop outside begins what those inside do again: that may add a step to all of theirs together.
  const double more = moved.site == nullptr ? 0
                      : flow.delta == 1     ? 1 - 1 / s.iterations
                                            : flow.delta * moved.first_iterations * (1 - 1 / s.iterations);
  const double saved = (moved.saved + more * moved.most_saved) * s.iterations;
  const double full_reuse = flow.least * s.iterations;
  const double sent =
      std::max({0.0, fetched - saved, fetched * (1 - moved.most_saved), full_reuse * (1 - moved.most_saved)});
  double filled = std::max(fetched, full_reuse);
  if (!moved.exact) filled = std::max(0.0, fetched - (moved.over + more) * s.iterations);
  double peers = 0;
  if (moved.site == nullptr) peers = of(steps_.peer_cost(s, flow, moved.over, s.iterations));
  return fill * filled + serve * spread * sent + peers;
}

// Closed flows that are still on their way, if every tensor on its own were spread as little as `spread` says; and if
// the next fan-out spreads all of them by one choice.
double PartialBounds::pending(const PartialMapping& s, Place place, std::size_t k, const Channels& sharing,
                              const std::array<double, kMaxTensors>& spread) const {
  std::array<double, kMaxTensors> cost, further;
  double apart = 0;
  int tensors = 0;
  for (int v = 0; v < c_.tensor_count; ++v) {
    cost[v] = tables_.of(s.pending[v], k, sharing);
    apart += cost[v] * spread[v];
    tensors += cost[v] > 0;
  }
  if (tensors < 2) return apart;
  int next = place.level + 1;
  while (!m_.fanout[next].exists) ++next;
  const int stage = place.unrolled ? place.level - 1 : place.level;
  const u64 left = m_.lattice.full().index - s.tile.index;
  for (int v = 0; v < c_.tensor_count; ++v)
    further[v] = cost[v] > 0 ? tables_.spread(next, m_.servers.server(stage, s.servers, v), v, left) : 0;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& joint : m_.fanout[next].joint_spreads) {
    double sum = 0;
    for (int v = 0; v < c_.tensor_count; ++v) sum += cost[v] * std::max(joint[v] * further[v], spread[v]);
    least = std::min(least, sum);
  }
  return std::max(apart, least);
}

CostBound PartialBounds::at_root(const PartialMapping& root) const {
  // The innermost fan-out may take any choice; the tables below it know the least of all.
  const double least =
      m_.fanout[0].exists ? tables_.least_below(0, root.servers) : tables_.below(0, root.servers, 0, 0);
  if (least >= kImpossible) return {kImpossible, kImpossible};
  double closed = tables_.of(root.sum, 0);
  std::array<double, kMaxTensors> spreads;
  for (int v = 0; v < c_.tensor_count; ++v) {
    double spread = 1;
    for (int f = 0; f <= m_.servers.server(-1, root.servers, v); ++f)
      if (m_.fanout[f].exists) spread *= m_.fanout[f].least_spread[v][m_.lattice.grid().cell(m_.lattice.full().index)];
    spreads[v] = spread;
  }
  closed += pending(root, {-1, false}, 0, tables_.least_sharing(), spreads);
  closed -= static_cast<double>(c_.tensor[m_.output].words) * tables_.of(refund_from_[0], 0);
  return {std::max(0.0, closed + least),
          std::max(m_.unit_cycles / most_outside(0, m_.lattice.full().index), least_cycles_)};
}

// Most instances of the fan-outs below level `first` and the levels outside it.
double PartialBounds::most_outside(int first, u64 left) const {
  if (!m_.timed) return fanout_outside_[first];
  return m_.most_instances(first, left);
}

double PartialBounds::compute_cycles(double units, int level, u64 left, double ramps) const {
  return std::max(m_.unit_cycles / (units * most_outside(level + 1, left)) + ramps, least_cycles_);
}

double PartialBounds::least_ramps(const PartialMapping& s, Place place) const {
  if (!m_.ramps) return 0;
  const int stage = place.unrolled ? place.level - 1 : place.level;
  return s.ramps.least(c_, [&](int v) { return m_.servers.server(stage, s.servers, v); });
}

CostBound PartialBounds::price(const PartialMapping& s, const Inside& inside, const Channels& sums) const {
  const int level = inside.place.level;
  CostBound out{std::max(0.0, sums[0]), inside.compute_cycles};
  for (std::size_t k = 1; k < inside.known; ++k) {
    if (!contains(inside.active, k)) continue;
    double used = fanout_outside_[std::max(level, m_.channels[k].level) + 1];
    for (int f = m_.channels[k].level + 1; f <= level; ++f) used *= s.instances[f];
    out.cycles = std::max(out.cycles, sums[k] / used * kCycleRounding);
  }
  if (leaks_) {
    double inner = 1;  // most units inside the level
    for (int i = 0; i < m_.levels(); ++i) {
      inner *= i <= level ? s.instances[i] : static_cast<double>(c_.level[i].fanout());
      double used = 1;
      for (int f = i + 1; f <= level; ++f) used *= s.instances[f];
      out.energy += leakage_units(c_.level[i], std::max(out.cycles * used, m_.unit_cycles / inner));
    }
  }
  return out;
}

UnrollBound::UnrollBound(const FlowCosts& model, const RestBounds& tables, const PartialMapping& s,
                         const PartialBounds::Inside& before, int level)
    : closed_(before.settled[0] - before.pending), loops_(before.outside.present) {
  const u64 left = model.lattice.full().index - s.tile.index;
  // Fan-outs further out may spread words over more receivers, the less of them the less is left.
  const auto server = [&](std::size_t v) { return model.servers.server(level - 1, s.servers, static_cast<int>(v)); };
  const auto beyond = [&](std::size_t v) { return tables.spread(level, server(v), static_cast<int>(v), left); };
  for (std::size_t v = 0; v < s.tensor_count; ++v) {
    const double each = tables.of(s.pending[v], 0, before.sharing);
    if (each <= 0) continue;
    const double least = each * tables.spread(level - 1, server(v), static_cast<int>(v), left);
    passing_[passing_count_++] = {v, each * beyond(v), least};
  }
  for (std::size_t n = 0; n < before.open_count; ++n) {
    const std::size_t v = before.tensor[n];
    Waiting& flow = waiting_[waiting_count_++];
    flow = {v,      before.relevant[n], 0, 0, before.repeats[n], before.without_reuse[n][0], before.full_reuse[n][0],
            nullptr};
    const int sliding = before.halo_of[n];
    flow.fill = tables.of(sliding < 0 ? s.fill[v] : s.sliding[sliding].fill, 0, before.sharing) * s.iterations;
    flow.serve =
        tables.of(sliding < 0 ? s.serve[v] : s.sliding[sliding].serve, 0, before.sharing) * s.iterations * beyond(v);
    if (sliding >= 0) {
      flow.fill = s.sliding[sliding].least_fill(flow.fill);
      flow.serve = s.sliding[sliding].least_serve(flow.serve);
    }
    flow.halo = before.halo_shares(n);
  }
}

double UnrollBound::energy(const SpatialChoice& choice) const {
  const double each = 1 / choice.instances;
  double sum = closed_;
  for (std::size_t k = 0; k < passing_count_; ++k) {
    const Passing& flow = passing_[k];
    sum += contains(choice.slides, flow.tensor) ? flow.least : flow.each * choice.spread[flow.tensor] * each;
  }
  std::array<double, kMaxDimensions> first{};  // [loop]: what being the first one adds
  for (std::size_t k = 0; k < waiting_count_; ++k) {
    const Waiting& flow = waiting_[k];
    double without_reuse = flow.without_reuse, full_reuse = flow.least;
    if (!contains(choice.slides, flow.tensor)) {
      const double spread = choice.spread[flow.tensor] * each;
      without_reuse = std::max(without_reuse, flow.fill + flow.serve * spread);
      full_reuse += flow.repeats * flow.fill * (1 / spread - 1);  // a word goes to every instance that needs it
    }
    sum += full_reuse;
    for (const int d : bits(flow.relevant & loops_)) {
      const double moved = flow.halo == nullptr ? without_reuse : without_reuse * flow.halo[d];
      if (moved > full_reuse) first[d] += moved - full_reuse;
    }
  }
  double least = loops_ == 0 ? 0 : first[*bits(loops_).begin()];
  for (const int d : bits(loops_)) least = std::min(least, first[d]);
  return sum + least;
}

}  // namespace heliolite
