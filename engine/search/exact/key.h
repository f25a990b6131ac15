#pragma once
// What partial mappings are worth: bounds of energy and cycles, and the order in which they are compared.
#include <limits>
#include <tuple>

#include "engine/search/core/objective.h"

namespace heliolite {

// In tables of bounds: no completion exists. Finite, so that sums and products of it are numbers.
inline constexpr double kImpossible = 1e300;

// Energy, in units of 2^-32 pJ, and cycles that no completion is below.
struct CostBound {
  double energy = 0;
  double cycles = 0;
};

// A cost or a bound as the objective orders it: energy units (2^-32 pJ), cycles, or their product with cycles or their
// square. For Delay `second` is the energy, which decides between equal cycles; otherwise it is 0. Infinity: no
// mapping.
struct ObjectiveKey {
  double first = std::numeric_limits<double>::infinity();
  double second = std::numeric_limits<double>::infinity();

  friend bool operator<(const ObjectiveKey& a, const ObjectiveKey& b) {
    return std::tie(a.first, a.second) < std::tie(b.first, b.second);
  }
};

// The key of a cost; cycles are rounded up, at least to 1. Infinite if the energy is kImpossible.
ObjectiveKey objective_key(Objective objective, double energy_units, double cycles);
inline ObjectiveKey objective_key(Objective objective, const Cost& cost) {
  return objective_key(objective, static_cast<double>(cost.energy.units), static_cast<double>(cost.cycles));
}
// The key that no mapping of less than `number`, in units of objective_number(), reaches.
ObjectiveKey key_of_number(Objective objective, double number);
// The key in units of objective_number().
double key_number(Objective objective, const ObjectiveKey& key);

}  // namespace heliolite
