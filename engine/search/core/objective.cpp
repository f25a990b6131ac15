#include "engine/search/core/objective.h"

#include <algorithm>
#include <bit>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

// Limbs of an integer, most significant first.
template <std::size_t Limbs>
void multiply(std::array<u64, Limbs>& limb, u64 factor) {
  u128 carry = 0;
  for (std::size_t k = Limbs; k-- > 0;) {
    carry += static_cast<u128>(limb[k]) * factor;
    limb[k] = static_cast<u64>(carry);
    carry >>= 64;
  }
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
  Value out;
  out.limb_[kLimbs - 2] = static_cast<u64>(cost.energy.units >> 64);
  out.limb_[kLimbs - 1] = static_cast<u64>(cost.energy.units);
  const ObjectiveInfo& powers = info(objective);
  if (powers.energy_power == 0) out.limb_[kLimbs - 3] = cost.cycles;
  else
    for (int k = 0; k < powers.cycles_power; ++k) multiply(out.limb_, cost.cycles);
  return out;
}

// Positive doubles compare as their bits do.
Value Value::of(double number) {
  Value out;
  out.limb_.front() = std::bit_cast<u64>(number);
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
