#pragma once
// Climbs (climb/climb.h) over perfect factors: what the level-by-level search fixes too early is moved afterwards.
#include <array>
#include <random>
#include <utility>
#include <vector>

#include "engine/search/climb/climb.h"
#include "engine/search/climb/plan.h"
#include "engine/search/sunstone/fillings.h"
#include "engine/search/sunstone/ladder.h"
#include "engine/space/divisors.h"

namespace heliolite {

// A step of climbs: all factors of two levels are shared anew between them.

// Shares the temporal factors of two levels of a complete plan anew.
class Retiling {
 public:
  explicit Retiling(const Mapspace& space);

  // For each two levels that may have loops, with everything else as it is: tries the tiles of the inner one that the
  // factors of both can make and that cannot grow, each with its cheapest orders. Puts the cheapest into `best` and
  // returns true if it is cheaper than that. Tiles visited before are left out. Ends when the ladder has priced `last`
  // plans.
  bool improve(Ladder& ladder, VisitedPlans& visited, Candidate& best, u64 last) const;

 private:
  bool improve(Ladder& ladder, VisitedPlans& visited, Candidate& best, int inner, int outer, u64 last) const;

  const Mapspace& space_;
  std::vector<DivisorTable> divisors_;  // by dimension
  std::vector<int> levels_;             // that may have loops, innermost first
};

// A step of climbs: another unrolling of a fan-out, with as little else changed as that takes.

// Puts other unrollings into complete plans.
class Reunrolling {
 public:
  Reunrolling(const Ladder& ladder, Fillings& fillings);

  // The plans that differ from `plan` by the unrolling of one fan-out, each unrolling of it once (fillings.h). What a
  // dimension gains there is taken from its temporal loops, those outside the fan-out first; what it loses goes to the
  // nearest level outside that may have it. Left out are those for which that is not possible; other limits and
  // capacities are not looked at.
  const std::vector<Plan>& list(const Plan& plan);

  // Puts one of these unrollings, drawn at random, into the plan. False: it could not, and the plan is as it was.
  bool draw(Plan& plan, std::mt19937_64& random);

 private:
  const std::vector<Unrolling>& unrollings(const Plan& plan, int level);
  bool put(Plan& plan, int level, const Unrolling& u) const;

  const Mapspace& space_;
  Fillings& fillings_;
  std::vector<int> fanouts_;
  std::vector<Plan> list_;
};

// Disturbances of complete plans: all temporal loops are shared anew between the levels, at random, as far as they fit.

// Draws temporal loops.
class Scattering {
 public:
  explicit Scattering(const Mapspace& space);

  // Takes the prime factors of the plan's temporal loops, except what constraints fix, in random order and gives each
  // to a level drawn from those that may have its dimension or, where it does not fit there, to the next one outside
  // where it does. Unrollings stay. False: they leave no room, or the limits of the levels do not allow what was drawn;
  // the plan is then of no use.
  bool scatter(Ladder& ladder, Plan& plan, std::mt19937_64& random);

 private:
  bool place(const Ladder& ladder, Plan& plan, int d, u32 prime, std::size_t first);
  bool fits(const Ladder& ladder, int from) const;

  const Mapspace& space_;
  int top_;
  std::array<std::vector<u8>, kMaxDimensions> levels_;   // [dimension]: that may have it, innermost first
  std::array<std::vector<u32>, kMaxDimensions> primes_;  // [dimension]: primes of its size
  std::vector<std::pair<u8, u32>> factors_;              // dimension, prime: to be placed
  std::array<Extents, kMaxLevels> tile_;                 // [level]: of what is placed
};

// What a climb may change: single factors (plan.h), the tile of a level and an unrolling.
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

// climb() with the cheapest kinds of steps only: loop orders, keep choices and moves of single factors.
Candidate first_steps(Ladder& ladder, ClimbSteps& steps, const Candidate& start, u64 budget);

// Climbs again from random disturbances of the best so far, from a fixed seed, and returns the best: all temporal loops
// are drawn anew, every second time the unrolling of a fan-out too. A climb goes to the end only where its first steps
// come close to the best. Ends after `kicks` disturbances or `budget` evaluations. Deterministic.
Candidate kick_and_climb(Ladder& ladder, ClimbSteps& steps, Candidate best, int kicks, u64 budget);

}  // namespace heliolite
