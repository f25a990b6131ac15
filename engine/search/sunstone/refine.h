#pragma once
// Hill-climbing from a complete plan: what the level-by-level search fixes too early is moved afterwards.
#include "engine/search/sunstone/ladder.h"
#include "engine/search/sunstone/moves.h"

namespace heliolite {

// A complete plan with its score.
struct Candidate {
  Plan plan;
  Score score;

  // Canonical order of candidates: by value, then by the plan itself.
  bool better_than(const Candidate& other) const {
    if (score.value != other.score.value) return score.value < other.score.value;
    return plan < other.plan;
  }
};

// Changes `start` by moves of single factors and of pairs, other loop orders and other keep choices, as long as the
// value falls, and returns the best. Ends after `budget` evaluations. Deterministic.
Candidate climb(Ladder& ladder, const MoveSpace& moves, const Candidate& start, u64 budget);

// Climbs again from random disturbances of the best so far (a few moves at once, from a fixed seed), and returns the
// best. A climb goes to the end only where its first steps come close to the best. Ends after `kicks` disturbances or
// `budget` evaluations. Deterministic.
Candidate kick_and_climb(Ladder& ladder, const MoveSpace& moves, Candidate best, int kicks, u64 budget);

}  // namespace heliolite
