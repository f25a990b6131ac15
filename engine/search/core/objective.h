#pragma once
// What a search minimises, as an exact integer: two costs compare the same on every machine and thread count.
#include <array>
#include <compare>
#include <limits>
#include <optional>
#include <string_view>

#include "engine/model/cost_model.h"

namespace heliolite {

enum class Objective : u8 { Energy, Delay, Edp, Ed2p };

inline constexpr std::array<std::string_view, 4> kObjectiveNames{"energy", "delay", "edp", "ed2p"};

std::string_view name(Objective objective);
std::optional<Objective> parse_objective(std::string_view name);

// 256 bits, most significant limb first: energy (below 2^103 units) times cycles (below 2^64) twice fits. For delay the
// energy is the low half, so that of equally fast mappings the thriftiest is best.
class Value {
 public:
  static Value of(Objective objective, const Cost& cost);
  static Value worst();

  auto operator<=>(const Value&) const = default;

 private:
  std::array<u64, 4> limb_{};
};

// pJ, cycles, pJ x cycles, or pJ x cycles^2.
double objective_number(Objective objective, const Cost& cost);

// What no mapping reaches.
inline constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace heliolite
