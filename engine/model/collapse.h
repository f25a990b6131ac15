#pragma once
// Turns what the nest moves into counts per level and tensor (docs/cost_model.md, rules 14-18): bypassed levels pass
// their traffic on, outputs are not read the first time. Perfect nests count in integers, imperfect ones in doubles
// rounded where Timeloop rounds.
#include <cmath>
#include <vector>

#include "engine/base/types.h"
#include "engine/model/compiled.h"
#include "engine/model/mapping.h"
#include "engine/model/multicast.h"
#include "engine/model/nest.h"
#include "engine/model/nest_traffic.h"
#include "engine/model/perfect.h"

namespace heliolite {

// C's round() of a count; Timeloop's subtractions can go below zero where boxes have holes.
inline u64 rounded(double words) { return words > 0 ? static_cast<u64>(std::floor(words + 0.5)) : 0; }

// One tensor at one level.
struct CollapsedTensor {
  bool kept = false;
  bool carried = false;                   // by an interconnect, which keeps nothing (rule 43)
  u64 tile_words = 0;                     // largest tile of one instance
  u64 instances = 1;                      // instances in use
  u64 reads = 0, fills = 0, updates = 0;  // words of one instance; zero when neither kept nor carried
  u64 fanout = 1;                         // receivers of one sender on the network below the level
  std::vector<NetworkRecord> records;     // words of one sender on that network
  double links = 0;                       // words that its receivers take from neighbours
};

using CollapsedTraffic = std::vector<std::vector<CollapsedTensor>>;  // [tensor][level]

// The traffic of a perfect nest whose levels keep these tensors, in tiles that stand there; `linked`: the tensors of
// which words cross by links (links.h). And that of any mapping from what imperfect.h counts, of all tensors or one.
CollapsedTraffic collapse(const Compiled& c, const Nest& nest, const KeepMasks& keep, const StoreDepths& outside,
                          TensorMask linked);
CollapsedTraffic collapse(const Compiled& c, const KeepMasks& keep, const NestTraffic& traffic);
std::vector<CollapsedTensor> collapse(const Compiled& c, const KeepMasks& keep, int v,
                                      const std::vector<LevelNest>& nest);

// A tensor's words on the network below a level.
NetworkSum network_sum(const CollapsedTensor& row, bool is_output);

}  // namespace heliolite
