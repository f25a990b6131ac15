#pragma once
// Units of a fan-out whatever loops come: what the first instance is asked for, what stays where it is, places that
// work at least.
#include <span>

#include "engine/base/integers.h"
#include "engine/search/all_tiles/flows.h"

namespace heliolite {

// What the first instance of a level is asked for: it has the most to do, as all its tiles are full
// (docs/rules/any_factors.md, item 7).

// Whether requests of the compute units are all that a flow is, of a tensor without sliding ranks.
bool is_asked_by_units(const Flow& flow);

// [dimension]: how often the first instance of `flow.outer` is asked, by the loops that are placed.
std::array<TrailCells, kMaxDimensions> asked_of_first_instance(const Flow& flow, const Trail& trail);

// Requests that arrive there at least.
u64 words_of_first_instance(const KeptFlows& costs, const Flow& flow, const Trail& trail, const Reach& reach);

// What stays where it is while the first temporal loop over a dimension runs (rule 36), if it is not known how many
// units stand inside the loop (docs/rules/any_factors.md, item 3).

// Elements of a dimension at most that units hold which find no second iteration. It has `tiles` tiles where the words
// begin, or up to `more` more, of `widest` elements at most, and up to `most` units side by side. Where a tile may be
// made of units inside it, too, these count as one.
u64 most_that_stay(u64 size, u64 tiles, u64 more, u64 most, u64 widest);

// The same of up to so many units of any tiles.
u64 most_left_by_units(u64 size, u64 units);

// Places that work at least, if it is known how many units loops to come make, but not which loops do
// (docs/rules/any_factors.md, item 8).

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
