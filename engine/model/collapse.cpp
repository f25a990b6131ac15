#include "engine/model/collapse.h"

#include <algorithm>
#include <cmath>

#include "engine/base/integers.h"
#include "engine/model/links.h"
#include "engine/model/temporal_traffic.h"

namespace heliolite {

void add_record(const ReceiverGroups& g, u64 words, std::vector<NestRecord>& records) {
  const auto before = [](const NestRecord& a, const ReceiverGroups& b) {
    return a.multicast != b.multicast ? a.multicast < b.multicast : a.groups < b.groups;
  };
  auto at = std::lower_bound(records.begin(), records.end(), g, before);
  if (at == records.end() || at->multicast != g.multicast || at->groups != g.groups)
    at = records.insert(at, {g.multicast, g.groups, 0, 0});
  at->words += static_cast<double>(words * g.groups);
  at->hop_words += 0.5 * static_cast<double>(words) * static_cast<double>(g.half_hops);
}

namespace {

std::vector<CollapsedTensor> collapse_perfect(const Compiled& c, const Nest& nest, const KeepMasks& keep,
                                              const StoreDepths& outside, int v, const PassCount& count,
                                              Recorded recorded) {
  const CompiledTensor& t = c.tensor[v];
  const int levels = c.level_count;
  const LoopMask moving = nest.moving(t);
  std::array<u64, kMaxLevels> part;
  partitions(c, t, nest, part);
  for (int i = 0; i < levels; ++i) part[i] *= count.parts;
  std::vector<CollapsedTensor> out(at(levels));
  std::vector<ReceiverGroups> groups;
  u64 in = nest.steps * count.passes, raw = in;  // words per receiver below, after and before bypass scaling (rule 16)
  for (int i = 0; i < levels; ++i) {
    CollapsedTensor& row = out[i];
    const u64 distinct = distinct_offsets(t, nest, i, c.level[i]), accesses = in * distinct;
    groups.clear();
    if (recorded == Recorded::All || c.level[i].network_costs) receiver_groups(t, nest, i, c.level[i], groups);
    row.kept = contains(keep[i], v);
    const u64 own_part = row.kept ? part[i] : 0;
    for (const ReceiverGroups& g : groups)
      row.records.push_back(network_record(c.level[i], g, in, raw, t.is_output, own_part));
    row.instances = {nest.instances[i], nest.instances[i]};
    row.fanout = nest.product_x[i] * nest.product_y[i];
    Box tile;
    const LoopMask inside = nest.inside(i, outside[i][v]);
    nest.measure(t, inside, tile);
    const bool at_home = i == c.pass.level && contains(c.pass.at_home, v);  // nothing goes further outwards
    const u64 crossing =
        i + 1 < levels && !at_home ? temporal_traffic(t, moving, nest, inside, tile) * count.passes : 0;
    if (row.kept) {
      row.tile_words = tile.words;
      row.words = kept_words(c.level[i], t.is_output, accesses, crossing, part[i]);
    }
    if (c.level[i].is_interconnect) {
      row.carried = true;
      row.words = carried_words(c.level[i], t.is_output, accesses, part[i]);
    }
    in = row.kept ? crossing : accesses;
    raw = c.level[i].is_interconnect ? raw * distinct : crossing;
  }
  return out;
}

// Rule 14: the share of the tensor that belongs to one instance of each level.
std::vector<u64> imperfect_partitions(const std::vector<LevelNest>& nest) {
  std::vector<u64> part(nest.size());
  part.back() = nest.back().tile_words;
  for (std::size_t i = nest.size() - 1; i > 0; --i)
    part[i - 1] = part[i] * nest[i - 1].tile_words / nest[i].tile_below_master;
  return part;
}

// A tensor's levels from the inside out, and what they are of the machine: a level whose tile of the tensor ends inside
// some of its loops (rule 42) is two, the tile's, and one of the loops outside it, which passes the tensor by.
struct NestChain {
  std::vector<LevelNest> nest;
  std::vector<u8> level_of;
  std::vector<bool> kept;
  bool divides = false;  // the factors do: instances are whole numbers, and words of all receivers together, too

