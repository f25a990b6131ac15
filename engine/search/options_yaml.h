#pragma once
// How to search, as suites of mappers and sweeps state it.
#include "engine/base/yaml_node.h"
#include "engine/search/map.h"

namespace heliolite {

// The keys `budget`, `evaluations`, `seed`, `victory`, `imperfect`, `free` and `without` into `options`.
void read_search_options(MapReader& reader, SearchOptions& options, Diagnostics& errors);

// `budget`: seconds above 0.
std::optional<double> read_budget(MapReader& reader, double most, Diagnostics& errors);

// Complains about a name that is not one of strategy_names().
void check_strategy(const YamlNode& node, const std::string& name, Diagnostics& errors);

}  // namespace heliolite
