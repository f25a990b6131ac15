#pragma once
// `map --roofline`: for each layer the MACs that its mapping makes of a byte at each level, what it waits for, and how
// far that is from what any mapping can make of a byte of the outermost level.
#include <string>

#include "cli/map/map_answer.h"
#include "engine/model/roofline.h"

namespace heliolite::cli {

// A row for each layer that has a mapping.
std::string roofline_table(const MapAnswer& answer);
// Roofs of all levels, and of each layer a dot for each level; both axes logarithmic.
std::string roofline_svg(const MapAnswer& answer);
// "roofline" of docs/json.md for a layer; null without a mapping.
Json roofline_json(const MapAnswer& answer, std::size_t layer);

}  // namespace heliolite::cli
