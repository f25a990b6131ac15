#include "engine/search/core/objective.h"

#include <algorithm>

namespace heliolite {
namespace {

using Limbs = std::array<u64, 4>;  // most significant first

Limbs times(const Limbs& a, u64 factor) {
  Limbs out;
  u128 carry = 0;
  for (int k = 3; k >= 0; --k) {
    carry += static_cast<u128>(a[static_cast<std::size_t>(k)]) * factor;
    out[static_cast<std::size_t>(k)] = static_cast<u64>(carry);
    carry >>= 64;
  }
  return out;
}

}  // namespace

std::string_view name(Objective objective) { return kObjectiveNames[static_cast<std::size_t>(objective)]; }

std::optional<Objective> parse_objective(std::string_view name) {
  const auto at = std::find(kObjectiveNames.begin(), kObjectiveNames.end(), name);
  if (at == kObjectiveNames.end()) return std::nullopt;
  return static_cast<Objective>(at - kObjectiveNames.begin());
}

Value Value::of(Objective objective, const Cost& cost) {
  const u64 high = static_cast<u64>(cost.energy.units >> 64), low = static_cast<u64>(cost.energy.units);
  Value out;
  out.limb_ = {0, 0, high, low};
  switch (objective) {
    case Objective::Energy: break;
    case Objective::Delay: out.limb_[1] = cost.cycles; break;
    case Objective::Edp: out.limb_ = times(out.limb_, cost.cycles); break;
    case Objective::Ed2p: out.limb_ = times(times(out.limb_, cost.cycles), cost.cycles); break;
  }
  return out;
}

Value Value::worst() {
  Value out;
  out.limb_.fill(~u64{0});
  return out;
}

double objective_number(Objective objective, const Cost& cost) {
  const double energy = cost.energy.picojoules(), cycles = static_cast<double>(cost.cycles);
  switch (objective) {
    case Objective::Energy: return energy;
    case Objective::Delay: return cycles;
    case Objective::Edp: return energy * cycles;
    case Objective::Ed2p: return energy * cycles * cycles;
  }
  return 0;
}

}  // namespace heliolite
