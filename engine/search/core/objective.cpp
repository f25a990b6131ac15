#include "engine/search/core/objective.h"

#include <algorithm>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

using Limbs = std::array<u64, 4>;  // most significant first

Limbs times(const Limbs& a, u64 factor) {
  Limbs out;
  u128 carry = 0;
  for (int k = 3; k >= 0; --k) {
    carry += static_cast<u128>(a[at(k)]) * factor;
    out[at(k)] = static_cast<u64>(carry);
    carry >>= 64;
  }
  return out;
}

}  // namespace

std::optional<Objective> parse_objective(std::string_view name) {
  const auto at = std::ranges::find(kObjectiveTable, name, &ObjectiveInfo::name);
  if (at == kObjectiveTable.end()) return std::nullopt;
  return at->objective;
}

std::vector<std::string> objective_names() {
  std::vector<std::string> out;
  for (const ObjectiveInfo& objective : kObjectiveTable) out.emplace_back(objective.name);
  return out;
}

Value Value::of(Objective objective, const Cost& cost) {
  const u64 high = static_cast<u64>(cost.energy.units >> 64), low = static_cast<u64>(cost.energy.units);
  Value out;
  out.limb_ = {0, 0, high, low};
  const ObjectiveInfo& powers = info(objective);
  if (powers.energy_power == 0) out.limb_[1] = cost.cycles;
  else
    for (int k = 0; k < powers.cycles_power; ++k) out.limb_ = times(out.limb_, cost.cycles);
  return out;
}

Value Value::worst() {
  Value out;
  out.limb_.fill(~u64{0});
  return out;
}

double objective_number(Objective objective, double energy_pj, double cycles) {
  double out = info(objective).energy_power == 0 ? 1 : energy_pj;
  for (int k = 0; k < info(objective).cycles_power; ++k) out *= cycles;
  return out;
}

}  // namespace heliolite
