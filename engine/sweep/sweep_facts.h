#pragma once
// What follows from a sweep's record and is written down nowhere else.
#include "engine/sweep/records.h"

namespace heliolite {

// The objective of a point's total energy and total cycles. A point's value is the sum of the layers' objectives; for
// products of energy and cycles that is another number, and much smaller.
double value_of_totals(const SweepRecord& sweep, double energy_pj, double cycles);

// Its column where points are written out, the last one.
inline constexpr const char* kValueOfTotals = "value_of_totals";

// Whether the two can differ.
bool sums_differ(const SweepRecord& sweep);

// Whether the mappings have all factors, or perfect ones only: as the sweep's file says.
bool imperfect_factors(const SweepRecord& sweep);

}  // namespace heliolite
