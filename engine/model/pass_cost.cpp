#include "engine/model/pass_cost.h"

#include <vector>

#include "engine/base/integers.h"
#include "engine/model/cost_of_counts.h"
#include "engine/model/multicast.h"

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

}  // namespace heliolite
