#include "engine/search/core/objective.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "arch/architecture.h"
#include "engine/base/named.h"

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

// Adds value x 2^shift; bits beyond the limbs are lost.
template <std::size_t Limbs>
void add(std::array<u64, Limbs>& limb, u128 value, int shift) {
  u128 carry = 0;
  for (std::size_t k = 0; k < Limbs; ++k) {
    const int first = 64 * static_cast<int>(k) - shift;  // the lowest bit of `value` that falls into the limb
    u64 part = 0;
    if (first >= 0 && first < 128) part = static_cast<u64>(value >> first);
    else if (first < 0 && first > -64) part = static_cast<u64>(value << -first);
    carry += static_cast<u128>(limb[Limbs - 1 - k]) + part;
    limb[Limbs - 1 - k] = static_cast<u64>(carry);
    carry >>= 64;
  }
}

// A double above 0 is mantissa x 2^exponent.
struct Binary {
  u64 mantissa;
  int exponent;
};
Binary binary(double x) {
  constexpr int kBits = std::numeric_limits<double>::digits;
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return {static_cast<u64>(std::ldexp(fraction, kBits)), exponent - kBits};
}

constexpr std::string_view kNetworkPrefix = "network_";

bool is_product(Objective objective) { return info(objective).degree() > 1; }

}  // namespace

std::optional<Objective> parse_objective(std::string_view name) {
  const ObjectiveInfo* const row = find_row(kObjectiveTable, name);
  return row == nullptr ? std::nullopt : std::optional(row->objective);
}

std::vector<std::string> objective_names() { return names_of(kObjectiveTable); }

std::string name(const AskedObjective& asked) {
  return std::string(asked.network && is_product(asked.objective) ? kNetworkPrefix : "") +
         std::string(name(asked.objective));
}

std::optional<AskedObjective> parse_asked_objective(std::string_view name) {
  const bool network = name.starts_with(kNetworkPrefix);
  if (network) name.remove_prefix(kNetworkPrefix.size());
  const std::optional<Objective> objective = parse_objective(name);
  if (!objective || (network && !is_product(*objective))) return std::nullopt;
  return AskedObjective{*objective, network};
}

std::vector<std::string> asked_objective_names() {
  std::vector<std::string> out = objective_names();
  for (const ObjectiveInfo& row : kObjectiveTable)
    if (is_product(row.objective)) out.push_back(name(AskedObjective{row.objective, true}));
  return out;
}

Diagnostics of_layers_only(const AskedObjective& asked, std::string_view what) {
  if (!asked.network) return {};
  return {{"", 0, "objective",
           fmt::format("{} is of a whole network, {} of single layers: must be {}", name(asked), what,
                       name(asked.objective))}};
}

std::string unit(const ObjectiveInfo& objective, std::string_view delay, std::string_view times) {
  std::string out;
  const auto factor = [&](std::string_view what, int power) {
    if (power == 0) return;
    if (!out.empty()) out += times;
    out += what;
    if (power > 1) out += fmt::format("^{}", power);
  };
  factor("pJ", objective.energy_power);
  factor(delay, objective.cycles_power);
  factor("um^2", objective.area_power);
  return objective.per_operation ? out + " / operation" : out;
}

std::string title(Objective objective) { return fmt::format("{} [{}]", info(objective).label, unit(info(objective))); }

Value Value::of(Objective objective, const Cost& cost) {
  Value out;
  if (objective.is_sum()) {
    // Both terms times 2^-exponent, or the cycles' alone times 2^exponent: whole numbers.
    const Binary lambda = binary(objective.lambda());
    add(out.limb_, cost.energy.units, std::max(0, -lambda.exponent));
    add(out.limb_, static_cast<u128>(lambda.mantissa) * cost.cycles, std::max(0, lambda.exponent));
    return out;
  }
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
  if (objective.is_sum()) return energy_pj + objective.lambda() / Energy::kUnitsPerPicojoule * cycles;
  double out = info(objective).energy_power == 0 ? 1 : energy_pj;
  for (int k = 0; k < info(objective).cycles_power; ++k) out *= cycles;
  return out;
}

double objective_units(Objective objective, double energy_units, double cycles) {
  if (objective.is_sum()) return energy_units + objective.lambda() * cycles;
  double out = info(objective).energy_power == 0 ? 1 : energy_units;
  for (int k = 0; k < info(objective).cycles_power; ++k) out *= cycles;
  return out;
}

double machine_factor(Objective objective, double area_um2, double operations) {
  double out = info(objective).per_operation ? 1 / operations : 1;
  for (int k = 0; k < info(objective).area_power; ++k) out *= area_um2;
  return out;
}

double machine_factor(Objective objective, const Architecture& machine, const Workload& workload) {
  return machine_factor(objective, machine.area_um2(), static_cast<double>(workload.macs()));
}

Diagnostics objective_complaints(Objective objective, const Architecture& machine) {
  if (info(objective).area_power == 0 || machine.area_um2() > 0) return {};
  return {{"", 0, "objective",
           fmt::format("{} needs the area of {}, which states none: give its levels and compute units `area_um2`",
                       name(objective), machine.name)}};
}

}  // namespace heliolite
