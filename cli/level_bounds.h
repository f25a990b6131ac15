#pragma once
// A machine's levels against what no mapping can beat, as table and as JSON: the bounds alone, or with a mapping.
#include <span>
#include <string>

#include "cli/json.h"
#include "engine/bounds/movement_distance.h"

namespace heliolite::cli {

std::string level_table(std::span<const LevelBound> levels, const Workload& workload);
std::string level_table(std::span<const LevelDistance> levels, const Workload& workload);

// The elements of "bounds" in docs/json.md; `tiles` says for which mappings they hold.
Json level_bound_json(const LevelBound& level, const std::string& tiles);
Json level_bound_json(const LevelDistance& level, const std::string& tiles);

inline constexpr const char* kPerfectTiles = "perfect tiles";
inline constexpr const char* kAnyTiles = "tiles of any size";

}  // namespace heliolite::cli
