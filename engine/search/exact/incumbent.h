#pragma once
// The best complete mapping of an exact search so far, and what a bound is compared with.
#include <algorithm>
#include <limits>

#include "engine/search/core/layer_problem.h"
#include "engine/search/exact/key.h"

namespace heliolite {

// What a search looks for (rule cycles-first).
struct SearchAim {
  bool cycles_only = false;  // the least cycles, at any energy
  double least_cycles = 0;   // no mapping takes fewer
};

// The best mapping of a search, and the test that cuts bounds against it.
class Incumbent {
 public:
  // Nothing that is not below `limit` counts as an improvement; infinity: everything does.
  Incumbent(Objective objective, const ObjectiveKey& limit, const SearchAim& aim = {})
      : objective_(objective), aim_(aim), best_(aimed(limit)) {}
  // One without a mapping that looks for the same below another limit.
  Incumbent below(const ObjectiveKey& limit) const { return {objective_, limit, aim_}; }

  // Takes the mapping if it beats the best so far; returns whether it did.
  bool offer(const Mapping& mapping, const Cost& cost, u32 machine);
  // The same with the best mapping of `other`, if it has one.
  void offer(const Incumbent& other);

  ObjectiveKey key_of(const CostBound& bound) const {
    return aimed(objective_key(objective_, bound.energy, std::max(bound.cycles, aim_.least_cycles)));
  }
  // Whether no mapping that costs `bound` or more can beat the incumbent by more than one part in 10^12.
  bool cuts(const ObjectiveKey& bound) const;
  bool cuts(const CostBound& bound) const { return cuts(key_of(bound)); }

  // Energy units from which on no mapping that takes at least `cycles` can beat the incumbent.
  double energy_limit(double cycles) const;

  const SearchAim& aim() const { return aim_; }
  bool found() const { return answer_.found; }
  const LayerAnswer& answer() const { return answer_; }
  // The key of the best mapping; the limit while there is none below it.
  const ObjectiveKey& best() const { return best_; }

 private:
  ObjectiveKey aimed(ObjectiveKey key) const {
    if (aim_.cycles_only) key.second = std::min(key.second, 0.0);
    return key;
  }

  Objective objective_;
  SearchAim aim_;
  LayerAnswer answer_;
  ObjectiveKey best_;
};

}  // namespace heliolite
