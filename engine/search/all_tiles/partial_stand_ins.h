#pragma once
// How units of a fan-out may be divided between its axes (docs/rules/any_factors.md, rule columns-first).
#include <span>
#include <vector>

#include "engine/space/mapspace.h"

namespace heliolite {

// What divisions between X and Y are compared by, the higher the better: units along X in all, then along each set of
// dimensions that change places, by its lowest one. `lowest[d]`: of the set of d.
std::vector<u64> column_rank(std::span<const u32> along_x, std::span<const u8> lowest);

// The highest rank of all divisions of so many units along each dimension that the axes have room for; at least one
// has.
std::vector<u64> highest_column_rank(const SpatialSpace& fanout, std::span<const u32> units,
                                     std::span<const u8> lowest);

}  // namespace heliolite
