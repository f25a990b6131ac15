#pragma once
// The answer of `heliolite map` as comma-separated values.
#include <string>

#include "cli/map/map_answer.h"

namespace heliolite::cli {

// A heading and one row for each layer, of one run: its costs, the energy of each level, then the sizes of its
// dimensions and words and energy by level and tensor. Every name says the unit or what is counted, or a column beside
// does: `value_unit` is that of value and lower_bound, "" if it is not known. Numbers that do not exist are empty.
std::string map_csv(const MapAnswer& answer, const std::string& value_unit);

}  // namespace heliolite::cli
