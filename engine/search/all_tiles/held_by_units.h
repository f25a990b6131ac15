#pragma once
// Words of a sliding tensor that units hold, each its own (docs/rules/any_factors.md, item 4).
#include <span>

#include "engine/base/types.h"
#include "engine/search/all_tiles/flows.h"

namespace heliolite {

// How many units at most ask for one word of a tensor with sliding ranks, if all that is known is how many there may be
// along its dimensions (docs/rules/any_factors.md, item 2).

// A rank of two dimensions: units along each at most, the fewer along `a`.
struct MeetingRank {
  u64 a, b;
};

// The largest product over the ranks of A B / (A + B - 1), with no more units A and B along their dimensions, and
// together at most `along_a`, `along_b` and `together` of them. Of ranks with more units along `a` than kMostListed
// min(A, B) counts instead, which is never less. Rounded up.
inline constexpr u64 kMostListed = 16;
double most_meeting(std::span<const MeetingRank> ranks, double along_a, double along_b, double together);

struct HeldWords {
  FlowTraffic all;
  std::array<u64, kMaxRanks> along{};  // of each rank of two dimensions: what the placed units hold, at least
};

// At least so many words cross in one pass through the tensor's dimensions: into the tiles of a flow, what each of the
// units that are placed, or that the unrolling asks for, touches; and requests that arrive at the outer level, those of
// units that ask for the same tiles once. Never less than the tensor's different words.
HeldWords held_by_units(const KeptFlows& costs, const Flow& flow, const Trail& trail, const Reach& reach,
                        const UnitsAlong& along);

}  // namespace heliolite
