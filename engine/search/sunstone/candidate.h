#pragma once
// A complete plan on its way through the climbs.
#include "engine/search/sunstone/ladder.h"

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

}  // namespace heliolite
