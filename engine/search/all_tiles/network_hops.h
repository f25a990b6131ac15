#pragma once
// How far the words go that a fan-out's network carries, at least (docs/rules/any_factors.md, item 9).
#include "engine/search/all_tiles/flows.h"

namespace heliolite {

// Whether words of a fan-out below the level pay for each hop.
inline bool has_network(const CompiledLevel& level) { return level.hops_cost && level.fanout() != 1; }

// Half hops of the words of a flow by a network whose fan-out is placed. A word goes to all units that take it in a
// context; in the last context of a dimension that does not index the tensor these may be fewer.
struct WordHops {
  static constexpr int kMostIdle = 2;
  static constexpr std::size_t kSets = std::size_t{1} << kMostIdle;

  // Of each word at least, times `scale`; exactly on average if all units always take as many words.
  u64 least = 0, scale = 1;
  // [set of idle dimensions in their last context]: how much more all words have together, if that is known.
  std::array<u64, kSets> excess{};
  u8 idle_count = 0;
  std::array<u8, kMostIdle> idle{};  // dimensions whose last context has fewer units

  bool has_excess() const { return excess != decltype(excess){}; }
};

WordHops word_hops(const Compiled& c, const Flow& flow, const Trail& trail);

// An energy of a network, never above what the cost model charges: that may round down to whole units for each sender,
// and takes products of doubles.
u128 rounded_network_energy(u128 energy);
// Whether a cost is its bound, up to that rounding.
bool is_exact(const Cost& least, const Cost& cost);

// Energy units of so many half hops times `scale`, never above what the cost model charges.
u128 hop_energy(const CompiledLevel& level, int tensor, const WordHops& hops, u64 half_hops);

}  // namespace heliolite
