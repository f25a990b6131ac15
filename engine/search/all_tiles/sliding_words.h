#pragma once
// Words of a sliding tensor that units ask for, hold, or get tile by tile (docs/rules/any_factors.md, items 2 and 4).
#include <span>

#include "engine/base/types.h"
#include "engine/model/true_counts/unit_groups.h"
#include "engine/search/all_tiles/flows.h"

namespace heliolite {

// How many words of a sliding tensor the compute units ask for (docs/rules/any_factors.md, item 2): units that stand
// apart along two dimensions of a rank meet at some of them.

// [level][dimension]: units that stand in the fan-outs between a flow's tile and its outer level. What each works on
// inside is counted from loop `first` of the trail on.
using UnitRows = std::array<std::array<UnitRow, kMaxDimensions>, kMaxLevels>;
UnitRows unit_rows(const Flow& flow, const Trail& trail, int first);

// Words that leave the fan-outs up to the level `flow.outer` in one pass through all tiles of the tensor's dimensions,
// for a flow of a sliding tensor to the compute units.
struct Requests {
  u64 placed;    // with the units that stand already; exact if those of each rank meet in one fan-out at most
  u64 at_least;  // whatever fan-outs to come do along the tensor's dimensions
};
Requests requests(const PlacedFlow& flow);

// Units at most that ask for one word together, or for one tile, and that stand apart along the tensor's dimensions.
u64 units_that_meet(const PlacedFlow& flow);

// How many units at most ask for one word of a tensor with sliding ranks, if all that is known is how many there may be
// along its dimensions (docs/rules/any_factors.md, item 2).

// A rank of two dimensions: units along each at most, the fewer along `a`.
struct MulticastRank {
  u64 a, b;
};

// The largest product over the ranks of A B / (A + B - 1), with no more units A and B along their dimensions, and
// together at most `along_a`, `along_b` and `together` of them. Of ranks with more units along `a` than kMostListed
// min(A, B) counts instead, which is never less. Rounded up.
inline constexpr u64 kMostListed = 16;
double most_multicast(std::span<const MulticastRank> ranks, double along_a, double along_b, double together);

// Words of a sliding tensor that units hold, each its own (docs/rules/any_factors.md, item 4).
struct HeldWords {
  FlowTraffic all;
  std::array<u64, kMaxRanks> along{};  // of each rank of two dimensions: what the placed units hold, at least
};

// Words that cross at least in one pass through the tensor's dimensions: into the tiles of a flow, what each of the
// units that are placed, or that the unrolling asks for, touches; and requests that arrive at the outer level, those of
// units that ask for the same tiles once. Never less than the tensor's different words.
HeldWords held_by_units(const PlacedFlow& placed, const UnitsAlong& along);

// Words that cross at least in one pass through the tensor's dimensions, as every tile of the flow's boundary comes
// once, less what the one before may have left of it: into the tiles, and requests that arrive at the outer level,
// those of units that ask for the same tile once. {0, 0}: not known.
FlowTraffic tile_by_tile(const PlacedFlow& flow);

}  // namespace heliolite
