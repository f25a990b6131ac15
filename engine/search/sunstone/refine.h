#pragma once
// Climbs (climb/climb.h) over perfect factors: what the level-by-level search fixes too early is moved afterwards.
#include "engine/search/climb/moves.h"
#include "engine/search/climb/visited.h"
#include "engine/search/sunstone/climb_steps.h"
#include "engine/search/sunstone/ladder.h"

namespace heliolite {

// What a climb may change: single factors (moves.h), the tile of a level and an unrolling (climb_steps.h).
struct ClimbSteps {
  // `fillings`: of the ladder's mapspace.
  ClimbSteps(const Ladder& ladder, Fillings& fillings)
      : moves(ladder.space(), Ends::Dividing),
        retiling(ladder.space()),
        scattering(ladder.space()),
        reunrolling(ladder, fillings) {}

  MoveSpace moves;
  Retiling retiling;
  Scattering scattering;
  Reunrolling reunrolling;
  VisitedPlans visited;  // by all climbs of a search
};

// Changes `start` by moves of single factors and of pairs, other loop orders, keep choices, tiles and unrollings, as
// long as the value falls, and returns the best. Ends after `budget` evaluations. Deterministic.
Candidate climb(Ladder& ladder, ClimbSteps& steps, const Candidate& start, u64 budget);

// The same with the cheapest kinds of steps only: loop orders, keep choices and moves of single factors.
Candidate first_steps(Ladder& ladder, ClimbSteps& steps, const Candidate& start, u64 budget);

// Climbs again from random disturbances of the best so far, from a fixed seed, and returns the best: all temporal loops
// are drawn anew, every second time the unrolling of a fan-out too. A climb goes to the end only where its first steps
// come close to the best. Ends after `kicks` disturbances or `budget` evaluations. Deterministic.
Candidate kick_and_climb(Ladder& ladder, ClimbSteps& steps, Candidate best, int kicks, u64 budget);

}  // namespace heliolite
