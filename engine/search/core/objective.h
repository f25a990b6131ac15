#pragma once
// What a search minimises. Values are exact integers, so that two costs compare the same on every computer.
#include <algorithm>
#include <array>
#include <compare>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/integers.h"
#include "engine/model/cost_model.h"

namespace heliolite {

enum class Objective : u8 { Energy, Delay, Edp, Ed2p };

// An objective is a product of powers: energy^energy_power x cycles^cycles_power. Everything that is known of it stands
// here.
struct ObjectiveInfo {
  Objective objective;
  std::string_view name;   // on the command line and in files
  std::string_view title;  // over columns, with its unit
  int energy_power;        // 0 or 1
  int cycles_power;        // with energy_power 0 it is 1: a square would order costs no differently
};
inline constexpr std::array<ObjectiveInfo, 4> kObjectiveTable{{
    {Objective::Energy, "energy", "energy [pJ]", 1, 0},
    {Objective::Delay, "delay", "delay [cycles]", 0, 1},
    {Objective::Edp, "edp", "EDP [pJ x cycles]", 1, 1},
    {Objective::Ed2p, "ed2p", "ED2P [pJ x cycles^2]", 1, 2},
}};

constexpr const ObjectiveInfo& info(Objective objective) { return kObjectiveTable[at(objective)]; }
constexpr std::string_view name(Objective objective) { return info(objective).name; }
// Nothing if there is no objective of this name.
std::optional<Objective> parse_objective(std::string_view name);
std::vector<std::string> objective_names();

inline constexpr int kMostCyclesPower =
    std::ranges::max(kObjectiveTable, {}, &ObjectiveInfo::cycles_power).cycles_power;

// The value of a cost as an integer with room for the largest: energy is below 2^103 units, cycles are below 2^64. For
// Delay the energy is the low half, so that the cheaper of two equally fast mappings is better.
class Value {
 public:
  static Value of(Objective objective, const Cost& cost);
  // Of a number above 0 that is not an objective's: compares with values of its kind only.
  static Value of(double number);
  // Above the value of every cost.
  static Value worst();

  auto operator<=>(const Value&) const = default;

 private:
  static constexpr int kLimbs = 2 + kMostCyclesPower;
  std::array<u64, kLimbs> limb_{};  // most significant first
};

// The value as a rounded number for people, in the unit of the objective's title.
double objective_number(Objective objective, double energy_pj, double cycles);
inline double objective_number(Objective objective, const Cost& cost) {
  return objective_number(objective, cost.energy.picojoules(), static_cast<double>(cost.cycles));
}

// What no mapping reaches.
inline constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace heliolite
