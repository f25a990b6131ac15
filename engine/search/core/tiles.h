#pragma once
// Whether the tensors of a level have one tile or tiles of their own.
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/types.h"

namespace heliolite {

// The tile sizes that a mapspace allows.

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

enum class Tiles : u8 {
  Even,    // one tile for each level, as in Timeloop
  Uneven,  // each tensor of a level has its own place in the nest, and all share the level's room
};

inline constexpr std::array<std::string_view, 2> kTilesNames{"even", "uneven"};

// As users write it.
inline std::string_view name(Tiles tiles) { return kTilesNames[at(tiles)]; }
inline std::optional<Tiles> parse_tiles(std::string_view name) {
  for (const Tiles tiles : {Tiles::Even, Tiles::Uneven})
    if (kTilesNames[at(tiles)] == name) return tiles;
  return std::nullopt;
}
inline std::vector<std::string> tiles_names() { return {kTilesNames.begin(), kTilesNames.end()}; }

}  // namespace heliolite
