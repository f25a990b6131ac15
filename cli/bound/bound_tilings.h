#pragma once
// Best tilings of a layer as tables and JSON.
#include <string>

#include "cli/bound/bound_symbolic_layer.h"
#include "cli/ui/json.h"

namespace heliolite::cli {

// Tables of the best tilings for each memory alone, and for several together (empty if those were not asked for).
std::string tilings_table(const SymbolicAnswer& answer, const WordUnit& unit);
std::string nested_table(const SymbolicAnswer& answer, const WordUnit& unit);

// docs/json.md: a member of `tilings` (`answer.tiling` must be there), and `nested_tiling`.
Json tiling_json(const PlaceAnswer& answer);
Json nested_json(const SymbolicAnswer& answer);

// {"level", "capacity_words"}
Json place_json(const Place& place);

}  // namespace heliolite::cli
