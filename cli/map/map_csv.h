#pragma once
// The answer of `heliolite map` as comma-separated values.
#include <string>

#include "cli/map/map_answer.h"

namespace heliolite::cli {

// A heading and one row for each layer, of one run. Numbers that do not exist are empty.
std::string map_csv(const MapAnswer& answer);

}  // namespace heliolite::cli
