#pragma once
// How many compute units mappings of a mapspace can use: what a least parallelism asks for may be out of reach.
#include <optional>

#include "engine/space/mapspace.h"

namespace heliolite {

// No mapping uses more, whatever its factors.
u64 most_units(const Mapspace& mapspace);

// The most units that factors which divide the sizes can use; never above most_units(). None: there are too many
// unrollings to look at.
std::optional<u64> most_units_of_perfect_factors(const Mapspace& mapspace);

// "at least 15 of 16 compute units must be used", and which constraint says so.
std::string least_units_text(const Mapspace& mapspace);

}  // namespace heliolite
