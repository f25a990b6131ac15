#include "engine/model/imperfect_cost.h"

#include <algorithm>
#include <cmath>

#include "engine/base/integers.h"
#include "engine/model/collapse.h"
#include "engine/model/imperfect_level.h"
#include "engine/model/imperfect_nest.h"
#include "engine/model/storage_cost.h"

namespace heliolite {

void level_nest(ImperfectEvaluation& evaluation, const Compiled& c, int v, int i, bool records, LevelNest& out) {
  const CompiledTensor& t = c.tensor[at(v)];
  const ImperfectNest& nest = evaluation.nest();
  out.tile_words = imperfect_box_words(t, nest.largest(nest.inside[i + 1], nest.first[i + 1]));
  out.tile_below_master = imperfect_box_words(t, nest.largest(nest.master[i], nest.first_temporal[i]));
  out.used = static_cast<u64>(nest.used[i]);
  out.fanout = nest.fanout[i];
  if (records || evaluation.may_link(v)) {
    evaluation.records(t, i, out);
    if (!records) out.records.clear();
    return;
  }
  const ImperfectSums sums = evaluation.sums(t, i);
  out.records.clear();
  out.links = 0;
  out.accesses_sum = static_cast<double>(sums.accesses);
  out.share = static_cast<double>(sums.received) / static_cast<double>(out.fanout);
}

void imperfect_traffic(const Compiled& compiled, const Mapping& mapping, ImperfectWorkspace& workspace,
                       NestTraffic& out, const ImperfectOptions& options) {
  ImperfectEvaluation evaluation(compiled, mapping, workspace, options.closed_forms);
  const ImperfectComputes computes = evaluation.computes();
  out.computes = computes.computes;
  out.macs_used = computes.macs_used;
  out.utilized_macs = computes.utilized;
  out.compute_cycles = computes.cycles;
  out.at.resize(at(compiled.tensor_count));
  for (int v = 0; v < compiled.tensor_count; ++v) {
    auto& levels = out.at[at(v)];
    levels.resize(at(compiled.level_count));
    for (int i = 0; i < compiled.level_count; ++i)
      level_nest(evaluation, compiled, v, i, options.records, levels[at(i)]);
  }
}

NestTraffic imperfect_traffic(const Workload& workload, const Architecture& architecture, const Mapping& mapping) {
  ImperfectWorkspace workspace;
  NestTraffic out;
  imperfect_traffic(Compiled(workload, architecture), mapping, workspace, out);
  return out;
}

namespace {

// Words per instance of one tensor at one level (rule 18).
// The steps of collapse.h and explain(), one tensor at a time and only where there is something to count.
class ImperfectCost {
 public:
  ImperfectCost(const Compiled& c, const Mapping& m, ImperfectWorkspace& w)
      : c_(c), m_(m), w_(w), evaluation_(c, m, w) {}

  Evaluation run() {
    const ImperfectNest& nest = evaluation_.nest();
    for (u8 i = 0; i < c_.level_count; ++i) {
      if (nest.columns[i] > c_.level[i].fanout_x) return {Verdict::OverFanoutX, i, {}};
      if (nest.fanout[i] / nest.columns[i] > c_.level[i].fanout_y) return {Verdict::OverFanoutY, i, {}};
    }
    for (u8 i = 0; i < c_.level_count; ++i)
      if (!tiles_fit(i)) return {Verdict::OverCapacity, i, {}};
    u64 spanned = 1;
    for (int i = c_.level_count - 1; i >= 0; --i) {
      outside_[i] = spanned;
      spanned *= nest.fanout[i];
      used_[i] = static_cast<u64>(nest.used[i]);
    }
    const ImperfectComputes computes = evaluation_.computes();
    steps_ = computes.cycles;
    energy_ = Energy{c_.op_units} * computes.computes;
    for (int v = 0; v < c_.tensor_count; ++v) tensor(v);
    u64 cycles = steps_;
    for (u8 i = 0; i < c_.level_count; ++i)
      if (cycles = std::max(cycles, level_cycles_of(i)); cycles == kTooManyCycles)
        return {Verdict::OverCapacity, i, {}};
    for (int i = 0; i < c_.level_count; ++i)
      energy_.units += leakage_units(c_.level[i], std::max<u64>(1, used_[i])) * cycles;
    return {Verdict::Fits, 0, {energy_, cycles}};
  }

 private:
  bool tiles_fit(int i) {
    const ImperfectNest& nest = evaluation_.nest();
    tile_[i] = nest.largest(nest.inside[i + 1], nest.first[i + 1]);
    if (c_.level[i].room == CompiledLevel::kUnbounded) return true;
    u64 used = 0;
    for (int v = 0; v < c_.tensor_count; ++v)
      if (m_.keeps(i, v)) used += c_.level[i].taken(v, imperfect_box_words(c_.tensor[v], tile_[i]));
    return used <= c_.level[i].room;
  }

  // Rule 14, for outputs.
  void partition(const CompiledTensor& t) {
    const ImperfectNest& nest = evaluation_.nest();
    u64 inside = imperfect_box_words(t, tile_[c_.level_count - 1]);
    part_[c_.level_count - 1] = inside;
    for (int i = c_.level_count - 1; i > 0; --i) {
      const u64 below = imperfect_box_words(t, tile_[i - 1]);
      part_[i - 1] = part_[i] * below / imperfect_box_words(t, nest.largest(nest.master[i], nest.first_temporal[i]));
    }
  }

