#pragma once
// A step of climbs: another unrolling of a fan-out, with as little else changed as that takes.
#include <random>
#include <vector>

#include "engine/search/sunstone/fillings.h"
#include "engine/search/sunstone/ladder.h"
#include "engine/space/divisors.h"

namespace heliolite {

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

}  // namespace heliolite
