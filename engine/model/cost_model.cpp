#include "engine/model/cost_model.h"

#include <algorithm>

#include "engine/model/bandwidth.h"
#include "engine/model/multicast.h"
#include "engine/model/nest.h"

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
    u64 used = 0;
    for (int v = 0; v < c.tensor_count; ++v)
      if (m.keeps(i, v)) used += tiles.words[v][i] = box_words(c.tensor[v], nest.tile[i]);
    if (used > level.capacity_words) return {Verdict::OverCapacity, static_cast<u8>(i), {}};
  }
  return {};
}

// Counts of one evaluation that the bandwidth rule needs from all tensors together.
struct Demand {
  std::array<std::array<u64, kMaxTensors>, kMaxLevels> reads{};
  std::array<std::array<u64, kMaxTensors>, kMaxLevels> writes{};
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

// Words of the output that belong to one instance of each level (rule 14).
std::array<u64, kMaxLevels> partitions(const Compiled& c, const CompiledTensor& t, const Nest& nest) {
  std::array<u64, kMaxLevels> part;
  const int top = c.level_count - 1;
  part[top] = t.words;
  for (int i = top; i > 0; --i) {
    part[i - 1] = part[i];
    if (!nest.has_spatial(i)) continue;
    if (t.term_count == 0) {
      for (int j = nest.first_spatial[i]; j < nest.first_spatial[i + 1]; ++j)
        if (t.indexing >> nest.spatial[j].dimension & 1) part[i - 1] /= nest.spatial[j].end;
    } else {
      part[i - 1] = part[i] * box_words(t, nest.tile[i - 1]) / box_words(t, nest.master_tile[i]);
    }
  }
  return part;
}

// Access, address and network energy of tensor v over all levels; its counts go to `demand` (rules 16, 18, 19, 23, 26).
Energy tensor_energy(const Compiled& c, const Mapping& m, const Nest& nest, const Footprints& tiles, int v, Demand& demand) {
  const CompiledTensor& t = c.tensor[v];
  const int levels = c.level_count;
  std::array<u64, kMaxLevels> part{};
  if (t.is_output) part = partitions(c, t, nest);
  Energy energy;
  u64 in = nest.steps();   // words per receiver below the level, after bypass scaling
  u64 raw = in;            // and before
  for (int i = 0; i < levels; ++i) {
    const CompiledLevel& level = c.level[i];
    const u64 accesses = in * distinct_offsets(t, nest, i, level);
    if (level.network_costs) energy += network_energy_of(t, nest, i, level, raw, in, part[i]);
    const bool outermost = i + 1 == levels;
    if (!m.keeps(i, v)) {
      if (!outermost && c.level[i + 1].network_costs)
        raw = temporal_traffic(t, nest, i + 1, levels, nest.tile[i], box_words(t, nest.tile[i]));
      in = accesses;
      continue;
    }
    const u64 crossing = outermost ? 0 : temporal_traffic(t, nest, i + 1, levels, nest.tile[i], tiles.words[v][i]);
    const u64 reads = t.is_output ? minus(accesses, part[i]) : accesses;
    const u64 fills = outermost ? 0 : t.is_output ? minus(crossing, part[i]) : crossing;
    const u64 updates = t.is_output ? accesses : 0;
    const u64 clusters = std::min(nest.instances[i], level.clusters);
    const u128 access_units = static_cast<u128>(level.blocks(reads)) * level.read_units +
                              static_cast<u128>(level.blocks(fills)) * level.fill_units +
                              static_cast<u128>(level.blocks(updates)) * level.update_units +
                              static_cast<u128>((t.is_output ? updates : reads) + fills) * level.address_units;
    energy.units += access_units * clusters;
    demand.add(i, v, reads, fills + updates);
    in = raw = crossing;
  }
  return energy;
}

// Longest level (rule 28). A level whose demand is clearly below its bandwidth needs no division.
u64 total_cycles(const Compiled& c, const Demand& demand, u64 steps) {
  u64 cycles = steps;
  const double safe = static_cast<double>(steps) * (1 - 1e-9);
  for (int i = 0; i < c.level_count; ++i) {
    const CompiledLevel& level = c.level[i];
    if (!level.limited) continue;
    const auto read = static_cast<double>(demand.read_sum[i]), write = static_cast<double>(demand.write_sum[i]);
    if (read <= level.read_bandwidth * safe && write <= level.write_bandwidth * safe &&
        read + write <= level.shared_bandwidth * safe)
      continue;
    const auto count = static_cast<std::size_t>(c.tensor_count);
    cycles = std::max(cycles, level_cycles(level, std::span(demand.reads[i]).first(count),
                                           std::span(demand.writes[i]).first(count), steps));
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
  for (int v = 0; v < c.tensor_count; ++v) energy += tensor_energy(c, mapping, nest, tiles, v, demand);
  const u64 cycles = total_cycles(c, demand, nest.steps());
  for (int i = 0; i < c.level_count; ++i)
    if (c.level[i].leak_units != 0)
      energy.units += static_cast<u128>(c.level[i].leak_units) * cycles * nest.instances[i];
  result.cost = {energy, cycles};
  return result;
}

}  // namespace heliolite
