#pragma once
// What the loop nest of a mapping moves, before bypass and first-read elision (docs/cost_model.md, rules 4-13): the
// input of collapse.h. Sums of words are doubles because instances in use and deliveries to partly idle fan-outs are
// averages; their values are integers below 2^53 unless stated otherwise.
#include <vector>

#include "engine/base/types.h"
#include "engine/model/multicast.h"

namespace heliolite {

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
  double links = 0;                 // words that receivers of one sender take from neighbours
  u64 tile_words = 0;               // largest tile of one instance of the level
  u64 tile_below_master = 0;        // largest tile of all receivers of the fan-out together (rule 14)
  u64 used = 1;                     // instances of the level in use: the average, truncated (rule 13)
  u64 fanout = 1;                   // product of the ends of the spatial loops
};

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

}  // namespace heliolite
