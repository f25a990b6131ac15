#pragma once
// How far the words go that a fan-out's network carries, at least (docs/rules/any_factors.md, item 9).
#include "engine/search/any/flows.h"

namespace heliolite {

// Whether words of a fan-out below the level pay for each hop.
inline bool has_network(const CompiledLevel& level) { return level.hops_cost && level.fanout_x * level.fanout_y != 1; }

// Twice the hops of `words` words: the mean of what the network carries, or less.
struct WordHops {
  u64 half_hops = 0, words = 1;

  double mean() const { return static_cast<double>(half_hops) / static_cast<double>(words); }
};

// Of a flow by a network whose fan-out is placed.
WordHops word_hops(const Compiled& c, const Flow& flow, const Trail& trail);

// Energy units of so many words of a tensor, never above what the cost model charges for them.
u128 hop_energy(const CompiledLevel& level, int tensor, const WordHops& hops, u64 words);

}  // namespace heliolite
