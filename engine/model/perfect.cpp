#include "engine/model/perfect.h"

#include <algorithm>
#include <vector>

#include "engine/base/integers.h"
#include "engine/model/bandwidth.h"
#include "engine/model/collapse.h"
#include "engine/model/links.h"
#include "engine/model/multicast.h"
#include "engine/model/partition.h"
#include "engine/model/storage_cost.h"

namespace heliolite {
namespace {

// A tensor on its way out, level by level.
struct Stream {
  LoopMask moving;  // the loops that move it
  u64 in;           // words per receiver below the next level, after bypass scaling
  u64 raw;          // and before
};

// What the tensors that a level counts ask of one instance: counts of rule 18 in accesses and in parts of words.
class LevelLoad {
 public:
  explicit LevelLoad(const CompiledLevel& level) : level_(level) {}

  void add(int v, const Accesses<u64>& words, bool is_output) {
    if (level_.generates_addresses) units_ += address_units(level_, v, words, is_output);
    if (level_.parts.sized) {
      units_ += access_units(level_, v, in_accesses(level_, v, words));
      return serve(in_parts(level_, v, words));
    }
    accesses_ += {level_.blocks(words.reads), level_.blocks(words.fills), level_.blocks(words.updates)};
    serve(words);
  }

  // Rules 19, 20, 23 and 44, all instances. Without sizes an access costs the same for all tensors.
  Energy energy(u64 instances) const {
    return {(units_ + access_units(level_, 0, accesses_)) * clusters_of(level_, instances)};
  }

  // Rule 28.
  u64 cycles(u64 steps) const {
    if (!level_.limited || clearly_fast_enough(level_, read_parts_, write_parts_, steps)) return steps;
    return level_cycles(level_, std::span(reads_).first(count_), std::span(writes_).first(count_), steps);
  }

 private:
  void serve(const Accesses<u64>& parts) {
    read_parts_ += parts.reads;
    write_parts_ += parts.fills + parts.updates;
    reads_[count_] = parts.reads;
    writes_[count_++] = parts.fills + parts.updates;
  }

  const CompiledLevel& level_;
  Accesses<u64> accesses_;
  u128 units_ = 0;  // of addresses, and of accesses with a price of their own
  u64 read_parts_ = 0, write_parts_ = 0;
  std::size_t count_ = 0;
  std::array<u64, kMaxTensors> reads_, writes_;  // of the first count_ tensors added
};

// Energy of the network below `level` for one tensor: `raw` words per receiver before bypass scaling, `words`
// after it.
Energy network_energy_of(const Compiled& c, int v, const Nest& nest, int level, u64 raw, u64 words, u64 partition) {
  const CompiledTensor& t = c.tensor[v];
  const CompiledLevel& machine = c.level[level];
  thread_local std::vector<ReceiverGroups> groups;
  receiver_groups(t, nest, level, machine, groups);
  NetworkSum sum;
  for (const ReceiverGroups& g : groups)
    sum.add({g.multicast, g.groups,
             crossing_words(static_cast<double>(words * g.groups), t.is_output, machine.is_dram, partition),
             0.5 * static_cast<double>(raw) * static_cast<double>(g.half_hops)},
            t.is_output);
  return network_energy(machine, v, sum, nest.instances[level]);
}

class PerfectCost {
 public:
  PerfectCost(const Compiled& c, const Nest& nest, const KeepMasks& keep, const Boxes& boxes,
              const StoreDepths& outside)
      : c_(c), nest_(nest), keep_(keep), boxes_(boxes), outside_(outside) {
    for (int v = 0; v < c.tensor_count; ++v) {
      const LoopMask moving = nest.moving(c.tensor[v]);
      stream_[v] = {moving, nest.steps, nest.steps};
      if (c.tensor[v].is_output) part_ = partitions(c, c.tensor[v], nest, moving);
    }
  }

  Cost run() {
    Cost out{Energy{c_.op_units} * c_.macs, nest_.steps};
    u128 leakage = 0;  // per cycle
    for (int i = 0; i < c_.level_count; ++i) {
      const CompiledLevel& level = c_.level[i];
      // Step 1. The fan-out below the level, and its network.
      if (nest_.has_spatial(i) || level.network_costs)
        for (int v = 0; v < c_.tensor_count; ++v) spread(i, v, out.energy);
      // Step 2. The tensors it keeps, or lets pass at a price.
      LevelLoad load(level);
      for (const int v : bits(keep_[i])) pass(i, v, load);
      if (level.is_interconnect)
        for (int v = 0; v < c_.tensor_count; ++v) carry(i, v, load);
      // Step 3. What they cost together.
      const u64 instances = nest_.instances[i];
      out.energy += load.energy(instances);
      out.cycles = std::max(out.cycles, load.cycles(nest_.steps));
      if (leaks(level)) leakage += leakage_units(level, instances);
    }
    out.energy.units += leakage * out.cycles;
    return out;
  }

