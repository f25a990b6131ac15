#pragma once
// Whether the tensors of a level have one tile or tiles of their own.
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/integers.h"

namespace heliolite {

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
