#pragma once
// The best complete mapping of an exact search so far, and what a bound is compared with.
#include <limits>
#include <tuple>

#include "engine/search/exact_bounds.h"

namespace heliolite {

// A bound in units of the objective: energy units (2^-32 pJ), cycles, or their products. For delay ties are decided by
// energy.
struct ExactKey {
  double first = std::numeric_limits<double>::infinity();
  double second = std::numeric_limits<double>::infinity();

  friend bool operator<(const ExactKey& a, const ExactKey& b) {
    return std::tie(a.first, a.second) < std::tie(b.first, b.second);
  }
};

ExactKey exact_key(Objective objective, double energy_units, double cycles);

class ExactIncumbent {
 public:
  // Mappings are looked for below `limit` only; infinity: everywhere.
  ExactIncumbent(Objective objective, const ExactKey& limit) : objective_(objective), best_(limit) {}

  // Takes a mapping if it beats what there is.
  bool offer(const Mapping& mapping, const Cost& cost, u32 machine);
  // The same with the answer of a search that began with a copy of this one.
  void offer(const ExactIncumbent& other);

  ExactKey key_of(const CostBound& bound) const { return exact_key(objective_, bound.energy, bound.cycles); }
  // Whether nothing as cheap as `bound` can beat the incumbent.
  bool cuts(const ExactKey& bound) const;
  bool cuts(const CostBound& bound) const { return cuts(key_of(bound)); }

  // Energy units from which on nothing that takes `cycles` can beat the incumbent.
  double energy_limit(double cycles) const;

  bool found() const { return answer_.found; }
  const LayerAnswer& answer() const { return answer_; }
  // Its key, or the limit.
  const ExactKey& best() const { return best_; }

 private:
  Objective objective_;
  LayerAnswer answer_;
  ExactKey best_;
};

}  // namespace heliolite
