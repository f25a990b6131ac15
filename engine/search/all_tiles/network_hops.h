#pragma once
// How far the words go that a fan-out's network carries, at least (docs/rules/any_factors.md, item 9).
#include <array>
#include <vector>

#include "engine/base/types.h"
#include "engine/model/compiled.h"
#include "engine/model/cost.h"
#include "engine/search/all_tiles/tiles_of_rank.h"

namespace heliolite {

class Trail;
struct Flow;

// A fan-out whose loops are not placed yet, where it is known how many units it has along each dimension.

// What is known of the tiles of one dimension in a fan-out.
struct TilesInFanout {
  u64 units = 1;                // of the fan-out
  u64 inside = 1, outside = 1;  // units that the fan-outs further in and further out make
  u64 most_steps = ~u64{0};     // that a unit takes along the dimension
  u64 part = 1;                 // the nominal tile is a multiple of this
};
using TilesInFanouts = std::array<TilesInFanout, kMaxDimensions>;

// Remembers what it has been asked.
class HopsToCome {
 public:
  // Energy units of all tensors' words in the network below a level, each word's way once, where these dimensions may
  // have loops along X and along Y.
  u128 least(const Compiled& c, int level, const TilesInFanouts& tiles, DimensionMask x, DimensionMask y);

 private:
  Remembered<std::vector<u64>, u128> known_;
};

// Whether words of a fan-out below the level pay for each hop.
inline bool has_network(const CompiledLevel& level) { return level.hops_cost && level.fanout() != 1; }

// Half hops of the words of a flow by a network whose fan-out is placed. A word goes to all units that take it in a
// context; in the last context of a dimension that does not index the tensor these may be fewer.
struct WordHops {
  static constexpr int kMostIdle = 2;
  static constexpr std::size_t kSets = std::size_t{1} << kMostIdle;

  // Half hops of each word at least, times `scale`; exactly on average if all units always take as many words.
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

// Energy units of `half_hops` times `scale`, never above what the cost model charges.
u128 hop_energy(const CompiledLevel& level, int tensor, const WordHops& hops, u64 half_hops);

}  // namespace heliolite
