#pragma once
// Hill-climbing from a complete plan: what the level-by-level search fixes too early is moved afterwards.
#include "engine/search/sunstone/ladder.h"
#include "engine/search/sunstone/moves.h"

namespace heliolite {

struct Candidate {
  Plan plan;
  Score score;

  // Canonical order of candidates: by value, then by the plan itself.
  bool better_than(const Candidate& other) const {
    if (score.value != other.score.value) return score.value < other.score.value;
    return plan < other.plan;
  }
};

// Moves single factors, pairs of them, loop orders, and what is kept, as long as the value falls. Stops after `budget`
// evaluations. Deterministic.
Candidate climb(Ladder& ladder, const MoveSpace& moves, const Candidate& start, u64 budget);

// Climbs again from random disturbances of the best so far: a few moves at once, from a fixed seed. A climb goes to the
// end only where its first steps come close to the best. Stops after so many disturbances or evaluations.
// Deterministic.
Candidate kick_and_climb(Ladder& ladder, const MoveSpace& moves, Candidate best, int kicks, u64 budget);

}  // namespace heliolite