  void add(LevelNest part, int level, bool keeps) {
    nest.push_back(std::move(part));
    level_of.push_back(static_cast<u8>(level));
    kept.push_back(keeps);
  }
};

// What one of `instances` receives of the sender's words and its peers', rounded down: as integers, for a sum of
// quotients in doubles may be a word less (rule 30).
u64 received_words(const LevelNest& outside, double received, u64 instances) {
  const u128 sent = static_cast<u128>(received) * instances,
             taken = static_cast<u128>(outside.peer_words) * outside.fanout;
  return static_cast<u64>((sent + taken) / (u128{outside.fanout} * instances));
}

std::vector<CollapsedTensor> collapse_chain(const Compiled& c, const NestChain& chain, int v) {
  const bool is_output = c.tensor[v].is_output;
  const std::vector<LevelNest>& nest = chain.nest;
  const std::vector<u64> part = imperfect_partitions(nest);
  std::vector<CollapsedTensor> out(nest.size());
  double scale = 1;        // rule 16, for the records at this level
  double hop_scale = 1;    // rule 16, for the hops of these records
  bool inner_kept = true;  // the level inside keeps the tensor: it takes what its instances pass on to each other
  for (std::size_t i = 0; i < nest.size(); ++i) {
    CollapsedTensor& row = out[i];
    const CompiledLevel& level = c.level[chain.level_of[i]];
    row.kept = chain.kept[i];
    row.instances.used = nest[i].used;
    row.fanout = nest[i].fanout;
    row.peer_words = inner_kept ? nest[i].peer_words : 0;
    double accesses = 0, passing = 0;
    const u64 own_part = row.kept ? part[i] : 0;
    for (const NestRecord& r : nest[i].records) {
      accesses += r.words * scale;
      passing += r.words * hop_scale;
      row.records.push_back(network_record(level, r, scale, hop_scale, is_output, own_part));
    }
    const bool outermost = i + 1 == nest.size();
    double received = 0;  // words times receivers at the next level out, before bypass
    if (!outermost)
      for (const NestRecord& r : nest[i + 1].records) received += r.words * static_cast<double>(r.multicast);
    if (row.kept) {
      const double share = outermost ? 0 : nest[i + 1].share;
      const double peers = outermost ? 0 : nest[i + 1].peer_words / static_cast<double>(row.instances.used);  // rule 17
      row.tile_words = nest[i].tile_words;
      row.words = averaged_words(level, is_output, accesses, share, static_cast<double>(part[i]), peers);
      if (!is_output && chain.divides && !outermost)
        row.words.fills = received_words(nest[i + 1], received, row.instances.used);
      scale = hop_scale = 1;
    } else if (!outermost) {
      hop_scale = level.is_interconnect ? passing * static_cast<double>(nest[i + 1].fanout) / received : 1;
      if (level.is_interconnect) {
        row.carried = true;
        row.words = averaged_words(level, is_output, accesses, 0, static_cast<double>(part[i]));
      }
      scale = accesses * static_cast<double>(nest[i + 1].fanout) / received;
    }
    inner_kept = row.kept;
  }
  for (std::size_t i = nest.size(); i-- > 1;) out[i - 1].instances.spanned = out[i].instances.spanned * nest[i].fanout;
  return out;
}

// The groups of a fan-out as records; each receiver of a group gets `words` words.
LevelNest plain_records(const CompiledTensor& t, const Nest& nest, int level, const CompiledLevel& machine, u64 words) {
  std::vector<ReceiverGroups> groups;
  receiver_groups(t, nest, level, machine, groups);
  LevelNest out;
  for (const ReceiverGroups& g : groups) add_record(g, words, out.records);
  return out;
}

// Words of one instance that cross into the tile of these loops.
u64 crossing_into(const CompiledTensor& t, const Nest& nest, LoopMask inside) {
  Box tile;
  nest.measure(t, inside, tile);
  return temporal_traffic(t, nest.moving(t), nest, inside, tile);
}

LevelNest perfect_level(const Compiled& c, const Nest& nest, int i, int v) {
  const CompiledTensor& t = c.tensor[v];
  const LoopMask below = i > 0 ? nest.through[i - 1] : 0;
  LevelNest out;
  if (!take_from_peers(c, v, nest, i, out))
    out = plain_records(t, nest, i, c.level[i], i > 0 ? crossing_into(t, nest, below) : nest.steps);
  out.fanout = nest.product_x[i] * nest.product_y[i];
  for (const NestRecord& r : out.records) {
    out.accesses_sum += r.words;
    out.share += r.words * static_cast<double>(r.multicast) / static_cast<double>(out.fanout);
  }
  out.tile_words = box_words(t, nest.tile(nest.through[i]));
  out.tile_below_master = box_words(t, nest.tile(below | nest.fanout[i]));
  out.used = nest.instances[i];
  return out;
}

// A tensor some of whose words come from peers.
std::vector<CollapsedTensor> collapse_with_peers(const Compiled& c, const Nest& nest, const KeepMasks& keep,
                                                 const StoreDepths& outside, int v) {
  const CompiledTensor& t = c.tensor[v];
  NestChain chain;
  chain.divides = true;
  for (int i = 0; i < c.level_count; ++i) {
    const bool kept = contains(keep[i], v);
    LevelNest level = perfect_level(c, nest, i, v);
    const LoopMask inside = nest.inside(i, outside[i][v]);
    if (!kept || inside == nest.through[i] || i + 1 == c.level_count) {
      chain.add(std::move(level), i, kept);
      continue;
    }
    LevelNest loops;  // outside the tile
    const u64 crossing = crossing_into(t, nest, inside);
    add_record({1, 1, 0}, crossing, loops.records);
    loops.accesses_sum = loops.share = static_cast<double>(crossing);
    loops.tile_words = level.tile_words;
    loops.used = level.used;
    loops.tile_below_master = level.tile_words = box_words(t, nest.tile(inside));
    chain.add(std::move(level), i, true);
    chain.add(std::move(loops), i, false);
  }
  std::vector<CollapsedTensor> out;
  std::vector<CollapsedTensor> rows = collapse_chain(c, chain, v);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const std::size_t i = out.size();
    if (chain.level_of[k] != i) continue;
    out.push_back(std::move(rows[k]));
    if (out[i].kept) out[i].tile_words = box_words(t, nest.tile(nest.inside(static_cast<int>(i), outside[i][v])));
  }
  return out;
}

}  // namespace

