#include "engine/model/perfect.h"

#include <algorithm>
#include <array>
#include <vector>

#include "engine/base/integers.h"
#include "engine/model/collapse.h"
#include "engine/model/cost_of_counts.h"
#include "engine/model/multicast.h"
#include "engine/model/pass_cost.h"
#include "engine/model/peer_words.h"
#include "engine/model/ramps.h"
#include "engine/model/temporal_traffic.h"

namespace heliolite {
namespace {

// Energy of the network below `level` for one tensor: `raw` words per receiver before bypass scaling, `words`
// after it.
Energy network_energy_of(const Compiled& c, int v, const Nest& nest, int level, u64 raw, u64 words, u64 partition) {
  const CompiledTensor& t = c.tensor[v];
  const CompiledLevel& machine = c.level[level];
  thread_local std::vector<ReceiverGroups> groups;
  receiver_groups(t, nest, level, machine, groups);
  NetworkSum sum;
  for (const ReceiverGroups& g : groups)
    sum.add(network_record(machine, g, words, raw, t.is_output, partition), t.is_output);
  return network_energy(machine, v, sum, nest.instances[level]);
}

// A tensor's tile of some loops, the innermost ones.
struct Tile {
  u64 words;
  u64 crossing;  // words that cross into it: S of docs/cost_model.md
};

[[gnu::noinline]] Tile tile_of(const CompiledTensor& t, LoopMask moving, const Nest& nest, LoopMask inside) {
  Box box;
  nest.measure(t, inside, box);
  return {box.words, temporal_traffic(t, moving, nest, inside, box)};
}

// Follows the words from the compute units out, level by level.
class WordFlow {
 public:
  WordFlow(const Compiled& c, const Nest& nest, const KeepMasks& keep, const StoreDepths& outside)
      : c_(c), nest_(nest), keep_(keep), outside_(outside), sum_(c, c.macs, nest.steps) {
    for (int v = 0; v < c.tensor_count; ++v) {
      moving_[v] = nest.moving(c.tensor[v]);
      in_[v] = nest.steps;
    }
  }

  Evaluation run() {
    for (int i = 0; i < c_.level_count; ++i) {
      const CompiledLevel& level = c_.level[i];
      // Step 1. The fan-out below the level.
      const bool sends = level.network_costs && !level.entering_costs_alone;
      if (sends) received_ = in_;
      if (nest_.has_spatial(i))
        if (const Verdict verdict = spread(i); verdict != Verdict::Fits) return {verdict, static_cast<u8>(i), {}};
      if (level.entering_costs_alone) enter(i);
      // Step 2. The tensors that it keeps, or lets pass at a price.
      LevelLoad load;
      if (!serve(i, load)) return {Verdict::OverCapacity, static_cast<u8>(i), {}};
      if (level.is_interconnect) carry(i, load);
      // Step 3. What they cost together, and the network below.
      if (sends) send(i);
      sum_.add(level, load, {nest_.instances[i], nest_.instances[i]});
      if (!sum_.is_finite()) return {Verdict::OverCapacity, static_cast<u8>(i), {}};
    }
    if (c_.ramps) {
      sum_.ramp(ramps_of(c_, nest_, keep_, outside_));
      if (!sum_.is_finite()) return {Verdict::OverCapacity, 0, {}};
    }
    return {Verdict::Fits, 0, sum_.total()};
  }

 private:
  // From words per receiver to words of the sender (rules 10, 16, 26).
  [[gnu::noinline]] Verdict spread(int i) {
    const CompiledLevel& level = c_.level[i];
    if (nest_.product_x[i] > level.fanout_x) return Verdict::OverFanoutX;
    if (nest_.product_y[i] > level.fanout_y) return Verdict::OverFanoutY;
    for (int v = 0; v < c_.tensor_count; ++v) {
      const u64 closed = distinct_offsets_closed(c_.tensor[v], nest_, i);
      in_[v] *= closed != 0 ? closed : distinct_offsets(c_.tensor[v], nest_, i, level);
    }
    return Verdict::Fits;
  }

