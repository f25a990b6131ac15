#pragma once
// What a search minimises. Values are exact integers, so that two costs compare the same on every computer. On one
// machine the area and the operations of a layer are constants: searches of mappings compare energy and cycles alone,
// and the constants join where values leave a search (machine_factor()) and where machines are compared.
//
// Two kinds: products of powers, which people ask for by name, and weighted sums energy + lambda x cycles, by which the
// optimum of a network is found layer by layer (docs/rules/network.md).
#include <algorithm>
#include <array>
#include <compare>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/integers.h"
#include "engine/model/cost.h"
#include "workloads/workload.h"

namespace heliolite {

struct Architecture;

// A row of the table of objectives, or the weighted sum of one lambda.
class Objective {
 public:
  enum Kind : u8 { Energy, Delay, Edp, Ed2p, Edap, EnergyPerOp, ThroughputPerArea, WeightedSum };

  // NOLINTNEXTLINE(google-explicit-constructor): what is no weighted sum is its kind
  constexpr Objective(Kind kind) : kind_(kind) {}
  // Energy + lambda x cycles; `lambda`: units of energy (2^-32 pJ) a cycle, brought between kLeastLambda and
  // kMostLambda.
  static constexpr Objective weighted_sum(double lambda) {
    Objective out(WeightedSum);
    out.lambda_ = std::clamp(lambda, kLeastLambda, kMostLambda);
    return out;
  }
  // So small that cycles, which are below 2^64, only decide between equal energies.
  static constexpr double kLeastLambda = 1.0 / 4294967296.0 / 4294967296.0;
  // As large as energies are at most, 2^103 units: energy decides between equal cycles.
  static constexpr double kMostLambda = 10141204801825835211973625643008.0;

  constexpr Kind kind() const { return kind_; }
  constexpr bool is_sum() const { return kind_ == WeightedSum; }
  // The weight of cycles in a weighted sum; 0 for other objectives.
  constexpr double lambda() const { return lambda_; }
  constexpr bool operator==(const Objective&) const = default;

 private:
  double lambda_ = 0;
  Kind kind_;
};

// An objective is a product of powers: energy^energy_power x cycles^cycles_power x area^area_power, over the operations
// of the layer if it is per operation. Everything that is known of it stands here. All are minimised: one that should
// be large has its reciprocal here, and a label that says so.
struct ObjectiveInfo {
  Objective::Kind objective;
  std::string_view name;   // on the command line and in files
  std::string_view label;  // over columns, before its unit
  int energy_power;        // 0 or 1
  int cycles_power;        // with energy_power 0 it is 1: a square would order costs no differently
  int area_power = 0;      // power of the machine's area in um^2
  bool per_operation = false;

  int degree() const { return energy_power + cycles_power; }
};
inline constexpr std::array<ObjectiveInfo, 7> kObjectiveTable{{
    {Objective::Energy, "energy", "energy", 1, 0},
    {Objective::Delay, "delay", "delay", 0, 1},
    {Objective::Edp, "edp", "EDP", 1, 1},
    {Objective::Ed2p, "ed2p", "ED2P", 1, 2},
    {Objective::Edap, "edap", "EDAP", 1, 1, 1},
    {Objective::EnergyPerOp, "energy_per_op", "energy per operation", 1, 0, 0, true},
    {Objective::ThroughputPerArea, "throughput_per_area", "1 / throughput per area", 0, 1, 1, true},
}};
// No objective that people name: with these powers it depends on what an EDP depends on.
inline constexpr ObjectiveInfo kWeightedSum{Objective::WeightedSum, "weighted_sum", "energy + lambda x cycles", 1, 1};

// The place of an objective that is no weighted sum in the table.
constexpr std::size_t at(Objective objective) { return at(objective.kind()); }
constexpr const ObjectiveInfo& info(Objective objective) {
  return objective.is_sum() ? kWeightedSum : kObjectiveTable[at(objective)];
}
constexpr std::string_view name(Objective objective) { return info(objective).name; }
// Nothing if there is no objective of this name.
std::optional<Objective> parse_objective(std::string_view name);
std::vector<std::string> objective_names();

// What people ask for by name: an objective of every layer by itself ("edp"), or of the sums of a network's energy and
// cycles ("network_edp"; docs/rules/network.md). Only products have the second: the sums of energies and of cycles are
// least where each layer's are.
struct AskedObjective {
  Objective objective = Objective::Edp;
  bool network = false;

  bool operator==(const AskedObjective&) const = default;
};
std::string name(const AskedObjective& asked);
// Nothing if there is no objective of this name.
std::optional<AskedObjective> parse_asked_objective(std::string_view name);
std::vector<std::string> asked_objective_names();
// Why a question about single layers does not take the objective of a network; empty if that is not asked.
Diagnostics of_layers_only(const AskedObjective& asked, std::string_view what);

// "pJ x cycles^2 x um^2 / operation", with other words for the cycles and between factors if they are given.
std::string unit(const ObjectiveInfo& objective, std::string_view delay = "cycles", std::string_view times = " x ");
// Over columns: "EDP [pJ x cycles]".
std::string title(Objective objective);

inline constexpr int kMostCyclesPower =
    std::ranges::max(kObjectiveTable, {}, &ObjectiveInfo::cycles_power).cycles_power;

// The value of a cost as an integer with room for the largest: energy is below 2^103 units, cycles are below 2^64. For
// Delay the energy is the low half, so that the cheaper of two equally fast mappings is better.
class Value {
 public:
  static Value of(Objective objective, const Cost& cost);
  // A value from a number above 0 that is not an objective's: compares with values of its kind only.
  static Value of(double number);
  // Above the value of every cost.
  static Value worst();

  auto operator<=>(const Value&) const = default;

 private:
  static constexpr int kLimbs = 2 + kMostCyclesPower;
  std::array<u64, kLimbs> limb_{};  // most significant first
};

// What energy and cycles make of a value, as a rounded number: what searches of mappings on one machine compare.
double objective_number(Objective objective, double energy_pj, double cycles);
// The number with energy in units of 2^-32 pJ in place of pJ.
double objective_units(Objective objective, double energy_units, double cycles);
inline double objective_number(Objective objective, const Cost& cost) {
  return objective_number(objective, cost.energy.picojoules(), static_cast<double>(cost.cycles));
}

// What the machine and the operations of the layer make of a value: objective_number() times this is what people are
// shown, in the unit of the objective's title. 1 of objectives of energy and cycles alone.
double machine_factor(Objective objective, double area_um2, double operations);
double machine_factor(Objective objective, const Architecture& machine, const Workload& workload);
// The value that people are shown of a layer's cost on a machine.
inline double objective_number(Objective objective, const Cost& cost, const Architecture& machine,
                               const Workload& workload) {
  return objective_number(objective, cost) * machine_factor(objective, machine, workload);
}
// Why the objective says nothing of the machine; empty if it does.
Diagnostics objective_complaints(Objective objective, const Architecture& machine);

// What no mapping reaches.
inline constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace heliolite
