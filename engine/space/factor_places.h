#pragma once
// What constraints leave of the factors of each place of loops: numbers for one workload.
#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/space/mapspace.h"

namespace heliolite {

// A level's loops over time, or its fan-out.
struct FactorPlace {
  FactorLimits* limits = nullptr;             // what is set
  std::vector<FactorConstraint> constraints;  // what is asked for
  std::string where;                          // for messages
  std::array<u64, kMaxDimensions> most{};     // [dimension]: the largest factor there is room for
  std::string room;                           // why, for messages: "the fan-out of 2x1 leaves no room for it"
  u64 instances = 0;                          // instances below a fan-out; 0: the place is for loops over time
  std::array<u64, kMaxDimensions> largest{};  // [dimension]: what it gets where it is maximized, else 0
};

// The dimensions that a word of a constraint means, and what to do with a complaint about a place.
using MeaningOf = std::function<DimensionMask(const std::string& word, const std::string& where)>;
using Complain = std::function<void(const std::string& where, const std::string& what)>;

// A factor of a constraint that is larger than what of its dimension is left, and was cut down to that.
struct CutFactor {
  std::string where;  // "level 'Glob', spatial constraint"
  std::string text;   // "C = 4"
  u64 to = 1;
};

// Sets the limits of all places, which are in order, innermost first, as Timeloop does: first what is to be maximized
// gets its factors, fan-outs before loops over time ("R*S = max", "R*S <= 12": largest_factors() in the fan-out, or in
// 12); then each place takes what it asks for, cut down
// to what the places inside have left of the dimension. Returns what was cut.
std::vector<CutFactor> limit_factors(std::vector<FactorPlace>& places, const Mapspace& space, const MeaningOf& meant_by,
                                     const Complain& complain);

// For each size a factor, such that the factors multiply to at most `room` and as much of it is used as can be:
// divisors of the sizes, but one of them may be cut into unequal pieces where that uses more on average, as Timeloop's
// front end does for `maximize_dims` (17 on 16 units: pieces of 9 and 8). Of equally good ones those with larger first
// factors.
std::vector<u64> largest_factors(const std::vector<u64>& sizes, u64 room);

// The limits of factors bound each other: what the machine says of one place leaves less to the others.

// a * b, at most `cap`.
inline u64 product_up_to(u64 a, u64 b, u64 cap) { return a != 0 && b > cap / a ? cap : std::min(a * b, cap); }

// Tightens the limits of every place to what the others leave, for perfect and imperfect factors alike, and the masks
// of the dimensions that may have a loop. Errors: dimensions that cannot be split at all; then nothing may be asked of
// the mapspace.
Diagnostics tighten(Mapspace& space);

}  // namespace heliolite
