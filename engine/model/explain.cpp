// The cold twin of CostModel::evaluate: the same totals with everything they are made of, for perfect and imperfect
// factors alike.
#include <algorithm>

#include "engine/base/integers.h"
#include "engine/model/collapse.h"
#include "engine/model/cost_model.h"
#include "engine/model/imperfect_cost.h"
#include "engine/model/links.h"
#include "engine/model/nest.h"
#include "engine/model/storage_cost.h"
#include "engine/model/true_counts/cost.h"

namespace heliolite {
namespace {

// What both kinds of nests agree on.
struct Totals {
  u64 computes = 0, macs_used = 1, utilized = 1, cycles = 1;
};

// Product of the spatial ends outside each level (Xexp * Yexp of rule 20).
std::array<u64, kMaxLevels> spatial_outside(const Mapping& m) {
  std::array<u64, kMaxLevels> out;
  out.fill(1);
  for (const Loop& loop : m.loops())
    if (loop.is_spatial())
      for (int i = 0; i < loop.level; ++i) out[i] *= loop.end;
  return out;
}

TensorTraffic tensor_traffic(const CompiledLevel& level, int v, const CollapsedTensor& row, bool is_output,
                             u64 outside) {
  TensorTraffic out;
  if (!row.kept && !row.carried) return out;
  out.kept = row.kept;
  out.carried = row.carried;
  out.tile_words = row.tile_words;
  out.instances = row.instances;
  out.reads = static_cast<i64>(row.reads);
  out.fills = static_cast<i64>(row.fills);
  out.updates = static_cast<i64>(row.updates);
  const Accesses<u64> words{row.reads, row.fills, row.updates};
  out.all = {row.reads * row.instances, row.fills * row.instances, row.updates * row.instances};
  out.energy = {
      units_of_instances(level, access_units(level, v, in_accesses(level, v, words)), row.instances, outside)};
  out.address_generation_energy = {address_units(level, v, words, is_output) * clusters_of(level, outside)};
  return out;
}

NetworkTraffic network_traffic(const CompiledLevel& level, int v, const CollapsedTensor& row, bool is_output) {
  NetworkTraffic out;
  const NetworkSum sum = network_sum(row, is_output);
  for (const NetworkRecord& record : row.records)
    out.multicast.push_back({record.multicast, record.groups, record.words});
  out.fanout = row.fanout;
  out.ingresses = sum.ingress_words;
  out.all_ingresses = sum.ingress_words * static_cast<double>(row.instances);
  out.spatial_reductions = static_cast<u64>(std::max<i64>(0, sum.spatial_reductions));
  out.hops = sum.ingress_words > 0 ? sum.hop_words / sum.ingress_words : 0;
  out.links = sum.link_words;
  if (!level.network_costs) return out;
  out.energy = network_energy(level, v, sum, row.instances);
  if (out.links > 0) out.link_energy = link_energy(level, v, out.links, row.instances);
  return out;
}

LevelBreakdown level_breakdown(const Compiled& c, const CollapsedTraffic& rows, int i, u64 outside, u64 steps) {
  const CompiledLevel& level = c.level[i];
  LevelBreakdown out;
  std::array<u64, kMaxTensors> reads{}, writes{};
  u64 used = 0;
  for (int v = 0; v < c.tensor_count; ++v) {
    const CollapsedTensor& row = rows[at(v)][at(i)];
    out.tensor.push_back(tensor_traffic(level, v, row, c.tensor[v].is_output, outside));
    out.network.push_back(network_traffic(level, v, row, c.tensor[v].is_output));
    used += level.taken(v, row.tile_words);
    reads[v] = level.taken(v, demanded_words(row.reads, row.instances, outside));
    writes[v] = level.taken(v, demanded_words(row.fills + row.updates, row.instances, outside));
  }
  out.used_words = ceil_div(used, u64{level.parts.of_word});
  out.capacity_words = level.capacity_words();
  out.parts = level.parts;
  const auto count = at(c.tensor_count);
  out.cycles = level_cycles(level, std::span(reads).first(count), std::span(writes).first(count), steps);
  return out;
}

// Leakage (rule 25) and the sum of everything.
void add_up(const Compiled& c, const CollapsedTraffic& rows, Breakdown& out) {
  for (int i = 0; i < c.level_count; ++i) {
    LevelBreakdown& level = out.level[at(i)];
    u64 instances = 1;
    for (const auto& tensor : rows) instances = std::max(instances, tensor[at(i)].instances);
    level.leakage = {leakage_units(c.level[i], instances) * out.cycles};
    out.energy += level.leakage + level.access_energy() + level.network_energy();
  }
  out.energy += out.compute.energy;
}

Breakdown breakdown(const Architecture& architecture, const Compiled& c, const Mapping& m, const CollapsedTraffic& rows,
                    const Totals& totals) {
  Breakdown out;
  out.compute = {architecture.compute.name,
                 totals.computes,
                 totals.utilized,
                 architecture.compute.instances,
                 Energy{c.op_units} * totals.computes,
                 totals.cycles};
  out.cycles = totals.cycles;
  const auto outside = spatial_outside(m);
  for (int i = 0; i < c.level_count; ++i) {
    out.level.push_back(level_breakdown(c, rows, i, outside[i], totals.cycles));
    out.level.back().name = architecture.levels[at(i)].name;
    out.cycles = std::max(out.cycles, out.level.back().cycles);
  }
  add_up(c, rows, out);
  out.utilization = static_cast<double>(totals.computes) / static_cast<double>(architecture.compute.instances) /
                    static_cast<double>(out.cycles);
  return out;
}

Breakdown timeloop_breakdown(const Architecture& architecture, const Compiled& c, const Mapping& m) {
  if (m.is_perfect()) {
    const Nest nest(c, m);
    const Totals totals{c.macs, nest.macs_used, nest.macs_used, nest.steps};
    return breakdown(architecture, c, m, collapse(c, nest, m.keep, m.outside, tensors_on_links(c, nest)), totals);
  }
  thread_local ImperfectWorkspace workspace;
  thread_local NestTraffic traffic;
  imperfect_traffic(c, m, workspace, traffic);
  const Totals totals{traffic.computes, traffic.macs_used, traffic.utilized_macs, traffic.compute_cycles};
  Breakdown out = breakdown(architecture, c, m, collapse(c, m.keep, traffic), totals);
  out.divides = false;
  return out;
}

}  // namespace

Breakdown CostModel::explain(const Mapping& mapping, Counts counts) const {
  if (counts == Counts::True && !mapping.is_perfect()) {
    const TrueNest nest(compiled_, mapping);
    Breakdown out = nest.divides ? explain(without_idle_loops(nest, mapping), counts)
                                 : true_breakdown(architecture_, compiled_, nest, mapping.keep);
    out.divides = nest.divides;
    return out;
  }
  Breakdown out = allows_all_links(mapping) ? timeloop_breakdown(architecture_, compiled_, mapping)
                                            : timeloop_breakdown(architecture_, with_links_of(mapping), mapping);
  out.counts = counts;
  return out;
}

}  // namespace heliolite