CollapsedTraffic collapse(const Compiled& c, const Nest& nest, const KeepMasks& keep, const StoreDepths& outside,
                          TensorMask peers, const PassCount& count, Recorded recorded) {
  CollapsedTraffic out;
  for (int v = 0; v < c.tensor_count; ++v)
    out.push_back(contains(peers, v) ? collapse_with_peers(c, nest, keep, outside, v)
                                     : collapse_perfect(c, nest, keep, outside, v, count, recorded));
  return out;
}

std::vector<CollapsedTensor> collapse(const Compiled& c, const KeepMasks& keep, int v,
                                      const std::vector<LevelNest>& nest) {
  NestChain chain;
  for (std::size_t i = 0; i < nest.size(); ++i) chain.add(nest[i], static_cast<int>(i), contains(keep[i], v));
  return collapse_chain(c, chain, v);
}

CollapsedTraffic collapse(const Compiled& c, const KeepMasks& keep, const NestTraffic& traffic) {
  CollapsedTraffic out;
  for (int v = 0; v < c.tensor_count; ++v) out.push_back(collapse(c, keep, v, traffic.at[v]));
  return out;
}

NetworkSum network_sum(const CollapsedTensor& row, bool is_output) {
  NetworkSum out;
  for (const NetworkRecord& record : row.records) out.add(record, is_output);
  out.peer_words = row.peer_words;
  return out;
}

