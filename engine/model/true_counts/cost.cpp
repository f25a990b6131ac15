#include "engine/model/true_counts/cost.h"

#include <algorithm>

#include "engine/model/storage_cost.h"
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

// The cold twin of true_cost_of.

namespace {

class TrueBreakdown {
 public:
  TrueBreakdown(const Architecture& architecture, const Compiled& c, const TrueNest& nest, const KeepMasks& keep)
      : architecture_(architecture), c_(c), nest_(nest), keep_(keep), tally_(c, nest, keep) {}

  Breakdown run() {
    const Compute& units = architecture_.compute;
    out_.counts = Counts::True;
    out_.divides = false;
    out_.compute = {units.name, c_.macs, nest_.macs_used, units.instances, Energy{c_.op_units} * c_.macs, nest_.steps};
    out_.cycles = nest_.steps;
    out_.energy = out_.compute.energy;
    out_.level.resize(at(c_.level_count));
    for (LevelBreakdown& level : out_.level) {
      level.tensor.resize(at(c_.tensor_count));
      level.network.resize(at(c_.tensor_count));
    }
    for (int v = 0; v < c_.tensor_count; ++v)
      tally_.follow(
          v, [](int) { return true; }, [&](int i, u64 accesses, u64 part) { network(i, v, accesses, part); });
    for (int i = 0; i < c_.level_count; ++i) storage(i);
    for (int i = 0; i < c_.level_count; ++i) {
      LevelBreakdown& level = out_.level[at(i)];
      level.leakage = {leakage_units(c_.level[at(i)], nest_.used[at(i)]) * out_.cycles};
      out_.energy += level.leakage;
    }
    out_.utilization =
        static_cast<double>(c_.macs) / static_cast<double>(units.instances) / static_cast<double>(out_.cycles);
    return std::move(out_);
  }

 private:
  void network(int i, int v, u64 accesses, u64 part) {
    const bool is_output = c_.tensor[at(v)].is_output;
    const CompiledLevel& level = c_.level[at(i)];
    NetworkTraffic& out = out_.level[at(i)].network[at(v)];
    std::vector<MulticastTraffic> traffic;
    multicast_traffic(c_, c_.tensor[at(v)], nest_, i, traffic);
    const TrueNetworkSum sum = network_sum(level, is_output, accesses, part, traffic, passing_words(c_, v, nest_, i));
    const auto senders = static_cast<double>(nest_.used[at(i)]);
    out.fanout = nest_.product_x[at(i)] * nest_.product_y[at(i)];
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
    out_.energy += out.energy;
  }

  void storage(int i) {
    LevelBreakdown& out = out_.level[at(i)];
    const CompiledLevel& level = c_.level[at(i)];
    out.name = architecture_.levels[at(i)].name;
    out.capacity_words = level.capacity_words();
    out.parts = level.parts;
    out.cycles = tally_.cycles(i);
    out_.cycles = std::max(out_.cycles, out.cycles);
    const TrueTally::ByTensor accesses = tally_.accesses(i);
    u64 used = 0;
    TrueTally::ByTensor most;
    tally_.each_class(i, [&](const TrueTally::ByTensor& words, u64) {
      for (const int v : bits(tally_.counted(i))) {
        most[at(v)].reads = std::max(most[at(v)].reads, words[at(v)].reads);
        most[at(v)].fills = std::max(most[at(v)].fills, words[at(v)].fills);
        most[at(v)].updates = std::max(most[at(v)].updates, words[at(v)].updates);
      }
    });
    for (const int v : bits(tally_.counted(i))) {
      TensorTraffic& t = out.tensor[at(v)];
      t.kept = contains(keep_[at(i)], v);
      t.carried = level.is_interconnect;
      t.tile_words = t.kept ? true_box_words(c_, c_.tensor[at(v)], nest_.tile[at(i) + 1]) : 0;
      t.instances = nest_.used[at(i)];
      t.all = tally_.total(i)[at(v)];
      t.reads = static_cast<i64>(most[at(v)].reads);
      t.fills = static_cast<i64>(most[at(v)].fills);
      t.updates = static_cast<i64>(most[at(v)].updates);
      t.energy = {tally_.access_energy(i, v, accesses[at(v)])};
      t.address_generation_energy = {tally_.address_energy(i, v)};
      used += level.taken(v, t.tile_words);
      out_.energy += t.energy;
      out_.energy += t.address_generation_energy;
    }
    out.used_words = ceil_div(used, u64{level.parts.of_word});
  }

  const Architecture& architecture_;
  const Compiled& c_;
  const TrueNest& nest_;
  const KeepMasks& keep_;
  TrueTally tally_;
  Breakdown out_;
};

}  // namespace

Breakdown true_breakdown(const Architecture& architecture, const Compiled& c, const TrueNest& nest,
                         const KeepMasks& keep) {
  return TrueBreakdown(architecture, c, nest, keep).run();
}

}  // namespace heliolite
