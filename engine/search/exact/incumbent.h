#pragma once
// The best complete mapping of an exact search so far, and what a bound is compared with.
#include <limits>
#include <tuple>

#include "engine/search/exact/partial_bounds.h"

namespace heliolite {

// A bound in units of the objective: energy units (2^-32 pJ), cycles, or their products. For delay ties are decided by
// energy.
struct ObjectiveKey {
  double first = std::numeric_limits<double>::infinity();
  double second = std::numeric_limits<double>::infinity();

  friend bool operator<(const ObjectiveKey& a, const ObjectiveKey& b) {
    return std::tie(a.first, a.second) < std::tie(b.first, b.second);
  }
};

ObjectiveKey objective_key(Objective objective, double energy_units, double cycles);

class Incumbent {
 public:
  // Mappings are looked for below `limit` only; infinity: everywhere.
  Incumbent(Objective objective, const ObjectiveKey& limit) : objective_(objective), best_(limit) {}

  // Takes a mapping if it beats what there is.
  bool offer(const Mapping& mapping, const Cost& cost, u32 machine);
  // The same with the answer of a search that began with a copy of this one.
  void offer(const Incumbent& other);

  ObjectiveKey key_of(const CostBound& bound) const { return objective_key(objective_, bound.energy, bound.cycles); }
  // Whether nothing as cheap as `bound` can beat the incumbent.
  bool cuts(const ObjectiveKey& bound) const;
  bool cuts(const CostBound& bound) const { return cuts(key_of(bound)); }

  // Energy units from which on nothing that takes `cycles` can beat the incumbent.
  double energy_limit(double cycles) const;

  bool found() const { return answer_.found; }
  const LayerAnswer& answer() const { return answer_; }
  // Its key, or the limit.
  const ObjectiveKey& best() const { return best_; }

 private:
  Objective objective_;
  LayerAnswer answer_;
  ObjectiveKey best_;
};

}  // namespace heliolite
