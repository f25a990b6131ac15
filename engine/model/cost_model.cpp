#include "engine/model/cost_model.h"

#include <algorithm>
#include <bit>

#include "engine/model/bandwidth.h"
#include "engine/model/multicast.h"
#include "engine/model/nest.h"
#include "engine/model/partition.h"

namespace heliolite {
namespace {

// Words of every kept tile, and what does not fit (rule 5).
struct Footprints {
  std::array<std::array<u64, kMaxLevels>, kMaxTensors> words;  // [tensor][level], kept ones only
};

Evaluation fit(const Compiled& c, const Mapping& m, const Nest& nest, Footprints& tiles) {
  for (int i = 0; i < c.level_count; ++i) {
    const CompiledLevel& level = c.level[i];
    if (nest.product_x[i] > level.fanout_x) return {Verdict::OverFanoutX, static_cast<u8>(i), {}};
    if (nest.product_y[i] > level.fanout_y) return {Verdict::OverFanoutY, static_cast<u8>(i), {}};
    if (i + 1 == c.level_count && level.capacity_words >= c.all_words) break;  // whole tensors, nobody asks for them
    u64 used = 0;
    for (unsigned kept = m.keep[i]; kept != 0; kept &= kept - 1) {
      const int v = std::countr_zero(kept);
      used += tiles.words[v][i] = box_words(c.tensor[v], nest.tile(i));
    }
    if (used > level.capacity_words) return {Verdict::OverCapacity, static_cast<u8>(i), {}};
  }
  return {};
}

// Words per instance that the bandwidth rule needs from all tensors together. By tensor only kept entries are written.
struct Demand {
  std::array<std::array<u64, kMaxTensors>, kMaxLevels> reads;
  std::array<std::array<u64, kMaxTensors>, kMaxLevels> writes;
  std::array<u64, kMaxLevels> read_sum{};
  std::array<u64, kMaxLevels> write_sum{};