  // Out of a level that keeps the tensor (rules 16, 18). Whether the tiles fit.
  bool serve(int i, LevelLoad& load) {
    const CompiledLevel& level = c_.level[i];
    const bool outermost = i + 1 == c_.level_count;
    const bool measured = !outermost || !level.holds_all();  // nobody asks for the whole tensors
    std::array<u64, kMaxTensors> crossing;
    u64 used = 0;
    for (const int v : bits(keep_[i])) {
      Tile tile{0, 0};
      if (measured) tile = tile_of(c_.tensor[v], moving_[v], nest_, nest_.inside(i, outside_[i][v]));
      used += level.taken(v, tile.words);
      crossing[v] = outermost ? 0 : tile.crossing;
    }
    if (used > level.room) return false;
    if (i == 0) divide_output();
    for (const int v : bits(keep_[i])) {
      const bool is_output = c_.tensor[v].is_output;
      load.add(v, kept_words(c_.level[i], is_output, in_[v], crossing[v], part_[i]), is_output);
      in_[v] = crossing[v];
    }
    return true;
  }

  // Not before something has fitted: most of what climbs try does not.
  void divide_output() {
    for (int v = 0; v < c_.tensor_count; ++v)
      if (c_.tensor[v].is_output) partitions(c_, c_.tensor[v], nest_, part_);
  }

  // Into a network that costs no more than that.
  void enter(int i) {
    for (int v = 0; v < c_.tensor_count; ++v)
      sum_.pay(ingress_energy(c_.level[i], v, static_cast<double>(in_[v]), nest_.instances[i]).units);
  }

  // Over the network below the level.
  [[gnu::noinline]] void send(int i) {
    for (int v = 0; v < c_.tensor_count; ++v) {
      const CompiledTensor& t = c_.tensor[v];
      const bool bypassed = i > 0 && !contains(keep_[i - 1], v);
      const u64 raw = bypassed ? asked(i, v) : received_[v];
      const u64 partition = t.is_output && contains(keep_[i], v) ? part_[i] : 0;
      sum_.pay(network_energy_of(c_, v, nest_, i, raw, received_[v], partition).units);
    }
  }

  // Words that each receiver of the network below the level asks for, whatever the fan-outs inside share: a level that
  // passes the tensor by counts as if it kept it, an interconnect passes on what it is asked for (rule 16).
  u64 asked(int i, int v) const {
    if (i == 0) return nest_.steps;
    const CompiledTensor& t = c_.tensor[v];
    if (c_.level[i - 1].is_interconnect) return asked(i - 1, v) * distinct_offsets(t, nest_, i - 1, c_.level[i - 1]);
    const bool kept = contains(keep_[i - 1], v);
    return tile_of(t, moving_[v], nest_, kept ? nest_.inside(i - 1, outside_[i - 1][v]) : nest_.through[i - 1])
        .crossing;
  }

  // Through an interconnect, whatever keeps the tensor (rule 43).
  void carry(int i, LevelLoad& load) const {
    for (int v = 0; v < c_.tensor_count; ++v)
      load.add(v, carried_words(c_.level[i], c_.tensor[v].is_output, in_[v], part_[i]), c_.tensor[v].is_output);
  }

  const Compiled& c_;
  const Nest& nest_;
  const KeepMasks& keep_;
  const StoreDepths& outside_;
  std::array<LoopMask, kMaxTensors> moving_;  // the loops that move the tensor
  std::array<u64, kMaxTensors> in_;           // words per receiver below the level, after bypass scaling
  std::array<u64, kMaxTensors> received_;     // `in_` before the level, if its network costs energy
  std::array<u64, kMaxLevels> part_;          // [level]: part of the output's words
  CostSum sum_;
};

}  // namespace

Evaluation evaluate_perfect(const Compiled& c, const Nest& nest, const KeepMasks& keep, const StoreDepths& outside) {
  if (!c.plain) return evaluate_passes(c, nest, keep, outside);
  Evaluation out = WordFlow(c, nest, keep, outside).run();
  if (c.peers != 0 && out.verdict == Verdict::Fits)
    if (const TensorMask peers = tensors_from_peers(c, nest))
      return cost_of(c, collapse(c, nest, keep, outside, peers), c.macs, nest.steps, ramps_of(c, nest, keep, outside));
  return out;
}

}  // namespace heliolite
