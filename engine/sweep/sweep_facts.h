#pragma once
// Facts that follow from a sweep's record and are stored nowhere.
#include "engine/search/core/objective.h"
#include "engine/search/core/tiles.h"
#include "engine/sweep/records.h"

namespace heliolite {

// What the sweep minimises.
const ObjectiveInfo& objective_of(const SweepRecord& sweep);

// The objective of a point's total energy and total cycles. A point's value is the sum of the layers' objectives; for
// products of energy and cycles that is another number, and much smaller.
double value_of_totals(const SweepRecord& sweep, double energy_pj, double cycles);

// The name of its column in exports, the last one.
inline constexpr const char* kValueOfTotals = "value_of_totals";

// Whether a point's value and value_of_totals() can differ.
bool sums_differ(const SweepRecord& sweep);

// How the sweep counts words where factors do not divide.
Counts counts_of(const SweepRecord& sweep);

// Whether the sweep's file asks for imperfect factors too, and not for perfect ones only.
bool imperfect_factors(const SweepRecord& sweep);
// The tiles that it asks for.
Tiles tiles_of(const SweepRecord& sweep);

}  // namespace heliolite
