#pragma once
// Places that work at least, if it is known how many units loops to come make, but not which loops do
// (docs/rules/any_factors.md, item 8).
#include <span>

#include "engine/search/any/flows.h"

namespace heliolite {

// Of `units` that loops make of one dimension.
u64 working_places(u64 units);

// Elements of dimension b at most whose places in a rank leave the same rest by a step of dimension a of that rank.
u64 alike_by_step(const Compiled& c, const CompiledTensor& t, int a, int b);

// Tiles that a word crosses for at least, of the dimensions of class k, which does not index its tensor: fan-outs to
// come from that below `level` on count, of all other loops to come only the first sub-tile. `cells`: by the loops so
// far.
u64 least_cells(const KeptFlows& costs, const Trail& trail, const Reach& reach, int level, std::size_t k,
                std::span<const TrailCells> cells);

}  // namespace heliolite
