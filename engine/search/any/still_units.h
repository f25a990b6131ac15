#pragma once
// What stays where it is while the first temporal loop over a dimension runs (rule 36), if it is not known how many
// units stand inside the loop (docs/rules/any_factors.md, item 3).
#include "engine/base/integers.h"

namespace heliolite {

// Elements of a dimension at most that units hold which find no second iteration. It has `tiles` tiles where the words
// begin, or up to `more` more, of `widest` elements at most, and up to `most` units side by side. Where a tile may be
// made of units inside it, too, these count as one.
u64 most_that_stay(u64 size, u64 tiles, u64 more, u64 most, u64 widest);

// The same of up to so many units of any tiles.
u64 most_left_by_units(u64 size, u64 units);

}  // namespace heliolite
