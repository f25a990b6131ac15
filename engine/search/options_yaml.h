#pragma once
// How to search, as suites of mappers and sweeps state it.
#include <optional>
#include <string_view>

#include "engine/base/yaml_node.h"
#include "engine/search/map.h"

namespace heliolite {

// The keys `budget`, `evaluations`, `memory`, `seed`, `victory`, `imperfect`, `free` and `without` into `options`.
void read_search_options(MapReader& reader, SearchOptions& options, Diagnostics& errors);

// `budget`: seconds above 0.
std::optional<double> read_budget(MapReader& reader, double most, Diagnostics& errors);

// "512 MiB", "2GB" (of 1024): bytes that the exact search of a layer may hold. Nothing if it is no such size.
std::optional<u64> parse_memory(std::string_view text);
inline constexpr std::string_view kMemorySizes = "a size with its unit (B, KB, MB or GB, of 1024), at least 1 B";

// Complains about a name that is not one of strategy_names().
void check_strategy(const YamlNode& node, const std::string& name, Diagnostics& errors);

}  // namespace heliolite
