#include "engine/search/exact/incumbent.h"

#include <algorithm>
#include <cmath>

namespace heliolite {
namespace {

// Sums of doubles are not exact; bounds this close to the incumbent count as equal to it.
constexpr double kEqual = 1 - 1e-12;

double whole_cycles(double cycles) { return std::max(1.0, std::ceil(cycles * (1 - 1e-9))); }

}  // namespace

ObjectiveKey objective_key(Objective objective, double energy_units, double cycles) {
  if (energy_units >= PartialBounds::kImpossible) return {};
  const double whole = whole_cycles(cycles);
  switch (objective) {
    case Objective::Energy: return {energy_units, 0};
    case Objective::Delay: return {whole, energy_units};
    case Objective::Edp: return {energy_units * whole, 0};
    case Objective::Ed2p: return {energy_units * whole * whole, 0};
  }
  return {};
}

bool Incumbent::cuts(const ObjectiveKey& bound) const {
  if (objective_ != Objective::Delay) return bound.first >= best_.first * kEqual;
  return bound.first > best_.first || (bound.first == best_.first && bound.second >= best_.second * kEqual);
}

double Incumbent::energy_limit(double cycles) const {
  const double whole = whole_cycles(cycles);
  switch (objective_) {
    case Objective::Energy: return best_.first * kEqual;
    case Objective::Delay:
      if (whole > best_.first) return 0;
      return whole == best_.first ? best_.second * kEqual : std::numeric_limits<double>::infinity();
    case Objective::Edp: return best_.first * kEqual / whole;
    case Objective::Ed2p: return best_.first * kEqual / (whole * whole);
  }
  return 0;
}

bool Incumbent::offer(const Mapping& mapping, const Cost& cost, u32 machine) {
  if (!answer_.offer(objective_, mapping, cost, machine)) return false;
  best_ = std::min(best_,
                   objective_key(objective_, static_cast<double>(cost.energy.units), static_cast<double>(cost.cycles)));
  return true;
}

void Incumbent::offer(const Incumbent& other) {
  if (other.found()) offer(other.answer_.mapping, other.answer_.cost, other.answer_.machine);
}

}  // namespace heliolite
