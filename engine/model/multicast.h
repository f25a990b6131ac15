#pragma once
// Which receivers of a fan-out share their words, and what reaching them costs (docs/cost_model.md, rules 10, 11, 26).
#include <compare>
#include <span>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/types.h"
#include "engine/model/compiled.h"
#include "engine/model/nest.h"

namespace heliolite {

// All groups of `multicast` receivers that get the same words at a step.
struct ReceiverGroups {
  u64 multicast = 1;
  u64 groups = 0;     // number of such groups
  u64 half_hops = 0;  // twice the hops, summed over the groups: the centre of an even column lies between two rows
};

// A receiver of a fan-out on the physical grid, and what it receives: the linear index of its tile's origin in the box
// that all origins span.
struct FanoutReceiver {
  u64 offset;
  u32 column;
  u32 row;
  auto operator<=>(const FanoutReceiver&) const = default;
};

// Hops of one group, sorted, times two: along the row to its last column, and in each used column up and down from the
// centre of the `rows`.
u64 half_hops(std::span<const FanoutReceiver> group, u64 rows);

// Appends the groups of these receivers to `out`, and sorts both: the receivers by what they receive, then column and
// row; the groups, of which there is one of each multicast, by multicast.
void group_receivers(std::vector<FanoutReceiver>& receivers, u64 rows, std::vector<ReceiverGroups>& out);

// Writes the groups of the fan-out below `level` into `out` (reused storage), sorted by multicast. Receivers are
// numbered X-fastest over the logical factors and laid out on the physical grid of `machine` (rule 11). Without spatial
// loops: one group of one receiver, no hops.
void receiver_groups(const CompiledTensor& t, const Nest& nest, int level, const CompiledLevel& machine,
                     std::vector<ReceiverGroups>& out);

// Number of distinct offsets among the receivers, N of docs/cost_model.md: closed form, else by enumeration.
u64 distinct_offsets(const CompiledTensor& t, const Nest& nest, int level, const CompiledLevel& machine);

// Words of one sender for one multicast record, after bypass scaling (rule 16 scales words, not hops).
struct NetworkRecord {
  u64 multicast = 1;     // receivers of each word
  u64 groups = 1;        // groups of this many receivers at a step
  double words = 0;      // read by the sender, each group's once
  double hop_words = 0;  // hops * words
};

// Totals of one sender over its records. An output below a level that does not sum crosses in both directions.
struct NetworkSum {
  double ingress_words = 0;
  double hop_words = 0;
  double peer_words = 0;       // that receivers take from each other
  u64 router_words = 0;        // truncated per record, as Timeloop counts them
  i64 spatial_reductions = 0;  // likewise; a record with less than no words (crossing_words) takes some away

  void add(const NetworkRecord& record, bool is_output);
};

// `words` of a record as they cross the network below a level, which sums partial outputs or does not (rule 26).
inline double crossing_words(double words, bool is_output, bool reduces, u64 partition_words) {
  return is_output && !reduces ? 2 * words - static_cast<double>(partition_words) : words;
}

// What one sender sends to these groups: `words` to each receiver, `raw` before bypass scaling. Of an output that the
// level keeps, `partition` words are not sent in.
inline NetworkRecord network_record(const CompiledLevel& machine, const ReceiverGroups& g, u64 words, u64 raw,
                                    bool is_output, u64 partition) {
  return {g.multicast, g.groups,
          crossing_words(static_cast<double>(words * g.groups), is_output, machine.reduces, partition),
          0.5 * static_cast<double>(raw) * static_cast<double>(g.half_hops)};
}

// Whether all words of tensor v that a level keeps or passes on enter the network below it. Of an output with strides
// or sliding ranks they may be less where the level does not reduce: its part is then more than what is asked for, or
// is taken from several groups.
inline bool all_words_cross(const Compiled& c, int level, int v) {
  const CompiledTensor& t = c.tensor[v];
  return c.level[level].reduces || !t.is_output || (t.term_count == 0 && !t.entangled);
}

// Whether a word touches as many routers below a level as the hops of all words are on average: fewer words, if they
// are those that are near, may then touch more.
inline bool averages_routers(const CompiledLevel& level) { return level.routers_cost && level.fanout() > 1; }

// The innermost of the interconnects directly inside a level, one inside the other; the level if there is none.
inline int inside_interconnects(const Compiled& c, int level) {
  while (level > 0 && c.level[level - 1].is_interconnect) --level;
  return level;
}
// Whether the network below a level carries what the compute units ask for at each of their steps: nothing, or nothing
// but interconnects without fan-outs, is between.
inline bool carries_every_step(const Compiled& c, int level) {
  bool alone = true;
  for (int i = 0; i < level; ++i) alone &= c.level[i].is_interconnect && c.level[i].fanout() == 1;
  return alone;
}
// Whether the words of tensor v that the network below a level carries are at least those that go into tiles of the
// level inside. Interconnects pass on all that is asked for inside them (rule 16), and the holes that strides make are
// in the box of a tile only.
inline bool carries_tiles(const Compiled& c, int level, int v) {
  if (inside_interconnects(c, level) == level || carries_every_step(c, level)) return true;
  return c.tensor[v].term_count == 0 && !c.tensor[v].entangled;
}

// Energy of `words` of tensor v that receivers of each of the `senders` take from each other: one hop between
// two routers.
Energy peer_energy(const CompiledLevel& machine, int v, double words, u64 senders);

// Energy of `words` of tensor v as they enter the network below a level, from each of the `senders`.
inline Energy ingress_energy(const CompiledLevel& machine, int v, double words, u64 senders) {
  return Energy{price_of(words, machine.units[v].ingress)} * senders;
}

// Energy of tensor v on the network below a level, words from peers included; `sum`: of each of the `senders`.
Energy network_energy(const CompiledLevel& machine, int v, const NetworkSum& sum, u64 senders);

}  // namespace heliolite