  void tensor(int v) {
    const CompiledTensor& t = c_.tensor[v];
    const ImperfectNest& nest = evaluation_.nest();
    if (evaluation_.may_link(v)) return linked_tensor(v);
    if (t.is_output) partition(t);
    double scale = 1;      // rule 16: what a bypassed level inside passes on, over what it receives
    double hop_scale = 1;  // the same of an interconnect inside, for the hops
    ImperfectSums sums = evaluation_.sums(t, 0);
    for (int i = 0; i < c_.level_count; ++i) {
      const bool kept = m_.keeps(i, v);
      const double accesses = evaluation_.scaled_accesses(t, i, scale, sums);
      if (c_.level[i].network_costs) network(v, i, scale, hop_scale, kept && t.is_output ? part_[i] : 0);
      if (i + 1 == c_.level_count) return storage(t, v, i, accesses, 0, true);
      const bool carried = c_.level[i].is_interconnect;
      const double passing = carried ? evaluation_.scaled_accesses(t, i, hop_scale, sums) : 0;
      sums = evaluation_.sums(t, i + 1);
      const auto fanout = static_cast<double>(nest.fanout[i + 1]), received = static_cast<double>(sums.received);
      if (kept) storage(t, v, i, accesses, received / fanout, false);
      else if (carried) carry(t, v, i, accesses);
      hop_scale = carried ? passing * fanout / received : 1;
      scale = kept ? 1 : accesses * fanout / received;
    }
  }

  // The rows of explain().
  void linked_tensor(int v) {
    const CompiledTensor& t = c_.tensor[at(v)];
    std::vector<LevelNest> nest(at(c_.level_count));
    for (int i = 0; i < c_.level_count; ++i) level_nest(evaluation_, c_, v, i, true, nest[at(i)]);
    const std::vector<CollapsedTensor> rows = collapse(c_, m_.keep, v, nest);
    for (int i = 0; i < c_.level_count; ++i) {
      const CollapsedTensor& row = rows[at(i)];
      const CompiledLevel& level = c_.level[at(i)];
      if (level.network_costs) energy_ += network_energy(level, v, network_sum(row, t.is_output), used_[at(i)]);
      if (row.kept) pay(t, v, i, {row.reads, row.fills, row.updates});
    }
  }

  // Rules 18-20, 23.
  void storage(const CompiledTensor& t, int v, int i, double accesses, double share, bool outermost) {
    Accesses<u64> n;
    if (t.is_output) {
      const auto part = static_cast<double>(part_[i]);
      n = {rounded(accesses - part), rounded(share - (outermost ? 0 : part)), rounded(accesses)};
    } else {
      n = {rounded(accesses), static_cast<u64>(std::max(0.0, share)), 0};
    }
    pay(t, v, i, n);
  }

  // Rule 43.
  void carry(const CompiledTensor& t, int v, int i, double accesses) {
    const double part = t.is_output ? static_cast<double>(part_[i]) : 0;
    pay(t, v, i, {rounded(accesses - part), 0, t.is_output ? rounded(accesses) : 0});
  }

  void pay(const CompiledTensor& t, int v, int i, const Accesses<u64>& n) {
    const CompiledLevel& level = c_.level[i];
    energy_.units += units_of_instances(level, access_units(level, v, in_accesses(level, v, n)), used_[i], outside_[i]);
    if (level.generates_addresses)
      energy_.units += address_units(level, v, n, t.is_output) * clusters_of(level, outside_[i]);
    if (!level.limited) return;
    reads_[i][v] = level.taken(v, demanded_words(n.reads, used_[i], outside_[i]));
    writes_[i][v] = level.taken(v, demanded_words(n.fills + n.updates, used_[i], outside_[i]));
  }

  void network(int v, int i, double scale, double hop_scale, u64 partition) {
    const CompiledTensor& t = c_.tensor[at(v)];
    evaluation_.records(t, i, w_.level);
    NetworkSum sum;
    for (const NestRecord& r : w_.level.records)
      sum.add({r.multicast, r.groups, crossing_words(r.words * scale, t.is_output, c_.level[i].reduces, partition),
               r.hop_words * hop_scale},
              t.is_output);
    energy_ += network_energy(c_.level[i], v, sum, used_[i]);
  }

  u64 level_cycles_of(int i) {
    const CompiledLevel& level = c_.level[i];
    if (!level.limited) return steps_;
    const TensorMask counted = c_.counted(i, m_.keep[at(i)]);
    for (int v = 0; v < c_.tensor_count; ++v)
      if (!contains(counted, v)) reads_[i][v] = writes_[i][v] = 0;
    const auto count = at(c_.tensor_count);
    return level_cycles(level, std::span(reads_[i]).first(count), std::span(writes_[i]).first(count), steps_);
  }

  const Compiled& c_;
  const Mapping& m_;
  ImperfectWorkspace& w_;
  ImperfectEvaluation evaluation_;
  Energy energy_;
  u64 steps_ = 1;
  // Only what is used is written: built once per evaluation.
  std::array<ImperfectExtents, kMaxLevels> tile_;  // the largest of each level
  std::array<u64, kMaxLevels> part_, used_, outside_;
  std::array<std::array<u64, kMaxTensors>, kMaxLevels> reads_, writes_;  // demand on limited levels
};

}  // namespace

Evaluation imperfect_cost_of(const Compiled& compiled, const Mapping& mapping, ImperfectWorkspace& workspace) {
  return ImperfectCost(compiled, mapping, workspace).run();
}

}  // namespace heliolite
