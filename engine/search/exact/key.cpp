#include "engine/search/exact/key.h"

#include <cmath>

#include "engine/search/core/whole_cycles.h"

namespace heliolite {

ObjectiveKey objective_key(Objective objective, double energy_units, double cycles) {
  if (energy_units >= kImpossible) return {};
  const double whole = whole_cycles(cycles);
  const ObjectiveInfo& powers = info(objective);
  if (powers.energy_power == 0) return {whole, energy_units};
  double value = energy_units;
  for (int k = 0; k < powers.cycles_power; ++k) value *= whole;
  return {value, 0};
}

ObjectiveKey key_of_number(Objective objective, double number) {
  if (std::isinf(number)) return {};
  return {info(objective).energy_power == 0 ? number : number / Energy{1}.picojoules(), 0};
}

double key_number(Objective objective, const ObjectiveKey& key) {
  return info(objective).energy_power == 0 ? key.first : Energy{1}.picojoules() * key.first;
}

}  // namespace heliolite
