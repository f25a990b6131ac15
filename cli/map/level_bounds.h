#pragma once
// The least words, or bytes or bits of words that have sizes, that any mapping moves across each level's boundary, as
// table and as JSON: alone, or with what one mapping moves.
#include <span>
#include <string>

#include "cli/ui/json.h"
#include "engine/bounds/curve/movement_distance.h"

namespace heliolite::cli {

// The levels as a table, without and with a mapping.
std::string level_table(std::span<const LevelBound> levels, const Workload& workload);
std::string level_table(std::span<const LevelDistance> levels, const Workload& workload);

// The elements of "bounds" in docs/json.md; `tiles` says for which mappings they hold.
Json level_bound_json(const LevelBound& level, const std::string& tiles);
Json level_bound_json(const LevelDistance& level, const std::string& tiles);

// The names of the two curves in tables, CSV and JSON: the least of all mappings on one buffer, and on any levels.
inline constexpr const char* kOneBufferCurve = "orojenesis";
inline constexpr const char* kNestedCurve = "nested";

// Assumptions under which the bounds hold, put together from these.
inline constexpr const char* kAnyMapping = "any mapping, ";
inline constexpr const char* kPerfectTiles = "perfect tiles";
inline constexpr const char* kAnyTiles = "tiles of any size";

// "; A and A#2 are one tensor" for the assumptions of a bound that counts such a tensor once; else empty.
std::string repeated_tensors(const Workload& workload);

}  // namespace heliolite::cli
