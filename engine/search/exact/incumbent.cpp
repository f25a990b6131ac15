#include "engine/search/exact/incumbent.h"

#include <algorithm>

#include "engine/search/core/whole_cycles.h"

namespace heliolite {
namespace {

// Sums of doubles are not exact; bounds this close to the incumbent count as equal to it.
constexpr double kEqual = 1 - 1e-12;

}  // namespace

bool Incumbent::cuts(const ObjectiveKey& bound) const {
  if (info(objective_).energy_power != 0) return bound.first >= best_.first * kEqual;
  return bound.first > best_.first || (bound.first == best_.first && bound.second >= best_.second * kEqual);
}

double Incumbent::energy_limit(double cycles) const {
  const double whole = whole_cycles(std::max(cycles, aim_.least_cycles));
  if (info(objective_).energy_power == 0) {
    if (whole > best_.first) return 0;
    return whole == best_.first ? best_.second * kEqual : std::numeric_limits<double>::infinity();
  }
  double by_cycles = 1;
  for (int k = 0; k < info(objective_).cycles_power; ++k) by_cycles *= whole;
  return best_.first * kEqual / by_cycles;
}

bool Incumbent::offer(const Mapping& mapping, const Cost& cost, u32 machine) {
  if (!answer_.offer(objective_, mapping, cost, machine)) return false;
  best_ = std::min(best_, aimed(objective_key(objective_, cost)));
  return true;
}

void Incumbent::offer(const Incumbent& other) {
  if (other.found()) offer(other.answer_.mapping, other.answer_.cost, other.answer_.machine);
}

}  // namespace heliolite
