#pragma once
// What a search minimises. Values are exact integers, so that two costs compare the same on every computer.
#include <array>
#include <compare>
#include <limits>
#include <optional>
#include <string_view>

#include "engine/model/cost_model.h"

namespace heliolite {

// Energy, cycles, their product, or energy times the square of the cycles.
enum class Objective : u8 { Energy, Delay, Edp, Ed2p };

inline constexpr std::array<std::string_view, 4> kObjectiveNames{"energy", "delay", "edp", "ed2p"};

std::string_view name(Objective objective);
std::optional<Objective> parse_objective(std::string_view name);

// The value of a cost as an integer of 256 bits, most significant limb first: energy (below 2^103 units) times cycles
// (below 2^64) squared fits. For Delay the energy is the low half, so that the cheaper of two equally fast mappings is
// better.
class Value {
 public:
  static Value of(Objective objective, const Cost& cost);
  // Above the value of every cost.
  static Value worst();

  auto operator<=>(const Value&) const = default;

 private:
  std::array<u64, 4> limb_{};
};

// The value as a rounded number for people, in pJ, cycles, pJ x cycles or pJ x cycles^2.
double objective_number(Objective objective, const Cost& cost);

// What no mapping reaches.
inline constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace heliolite
