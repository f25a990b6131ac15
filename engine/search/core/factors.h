#pragma once
// The tile sizes that a mapspace allows.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/types.h"

namespace heliolite {

enum class Factors : u8 {
  Perfect,  // factors that divide the sizes: Timeloop's mapspace
  Any,      // all tile sizes, priced in true counts
};

// "perfect" or "any".
constexpr std::string_view name(Factors factors) { return factors == Factors::Any ? "any" : "perfect"; }
inline std::vector<std::string> factors_names() { return {"perfect", "any"}; }
inline std::optional<Factors> parse_factors(std::string_view name) {
  if (name == "perfect") return Factors::Perfect;
  if (name == "any") return Factors::Any;
  return std::nullopt;
}

}  // namespace heliolite