 private:
  // From words per receiver to words of the sender (rules 10, 16, 26).
  void spread(int i, int v, Energy& network) {
    const CompiledTensor& t = c_.tensor[v];
    const CompiledLevel& level = c_.level[i];
    Stream& s = stream_[v];
    if (level.network_costs) {
      if (i > 0 && !contains(keep_[i - 1], v))
        s.raw = temporal_traffic(t, s.moving, nest_, nest_.through[i - 1], boxes_[v][i - 1]);
      const u64 partition = t.is_output && contains(keep_[i], v) ? part_[i] : 0;
      network += network_energy_of(c_, v, nest_, i, s.raw, s.in, partition);
    }
    const LoopMask here = nest_.fanout[i] & s.moving;
    if (here == 0) return;
    const u64 distinct = distinct_offsets_closed(t, nest_, here);
    s.in *= distinct != 0 ? distinct : distinct_offsets(t, nest_, i, level);
  }

  // Out of a level that keeps the tensor (rules 16, 18).
  void pass(int i, int v, LevelLoad& load) {
    const CompiledTensor& t = c_.tensor[v];
    Stream& s = stream_[v];
    const bool outermost = i + 1 == c_.level_count;
    const LoopMask inside = nest_.inside(i, outside_[i][v]);
    const u64 accesses = s.in, crossing = outermost ? 0 : temporal_traffic(t, s.moving, nest_, inside, boxes_[v][i]);
    if (t.is_output) load.add(v, kept_words(true, accesses, crossing, part_[i]), true);
    else load.add(v, kept_words(false, accesses, crossing, 0), false);
    s.in = s.raw = crossing;
  }

  // Through an interconnect, whatever keeps the tensor (rule 43).
  void carry(int i, int v, LevelLoad& load) const {
    const bool is_output = c_.tensor[v].is_output;
    load.add(v, carried_words(is_output, stream_[v].in, is_output ? part_[i] : 0), is_output);
  }

  const Compiled& c_;
  const Nest& nest_;
  const KeepMasks& keep_;
  const Boxes& boxes_;
  const StoreDepths& outside_;
  std::array<Stream, kMaxTensors> stream_;
  std::array<u64, kMaxLevels> part_;  // of the output
};

// The cost of a nest some of whose words cross by links: the totals of explain().
Cost linked_cost(const Compiled& c, const Nest& nest, const KeepMasks& keep, const StoreDepths& outside,
                 TensorMask linked) {
  const CollapsedTraffic rows = collapse(c, nest, keep, outside, linked);
  Cost out{Energy{c.op_units} * c.macs, nest.steps};
  u128 leakage = 0;  // per cycle
  for (int i = 0; i < c.level_count; ++i) {
    const CompiledLevel& level = c.level[i];
    LevelLoad load(level);
    for (int v = 0; v < c.tensor_count; ++v) {
      const CollapsedTensor& row = rows[at(v)][at(i)];
      const bool is_output = c.tensor[v].is_output;
      if (level.network_costs) out.energy += network_energy(level, v, network_sum(row, is_output), row.instances);
      if (row.kept) load.add(v, {row.reads, row.fills, row.updates}, is_output);
    }
    out.energy += load.energy(nest.instances[i]);
    out.cycles = std::max(out.cycles, load.cycles(nest.steps));
    if (leaks(level)) leakage += leakage_units(level, nest.instances[i]);
  }
  out.energy.units += leakage * out.cycles;
  return out;
}

}  // namespace

Cost perfect_cost(const Compiled& c, const Nest& nest, const KeepMasks& keep, const Boxes& boxes,
                  const StoreDepths& outside) {
  if (c.linked != 0)
    if (const TensorMask linked = tensors_on_links(c, nest)) return linked_cost(c, nest, keep, outside, linked);
  return PerfectCost(c, nest, keep, boxes, outside).run();
}

Evaluation evaluate_uneven(const Compiled& c, const Mapping& mapping) {
  const Nest nest(c, mapping);
  Boxes boxes;
  for (int i = 0; i < c.level_count; ++i) {
    const auto level = static_cast<u8>(i);
    if (nest.product_x[i] > c.level[i].fanout_x) return {Verdict::OverFanoutX, level, {}};
    if (nest.product_y[i] > c.level[i].fanout_y) return {Verdict::OverFanoutY, level, {}};
    u64 used = 0;
    for (int v = 0; v < c.tensor_count; ++v) {
      boxes[v][i].measure(c.tensor[v], nest.tile(nest.inside(i, mapping.outside[i][v])));
      if (contains(mapping.keep[i], v)) used += c.level[i].taken(v, boxes[v][i].words);
    }
    if (used > c.level[i].room) return {Verdict::OverCapacity, level, {}};
  }
  return {Verdict::Fits, 0, perfect_cost(c, nest, mapping.keep, boxes, mapping.outside)};
}

}  // namespace heliolite
