#pragma once
// A step of climbs: all factors of two levels are shared anew between them.
#include <vector>

#include "engine/search/sunstone/candidate.h"
#include "engine/search/sunstone/ladder.h"
#include "engine/search/sunstone/visited.h"
#include "engine/space/divisors.h"

namespace heliolite {

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

}  // namespace heliolite
