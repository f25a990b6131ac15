#include "engine/model/true_counts/cost.h"

#include <algorithm>

#include "engine/model/cost_of_counts.h"
#include "engine/model/perfect.h"
#include "engine/model/ramps.h"
#include "engine/model/true_counts/network.h"
#include "engine/model/true_counts/tally.h"

namespace heliolite {
namespace {

Evaluation counted_cost(const Compiled& c, const TrueNest& nest, const KeepMasks& keep, const Ramps& ramps) {
  CostSum sum(c, c.macs, nest.steps);
  sum.ramp(ramps);
  thread_local std::vector<MulticastTraffic> traffic;
  TrueTally tally(c, nest, keep);
  for (int v = 0; v < c.tensor_count; ++v) {
    const CompiledTensor& t = c.tensor[v];
    tally.follow(
        v, [&](int i) { return c.level[i].network_costs; },
        [&](int i, u64 accesses, u64 part) {
          const CompiledLevel& level = c.level[i];
          traffic.clear();
          std::optional<u64> passing;
          if (level.hops_cost || level.routers_cost) {
            multicast_traffic(c, t, nest, i, traffic);
            passing = passing_words(c, v, nest, i);
          }
          sum.pay(network_sum(level, t.is_output, accesses, part, traffic, passing).energy(level, v).units);
        });
  }
  for (int i = 0; i < c.level_count; ++i) {
    const TrueTally::ByTensor accesses = tally.accesses(i);
    for (const int v : bits(tally.counted(i))) sum.pay(tally.units(i, v, accesses[v]).sum());
    sum.leak(c.level[i], nest.used[i]);
    sum.wait(tally.cycles(i));
    if (!sum.is_finite()) return {Verdict::OverCapacity, static_cast<u8>(i), {}};
  }
  return {Verdict::Fits, 0, sum.total()};
}

Evaluation fits(const Compiled& c, const TrueNest& nest, const KeepMasks& keep) {
  for (u8 i = 0; i < c.level_count; ++i) {
    const CompiledLevel& level = c.level[i];
    if (nest.product_x[i] > level.fanout_x) return {Verdict::OverFanoutX, i, {}};
    if (nest.product_y[i] > level.fanout_y) return {Verdict::OverFanoutY, i, {}};
    if (level.room == CompiledLevel::kUnbounded) continue;
    u64 used = 0;
    for (const int v : bits(keep[i])) used += level.taken(v, true_box_words(c, c.tensor[v], nest.tile[i + 1u]));
    if (used > level.room) return {Verdict::OverCapacity, i, {}};
  }
  return {};
}

}  // namespace

bool has_true_counts(const Compiled& c) {
  for (int v = 0; v < c.tensor_count; ++v) {
    const CompiledTensor& t = c.tensor[v];
    if (t.is_output && !held_words_are_countable(c, t)) return false;
  }
  return true;
}

Mapping without_idle_loops(const TrueNest& nest, const Mapping& mapping) {
  Mapping out = mapping.without_loops();
  for (int l = 0; l < nest.loop_count; ++l) {
    const TruePlace& p = nest.place[l];
    const LoopKind kind = !contains(nest.spatial, l)           ? LoopKind::Temporal
                          : contains(nest.columns[p.level], l) ? LoopKind::SpatialX
                                                               : LoopKind::SpatialY;
    out.add(kind, p.level, p.dimension, p.end, p.last);
  }
  return out;
}

Evaluation true_cost_of(const Compiled& c, const Mapping& mapping) {
  const TrueNest nest(c, mapping);
  if (nest.divides) return evaluate_perfect(c, Nest(c, without_idle_loops(nest, mapping)), mapping.keep);
  const Evaluation out = fits(c, nest, mapping.keep);
  return out.verdict == Verdict::Fits
             ? counted_cost(c, nest, mapping.keep, ramps_of(c, without_idle_loops(nest, mapping)))
             : out;
}

// The totals of true_cost_of with everything they are made of.

namespace {

NetworkTraffic true_network(const Compiled& c, const TrueNest& nest, int i, int v, u64 accesses, u64 part) {
  const bool is_output = c.tensor[v].is_output;
  const CompiledLevel& level = c.level[i];
  std::vector<MulticastTraffic> traffic;
  multicast_traffic(c, c.tensor[v], nest, i, traffic);
  const TrueNetworkSum sum = network_sum(level, is_output, accesses, part, traffic, passing_words(c, v, nest, i));
  const auto senders = static_cast<double>(nest.used[i]);
  NetworkTraffic out;
  out.fanout = nest.product_x[i] * nest.product_y[i];
  out.all_ingresses = static_cast<double>(sum.ingress_words);
  out.ingresses = out.all_ingresses / senders;
  out.hops = sum.ingress_words > 0 ? sum.hop_words / out.all_ingresses : 0;
  double reductions = 0;
  for (const MulticastTraffic& m : traffic) {
    out.multicast.push_back({m.multicast, 0, static_cast<double>(m.words) / senders});
    if (is_output) reductions += static_cast<double>(m.multicast - 1) * static_cast<double>(m.words);
  }
  out.spatial_reductions = static_cast<u64>(reductions / senders);
  out.energy = sum.energy(level, v);
  return out;
}

// The most of each kind that any instance of the level has.
TrueTally::ByTensor most_of_each(const TrueTally& tally, int i) {
  TrueTally::ByTensor most;
  tally.each_class(i, [&](const TrueTally::ByTensor& words, u64) {
    for (const int v : bits(tally.counted(i))) {
      Accesses<u64>& m = most[v];
      const Accesses<u64>& w = words[v];
      m = {std::max(m.reads, w.reads), std::max(m.fills, w.fills), std::max(m.updates, w.updates)};
    }
  });
  return most;
}

}  // namespace

Breakdown true_breakdown(const Architecture& architecture, const Compiled& c, const TrueNest& nest,
                         const KeepMasks& keep, const Ramps& ramps) {
  BreakdownSum sum(architecture, c, c.macs, nest.macs_used, nest.steps);
  sum.ramp(ramps);
  TrueTally tally(c, nest, keep);
  for (int v = 0; v < c.tensor_count; ++v)
    tally.follow(
        v, [](int) { return true; },
        [&](int i, u64 accesses, u64 part) { sum.send(i, v, true_network(c, nest, i, v, accesses, part)); });
  for (int i = 0; i < c.level_count; ++i) {
    const TrueTally::ByTensor accesses = tally.accesses(i), most = most_of_each(tally, i);
    for (const int v : bits(tally.counted(i))) {
      TensorTraffic t;
      t.kept = contains(keep[i], v);
      t.carried = c.level[i].is_interconnect;
      t.tile_words = t.kept ? true_box_words(c, c.tensor[v], nest.tile[i + 1]) : 0;
      t.instances = nest.used[i];
      t.all = tally.total(i)[v];
      t.reads = static_cast<i64>(most[v].reads);
      t.fills = static_cast<i64>(most[v].fills);
      t.updates = static_cast<i64>(most[v].updates);
      sum.keep(i, v, t, tally.units(i, v, accesses[v]));
    }
    sum.wait(i, tally.cycles(i), nest.used[i]);
  }
  Breakdown out = sum.total();
  out.counts = Counts::True;
  out.divides = false;
  return out;
}

}  // namespace heliolite