  void add(int level, int tensor, u64 read, u64 write) {
    reads[level][tensor] = read;
    writes[level][tensor] = write;
    read_sum[level] += read;
    write_sum[level] += write;
  }
};

u64 minus(u64 a, u64 b) { return a > b ? a - b : 0; }

// Energy of the network below `level` for one tensor: `raw` words per receiver before bypass scaling, `words`
// after it.
Energy network_energy_of(const CompiledTensor& t, const Nest& nest, int level, const CompiledLevel& machine, u64 raw,
                         u64 words, u64 partition) {
  thread_local std::vector<ReceiverGroups> groups;
  receiver_groups(t, nest, level, machine, groups);
  NetworkSum sum;
  for (const ReceiverGroups& g : groups)
    sum.add({g.multicast, g.groups,
             crossing_words(static_cast<double>(words * g.groups), t.is_output, machine.is_dram, partition),
             0.5 * static_cast<double>(raw) * static_cast<double>(g.half_hops)},
            t.is_output);
  return network_energy(machine, sum, nest.instances[level]);
}

// Counts of one kept tensor at one level, words of one instance (rule 18).
struct Counts {
  u64 reads, fills, updates;
};

Counts counts_of(bool is_output, u64 accesses, u64 crossing, u64 partition, bool outermost) {
  if (!is_output) return {accesses, crossing, 0};
  return {minus(accesses, partition), outermost ? 0 : minus(crossing, partition), accesses};
}

// Rules 19, 20 and 23, all instances.
Energy access_energy(const CompiledLevel& level, const Counts& n, bool is_output, u64 instances) {
  u128 units = static_cast<u128>(level.blocks(n.reads)) * level.read_units +
               static_cast<u128>(level.blocks(n.fills)) * level.fill_units;
  if (is_output) units += static_cast<u128>(level.blocks(n.updates)) * level.update_units;
  if (level.address_units != 0)
    units += static_cast<u128>((is_output ? n.updates : n.reads) + n.fills) * level.address_units;
  return {units * std::min(instances, level.clusters)};
}

// Access, address and network energy of tensor v over all levels; its counts go to `demand` (rules 16, 18, 26).
// Levels not in `active` do nothing to v: they neither keep it, nor fan out, nor charge for their network.
Energy tensor_energy(const Compiled& c, const Mapping& m, const Nest& nest, const Footprints& tiles, unsigned active,
                     int v, Demand& demand) {
  const CompiledTensor& t = c.tensor[v];
  const int levels = c.level_count;
  std::array<u64, kMaxLevels> part;
  if (t.is_output) part = partitions(c, t, nest);
  Energy energy;
  u64 in = nest.steps();  // words per receiver below the level, after bypass scaling
  u64 raw = in;           // and before
  for (; active != 0; active &= active - 1) {
    const int i = std::countr_zero(active);
    const CompiledLevel& level = c.level[i];
    const bool kept = m.keeps(i, v), outermost = i + 1 == levels;
    const u64 partition = t.is_output && kept ? part[i] : 0;
    u64 accesses = in;
    if (nest.has_spatial(i)) {
      const u64 distinct = distinct_offsets_closed(t, nest, i);
      accesses *= distinct != 0 ? distinct : distinct_offsets(t, nest, i, level);
    }
    if (level.network_costs) {
      if (i > 0 && !m.keeps(i - 1, v))
        raw = temporal_traffic(t, nest, i, levels, nest.tile(i - 1), box_words(t, nest.tile(i - 1)));
      energy += network_energy_of(t, nest, i, level, raw, in, partition);
    }
    in = accesses;
    if (!kept) continue;
    const u64 crossing = outermost ? 0 : temporal_traffic(t, nest, i + 1, levels, nest.tile(i), tiles.words[v][i]);
    const Counts n = counts_of(t.is_output, accesses, crossing, partition, outermost);
    energy += access_energy(level, n, t.is_output, nest.instances[i]);
    demand.add(i, v, n.reads, n.fills + n.updates);
    in = raw = crossing;
  }
  return energy;
}

// Of each tensor, the levels that do something to it (bit i: level i).
std::array<unsigned, kMaxTensors> active_levels(const Compiled& c, const Mapping& m, const Nest& nest) {
  std::array<unsigned, kMaxTensors> active{};
  unsigned all = 0;  // levels that do something to every tensor
  for (int i = 0; i < c.level_count; ++i) {
    if (nest.has_spatial(i) || c.level[i].network_costs) all |= 1u << i;
    for (unsigned kept = m.keep[i]; kept != 0; kept &= kept - 1) active[std::countr_zero(kept)] |= 1u << i;
  }
  for (int v = 0; v < c.tensor_count; ++v) active[v] |= all;
  return active;
}

// Cycles of a level that may be slowed down by its bandwidth: Timeloop's sum, tensor by tensor.
u64 limited_cycles(const Compiled& c, const Mapping& m, const Demand& demand, int i, u64 steps) {
  std::array<u64, kMaxTensors> reads{}, writes{};
  for (int v = 0; v < c.tensor_count; ++v) {
    if (!m.keeps(i, v)) continue;
    reads[v] = demand.reads[i][v];
    writes[v] = demand.writes[i][v];
  }
  const auto count = static_cast<std::size_t>(c.tensor_count);
  return level_cycles(c.level[i], std::span(reads).first(count), std::span(writes).first(count), steps);
}

// Longest level (rule 28). A level whose demand is clearly below its bandwidth needs no division.
u64 total_cycles(const Compiled& c, const Mapping& m, const Demand& demand, u64 steps) {
  u64 cycles = steps;
  const double safe = static_cast<double>(static_cast<i64>(steps)) * (1 - 1e-9);
  for (int i = 0; i < c.level_count; ++i) {
    const CompiledLevel& level = c.level[i];
    if (!level.limited) continue;
    const auto read = static_cast<double>(static_cast<i64>(demand.read_sum[i]));
    const auto write = static_cast<double>(static_cast<i64>(demand.write_sum[i]));
    if (read > level.read_bandwidth * safe || write > level.write_bandwidth * safe ||
        read + write > level.shared_bandwidth * safe)
      cycles = std::max(cycles, limited_cycles(c, m, demand, i, steps));
  }
  return cycles;
}

}  // namespace

CostModel::CostModel(const Workload& workload, const Architecture& architecture)
    : workload_(workload), architecture_(architecture), compiled_(workload, architecture) {}

Evaluation CostModel::evaluate(const Mapping& mapping) const {
  if (!mapping.is_perfect()) return evaluate_residual(mapping);
  const Compiled& c = compiled_;
  const Nest nest(c, mapping);
  Footprints tiles;
  Evaluation result = fit(c, mapping, nest, tiles);
  if (result.verdict != Verdict::Fits) return result;

  Demand demand;
  Energy energy = Energy{c.op_units} * c.macs;
  const auto active = active_levels(c, mapping, nest);
  for (int v = 0; v < c.tensor_count; ++v) energy += tensor_energy(c, mapping, nest, tiles, active[v], v, demand);
  const u64 cycles = total_cycles(c, mapping, demand, nest.steps());
  for (int i = 0; i < c.level_count; ++i)
    if (c.level[i].leak_units != 0)
      energy.units += static_cast<u128>(c.level[i].leak_units) * cycles * nest.instances[i];
  result.cost = {energy, cycles};
  return result;
}

}  // namespace heliolite
