#include "engine/model/true_counts/cost.h"

#include <algorithm>

#include "engine/model/bandwidth.h"
#include "engine/model/true_counts/network.h"
#include "engine/model/true_counts/tally.h"

namespace heliolite {
namespace {

Evaluation cost_of(const Compiled& c, const TrueNest& nest, const KeepMasks& keep) {
  Cost out{Energy{c.op_units} * c.macs, nest.steps};
  thread_local std::vector<MulticastTraffic> traffic;
  TrueTally tally(c, nest, keep);
  for (int v = 0; v < c.tensor_count; ++v) {
    const CompiledTensor& t = c.tensor[at(v)];
    tally.follow(
        v, [&](int i) { return c.level[at(i)].network_costs; },
        [&](int i, u64 accesses, u64 part) {
          const CompiledLevel& level = c.level[at(i)];
          traffic.clear();
          std::optional<u64> passing;
          if (level.hops_cost || level.routers_cost) {
            multicast_traffic(c, t, nest, i, traffic);
            passing = passing_words(c, v, nest, i);
          }
          out.energy += network_sum(level, t.is_output, accesses, part, traffic, passing).energy(level, v);
        });
  }
  u128 leakage = 0;  // per cycle
  for (int i = 0; i < c.level_count; ++i) {
    const TrueTally::ByTensor accesses = tally.accesses(i);
    for (const int v : bits(tally.counted(i))) {
      out.energy.units += tally.access_energy(i, v, accesses[at(v)]);
      if (c.level[at(i)].generates_addresses) out.energy.units += tally.address_energy(i, v);
    }
    out.cycles = std::max(out.cycles, tally.cycles(i));
    if (out.cycles == kTooManyCycles) return {Verdict::OverCapacity, static_cast<u8>(i), {}};
    leakage += leakage_units(c.level[at(i)], nest.used[at(i)]);
  }
  out.energy.units += leakage * out.cycles;
  return {Verdict::Fits, 0, out};
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
    const CompiledTensor& t = c.tensor[at(v)];
    if (t.is_output && (t.term_count != 0 || t.entangled)) return false;
  }
  return true;
}

Mapping without_idle_loops(const TrueNest& nest, const Mapping& mapping) {
  Mapping out;
  out.level_count = mapping.level_count;
  out.keep = mapping.keep;
  for (int l = 0; l < nest.loop_count; ++l) {
    const TruePlace& p = nest.place[at(l)];
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
  return out.verdict == Verdict::Fits ? cost_of(c, nest, mapping.keep) : out;
}

}  // namespace heliolite
