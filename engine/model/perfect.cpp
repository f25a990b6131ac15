#include "engine/model/perfect.h"

#include <array>
#include <vector>

#include "engine/base/integers.h"
#include "engine/model/cost_of_counts.h"
#include "engine/model/links.h"
#include "engine/model/multicast.h"
#include "engine/model/ramps.h"
#include "engine/model/temporal_traffic.h"

namespace heliolite {

namespace {

// Words of tensor v that come in, and that leave.
struct Passage {
  u64 in = 0, out = 0;
};

Passage passage(const Compiled& c, int v) {
  if (c.tensor[v].is_output) return {c.pass.returned, c.pass.stored};
  return {c.pass.fetched[v], 0};
}

// Whether level i, outside the home, keeps what passes: one read and one fill a word, without room.
bool keeps_passing(const Compiled& c, int v, int i) { return contains(c.passing[i], v) && !c.level[i].is_interconnect; }

// No level outside its home keeps a tensor in the nest of a pass.
void move_homes(const Compiled& c, KeepMasks& keep) {
  for (const int v : bits(c.pass.at_home)) {
    const auto bit = static_cast<TensorMask>(1U << v);
    keep[c.pass.level] = static_cast<TensorMask>(keep[c.pass.level] | bit);
    for (int i = c.pass.level + 1; i < c.level_count; ++i) keep[i] = static_cast<TensorMask>(keep[i] & ~bit);
  }
}

// What a tensor with a home brings from outside of it, or sends there.
void pass_levels(const Compiled& c, const Nest& nest, int v, Recorded recorded, std::vector<CollapsedTensor>& rows) {
  const bool is_output = c.tensor[v].is_output;
  const auto [in, out] = passage(c, v);
  const u64 moved = is_output ? out : in;
  Accesses<u64>& home = rows[c.pass.level].words;
  const Accesses<u64> passing = passage_words(c, v, c.pass.level);
  home.reads += passing.reads, home.fills = passing.fills;
  std::vector<ReceiverGroups> groups;
  for (int i = c.pass.level + 1; i < c.level_count; ++i) {
    CollapsedTensor& row = rows[i];
    row.kept = keeps_passing(c, v, i);
    row.words = passage_words(c, v, i);
    row.records.clear();
    if (recorded == Recorded::Priced && !c.level[i].network_costs) continue;
    receiver_groups(c.tensor[v], nest, i, c.level[i], groups);
    for (const ReceiverGroups& g : groups)
      row.records.push_back(network_record(c.level[i], g, moved, moved, is_output, row.kept ? moved - in : 0));
  }
}

// Words of one instance's own tiles, in parts; those of homes are not among them.
bool has_room(const Compiled& c, const CollapsedTraffic& rows, int i) {
  const CompiledLevel& level = c.level[i];
  if (i + 1 == c.level_count || level.room == CompiledLevel::kUnbounded) return true;
  u64 parts = 0;
  for (int v = 0; v < c.tensor_count; ++v)
    if (rows[v][i].kept && !(contains(c.pass.at_home, v) && i >= c.pass.level))
      parts += level.taken(v, rows[v][i].tile_words);
  return parts <= level.room;
}

// Whether a perfect mapping of one pass fits, and the cost of all passes if it does.
Evaluation evaluate_passes(const Compiled& c, const Nest& nest, const KeepMasks& keep, const StoreDepths& outside) {
  for (int i = 0; i < c.level_count; ++i) {
    if (nest.product_x[i] > c.level[i].fanout_x) return {Verdict::OverFanoutX, static_cast<u8>(i), {}};
    if (nest.product_y[i] > c.level[i].fanout_y) return {Verdict::OverFanoutY, static_cast<u8>(i), {}};
  }
  const CollapsedTraffic rows = pass_traffic(c, nest, keep, outside, 0, Recorded::Priced);
  for (int i = 0; i < c.level_count; ++i)
    if (!has_room(c, rows, i)) return {Verdict::OverCapacity, static_cast<u8>(i), {}};
  return cost_of(c, rows, c.macs * c.pass.passes, nest.steps * c.pass.passes);
}

}  // namespace

Accesses<u64> passage_words(const Compiled& c, int v, int i) {
  const auto [in, out] = passage(c, v);
  const bool kept = keeps_passing(c, v, i), outermost = i + 1 == c.level_count;
  const u64 drained = c.level[i].reads_drains && !outermost ? out : 0;
  if (i == c.pass.level) return {drained, in, 0};
  if (!kept && !c.level[i].is_interconnect) return {};
  return {in + (kept ? drained : 0), kept && !outermost ? in : 0, c.tensor[v].is_output ? out : 0};
}

CollapsedTraffic pass_traffic(const Compiled& c, const Nest& nest, KeepMasks keep, const StoreDepths& outside,
                              TensorMask peers, Recorded recorded) {
  move_homes(c, keep);
  CollapsedTraffic rows = collapse(c, nest, keep, outside, peers, {c.pass.passes, c.pass.parts}, recorded);
  for (const int v : bits(c.pass.at_home)) pass_levels(c, nest, v, recorded, rows[v]);
  return rows;
}

u128 passage_units(const Compiled& c) {
  Mapping none;
  none.level_count = static_cast<u8>(c.level_count);
  const Nest nest(c, none);
  u128 sum = 0;
  for (const int v : bits(c.pass.at_home)) {
    const bool is_output = c.tensor[v].is_output;
    std::vector<CollapsedTensor> rows(at(c.level_count));
    pass_levels(c, nest, v, Recorded::Priced, rows);
    for (int i = c.pass.level; i < c.level_count; ++i) {
      const CompiledLevel& level = c.level[i];
      sum +=
          units_of_one(level, v, i == c.pass.level ? passage_words(c, v, i) : rows[i].words, is_output, {1, 1}).sum();
      if (i > c.pass.level && level.network_costs)
        sum += network_energy(level, v, network_sum(rows[i], is_output), 1).units;
    }
  }
  return sum;
}

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
