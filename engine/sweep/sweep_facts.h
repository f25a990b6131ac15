#pragma once
// Facts that follow from a sweep's record and are stored nowhere.
#include <string>
#include <string_view>

#include "engine/search/core/tiles.h"
#include "engine/sweep/records.h"
#include "engine/sweep/totals.h"

namespace heliolite {

// The objective of a point's total energy and total delay, in the unit of its value. The sum of the layers' objectives
// is for products of energy and delay another number, and much smaller.
double value_of_totals(const SweepRecord& sweep, const PointRecord& point);

// What the values of points are, for headings: "EDP of totals [pJ s]".
std::string value_title(const SweepRecord& sweep);

// The outermost memory of whatever machine.
inline constexpr std::string_view kOutermostMemory = "the outermost memory";

// What is to be said of totals of networks (layers_alone_note()), if the sweep has one; else "".
std::string layers_alone_note(const SweepRecord& sweep);

// How the sweep counts words where factors do not divide.
Counts counts_of(const SweepRecord& sweep);

// Whether the sweep's file asks for imperfect factors too, and not for perfect ones only.
bool imperfect_factors(const SweepRecord& sweep);
// The tiles that it asks for.
Tiles tiles_of(const SweepRecord& sweep);

}  // namespace heliolite
