#pragma once
// Turns what the nest moves into counts per level and tensor (docs/cost_model.md, rules 14-18): bypassed levels pass
// their traffic on, outputs are not read the first time. Perfect nests count in integers, imperfect ones in doubles
// rounded where Timeloop rounds.
#include <array>
#include <span>
#include <vector>

#include "engine/base/types.h"
#include "engine/model/compiled.h"
#include "engine/model/cost_of_counts.h"
#include "engine/model/mapping.h"
#include "engine/model/multicast.h"
#include "engine/model/nest.h"

namespace heliolite {

// What the loop nest of a mapping moves, before bypass and first-read elision (docs/cost_model.md, rules 4-13): the
// input of collapse.h. Sums of words are doubles because instances in use and deliveries to partly idle fan-outs are
// averages; their values are integers below 2^53 unless stated otherwise.

// The share of the output that belongs to one instance of each level (docs/cost_model.md, rule 14): what is never read
// before it is first written.

// Writes the words per instance of levels 0 .. level_count - 1.
inline void partitions(const Compiled& c, const CompiledTensor& t, const Nest& nest,
                       std::array<u64, kMaxLevels>& part) {
  const int top = c.level_count - 1;
  if (t.term_count == 0) {
    // Without strides Timeloop's divisions by the fan-outs are exact, and can be done dimension by dimension.
    part[top] = 1;
    for (const int d : bits(t.indexing)) part[top] *= nest.dimension[d].whole;
    for (int i = top; i > 0; --i) part[i - 1] = nest.has_spatial(i) ? part[i] / nest.moves_in_space(t, i) : part[i];
    return;
  }
  part[top] = t.words;
  for (int i = top; i > 0; --i) {
    part[i - 1] = part[i];
    if (!nest.has_spatial(i)) continue;
    const u128 inside = static_cast<u128>(part[i]) * box_words(t, nest.tile(nest.through[i - 1]));
    part[i - 1] = static_cast<u64>(inside / box_words(t, nest.tile(nest.through[i - 1] | nest.fanout[i])));
  }
}

// Words that one sender sends to groups of `multicast` receivers, at the steps where there are `groups` such groups
// (rule 10).
struct NestRecord {
  u64 multicast = 1;
  u64 groups = 1;
  double words = 0;      // read by the sender, each group once
  double hop_words = 0;  // sum over the steps of (hops of all groups) * words / groups (rule 11); may be fractional
};

// One tensor at one level.
struct LevelNest {
  std::vector<NestRecord> records;  // network below the level, one sender; sorted by (multicast, groups)
  double accesses_sum = 0;          // sum of the records' words
  double share = 0;                 // one receiver's words on average: sum of words * multicast / fanout; a fraction
  double peer_words = 0;            // that receivers of one sender take from each other
  u64 tile_words = 0;               // largest tile of one instance of the level
  u64 tile_below_master = 0;        // largest tile of all receivers of the fan-out together (rule 14)
  u64 used = 1;                     // instances of the level in use: the average, truncated (rule 13)
  u64 fanout = 1;                   // product of the ends of the spatial loops
};

// What of these words crosses a network below a level: of an output that the level keeps, `partition` are not sent in.
// `scale`, `hop_scale`: what levels inside that pass the tensor by pass on of words and hops (rule 16).
inline NetworkRecord network_record(const CompiledLevel& machine, const NestRecord& r, double scale, double hop_scale,
                                    bool is_output, u64 partition) {
  return {r.multicast, r.groups, crossing_words(r.words * scale, is_output, machine.reduces, partition),
          r.hop_words * hop_scale};
}

// Adds the words that each receiver of these groups gets, to the record of as many groups of as many receivers.
void add_record(const ReceiverGroups& groups, u64 words, std::vector<NestRecord>& records);

// All tensors at all levels, and the MACs.
struct NestTraffic {
  std::vector<std::vector<LevelNest>> at;  // [tensor][level]
  u64 computes = 0;        // MACs that Timeloop counts; not the workload's with imperfect spatial factors
  u64 macs_used = 1;       // units in use: the average, truncated
  u64 utilized_macs = 1;   // product of all spatial ends
  u64 compute_cycles = 1;  // product of all temporal ends with any residual, else ceil(computes / macs_used) (rule 27)
};

// One tensor at one level.
struct CollapsedTensor {
  bool kept = false;
  bool carried = false;                // by an interconnect, which keeps nothing (rule 43)
  u64 tile_words = 0;                  // largest tile of one instance
  InstanceCount instances;             // of the level
  Accesses<u64> words;                 // of one instance; none when neither kept nor carried
  u64 fanout = 1;                      // receivers of one sender on the network below the level
  std::vector<NetworkRecord> records;  // words of one sender on that network
  double peer_words = 0;               // that its receivers take from each other
};

using CollapsedTraffic = std::vector<std::vector<CollapsedTensor>>;  // [tensor][level]

// A nest that runs several times, as one of a network's links beneath loops around several (engine/network).
struct PassCount {
  u64 passes = 1;
  u64 parts = 1;  // different parts of the output that they make: each word is not read the first time
};

// Which networks have records of what they carry: all, or only those that cost energy.
enum class Recorded : u8 { All, Priced };

// The traffic of a perfect nest whose levels keep these tensors, in tiles that stand there; `peers`: the tensors of
// which words come from peers (links.h), none if the nest has several passes: words are those of all passes. And
// that of any mapping from what imperfect_cost.h counts, of all tensors or one.
CollapsedTraffic collapse(const Compiled& c, const Nest& nest, const KeepMasks& keep, const StoreDepths& outside,
                          TensorMask peers, const PassCount& count = {}, Recorded recorded = Recorded::All);
CollapsedTraffic collapse(const Compiled& c, const KeepMasks& keep, const NestTraffic& traffic);
std::vector<CollapsedTensor> collapse(const Compiled& c, const KeepMasks& keep, int v,
                                      const std::vector<LevelNest>& nest);

// A tensor's words on the network below a level.
NetworkSum network_sum(const CollapsedTensor& row, bool is_output);

// The rows of tensor v as a cost: networks are paid, words join the loads of their levels.
void add_counts(const Compiled& c, int v, const std::vector<CollapsedTensor>& rows, CostSum& sum,
                std::span<LevelLoad> loads);
// The cost of all rows, for `computes` MACs in `steps` steps between the ramps, if its cycles can be counted.
Evaluation cost_of(const Compiled& c, const CollapsedTraffic& rows, u64 computes, u64 steps, const Ramps& ramps = {});

// What the compute units do.
struct ComputeCounts {
  u64 computes = 0, utilized = 1;  // MACs, and units at work
  u64 steps = 1;
};

// The cost with everything that it is made of. `architecture`: the one of `c`.
Breakdown breakdown_of(const Architecture& architecture, const Compiled& c, const CollapsedTraffic& rows,
                       const ComputeCounts& computes, const Ramps& ramps = {});

}  // namespace heliolite
