#include "engine/search/core/compulsory.h"

#include <vector>

#include "engine/base/integers.h"
#include "engine/model/cost_of_counts.h"
#include "engine/model/perfect.h"
#include "engine/model/temporal_traffic.h"

namespace heliolite {
namespace {

using AccessCounts = Accesses<u64>;  // words, over all instances of a level

// Energy of accesses spread over instances in any way: blocks are not rounded up, clusters share accesses.
Energy least_energy(const CompiledLevel& level, int v, u64 instances, const AccessCounts& n) {
  u128 units = price_of_accesses(level.units[v], n);
  if (level.block_words > 1) units = units * level.taken(v, 1) / level.block_parts;
  return {units * clusters_of(level, instances) / instances};
}

// Cycles that one instance's bandwidth needs for these parts of words.
u64 least_cycles(const CompiledLevel& level, u64 reads, u64 writes) {
  return saturated(whole_cycles(port_cycles(level, static_cast<double>(reads), static_cast<double>(writes))));
}

// What level i moves of tensor t at least. `serves_macs`: nothing inside can keep t and no fan-out lies inside, so that
// every MAC reads its operand here, or updates its sum (read back but for the first time in each of the
// `fanout_outside` instances). `no_fills`: it is the outermost level, or an interconnect.
AccessCounts least_words(const Compiled& c, const CompiledTensor& t, bool serves_macs, bool no_fills,
                         u64 fanout_outside) {
  const u64 touched = touched_words(t, c);
  if (!t.is_output) return {serves_macs ? c.macs : touched, no_fills ? 0 : touched, 0};
  if (!serves_macs) return {0, 0, touched};
  const u128 first_writes = static_cast<u128>(t.words) * fanout_outside;
  return {first_writes < c.macs ? c.macs - static_cast<u64>(first_writes) : 0, 0, c.macs};
}

// What is left of it where words may come from peers: the level may read less than its receivers take, if
// `peers_inside`, and fill less than the level outside sends, if `peers_outside`.
AccessCounts with_peers(const AccessCounts& n, bool peers_inside, bool peers_outside) {
  return {peers_inside ? 0 : n.reads, peers_outside ? 0 : n.fills, peers_inside ? 0 : n.updates};
}

}  // namespace

// Where three or more dimensions share a rank only the two that reach most count.
u64 touched_along(const CompiledTensor& t, int rank, const Extents& size) {
  u64 most = 1;
  for (int k = 0; k < t.first_of[kMaxDimensions]; ++k) {
    const CompiledTerm& a = t.by_dimension[k];
    if (a.rank != rank) continue;
    most = std::max<u64>(most, size[a.dimension]);
    for (int j = 0; j < k; ++j) {
      const CompiledTerm& b = t.by_dimension[j];
      if (b.rank == rank)
        most = std::max(most, distinct_sums(a.coefficient, size[a.dimension], b.coefficient, size[b.dimension]));
    }
  }
  return most;
}

u64 touched_words(const CompiledTensor& t, const Extents& size) {
  if (t.entangled) return 1;
  u64 words = 1;
  for (int r = 0; r < t.rank_count; ++r) words *= touched_along(t, r, size);
  return words;
}

CompulsoryCost compulsory_cost(const CostModel& model, const KeepRange& keep) {
  const Compiled& c = model.compiled();
  const int levels = c.level_count;
  std::array<bool, kMaxLevels> inside_fanouts{};     // no fan-out at or inside the level
  std::array<TensorMask, kMaxLevels> kept_inside{};  // tensors that a level further in may keep
  // Tensors with words from peers below the level, or further in if no level between keeps them for certain.
  std::array<TensorMask, kMaxLevels> peers{};
  u64 units = 1;
  TensorMask kept = 0, peers_so_far = 0;
  for (int i = 0; i < levels; ++i) {
    units *= c.level[i].fanout();
    inside_fanouts[i] = units == 1;
    kept_inside[i] = kept;
    kept |= keep.may[i];
    peers[i] = static_cast<TensorMask>(peers_so_far | c.level[i].peers);
    peers_so_far = static_cast<TensorMask>(peers[i] & ~keep.must[i]);
  }
  CompulsoryCost out;
  Cost sum;
  u64 fanout_outside = 1;
  std::vector<AccessCounts> total(at(levels));  // [level]: in parts of words
  for (const int v : bits(c.pass.at_home))
    for (int i = c.pass.level; i < levels; ++i) total[i] += in_parts(c.level[i], v, passage_words(c, v, i));
  for (int i = levels - 1; i >= 0; --i) {
    out.outside[i] = sum;
    const u64 instances = model.architecture().levels[i].instances;
    const bool no_fills = i + 1 == levels || c.level[i].is_interconnect;
    for (const int v : bits(c.counted(i, keep.must[i]))) {
      // Only compute units pass on words of tensors whose tiles never overlap: words that stay where they are.
      const bool overlaps = c.tensor[v].sharing_any != 0;
      const bool serves_macs = inside_fanouts[i] && !contains(kept_inside[i], v) && !contains(peers[i], v);
      // A tensor with a home pays for the words there alone, and only for what they serve.
      const int server = c.serving(i, v);  // no further out
      const CompiledLevel& level = c.level[server];
      AccessCounts n =
          with_peers(least_words(c, c.tensor[v], serves_macs, no_fills, fanout_outside),
                     overlaps && contains(peers[i], v), i + 1 < levels && contains(c.level[i + 1].peers, v));
      n = {n.reads * c.pass.passes, n.fills * c.pass.passes, n.updates * c.pass.passes};
      sum.energy += least_energy(level, v, instances, n);
      total[server] += in_parts(level, v, n);
    }
    if (instances == 1)
      sum.cycles = std::max(sum.cycles, least_cycles(c.level[i], total[i].reads, total[i].fills + total[i].updates));
    fanout_outside *= c.level[i].fanout();
  }
  out.whole.energy = sum.energy + Energy{c.op_units} * (c.macs * c.pass.passes);
  if (c.pass.at_home != 0) out.whole.energy += Energy{passage_units(c)};
  out.whole.cycles = std::max(sum.cycles, c.cycles_of((c.macs + units - 1) / units * c.pass.passes));
  return out;
}

}  // namespace heliolite
