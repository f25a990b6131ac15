#pragma once
// How many units at most ask for one word of a tensor with sliding ranks, if all that is known is how many there may be
// along its dimensions (docs/rules/any_factors.md, item 2).
#include <span>

#include "engine/base/types.h"

namespace heliolite {

// A rank of two dimensions: units along each at most, the fewer along `a`.
struct MeetingRank {
  u64 a, b;
};

// The largest product over the ranks of A B / (A + B - 1), with no more units A and B along their dimensions, and
// together at most `along_a`, `along_b` and `together` of them. Of ranks with more units along `a` than kMostListed
// min(A, B) counts instead, which is never less. Rounded up.
inline constexpr u64 kMostListed = 16;
double most_meeting(std::span<const MeetingRank> ranks, double along_a, double along_b, double together);

}  // namespace heliolite
