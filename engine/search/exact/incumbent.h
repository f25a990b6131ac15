#pragma once
// The best complete mapping of an exact search so far, and what a bound is compared with.
#include <limits>

#include "engine/search/core/layer_problem.h"
#include "engine/search/exact/key.h"

namespace heliolite {

// The best mapping of a search, and the test that cuts bounds against it.
class Incumbent {
 public:
  // Nothing that is not below `limit` counts as an improvement; infinity: everything does.
  Incumbent(Objective objective, const ObjectiveKey& limit) : objective_(objective), best_(limit) {}

  // Takes the mapping if it beats the best so far; returns whether it did.
  bool offer(const Mapping& mapping, const Cost& cost, u32 machine);
  // The same with the best mapping of `other`, if it has one.
  void offer(const Incumbent& other);

  ObjectiveKey key_of(const CostBound& bound) const { return objective_key(objective_, bound.energy, bound.cycles); }
  // Whether no mapping that costs `bound` or more can beat the incumbent by more than one part in 10^12.
  bool cuts(const ObjectiveKey& bound) const;
  bool cuts(const CostBound& bound) const { return cuts(key_of(bound)); }

  // Energy units from which on no mapping that takes at least `cycles` can beat the incumbent.
  double energy_limit(double cycles) const;

  Objective objective() const { return objective_; }
  bool found() const { return answer_.found; }
  const LayerAnswer& answer() const { return answer_; }
  // The key of the best mapping; the limit while there is none below it.
  const ObjectiveKey& best() const { return best_; }

 private:
  Objective objective_;
  LayerAnswer answer_;
  ObjectiveKey best_;
};

}  // namespace heliolite