void add_counts(const Compiled& c, int v, const std::vector<CollapsedTensor>& rows, CostSum& sum,
                std::span<LevelLoad> loads) {
  const bool is_output = c.tensor[v].is_output;
  for (int i = 0; i < c.level_count; ++i) {
    const CollapsedTensor& row = rows[i];
    const CompiledLevel& level = c.level[i];
    if (level.network_costs) sum.pay(network_energy(level, v, network_sum(row, is_output), row.instances.used).units);
    if (row.kept || row.carried) loads[i].add(v, row.words, is_output);
  }
}

Evaluation cost_of(const Compiled& c, const CollapsedTraffic& rows, u64 computes, u64 steps, const Ramps& ramps) {
  CostSum sum(c, computes, steps);
  sum.ramp(ramps);
  std::array<LevelLoad, kMaxLevels> loads;
  for (int v = 0; v < c.tensor_count; ++v) add_counts(c, v, rows[v], sum, loads);
  for (int i = 0; i < c.level_count; ++i) {
    sum.add(c.level[i], loads[i], rows[0][i].instances);
    if (!sum.is_finite()) return {Verdict::OverCapacity, static_cast<u8>(i), {}};
  }
  return {Verdict::Fits, 0, sum.total()};
}

namespace {

TensorTraffic tensor_traffic(const CollapsedTensor& row) {
  TensorTraffic out;
  out.kept = row.kept;
  out.carried = row.carried;
  out.tile_words = row.tile_words;
  out.instances = row.instances.used;
  const auto [reads, fills, updates] = row.words;
  out.reads = static_cast<i64>(reads);
  out.fills = static_cast<i64>(fills);
  out.updates = static_cast<i64>(updates);
  out.all = {reads * out.instances, fills * out.instances, updates * out.instances};
  return out;
}

NetworkTraffic network_traffic(const CompiledLevel& level, int v, const CollapsedTensor& row, bool is_output) {
  NetworkTraffic out;
  const NetworkSum sum = network_sum(row, is_output);
  const u64 senders = row.instances.used;
  for (const NetworkRecord& record : row.records)
    out.multicast.push_back({record.multicast, record.groups, record.words});
  out.fanout = row.fanout;
  out.ingresses = sum.ingress_words;
  out.all_ingresses = sum.ingress_words * static_cast<double>(senders);
  out.spatial_reductions = static_cast<u64>(std::max<i64>(0, sum.spatial_reductions));
  out.hops = sum.ingress_words > 0 ? sum.hop_words / sum.ingress_words : 0;
  out.peer_words = sum.peer_words;
  if (!level.network_costs) return out;
  out.energy = network_energy(level, v, sum, senders);
  if (out.peer_words > 0) out.peer_energy = peer_energy(level, v, out.peer_words, senders);
  return out;
}

}  // namespace

Breakdown breakdown_of(const Architecture& architecture, const Compiled& c, const CollapsedTraffic& rows,
                       const ComputeCounts& computes, const Ramps& ramps) {
  BreakdownSum sum(architecture, c, computes.computes, computes.utilized, computes.steps);
  sum.ramp(ramps);
  for (int i = 0; i < c.level_count; ++i) {
    const CompiledLevel& level = c.level[i];
    LevelLoad load;
    for (int v = 0; v < c.tensor_count; ++v) {
      const CollapsedTensor& row = rows[v][i];
      const bool is_output = c.tensor[v].is_output;
      sum.send(i, v, network_traffic(level, v, row, is_output));
      if (!row.kept && !row.carried) continue;
      sum.keep(i, v, tensor_traffic(row), units_of_one(level, v, row.words, is_output, row.instances));
      load.add(v, row.words, is_output);
    }
    const InstanceCount instances = rows[0][i].instances;
    sum.wait(i, load.cycles(level, instances, c.cycles_of(computes.steps)), instances.used);
  }
  return sum.total();
}

}  // namespace heliolite
